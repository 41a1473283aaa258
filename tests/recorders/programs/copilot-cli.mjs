// Copilot CLI, with a provider of one's own, which needs no login.

import { files } from "../shop.mjs";

/** Runs `copilot` for each list of arguments. */
const copilot =
  (api, ...turns) =>
  async ({ run, origins }) => {
    const anthropic = { COPILOT_PROVIDER_TYPE: "anthropic", COPILOT_PROVIDER_BASE_URL: origins.anthropic };
    const openai = { COPILOT_PROVIDER_BASE_URL: `${origins.openai}/v1`, COPILOT_PROVIDER_WIRE_API: api };
    for (const args of turns) {
      await run("copilot", [...args, "--allow-all-tools", "--allow-all-paths", "--no-color"], {
        env: {
          ...(api === "anthropic" ? anthropic : openai),
          COPILOT_MODEL: api === "anthropic" ? "claude-sonnet-4.6" : "gpt-5.5",
          COPILOT_PROVIDER_API_KEY: "nobody",
          COPILOT_OFFLINE: "true",
        },
      });
    }
  };

const script = ({ project }) => [
  { text: "I read the prices.", calls: [["view", { path: `${project}/prices.json` }]] },
  {
    calls: [
      ["view", { path: `${project}/src/shop.js` }],
      ["bash", { command: "ls -a", description: "List files" }],
    ],
  },
  { calls: [["edit", { path: `${project}/prices.json`, old_str: "4", new_str: "6" }]] },
  { calls: [["view", { path: `${project}/missing.json` }]] },
  { text: "Tea costs 6 now." },
  { text: "Coffee costs 5." },
];

const session = (api) => ({
  files,
  script,
  run: copilot(api, ["-p", "Tea costs 6. Change prices.json."], ["--continue", "-p", "And coffee?"]),
});

export default {
  name: "Copilot CLI",
  npm: "@github/copilot",
  // Of a tool that fails, what is recorded is shorter than what is sent.
  known: [/does not exist\. Please provide a valid path\. and is recorded as Path does not exist$/],
  recordings: /\.copilot\/session-state\/.*\/events\.jsonl$/,
  sessions: {
    "files are read and changed (chat completions)": session("completions"),
    "files are read and changed (Responses)": session("responses"),
    "files are read and changed (Anthropic)": session("anthropic"),
  },
};
