// Installs the JSON Schema Test Suite, by which the tests check how arguments of tools are validated.
//
// No package of npm has its present drafts; the sources of jsonschema on PyPI contain it (400 kB).

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { main, output, run } from "./process.mjs";
import { root } from "./tools.mjs";

const cache = join(root, ".cache");
const requirements = join(root, "tests", "js", "json-schema-suite", "requirements.txt");

/** The folder with the suite. */
export const jsonSchemaSuite = join(cache, "json-schema-suite");

/** The command that installs the suite. */
export const INSTALL = "node scripts/json-schema-suite.mjs";

/** Installs the suite if it is missing. Without Python, which not every developer has, it says that its test is skipped. */
export function installJsonSchemaSuite() {
  if (existsSync(jsonSchemaSuite)) return;
  const python = ["python3", "python"].find((name) => output(name, ["-m", "pip", "--version"]));
  if (python === undefined) {
    console.log(
      "\n› The JSON Schema Test Suite is skipped: it is in a Python package, and Python 3 with pip is missing",
    );
    return;
  }
  console.log(`\n› Downloading the JSON Schema Test Suite into ${relative(root, jsonSchemaSuite)}`);
  mkdirSync(cache, { recursive: true });
  const download = mkdtempSync(join(cache, "download-"));
  try {
    const options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes", "--dest", download];
    run(python, ["-m", "pip", "download", ...options, "-r", requirements]);
    const [sources] = readdirSync(download);
    run(python, ["-m", "tarfile", "-e", join(download, sources), download]);
    // The folder gets its final name last, so a folder with that name is complete.
    renameSync(join(download, sources.replace(".tar.gz", ""), "json", "tests"), jsonSchemaSuite);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}

main(import.meta, installJsonSchemaSuite);
