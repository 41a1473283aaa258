// Gemini CLI, with a key of the API and the address of another server.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../shop.mjs";

const gemini =
  (...turns) =>
  async ({ run, origins, home }) => {
    mkdirSync(join(home, ".gemini"), { recursive: true });
    writeFileSync(
      join(home, ".gemini", "settings.json"),
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      }),
    );
    for (const args of turns) {
      await run("gemini", ["--skip-trust", "--yolo", ...args], {
        env: { GOOGLE_GEMINI_BASE_URL: origins.gemini, GEMINI_API_KEY: "nobody" },
      });
    }
  };

export default {
  name: "Gemini CLI",
  npm: "@google/gemini-cli",
  recordings: /\.gemini\/tmp\/.*\/chats\/.*\.jsonl?$/,
  counts: ["fresh", "read", "output"],
  // A small model chooses that of each question.
  isAside: ({ tools }) =>
    tools === undefined && { text: JSON.stringify({ complexity_reasoning: "A small change", complexity_score: 80 }) },
  sessions: {
    "files are read and changed": {
      files,
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        {
          calls: [
            ["read_file", { file_path: `${project}/src/shop.js` }],
            ["run_shell_command", { command: "ls", description: "List files" }],
          ],
        },
        {
          calls: [
            [
              "replace",
              { file_path: `${project}/prices.json`, old_string: "4", new_string: "6", instruction: "Change it" },
            ],
          ],
        },
        { calls: [["read_file", { file_path: `${project}/missing.json` }]] },
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: gemini(["-p", "Tea costs 6. Change prices.json."], ["-r", "latest", "-p", "And coffee?"]),
    },
  },
};
