// opencode, with a provider of its configuration for each API. Its sessions are in a database, so they are exported.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../shop.mjs";

const PRICES = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

/** A provider of the configuration: the package of the AI SDK that speaks an API, and its model. */
const provider = (npm, baseURL, model, limit) => ({
  npm,
  options: { baseURL, apiKey: "nobody" },
  models: { [model]: { name: model, cost: PRICES, limit, attachment: true, tool_call: true } },
});

/** Runs the turns with a program that is built on opencode, and exports its sessions. */
export const openCode =
  ({ command, folder, limit = { context: 200_000, output: 32_000 } }, ...turns) =>
  async ({ run, origins, home, project }) => {
    mkdirSync(join(home, ".config", folder), { recursive: true });
    writeFileSync(
      join(home, ".config", folder, `${folder}.json`),
      JSON.stringify({
        provider: {
          chat: provider("@ai-sdk/openai-compatible", `${origins.openai}/v1`, "shop-chat", limit),
          claude: provider("@ai-sdk/anthropic", `${origins.anthropic}/v1`, "claude-sonnet-4-5", limit),
          responses: provider("@ai-sdk/openai", `${origins.openai}/v1`, "gpt-5.1", limit),
        },
        permission: "allow",
        autoupdate: false,
        share: "disabled",
      }),
    );
    for (const args of turns) await run(command, ["run", ...args]);
    const listed = await run(command, ["session", "list", "--format", "json"]);
    for (const { id } of JSON.parse(listed.stdout)) {
      const exported = await run(command, ["export", id]);
      writeFileSync(join(project, `exported-${id}.json`), exported.stdout);
    }
  };

const run = (...turns) => openCode({ command: "opencode", folder: "opencode" }, ...turns);

export const sessions = (run) => ({
  "files are read and changed": {
    files,
    script: ({ project }) => [
      { text: "I read the prices.", calls: [["read", { filePath: `${project}/prices.json` }]] },
      {
        calls: [
          ["read", { filePath: `${project}/src/shop.js` }],
          ["bash", { command: "ls -la", description: "List files" }],
        ],
      },
      { calls: [["edit", { filePath: `${project}/prices.json`, oldString: "4", newString: "6" }]] },
      { calls: [["read", { filePath: `${project}/missing.json` }]] },
      { text: "Tea costs 6 now." },
      { text: "Coffee costs 5." },
    ],
    run: run(
      ["--model", "claude/claude-sonnet-4-5", "Tea costs 6. Change prices.json."],
      ["--model", "claude/claude-sonnet-4-5", "--continue", "And coffee?"],
    ),
  },
});

export default {
  name: "opencode",
  npm: "opencode-ai",
  recordings: /project\/exported-.*\.json$/,
  sessions: sessions(run),
};
