// Finds the tools that are not npm packages: Rust's and the browser's.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { output, Problem } from "./process.mjs";

export const root = dirname(import.meta.dirname);
export const wasmTarget = "wasm32-unknown-unknown";
export const wasmPackVersion = "0.15.1";
export const geckodriverVersion = "0.37.1";
/** The folder into which scripts/setup.mjs installs geckodriver. */
export const geckodriverFolder = join(root, ".cache", "geckodriver");

const suffix = process.platform === "win32" ? ".exe" : "";
const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
const cargoBin = join(cargoHome, "bin");

/** The version of wasm-bindgen in Cargo.lock: the command line tool must have the version of the crate. */
export function wasmBindgenVersion() {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const version = /^name = "wasm-bindgen"\nversion = "(.+)"$/m.exec(lock)?.[1];
  if (!version)
    throw new Problem("Cargo.lock names no version of wasm-bindgen. Restore the file from version control.");
  return version;
}

/** Beside it is the runner of tests that wasm-pack starts. */
export const wasmBindgen = () => atVersion("wasm-bindgen", wasmBindgenVersion());
export const wasmPack = () => atVersion("wasm-pack", wasmPackVersion);
export const chromium = () =>
  process.env.CHROMIUM ??
  onPath(["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])[0];
/**
 * Chromium's headless shell, which lacks windows and menus, or the whole Chromium where it is missing. A visit of the playground
 * takes 0.7 s of processor time in the shell, and 2.2 s in the whole Chromium.
 */
export const headlessChromium = () => process.env.CHROMIUM ?? onPath(["chromium-headless-shell"])[0] ?? chromium();
export const chromedriver = () => process.env.CHROMEDRIVER ?? onPath(["chromedriver"])[0];
export const firefox = () => process.env.FIREFOX ?? onPath(["firefox-esr", "firefox"])[0];
export const geckodriver = () => process.env.GECKODRIVER ?? onPath(["geckodriver"])[0];
/** The driver of WebKitGTK, which starts the browser of its own package. */
export const webkitDriver = () => onPath(["WebKitWebDriver"])[0];
/** A display without a screen, which WebKitGTK needs. */
export const xvfb = () => onPath(["Xvfb"])[0];

/** The folder with PostgreSQL's programs: Debian has those of the server outside of the PATH, in a folder for each version. */
export function postgres() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const [found] = onPath(["initdb"]);
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(found === undefined ? [] : [dirname(found)]),
  ].find((folder) => ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(folder, `${name}${suffix}`))));
}

/** The browsers of the stage `engines`, each with the names of the tools that it needs and that are missing. */
export const engines = () => ({
  Firefox: namesWithout({ Firefox: firefox(), geckodriver: geckodriver() }),
  WebKit: namesWithout({ WebKitWebDriver: webkitDriver(), Xvfb: xvfb() }),
});

const namesWithout = (tools) => Object.keys(tools).filter((name) => !tools[name]);

/** Command and arguments that run a program of an npm package. */
export const nodeProgram = (path, args) => [process.execPath, [join(root, "node_modules", path), ...args]];

/** Writes a module that exports values by their names, and its declaration. */
export function writeModule(path, values) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  const lines = (line) => Object.entries(values).map(line).join("");
  writeFileSync(
    join(root, path),
    lines(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`),
  );
  const typeOf = (value) => (Array.isArray(value) ? "readonly string[]" : typeof value);
  const declarations = lines(([name, value]) => `export const ${name}: ${typeOf(value)};\n`);
  writeFileSync(join(root, path.replace(/\.js$/, ".d.ts")), declarations);
}

/** Environment variables with which cargo builds for wasm32, or null when no installed compiler can. */
export function wasmRust() {
  const libraries = output("rustc", ["--print", "target-libdir", "--target", wasmTarget]);
  if (libraries && existsSync(libraries)) return {};
  return debianWasmRust();
}

/** Flags for rustc that remove this machine's folders from panic messages, so that every machine builds the same wasm. */
export function withoutMachinePaths() {
  const sources = join(output("rustc", ["--print", "sysroot"]) ?? "", "lib", "rustlib", "src", "rust");
  const named = [`${sources}=/rust`, `${join(cargoHome, "registry", "src")}=/crates`, `${root}=/turnfold`];
  return named.map((prefix) => `--remap-path-prefix=${prefix}`);
}

/**
 * Where rustup does not provide the library of wasm32, Debian's compiler builds the standard library from Debian's source.
 * Debian's linker does not support wasm; the one of rustup does.
 */
function debianWasmRust() {
  const host = output("rustc", ["--print", "target-libdir"]);
  const linker = host && join(dirname(host), "bin", "rust-lld");
  if (!linker || !existsSync(linker) || !existsSync("/usr/bin/rustc") || !existsSync("/usr/lib/rustlib/src/rust"))
    return null;
  return {
    RUSTC: "/usr/bin/rustc",
    RUSTC_BOOTSTRAP: "1",
    CARGO_UNSTABLE_BUILD_STD: "std,panic_abort",
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
  };
}

/** Programs on the PATH and in the folders into which scripts/setup.mjs installs. */
function onPath(names) {
  const folders = [cargoBin, join(geckodriverFolder, "bin"), ...(process.env.PATH ?? "").split(delimiter)];
  return names.flatMap((name) => folders.map((folder) => join(folder, name + suffix))).filter(isProgram);
}

function atVersion(name, version) {
  return onPath([name]).find((path) => output(path, ["--version"])?.split(" ")[1] === version);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
