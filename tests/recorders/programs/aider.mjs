// Aider. Its chats have what was said, without what Aider adds to it. Their usage is rounded to a hundred tokens from a thousand on,
// and is an estimate where the reply was streamed. The log has all that was sent, and neither usage nor model.

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };

/** The marks of a change are those of a conflict, which no file of this repository may have. */
const mark = (character) => character.repeat(7);

const change = `prices.json
\`\`\`
${mark("<")} SEARCH
{ "tea": 4, "coffee": 5 }
${mark("=")}
{ "tea": 6, "coffee": 5 }
${mark(">")} REPLACE
\`\`\``;

const aider =
  (model, ...options) =>
  async ({ run, origins }) => {
    await run(
      "aider",
      [
        ...["--model", model, "--yes-always", "--no-git", "--no-check-update", "--no-analytics", "--no-pretty"],
        ...["--no-show-model-warnings", "--no-show-release-notes", "--edit-format", "diff"],
        ...["--llm-history-file", ".aider.llm.history", "prices.json", ...options],
      ],
      {
        input: "Tea costs 6. Change prices.json.\nAnd coffee?\n/ask What costs more?\n/tokens\n/exit\n",
        env: {
          ANTHROPIC_API_BASE: origins.anthropic,
          ANTHROPIC_API_KEY: "sk-ant-nobody",
          OPENAI_API_BASE: `${origins.openai}/v1`,
          OPENAI_API_KEY: "sk-nobody",
        },
      },
    );
  };

const log = { files: /\.aider\.llm\.history$/, partial: ["usage"] };
const chat = { files: /\.aider\.chat\.history\.md$/, partial: ["time", "history"], within: 250 };

const script = [
  { text: `I change the price.\n\n${change}\n\nThat is all.` },
  { text: "Coffee costs 5." },
  { text: "# Prices\n\n> Tea costs more.\n\nIt is tea." },
];

export default {
  name: "Aider",
  pip: "aider-chat",
  python: "3.12",
  isAside: () => false,
  sessions: {
    "Messages, streamed": {
      recordings: [{ ...chat, counts: [] }, log],
      files,
      script,
      run: aider("anthropic/claude-sonnet-4-5"),
    },
    Messages: {
      recordings: [chat, log],
      files,
      script,
      run: aider("anthropic/claude-sonnet-4-5", "--no-stream", "--cache-prompts"),
    },
    "Chat Completions": {
      // Tokens that OpenAI read from its cache are not named.
      recordings: [{ ...chat, counts: ["input", "output"] }, log],
      files,
      script,
      run: aider("openai/gpt-4o", "--no-stream"),
    },
  },
};
