// Codex, by a provider of its own settings.

const files = {
  "prices.json": '{ "tea": 4, "coffee": 5 }\n',
  "src/shop.js": `${Array.from({ length: 120 }, (_, line) => `export const row${line} = ${line};`).join("\n")}\n`,
};

const codex =
  (...turns) =>
  async ({ run, origins }) => {
    for (const args of turns) {
      await run(
        "codex",
        [
          "exec",
          "--json",
          "--skip-git-repo-check",
          "-c",
          `model_providers.local={name="Local",base_url="${origins.openai}/v1",env_key="LOCAL_KEY",wire_api="responses"}`,
          "-c",
          'model_provider="local"',
          "-m",
          "gpt-5.5",
          ...args,
        ],
        { env: { LOCAL_KEY: "nobody" } },
      );
    }
  };

export default {
  name: "Codex",
  npm: "@openai/codex",
  recordings: /\.codex\/sessions\/.*rollout-.*\.jsonl$/,
  sessions: {
    "files are read and changed": {
      files,
      script: [
        { text: "I read the prices.", calls: [["exec_command", { cmd: "cat prices.json" }]] },
        {
          calls: [
            ["exec_command", { cmd: "cat src/shop.js" }],
            ["exec_command", { cmd: "ls -la" }],
          ],
        },
        { calls: [["exec_command", { cmd: "sed -i s/4/6/ prices.json" }]] },
        { calls: [["exec_command", { cmd: "cat missing.json" }]] },
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: codex(
        ["--dangerously-bypass-approvals-and-sandbox", "Tea costs 6. Change prices.json."],
        ["--dangerously-bypass-approvals-and-sandbox", "resume", "--last", "And coffee?"],
      ),
    },
  },
};
