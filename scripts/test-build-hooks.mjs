// Node's hooks for use-test-build.mjs.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [built, other] = ["dist", process.env.TURNFOLD_BUILD].map((path) => new URL(`../${path}/`, import.meta.url).href);

/** Replaces the files of dist that there are in the other folder. */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context).catch((error) => {
    // A new entry is only in the other folder.
    if (!error.url?.startsWith(built)) throw error;
    return { url: error.url, format: "module", shortCircuit: true };
  });
  if (!found.url.startsWith(built)) return found;
  const url = found.url.replace(built, other);
  return existsSync(fileURLToPath(url)) ? { ...found, url } : found;
}
