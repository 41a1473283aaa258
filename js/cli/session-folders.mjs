// Where the tools of this machine keep their sessions, and which files of a folder are sessions.

import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, relative, sep } from "node:path";

const home = (...path) => join(homedir(), ...path);
const { env } = process;

/** The folders of the data of an editor that is built on VS Code, on all systems. */
const editorFolders = (path) =>
  ["Code", "Code - Insiders", "VSCodium", "Cursor"].flatMap((editor) =>
    [home(".config"), home("Library", "Application Support"), env.APPDATA ?? home("AppData", "Roaming")].map((base) =>
      join(base, editor, "User", path),
    ),
  );

/** Tasks of Cline and what was made of it. Of the two files of a task, this one has the usage. */
const tasksOf = (tool, extension) => ({
  tool,
  folders: editorFolders(join("globalStorage", extension, "tasks")),
  file: /\/ui_messages\.json$/,
});

/**
 * The tools, the folders in which they keep sessions, and which files there are sessions: `/` separates the parts of a
 * path. Tools that keep a database, such as opencode, Kilo CLI and newer versions of goose, are absent: docs/recordings.md says
 * how to export from them.
 */
const TOOLS = [
  {
    tool: "Claude Code",
    folders: [join(env.CLAUDE_CONFIG_DIR ?? home(".claude"), "projects"), home(".config", "claude", "projects")],
    file: /\.jsonl$/,
  },
  {
    tool: "Codex",
    folders: ["sessions", "archived_sessions"].map((name) => join(env.CODEX_HOME ?? home(".codex"), name)),
    file: /(?:^|\/)rollout-[^/]*\.jsonl$/,
  },
  // Sub-agents are in a folder with the id of their session.
  { tool: "Gemini CLI", folders: [home(".gemini", "tmp")], file: /\/chats\/(?:session-|[^/]+\/)[^/]*\.jsonl?$/ },
  { tool: "Qwen Code", folders: [home(".qwen", "projects")], file: /\/(?:chats|subagents\/[^/]+)\/[^/]*\.jsonl$/ },
  { tool: "Copilot CLI", folders: [home(".copilot", "session-state")], file: /\.jsonl$/ },
  { tool: "Cursor", folders: [home(".cursor", "projects")], file: /\/agent-transcripts\/.*\.(?:jsonl|txt)$/ },
  {
    tool: "pi",
    folders: [join(env.PI_CODING_AGENT_DIR ?? home(".pi", "agent"), "sessions")],
    file: /\.jsonl$/,
  },
  { tool: "OpenClaw", folders: [home(".openclaw", "agents")], file: /\/sessions\/[^/]*\.jsonl$/ },
  { tool: "Droid", folders: [home(".factory", "sessions")], file: /\.jsonl$/ },
  { tool: "Continue", folders: [home(".continue", "sessions")], file: /^(?!sessions\.json$)[^/]*\.json$/ },
  { tool: "Grok Build", folders: [home(".grok", "sessions")], file: /(?:^|\/)chat_history\.jsonl$/ },
  {
    tool: "goose",
    folders: [join(env.XDG_DATA_HOME ?? home(".local", "share"), "goose", "sessions")],
    file: /\.jsonl$/,
  },
  { tool: "Kimi", folders: [home(".kimi", "sessions"), home(".kimi-code", "sessions")], file: /\/wire\.jsonl$/ },
  { tool: "Cline", folders: [home(".cline", "data", "sessions")], file: /\.messages\.json$/ },
  tasksOf("Cline", "saoudrizwan.claude-dev"),
  tasksOf("Roo Code", "rooveterinaryinc.roo-cline"),
  tasksOf("Kilo Code", "kilocode.kilo-code"),
  { tool: "Copilot", folders: editorFolders("workspaceStorage"), file: /\/chatSessions\/[^/]*\.jsonl?$/ },
];

/** Recordings in a folder that the user names. */
const RECORDING = /\.(?:jsonl?|har)$|\.chat\.history\.md$|\.specstory\/history\/[^/]*\.md$/;

/** Folders below this depth are not searched: links between folders could make circles otherwise. */
const MAX_DEPTH = 8;

/**
 * Finds sessions, the newest first. A file has an `id`, which does not tell its path, the name of its `tool` (null in a
 * folder that the user names), `path`, `name` (the path within the folder), `bytes`, and `modified` in milliseconds since
 * 1970. Links are not followed, so no file outside of the folders is found.
 *
 * @param folders those to search in place of the folders of the known tools.
 */
export async function findSessions(folders = []) {
  const places =
    folders.length > 0
      ? folders.map((folder) => ({ tool: null, folder, file: RECORDING }))
      : TOOLS.flatMap(({ folders: own, ...tool }) => [...new Set(own)].map((folder) => ({ ...tool, folder })));
  const found = await Promise.all(places.map(sessionsIn));
  return found.flat().sort((one, other) => other.modified - one.modified);
}

async function sessionsIn({ tool, folder, file }) {
  const found = [];
  const search = async (inner, depth) => {
    const entries = await readdir(inner, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(inner, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && entry.name !== "node_modules") await search(path, depth + 1);
      if (!entry.isFile() || !file.test(relative(folder, path).split(sep).join("/"))) continue;
      const facts = await factsOf(path);
      if (facts !== null)
        found.push({ id: idOf(path), tool, path, name: relative(folder, path) || basename(path), ...facts });
    }
  };
  await search(folder, 0);
  return found;
}

/** The size of a file and when it was changed; null for a file that is gone. */
export async function factsOf(path) {
  const facts = await stat(path).catch(() => null);
  return facts === null ? null : { bytes: facts.size, modified: Math.floor(facts.mtimeMs) };
}

/** A name of a file that does not tell its path. */
export const idOf = (path) => createHash("sha256").update(path).digest("base64url").slice(0, 16);
