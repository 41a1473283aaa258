// Qwen Code, with the address of another server for OpenAI's API.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../shop.mjs";

const qwen =
  (...turns) =>
  async ({ run, origins, home }) => {
    mkdirSync(join(home, ".qwen"), { recursive: true });
    writeFileSync(
      join(home, ".qwen", "settings.json"),
      JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    );
    for (const args of turns) {
      await run("qwen", ["--yolo", ...args], {
        env: { OPENAI_BASE_URL: `${origins.openai}/v1`, OPENAI_API_KEY: "nobody", OPENAI_MODEL: "qwen3-coder-plus" },
      });
    }
  };

export default {
  name: "Qwen Code",
  npm: "@qwen-code/qwen-code",
  node: "24",
  recordings: /\.qwen\/projects\/.*\/chats\/.*\.jsonl$/,
  sessions: {
    "files are read and changed": {
      files,
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        {
          calls: [
            ["read_file", { file_path: `${project}/src/shop.js` }],
            ["run_shell_command", { command: "ls -la", description: "List files", is_background: false }],
          ],
        },
        { calls: [["edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
        { calls: [["read_file", { file_path: `${project}/missing.json` }]] },
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: qwen(["-p", "Tea costs 6. Change prices.json."], ["--continue", "-p", "And coffee?"]),
    },
  },
};
