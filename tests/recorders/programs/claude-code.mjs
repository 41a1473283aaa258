// Claude Code, by its own settings for other servers.

const files = {
  "prices.json": '{ "tea": 4, "coffee": 5 }\n',
  "src/shop.js": `${Array.from({ length: 120 }, (_, line) => `export const row${line} = ${line};`).join("\n")}\n`,
};

const claude =
  (...turns) =>
  async ({ run, origins, home }) => {
    for (const args of turns) {
      await run("claude", ["-p", ...args], {
        env: {
          ANTHROPIC_BASE_URL: origins.anthropic,
          ANTHROPIC_API_KEY: "sk-ant-nobody",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CONFIG_DIR: `${home}/.claude`,
          IS_SANDBOX: "1",
        },
      });
    }
  };

export default {
  name: "Claude Code",
  npm: "@anthropic-ai/claude-code",
  recordings: /\.claude\/projects\/.*\.jsonl$/,
  sessions: {
    "files are read and changed": {
      files,
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["Read", { file_path: `${project}/prices.json` }]] },
        {
          calls: [
            ["Read", { file_path: `${project}/src/shop.js` }],
            ["Bash", { command: "ls -la", description: "List files" }],
          ],
        },
        { calls: [["Edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
        { calls: [["Read", { file_path: `${project}/missing.json` }]] },
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: claude(
        ["Tea costs 6. Change prices.json.", "--dangerously-skip-permissions"],
        ["And coffee?", "--continue", "--dangerously-skip-permissions"],
      ),
    },
  },
};
