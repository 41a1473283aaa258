// npx turnfold studio: serves the playground to this machine, with its sessions. It reads them and changes nothing.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { platform } from "node:os";
import { SessionList } from "./session-list.mjs";
import { listen } from "./studio-server.mjs";
import { counted, optionsOf, Problem, print } from "./terminal.mjs";

export const USAGE = `turnfold studio       the sessions of the coding agents of this machine in the playground, in your browser: what they cost,
                      what could be saved, and the newest one while it is written

It reads the files of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot, Cursor, Cline, Roo Code, Kilo Code, Continue, Droid, goose,
Grok Build, Kimi, OpenClaw and pi, and serves them to this machine only. Nothing is changed, and nothing is sent anywhere. Ctrl+C ends it.

  --folder FOLDER   the recordings in this folder instead; several: --folder A --folder B
  --port N          4483 by default, or a free one if that is taken
  --open            opens the browser
  --help`;

const OPTIONS = {
  folder: { type: "string", multiple: true, default: [] },
  port: { type: "string" },
  open: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const PORT = 4483;

/** @param argv the arguments after the name of the command. */
export async function run(argv) {
  const { positionals, folder: folders, port, open, help } = optionsOf(argv, OPTIONS, USAGE);
  if (help) {
    print(USAGE);
    return;
  }
  if (positionals.length > 0)
    throw new Problem(`studio takes no file, got ${positionals[0]}: use --folder\n\n${USAGE}`);
  for (const folder of folders) if (!existsSync(folder)) throw new Problem(`there is no folder ${folder}`);
  const sessions = new SessionList(folders);
  await sessions.scan();
  const { url } = await listen(sessions, portOf(port));
  // Not by `print`, which would hide the token.
  console.log(
    `${sessions.entries.length === 0 ? "No session is found yet: --folder names other folders. The page is" : counted(sessions.entries.length, "session")} at\n\n  ${url}\n\nOnly this machine can open it. Press Ctrl+C to stop it.`,
  );
  if (open) openBrowser(url);
}

/** The ports to try: one that the user names has no second choice. */
function portOf(given) {
  if (given === undefined) return [PORT, 0];
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65_535) throw new Problem(`--port takes a number up to 65535, got ${given}`);
  return [port];
}

function openBrowser(url) {
  const [command, ...args] = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] }[platform()] ?? [
    "xdg-open",
  ];
  spawn(command, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => print(`No browser could be opened: ${command} is missing.`))
    .unref();
}
