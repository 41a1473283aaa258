// The Node that runs programs with `node:sqlite` and pg-boss: the one that runs the tests, or where it is too old, one from npm.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const [major, minor] = process.versions.node.split(".").map(Number);

function fromNpm() {
  const { platform, arch } = process;
  const folder = join(
    import.meta.dirname,
    "stores",
    "node_modules",
    `node-${platform === "win32" ? "win" : platform}-${arch}`,
  );
  const path = join(folder, "bin", platform === "win32" ? "node.exe" : "node");
  if (existsSync(path)) return path;
  throw new Error(
    `${path} is missing: \`npm ci\` in tests/durable/stores brings it for most machines; Node 22.13 or newer needs none.`,
  );
}

/** Command and arguments that run a program. */
export const nodeProgram = (path, ...args) => [
  major > 22 || (major === 22 && minor >= 13) ? process.execPath : fromNpm(),
  ["--disable-warning=ExperimentalWarning", path, ...args.map(String)],
];

/** Runs a program that may kill itself. Resolves to what it printed; null when it was killed. */
export function outputUnlessKilled(path, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(...nodeProgram(path, ...args), { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data) => {
      output += data;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else if (signal === "SIGKILL") resolve(null);
      else reject(new Error(`${path} ended with ${signal ?? code}`));
    });
  });
}

/** Starts a program in its folder. `lines` are those that it has printed; `kill` ends it, and resolves when it has ended. */
export function startProgram(folder, path, env) {
  const [command, args] = nodeProgram(path);
  const options = { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] };
  const child = spawn(command, args, options);
  const lines = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const closed = once(child, "close");
  const kill = () => {
    child.kill("SIGKILL");
    return closed;
  };
  /** Resolves when it answers at a port. */
  const isListening = (port) => waitFor(() => fetch(`http://localhost:${port}`).then(Boolean, () => false));
  return { lines, kill, isListening };
}

/** Resolves when a function returns true. */
export async function waitFor(isSo, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; !(await isSo()); await setTimeout(20))
    if (Date.now() > end) throw new Error(`it did not become so: ${isSo}`);
}

/** A port that nobody listens to. */
export async function freePort() {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
