// Skips a step whose inputs have not changed since it last succeeded.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tools.mjs";

/**
 * Runs `step`, unless the contents of `inputs` (files and folders) and `settings` (any JSON value) are unchanged and all
 * `outputs` exist. Returns whether it ran.
 */
export async function whenChanged(name, { inputs, settings, outputs }, step) {
  const stamp = join(root, ".cache", "stamps", name);
  const wanted = fingerprint(inputs, settings);
  const isCurrent = existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isCurrent && outputs.every((path) => existsSync(join(root, path)))) return false;
  rmSync(stamp, { force: true });
  await step();
  mkdirSync(join(root, ".cache", "stamps"), { recursive: true });
  writeFileSync(stamp, wanted);
  return true;
}

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
