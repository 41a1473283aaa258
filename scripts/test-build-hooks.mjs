// Node's hooks for use-test-build.mjs.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [built, forTests] = ["../dist/", "../.cache/tests/dist/"].map((path) => new URL(path, import.meta.url).href);

/** Replaces the files of dist that there are for tests. */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (!found.url.startsWith(built)) return found;
  const url = found.url.replace(built, forTests);
  return existsSync(fileURLToPath(url)) ? { ...found, url } : found;
}
