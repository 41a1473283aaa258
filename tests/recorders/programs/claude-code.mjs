// Claude Code, by its own settings for other servers.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SHOP = `${Array.from({ length: 120 }, (_, line) => `export const row${line} = ${line};`).join("\n")}\n`;
const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n', "src/shop.js": SHOP };

/** A red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const SKIP = "--dangerously-skip-permissions";
const FIRST = "11111111-2222-4333-8444-555555555555";

const envOf = (home, origins, more) => ({
  ANTHROPIC_BASE_URL: origins.anthropic,
  ANTHROPIC_API_KEY: "sk-ant-nobody",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CONFIG_DIR: `${home}/.claude`,
  IS_SANDBOX: "1",
  ...more,
});

/** Runs a turn of each list of arguments. */
const claude =
  (...turns) =>
  async ({ run, origins, home }) => {
    for (const args of turns) await run("claude", ["-p", ...args, SKIP], { env: envOf(home, origins) });
  };

const linesOf = (home) =>
  readdirSync(join(home, ".claude", "projects"), { recursive: true })
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) =>
      readFileSync(join(home, ".claude", "projects", file), "utf8")
        .trim()
        .split("\n"),
    )
    .map((line) => JSON.parse(line));

const read = (file) => ["Read", { file_path: file }];
const bash = (command) => ["Bash", { command, description: "Look" }];

/** The texts of the messages of a request after the system prompt. */
const textsOf = ({ messages }) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(({ text }) => text ?? "")));

const isAgent = (body) => textsOf(body).some((text) => /^Count the \w+ /.test(text));

/** What the model does that calls sub-agents, which each look at the files. */
const delegating = (name, more) => (body) => {
  const results = body.messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === "tool_result") : [],
  );
  if (isAgent(body)) {
    if (results.length === 0) return { text: "I look at the files.", calls: [bash("ls"), bash("cat prices.json")] };
    return { text: "There are 2 of them." };
  }
  if (results.length > 0) return { text: "2 drinks and 2 files." };
  const task = (what) => [
    name,
    {
      description: `Count ${what}`,
      prompt: `Count the ${what} in the project.`,
      subagent_type: "general-purpose",
      ...more,
    },
  ];
  return { text: "Two agents count.", calls: [task("drinks"), task("files")] };
};

const settings = (hooks) =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]),
    ),
  });
const said = (hookEventName, additionalContext) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } })}'`;

/** A server of the Model Context Protocol with one tool and instructions. */
const MCP = `
import { createInterface } from "node:readline";
const tools = [{ name: "stock", description: "How many are left.", inputSchema: { type: "object", properties: { of: { type: "string" } } } }];
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" }, instructions: "Ask for the stock of one drink at a time." },
  "tools/list": { tools },
  "tools/call": { content: [{ type: "text", text: "7 are left." }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}
`;

const question = (text) => `${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`;

/** Replies with calls whose results are long. */
const parts = (count) =>
  Array.from({ length: count }, (_, place) => ({
    ...(place % 5 === 0 ? { text: `Part ${place}.` } : {}),
    calls: [bash(`seq ${1000 * place} ${1000 * place + 600}; cat prices.json`)],
  }));

const isNewest = (version) => version === "newest";

/** What versions record that have no records of requests, such as 1.0.128, 2.0.77 and 2.1.100. */
const older = {
  "files are read and changed, and the session is compacted": {
    // 2.1.100 does not continue a printed session.
    versions: (version) => !isNewest(version) && !version.startsWith("2.1"),
    script: ({ project }) => [
      { text: "I read the prices.", calls: [read(`${project}/prices.json`), bash("ls -la")] },
      { calls: [["Edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
      { calls: [["TodoWrite", { todos: [{ content: "Say it", status: "in_progress", activeForm: "Saying it" }] }]] },
      { text: "Tea costs 6 now." },
      { text: "<summary>Tea costs 6.</summary>", isRecorded: false },
      { text: "Coffee costs 5." },
    ],
    run: claude(["Tea costs 6. Change prices.json."], ["/compact", "--continue"], ["And coffee?", "--continue"]),
  },
  "tasks at the same time": {
    script: () => delegating("Task"),
    run: claude(["Count the drinks and the files."]),
  },
  "hooks, memory and a long result": {
    files: {
      ...files,
      "CLAUDE.md": "Prices are in euros.\n",
      ".claude/settings.json": settings({
        SessionStart: "echo 'The shop is open.'",
        UserPromptSubmit: said("UserPromptSubmit", "The user is a guest."),
        PostToolUse: said("PostToolUse", "The file is from today."),
      }),
    },
    script: () => [{ text: "I look.", calls: [bash("seq 1 20000")] }, { text: "It is long." }],
    run: claude(["What is in @prices.json?"]),
  },
};

const newest = {
  "files are read and changed": {
    files,
    script: ({ project }) => [
      { text: "I read the prices.", calls: [read(`${project}/prices.json`)] },
      { calls: [read(`${project}/src/shop.js`), ["Bash", { command: "ls -la", description: "List files" }]] },
      { calls: [["Edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
      { calls: [read(`${project}/missing.json`)] },
      { text: "Tea costs 6 now." },
      { text: "Coffee costs 5." },
    ],
    run: claude(["Tea costs 6. Change prices.json."], ["And coffee?", "--continue"]),
  },
  "sub-agents at the same time": {
    files,
    script: () => delegating("Agent", { run_in_background: false }),
    run: claude(["Count the drinks and the files."]),
  },
  "sub-agents in the background": {
    files,
    script: () => delegating("Agent", { run_in_background: true }),
    run: claude(["Count drinks and files."]),
  },
  "a session is compacted by the user": {
    // Thinking before a compaction is sent again, and without it when the server refuses it.
    refused: 1,
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "Tea costs 4." },
      { text: "<summary>The user asked for the price of tea, which is 4.</summary>", isRecorded: false },
      { text: "Coffee costs 5.", calls: [read(`${project}/src/shop.js`)] },
      { text: "It does." },
    ],
    run: claude(["What does tea cost?"], ["/compact", "--continue"], ["And coffee?", "--continue"]),
  },
  "a session is compacted when it is long": {
    refused: 1,
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "More.", calls: [read(`${project}/src/shop.js`)], usage: { fresh: 990_000 } },
      { text: "<summary>Tea costs 4.</summary>", isRecorded: false },
      { text: "Tea costs 4." },
    ],
    run: claude(["What does tea cost?"]),
  },
  "a session is resumed and forked": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "Tea costs 4." },
      { text: "Coffee costs 5." },
      { text: "Water is free." },
    ],
    run: claude(
      ["What does tea cost?", "--session-id", FIRST],
      ["And coffee?", "--resume", FIRST],
      ["And water?", "--resume", FIRST, "--fork-session"],
    ),
  },
  "a session is rewound": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "Tea costs 4." },
      { text: "Coffee costs 5." },
      { text: "Water is free." },
    ],
    run: async ({ run, origins, home }) => {
      const env = envOf(home, origins);
      await run("claude", ["-p", "What does tea cost?", "--session-id", FIRST, SKIP], { env });
      await run("claude", ["-p", "And coffee?", "--resume", FIRST, SKIP], { env });
      const { uuid } = linesOf(home).find(({ message }) => message?.content?.[0]?.text === "Tea costs 4.");
      await run("claude", ["-p", "And water?", "--resume", FIRST, "--resume-session-at", uuid, SKIP], { env });
    },
  },
  "the program is killed during a call, and continues": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { calls: [bash("kill -9 $PPID")] },
      { text: "Tea costs 4." },
    ],
    run: claude(["What does tea cost?"], ["Go on.", "--continue"]),
  },
  "the program is killed during a request, and continues": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      "kill",
      { text: "Tea costs 4." },
    ],
    run: claude(["What does tea cost?"], ["Go on.", "--continue"]),
  },
  "requests fail and are sent again": {
    files,
    script: ({ project }) => [
      { status: 529, text: "Overloaded" },
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { status: 500, text: "Internal server error" },
      { text: "More of it.", calls: [read(`${project}/src/shop.js`)] },
      { text: "This one breaks off in the middle.", after: "cut" },
      { text: "Tea costs 4." },
    ],
    run: claude(["What does tea cost?"]),
  },
  "a request fails for good": {
    files,
    script: () => [
      { text: "Tea costs 4." },
      { status: 400, text: "Your credit balance is too low to access the Anthropic API." },
      { text: "Coffee costs 5." },
    ],
    fails: true,
    run: claude(["What does tea cost?"], ["And coffee?", "--continue"], ["Again: and coffee?", "--continue"]),
  },
  "an image and a long result": {
    files: { ...files, "dot.png": Buffer.from(PNG, "base64") },
    script: ({ project }) => [
      { text: "I look.", calls: [read(`${project}/dot.png`), bash("seq 1 20000")] },
      { text: "It is red." },
    ],
    run: claude(["What is on dot.png?"]),
  },
  "hooks say something": {
    files: {
      ...files,
      ".claude/settings.json": settings({
        SessionStart: "echo 'The shop is open.'",
        UserPromptSubmit: said("UserPromptSubmit", "The user is a guest."),
        PostToolUse: said("PostToolUse", "The file is from today."),
        Stop: "test -e stopped || { touch stopped; echo 'Say the currency too.' >&2; exit 2; }",
      }),
    },
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "Tea costs 4." },
      { text: "Tea costs 4 euros." },
    ],
    run: claude(["What does tea cost?"]),
  },
  "a hook refuses a call": {
    files: { ...files, ".claude/settings.json": settings({ PreToolUse: "echo 'Not this one.' >&2; exit 2" }) },
    script: () => [{ text: "I look.", calls: [bash("ls")] }, { text: "I may not." }],
    run: claude(["What is here?"]),
  },
  "memory, commands and skills": {
    files: {
      ...files,
      "CLAUDE.md": "Prices are in euros.\n@more.md\n",
      "more.md": "Tea is green tea.\n",
      "src/CLAUDE.md": "Rows are numbered.\n",
      ".claude/commands/price.md": "---\ndescription: Says a price\n---\nWhat does $ARGUMENTS cost?\n",
      ".claude/skills/pour/SKILL.md": "---\nname: pour\ndescription: Pours a drink\n---\nPour slowly.\n",
    },
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/src/shop.js`)] },
      { text: "It pours.", calls: [["Skill", { skill: "pour" }]] },
      { text: "Tea costs 4." },
      { text: "Poured." },
      { text: "Both." },
    ],
    run: claude(["/price tea"], ["/pour coffee", "--continue"], ["What is in @prices.json and @src?", "--continue"]),
  },
  "tasks and their reminder": {
    files,
    script: ({ project }) => [
      { calls: [["ToolSearch", { query: "select:TaskCreate,TaskUpdate,TodoWrite", max_results: 5 }]] },
      { calls: [["TaskCreate", { subject: "Read the prices", description: "All of them", activeForm: "Reading" }]] },
      ...Array.from({ length: 14 }, (_, line) => ({
        calls: [["Read", { file_path: `${project}/src/shop.js`, offset: 1 + line, limit: 2 }]],
      })),
      { text: "Done." },
    ],
    run: claude(["Read everything."]),
  },
  "a plan comes first": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { calls: [["ExitPlanMode", { plan: "Change the price." }]] },
      { text: "I wait." },
      { text: "Coffee costs 5." },
    ],
    run: async ({ run, origins, home }) => {
      const env = envOf(home, origins);
      await run("claude", ["-p", "Plan a change of prices.", "--permission-mode", "plan"], { env });
      await run("claude", ["-p", "And coffee?", "--continue", "--permission-mode", "plan"], { env });
    },
  },
  "a server of tools": {
    files: {
      ...files,
      "server.mjs": MCP,
      "mcp.json": JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: ["server.mjs"] } } }),
    },
    script: () => [
      { text: "I look for it.", calls: [["ToolSearch", { query: "select:mcp__shop__stock", max_results: 1 }]] },
      { text: "I ask.", calls: [["mcp__shop__stock", { of: "tea" }]] },
      { text: "7 teas." },
    ],
    run: claude(["How many teas are left?", "--mcp-config", "mcp.json"]),
  },
  "another model goes on": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`)] },
      { text: "Tea costs 4." },
      { text: "Coffee costs 5.", calls: [read(`${project}/src/shop.js`)] },
      { text: "It does." },
      { text: "Water is free." },
    ],
    run: claude(
      ["What does tea cost?", "--model", "claude-sonnet-4-5"],
      ["And coffee?", "--continue", "--model", "claude-opus-4-6"],
      ["And water?", "--continue", "--model", "claude-haiku-4-5"],
    ),
  },
  "long results are read for long": {
    files,
    script: () => [...parts(70), { text: "That was all." }, { text: "Tea costs 4." }],
    run: claude(["Read everything."], ["What does tea cost?", "--continue"]),
  },
  "long results arrive shorter": {
    proxied: { arrival: "lossless" },
    files,
    script: () => [...parts(70), { text: "That was all." }, { text: "Tea costs 4." }],
    run: claude(["Read everything."], ["What does tea cost?", "--continue"]),
  },
  "a long session is compacted": {
    refused: 1,
    files,
    script: () => [
      ...parts(30),
      { calls: [bash("cat prices.json")], usage: { fresh: 990_000 } },
      { text: "<summary>30 parts were read.</summary>", isRecorded: false },
      ...parts(30),
      { text: "That was all." },
    ],
    run: claude(["Read everything."]),
  },
  "the stream for programs": {
    recordings: /stream\.jsonl$/,
    // It has neither the question nor what the program adds to it.
    complete: false,
    files,
    script: () => delegating("Agent", { run_in_background: false }),
    run: async ({ run, origins, home, project }) => {
      const args = [
        "-p",
        "Count the drinks and the files.",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        SKIP,
      ];
      const { stdout } = await run("claude", args, { env: envOf(home, origins) });
      writeFileSync(join(project, "stream.jsonl"), stdout);
    },
  },
  "questions as a stream": {
    files,
    script: ({ project }) => [
      { text: "I read.", calls: [read(`${project}/prices.json`), bash("sleep 1")] },
      { text: "Tea costs 4, coffee 5, and it is red." },
    ],
    run: async ({ run, origins, home }) => {
      const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", SKIP];
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
      const input = [
        question("What does tea cost?"),
        question("And coffee?"),
        question([{ type: "text", text: "And this?" }, image]),
      ];
      await run("claude", args, { env: envOf(home, origins), input: input.join("") });
    },
  },
};

export default {
  name: "Claude Code",
  npm: "@anthropic-ai/claude-code",
  node: "22",
  recordings: /\.claude\/projects\/.*\.jsonl$/,
  // Titles and paths of files, and sub-agents that older versions start before they are needed.
  isAside: (body) => (!(body.tools?.length > 0) || textsOf(body).includes("Warmup")) && { text: "Prices" },
  sessions: Object.fromEntries([
    ...Object.entries(newest).map(([title, session]) => [title, { versions: isNewest, complete: true, ...session }]),
    ...Object.entries(older).map(([title, session]) => [
      title,
      { versions: (version) => !isNewest(version), files, ...session },
    ]),
  ]),
};
