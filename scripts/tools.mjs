// Where the tools are that Node's packages do not bring: Rust's and the browser's.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { output, Problem } from "./process.mjs";

export const root = dirname(import.meta.dirname);
export const wasmTarget = "wasm32-unknown-unknown";
export const wasmPackVersion = "0.15.1";

const suffix = process.platform === "win32" ? ".exe" : "";
const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
const cargoBin = join(cargoHome, "bin");

/** The command line tool and the crate must be of one version, so the lock file names both. */
export function wasmBindgenVersion() {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const version = /^name = "wasm-bindgen"\nversion = "(.+)"$/m.exec(lock)?.[1];
  if (!version)
    throw new Problem("Cargo.lock names no version of wasm-bindgen. Restore the file from version control.");
  return version;
}

export const wasmBindgen = () => atVersion("wasm-bindgen", wasmBindgenVersion());
export const wasmPack = () => atVersion("wasm-pack", wasmPackVersion);
export const chromium = () =>
  process.env.CHROMIUM ??
  onPath(["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])[0];
export const chromedriver = () => process.env.CHROMEDRIVER ?? onPath(["chromedriver"])[0];

/** A program that an npm package brings, as the arguments that run it. */
export const nodeProgram = (path, args) => [process.execPath, [join(root, "node_modules", path), ...args]];

/** Writes a module that exports bytes as `base64`, and its declaration. */
export function writeBase64(path, bytes) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `export const base64 =\n  "${bytes.toString("base64")}";\n`);
  writeFileSync(join(root, path.replace(/\.js$/, ".d.ts")), "export const base64: string;\n");
}

/** Settings under which cargo can build for wasm32, or null when nothing here can. */
export function wasmRust() {
  const libraries = output("rustc", ["--print", "target-libdir", "--target", wasmTarget]);
  if (libraries && existsSync(libraries)) return {};
  return debianWasmRust();
}

/** Flags for rustc that keep this machine's folders out of the messages of panics: the same wasm comes out everywhere. */
export function withoutMachinePaths() {
  const sources = join(output("rustc", ["--print", "sysroot"]) ?? "", "lib", "rustlib", "src", "rust");
  const named = [`${sources}=/rust`, `${join(cargoHome, "registry", "src")}=/crates`, `${root}=/turnfold`];
  return named.map((prefix) => `--remap-path-prefix=${prefix}`);
}

/**
 * Where rustup has no wasm32 library to give, Debian's compiler builds the standard library from Debian's source of it.
 * Debian's linker does not know wasm; the one that rustup brought does.
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

/** Cargo's own folder counts even when it is not on the PATH: that is where the set-up installs to. */
function onPath(names) {
  const folders = [cargoBin, ...(process.env.PATH ?? "").split(delimiter)];
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
