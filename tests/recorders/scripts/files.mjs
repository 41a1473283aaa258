// What programs here that are scripts of ours need.

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** The scripts of this folder that a session runs, for its project. */
export const scripts = (...names) =>
  Object.fromEntries(
    ["orders.mjs", ...names].map((name) => [name, readFileSync(new URL(name, import.meta.url), "utf8")]),
  );

/** Runs a script with the packages of its program. */
export const node =
  (script, argumentsOf, options) =>
  async ({ run, folder, project, origins }) => {
    symlinkSync(join(folder, "node_modules"), join(project, "node_modules"));
    await run("node", [script, ...argumentsOf(origins)], options);
  };

export const python =
  (script, argumentsOf, options) =>
  async ({ run, origins }) => {
    await run("python3", [script, ...argumentsOf(origins)], options);
  };
