// pi, with a provider of models.json for each API.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../shop.mjs";

const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

const pi =
  (...turns) =>
  async ({ run, origins, home }) => {
    mkdirSync(join(home, ".pi", "agent"), { recursive: true });
    const provider = (api, baseUrl, id) => ({
      api,
      baseUrl,
      apiKey: "nobody",
      models: [{ id, cost, contextWindow: 200_000, maxTokens: 32_000, input: ["text", "image"] }],
    });
    writeFileSync(
      join(home, ".pi", "agent", "models.json"),
      JSON.stringify({
        providers: {
          chat: provider("openai-completions", `${origins.openai}/v1`, "shop-chat"),
          claude: provider("anthropic-messages", origins.anthropic, "claude-shop"),
          responses: provider("openai-responses", `${origins.openai}/v1`, "shop-responses"),
          google: provider("google-generative-ai", `${origins.gemini}/v1beta`, "gemini-shop"),
        },
      }),
    );
    for (const args of turns) await run("pi", args, { env: { PI_OFFLINE: "1" } });
  };

export default {
  name: "pi",
  npm: "@earendil-works/pi-coding-agent",
  node: "24",
  recordings: /\.pi\/agent\/sessions\/.*\.jsonl$/,
  sessions: {
    "files are read and changed": {
      files,
      script: [
        { text: "I read the prices.", calls: [["read", { path: "prices.json" }]] },
        {
          calls: [
            ["read", { path: "src/shop.js" }],
            ["bash", { command: "ls -la" }],
          ],
        },
        { calls: [["edit", { path: "prices.json", edits: [{ oldText: "4", newText: "6" }] }]] },
        { calls: [["read", { path: "missing.json" }]] },
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: pi(
        ["--model", "claude/claude-shop", "-p", "Tea costs 6. Change prices.json."],
        ["--model", "claude/claude-shop", "-c", "-p", "And coffee?"],
      ),
    },
  },
};
