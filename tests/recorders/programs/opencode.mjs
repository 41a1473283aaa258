// opencode, with a provider of its configuration for each API. Its sessions are in a database, so they are exported.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, PICTURE } from "../shop.mjs";

const PRICES = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

/** A provider of the configuration: the package of the AI SDK that speaks an API, and its model. */
const provider = (npm, baseURL, model, limit) => ({
  npm,
  options: { baseURL, apiKey: "nobody" },
  models: { [model]: { name: model, cost: PRICES, limit, attachment: true, tool_call: true } },
});

/**
 * Runs the turns with a program that is built on opencode: what each prints as JSON is kept, and all sessions are exported at last.
 */
export const openCode =
  ({ command, folder }) =>
  (turns, { limit = { context: 200_000, output: 32_000 }, ...settings } = {}) =>
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
        ...settings,
      }),
    );
    for (const [number, args] of turns.entries()) {
      const { stdout } = await run(command, ["run", ...args], { timeout: 400_000 });
      if (args.includes("json")) writeFileSync(join(project, `printed-${number}.jsonl`), stdout);
    }
    const listed = await run(command, ["db", "SELECT id FROM session", "--format", "json"]);
    for (const { id } of JSON.parse(listed.stdout)) {
      // Through a pipe, the end of a long session is lost.
      await run("sh", ["-c", `${command} export ${id} > exported-${id}.json`]);
    }
  };

const CLAUDE = ["--model", "claude/claude-sonnet-4-5"];
const CHAT = ["--model", "chat/shop-chat"];
const RESPONSES = ["--model", "responses/gpt-5.1"];

/** The sessions of a program that is built on opencode. */
export const sessionsOf = (run) => {
  const work = ({ project }) => [
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
  ];
  const questions = (model) => [
    [...model, "Tea costs 6. Change prices.json."],
    [...model, "--continue", "And coffee?"],
  ];
  const long = (lines) => [
    "bash",
    { command: `seq -f 'row %g of a long list of prices' 1 ${lines}`, description: "Print a long list" },
  ];
  return {
    "files are read and changed": { files, script: work, run: run(questions(CLAUDE)) },
    "files are read and changed by Chat Completions": { files, script: work, run: run(questions(CHAT)) },
    "files are read and changed by Responses": { files, script: work, run: run(questions(RESPONSES)) },
    "what is printed as JSON": {
      files,
      recordings: [
        { files: /exported-.*\.json$/ },
        { files: /printed-0\.jsonl$/, known: [/not recorded/] },
        { files: /printed-1\.jsonl$/, partial: ["history"], known: [/not recorded/] },
      ],
      script: work,
      run: run(questions(CLAUDE).map((args) => [...args, "--format", "json"])),
    },
    "an error of the server and a kill": {
      files,
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["read", { filePath: `${project}/prices.json` }]] },
        { status: 529, text: "Overloaded" },
        { calls: [["bash", { command: "cat nothing", description: "Read nothing" }]] },
        "kill",
        { text: "I continue.", calls: [["read", { filePath: `${project}/prices.json` }]] },
        { text: "Tea costs 4." },
      ],
      run: run([
        [...CLAUDE, "What does tea cost?"],
        [...CLAUDE, "--continue", "Continue."],
      ]),
    },
    "a compaction": {
      files,
      // The summary is asked for with a text of the history.
      known: [/\(aside\)/],
      script: ({ project }) => [
        { text: "I print a list.", calls: [long(1000)] },
        { text: "And more.", calls: [long(1000), long(900)] },
        { text: "I read the prices.", calls: [["read", { filePath: `${project}/prices.json` }]] },
        { text: "Tea costs 4." },
        { text: "Coffee costs 5." },
      ],
      run: run(
        [
          [...CLAUDE, "What does tea cost?"],
          [...CLAUDE, "--continue", "And coffee?"],
        ],
        { limit: { context: 40_000, output: 8000 } },
      ),
    },
    "long results": {
      files,
      script: () => [
        { calls: [long(1300), long(1299)] },
        { calls: [long(1298), long(1297)] },
        { calls: [long(1296), long(1295)] },
        { text: "Long lists." },
        { text: "Two." },
      ],
      run: run([
        [...CLAUDE, "Print lists."],
        [...CLAUDE, "--continue", "Again?"],
      ]),
    },
    "a long session": {
      files,
      script: [
        ...Array.from({ length: 60 }, (_, index) => ({ text: `List ${index}.`, calls: [long(200 + index)] })),
        { text: "That was the last list." },
      ],
      run: run([[...CLAUDE, "Print sixty lists."]], { limit: { context: 1_000_000, output: 32_000 } }),
    },
    "a sub-agent": {
      files,
      script: ({ project }) => [
        {
          text: "I let somebody look.",
          calls: [["task", { description: "Look", prompt: "Which files are there?", subagent_type: "general" }]],
        },
        { calls: [["read", { filePath: `${project}/prices.json` }]] },
        { text: "prices.json is there." },
        { text: "There is a file of prices." },
      ],
      run: run([[...CLAUDE, "Which files are there?"]]),
    },
    "a picture": {
      files: { ...files, "dot.png": PICTURE },
      script: ({ project }) => [
        { text: "I see a dot.", calls: [["read", { filePath: `${project}/dot.png` }]] },
        { text: "It is black." },
      ],
      run: run([[...CLAUDE, "What is on this picture?", "--file", "dot.png"]]),
    },
  };
};

export default {
  name: "opencode",
  npm: "opencode-ai",
  recordings: /project\/exported-.*\.json$/,
  sessions: sessionsOf(openCode({ command: "opencode", folder: "opencode" })),
};
