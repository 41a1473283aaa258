// What programs here that are scripts of ours need.

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as orders from "./orders.mjs";

/** The scripts of this folder that a session runs, for its project. */
export const scripts = (...names) => ({
  ...Object.fromEntries(
    ["orders.mjs", ...names].map((name) => [name, readFileSync(new URL(name, import.meta.url), "utf8")]),
  ),
  "orders.json": JSON.stringify(orders),
});

/** What the clients of `clients.cjs` and `clients.py` bill: Chat Completions and Gemini have no count of tokens written to the cache. */
export const countsOf = (api) =>
  /chat|gemini/.test(api) ? ["input", "read", "output"] : ["fresh", "read", "written", "output"];

/** The address of the server of an API. */
export const originOf = (api, { anthropic, openai, gemini }) => ({ anthropic, gemini })[api] ?? openai;

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
