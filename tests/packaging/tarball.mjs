// Packs the package as users get it, and installs it into apps outside this repository.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../../scripts/tools.mjs";

export const program = readFileSync(join(import.meta.dirname, "program.mjs"), "utf8");
export const chatting = readFileSync(join(import.meta.dirname, "chatting.mjs"), "utf8");
export const counting = readFileSync(join(import.meta.dirname, "counting.mjs"), "utf8");

/** Packs the package into a new folder outside the repository and installs it there once. */
export function pack() {
  const folder = mkdtempSync(join(tmpdir(), "turnfold-packaging-"));
  const [{ filename, files, size, unpackedSize }] = JSON.parse(
    npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  const installed = join(folder, "installed");
  write(installed, { "package.json": '{ "private": true }' });
  npm(installed, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, filename));
  return {
    tarball: join(folder, filename),
    size,
    unpackedSize,
    files: files.map(({ path }) => path),
    /** Creates an app with the package in its node_modules and these files. */
    app(name, contents) {
      const app = join(folder, name);
      cpSync(join(installed, "node_modules"), join(app, "node_modules"), { recursive: true });
      write(app, { "package.json": '{ "private": true, "type": "module" }', ...contents });
      return app;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program of an app in Node and returns what it printed. */
export function node(app, file) {
  return printed(process.execPath, [file], app);
}

function npm(cwd, ...args) {
  const { npm_execpath } = process.env;
  return npm_execpath ? printed(process.execPath, [npm_execpath, ...args], cwd) : printed("npm", args, cwd);
}

function printed(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} failed in ${cwd}:\n${stdout}${stderr}`);
  return stdout;
}

function write(folder, contents) {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
