// The command line of Cline. A session goes on only in its terminal. What it compacts is not recorded: a session has all messages, and
// neither the summaries nor the requests for them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../shop.mjs";

/** Its own command takes an address for OpenAI alone, so the file that it writes is written. */
const cline =
  (provider, baseUrl, model, question) =>
  async ({ run, origins, home }) => {
    const folder = join(home, ".cline", "data", "settings");
    mkdirSync(folder, { recursive: true });
    const settings = { provider, apiKey: "sk-nobody", model, baseUrl: baseUrl(origins) };
    const providers = { [provider]: { settings, updatedAt: new Date().toISOString(), tokenSource: "manual" } };
    writeFileSync(
      join(folder, "providers.json"),
      JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers }),
    );
    await run("cline", ["--json", question]);
    await run("cline", ["hub", "stop"]);
  };

const work = ({ project }) => [
  { text: "I read the prices.", calls: [["read_files", { files: [{ path: `${project}/prices.json` }] }]] },
  {
    calls: [
      ["read_files", { files: [{ path: `${project}/src/shop.js` }, { path: `${project}/missing.json` }] }],
      ["run_commands", { commands: ["ls -la", "false"] }],
    ],
  },
  { calls: [["editor", { path: `${project}/prices.json`, old_text: "9", new_text: "6" }]] },
  { calls: [["editor", { path: `${project}/prices.json`, old_text: "4", new_text: "6" }]] },
  { text: "Tea costs 6 now." },
];
const question = "Tea costs 6. Change prices.json.";

export default {
  name: "Cline",
  npm: "cline",
  recordings: /\.cline\/.*\.messages\.json$/,
  sessions: {
    "Messages: files are read and changed": {
      files,
      script: work,
      run: cline("anthropic", ({ anthropic }) => `${anthropic}/v1`, "claude-sonnet-4-5", question),
    },
    "Responses: files are read and changed": {
      files,
      script: work,
      run: cline("openai-native", ({ openai }) => `${openai}/v1`, "gpt-5", question),
    },
    "Chat Completions: files are read and changed": {
      files,
      script: work,
      run: cline("openai-compatible", ({ openai }) => `${openai}/v1`, "qwen3", question),
    },
    "a sub-agent": {
      files,
      script: ({ project }) => [
        { calls: [["spawn_agent", { systemPrompt: "You read files.", task: "Which price has coffee?" }]] },
        { calls: [["read_files", { files: [{ path: `${project}/prices.json` }] }]] },
        { text: "Coffee costs 5." },
        { text: "It is 5." },
      ],
      run: cline("anthropic", ({ anthropic }) => `${anthropic}/v1`, "claude-sonnet-4-5", "Ask an agent about coffee."),
    },
    "the server refuses": {
      files,
      fails: true,
      script: [
        { text: "I begin.", calls: [["run_commands", { commands: ["ls"] }]] },
        { status: 400, text: "No." },
      ],
      isRefused: true,
      run: cline("anthropic", ({ anthropic }) => `${anthropic}/v1`, "claude-sonnet-4-5", "List the files."),
    },
  },
};
