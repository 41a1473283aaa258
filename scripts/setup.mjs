// Installs what a fresh clone needs to build and test. Prints nothing and returns at once when nothing is missing.
//
// It runs before any package is installed, so it uses only Node's own modules. It downloads only from package registries
// (npm, Cargo, Debian, rustup), and runs no install script of a package.

import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { main, output, Problem, run, succeeds } from "./process.mjs";
import {
  chromedriver,
  chromium,
  engines,
  firefox,
  geckodriver,
  geckodriverFolder,
  geckodriverVersion,
  postgres,
  root,
  wasmBindgen,
  wasmBindgenVersion,
  wasmPack,
  wasmPackVersion,
  wasmRust,
  wasmTarget,
} from "./tools.mjs";

/** Installs what building needs; with `tests`, also what testing needs. */
export function setup({ tests }) {
  needNode();
  needRust();
  installPackages(root);
  if (!wasmRust()) installWasmRust();
  if (!tests) return;
  if (!wasmBindgen()) installTestRunner();
  if (!wasmPack()) installWasmPack();
  needRustComponent("rustfmt");
  needRustComponent("clippy");
  if (!chromium() || !chromedriver()) installBrowser();
}

function needNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return;
  throw new Problem(
    `Node ${process.versions.node} will not do: install Node 20.19, 22.12 or any later one (https://nodejs.org).`,
  );
}

function needRust() {
  if (output("cargo", ["--version"]) && output("rustc", ["--version"])) return;
  throw new Problem("Rust is missing: install it from https://rustup.rs, open a new terminal and run this again.");
}

/** Installs a component of Rust, such as rustfmt, where it is missing. */
export function needRustComponent(name) {
  if (output("cargo", [name === "rustfmt" ? "fmt" : name, "--version"])) return;
  step(`Adding ${name} to Rust`);
  if (!output("rustup", ["--version"]))
    throw new Problem(`${name} is missing: add it to this Rust installation and run this again.`);
  run("rustup", ["component", "add", name]);
}

/**
 * Whether `folder` lacks packages of its lock file. npm writes `.package-lock.json` last, so that file is newer than the lock
 * file only after a complete installation; packages may have been removed since, so their versions are checked too.
 */
export function packagesAreOld(folder) {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) return true;
  const { packages } = JSON.parse(readFileSync(lock, "utf8"));
  return Object.keys({ ...packages[""].dependencies, ...packages[""].devDependencies }).some((name) => {
    const path = `node_modules/${name}`;
    return versionIn(join(folder, path)) !== packages[path].version;
  });
}

function versionIn(folder) {
  const path = join(folder, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : null;
}

/**
 * Installs the packages of `folder` that its lock file names, when some of them are missing. npm empties node_modules first;
 * when that is a symbolic link, the folder belongs to another clone.
 */
export function installPackages(folder) {
  if (!packagesAreOld(folder)) return;
  if (lstatSync(join(folder, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Problem("node_modules is a link to packages of another version: remove the link and run this again.");
  }
  step(`Installing the npm packages of ${relative(root, join(folder, "package-lock.json"))}`);
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  run(npm[0], [...npm.slice(1), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
}

function installWasmRust() {
  step(`Adding Rust's ${wasmTarget} target`);
  if (output("rustup", ["--version"]) && succeeds("rustup", ["target", "add", wasmTarget]) && wasmRust()) return;
  if (canInstallDebianPackages()) {
    step("rustup could not bring it: installing Debian's Rust, which can build it");
    updateDebianPackages();
    installDebianPackages("rustc-web", "cargo-web", "rust-web-src");
    if (wasmRust()) return;
  }
  throw new Problem(
    `Rust cannot build for ${wasmTarget}: run \`rustup target add ${wasmTarget}\` and then this again.`,
  );
}

function installBrowser() {
  if (canInstallDebianPackages()) {
    step("Installing Chromium and ChromeDriver for the browser tests");
    updateDebianPackages();
    // Older releases of Debian do not have the headless shell.
    const shell = output("apt-cache", ["show", "chromium-headless-shell"]) ? ["chromium-headless-shell"] : [];
    installDebianPackages("chromium", "chromium-driver", ...shell);
  }
  if (chromium() && chromedriver()) return;
  throw new Problem(
    "The browser tests need Chromium (or Chrome) and a ChromeDriver of the same version.\n" +
      "Install both so that they are on the PATH, or name them in the environment variables CHROMIUM and CHROMEDRIVER.",
  );
}

/** Installs the browsers of the stage `engines` where it can, and says which ones are missing. */
export function installEngines() {
  const packages = { Firefox: firefox() ? [] : ["firefox-esr"], WebKit: ["webkit2gtk-driver", "xvfb"] };
  const wanted = Object.entries(engines()).flatMap(([name, missing]) => (missing.length > 0 ? packages[name] : []));
  if (wanted.length > 0 && canInstallDebianPackages()) {
    step("Installing Firefox and WebKitGTK");
    updateDebianPackages();
    // Not every distribution with apt-get has Firefox ESR.
    installDebianPackages(...wanted.filter((name) => output("apt-cache", ["show", name])));
  }
  if (firefox() && !geckodriver()) installGeckodriver();
  for (const [name, missing] of Object.entries(engines()))
    if (missing.length > 0) step(`The tests in ${name} need ${missing.join(" and ")}, which can't be found`);
}

/** Installs PostgreSQL, which the stage `durable` starts, where it can, and says when it is missing. */
export function installPostgres() {
  if (!postgres() && canInstallDebianPackages()) {
    step("Installing PostgreSQL");
    updateDebianPackages();
    installDebianPackages("postgresql");
  }
  if (!postgres()) step("The tests with PostgreSQL need its server (initdb, pg_ctl), which can't be found");
}

/** Without TLS: it speaks to the browser's driver on this machine. */
function installTestRunner() {
  const version = wasmBindgenVersion();
  step(`Building wasm-bindgen-cli ${version} with cargo; this takes a few minutes, once`);
  run("cargo", ["install", "wasm-bindgen-cli", "--version", version, "--no-default-features", "--debug"], {
    cwd: root,
  });
}

/** Starts the runner with a browser and its driver. */
function installWasmPack() {
  step(`Building wasm-pack ${wasmPackVersion} with cargo; this takes a minute or two, once`);
  run("cargo", ["install", "wasm-pack", "--version", wasmPackVersion, "--locked", "--debug"], { cwd: root });
}

/** Without optimization, which would take longer than all tests that use it. */
function installGeckodriver() {
  step(`Building geckodriver ${geckodriverVersion} with cargo; this takes a minute or two, once`);
  const install = ["install", "geckodriver", "--version", geckodriverVersion, "--locked", "--debug"];
  run("cargo", [...install, "--root", geckodriverFolder], { cwd: root });
}

/** Installs Clojure, which `npm run test:clojure` compares the language with, where it can. */
export function installClojure() {
  if (hasClojure()) return;
  if (canInstallDebianPackages()) {
    step("Installing Clojure");
    updateDebianPackages();
    installDebianPackages("clojure");
  }
  if (!hasClojure())
    throw new Problem("There is no `clojure` to compare with: install Debian's package `clojure`, or Clojure's own.");
}

const hasClojure = () => output("clojure", ["-e", "1"]) !== null;

const DEBIAN = { DEBIAN_FRONTEND: "noninteractive" };

const canInstallDebianPackages = () => process.getuid?.() === 0 && output("apt-get", ["--version"]) !== null;

/** Updates the list of packages, which is empty on a fresh machine. */
const updateDebianPackages = () => run("apt-get", ["update", "-qq"], { env: DEBIAN });

const installDebianPackages = (...names) =>
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], { env: DEBIAN });

function step(text) {
  console.log(`\n› ${text}`);
}

main(import.meta, (args) => setup({ tests: args.includes("--tests") }));
