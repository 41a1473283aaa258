// The command line of Continue. It records no times.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };

const continued =
  (provider, model, apiBase) =>
  async ({ run, origins, home }) => {
    const config = join(home, "config.yaml");
    const one = { name: "Model", provider, model, apiBase: apiBase(origins), apiKey: "sk-nobody", roles: ["chat"] };
    writeFileSync(config, JSON.stringify({ name: "Prices", version: "1.0.0", schema: "v1", models: [one] }));
    const args = ["--config", config, "--auto", "-p"];
    const env = { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_ENABLE_TELEMETRY: "0" };
    await run("cn", [...args, "Tea costs 6. Change prices.json."], { env });
    await run("cn", [...args, "--resume", "And coffee?"], { env });
  };

const script = ({ project }) => [
  { text: "I read the prices.", calls: [["Read", { filepath: `${project}/prices.json` }]] },
  {
    calls: [
      ["Read", { filepath: `${project}/missing.json` }],
      ["Bash", { command: "ls && false" }],
    ],
  },
  { calls: [["Edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
  { text: "Tea costs 6 now." },
  { text: "Coffee costs 5." },
];

export default {
  name: "Continue",
  npm: "@continuedev/cli",
  partial: ["time"],
  recordings: /\.continue\/sessions\/(?!sessions\.json).*\.json$/,
  sessions: {
    Messages: { files, script, run: continued("anthropic", "claude-sonnet-4-5", ({ anthropic }) => `${anthropic}/v1`) },
    "Chat Completions": { files, script, run: continued("openai", "gpt-4o", ({ openai }) => `${openai}/v1`) },
  },
};
