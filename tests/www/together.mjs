// Runs several files of tests in one process with one browser, because starting both for each file takes 1.5 s of processor time.

import { join } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/tools.mjs";
// First, because the hooks of a module belong to the suite that imports it first, and the browser of the visits is for all files.
import "./visit.mjs";

/** The time after which the tests of one file are cancelled. */
const TIMEOUT_MS = 1_800_000;

/** Runs the tests of these files, whose paths begin at the project, one file after the other; each is a suite with the name of its file. */
export function testTogether(paths) {
  for (const path of paths) describe(path, { timeout: TIMEOUT_MS }, () => import(pathToFileURL(join(root, path))));
}
