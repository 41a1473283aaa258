// Skips a step whose inputs have not changed since it last succeeded.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./tools.mjs";

/**
 * Runs `step`, unless the contents of `inputs` (files and folders) and `settings` (any JSON value) are unchanged and all
 * `outputs` exist. Returns whether it ran.
 */
export async function whenChanged(name, { inputs, settings, outputs }, step) {
  if (isCurrent(name, { inputs, settings, outputs })) return false;
  // Before the step, during which a file may change.
  const wanted = fingerprint(inputs, settings);
  rmSync(pathOf(name), { force: true });
  await step();
  writeStamp(name, wanted);
  return true;
}

/** Whether {@link whenChanged} would do nothing. */
export function isCurrent(name, { inputs, settings, outputs }) {
  return readStamp(name) === fingerprint(inputs, settings) && outputs.every((path) => existsSync(join(root, path)));
}

/** The text of a stamp, or null. */
export function readStamp(name) {
  return existsSync(pathOf(name)) ? readFileSync(pathOf(name), "utf8") : null;
}

export function writeStamp(name, text) {
  mkdirSync(dirname(pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), text);
}

const pathOf = (name) => join(root, ".cache", "stamps", name);

function fingerprint(inputs, settings) {
  const hash = createHash("sha256").update(JSON.stringify(settings ?? null));
  for (const path of inputs.flatMap(filesIn)) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
