// pi, with a provider of models.json for each API.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, PICTURE } from "../shop.mjs";

const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** Runs the turns; what each prints as JSON is kept. */
const pi =
  (turns, { contextWindow = 200_000, ...settings } = {}) =>
  async ({ run, origins, home, project }) => {
    const folder = join(home, ".pi", "agent");
    mkdirSync(folder, { recursive: true });
    const provider = (api, baseUrl, id) => ({
      api,
      baseUrl,
      apiKey: "nobody",
      models: [{ id, cost, contextWindow, maxTokens: 8000, input: ["text", "image"] }],
    });
    const providers = {
      chat: provider("openai-completions", `${origins.openai}/v1`, "shop-chat"),
      claude: provider("anthropic-messages", origins.anthropic, "claude-shop"),
      responses: provider("openai-responses", `${origins.openai}/v1`, "shop-responses"),
      google: provider("google-generative-ai", `${origins.gemini}/v1beta`, "gemini-shop"),
    };
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers }));
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    for (const [number, { input, args }] of turns.map((args) => (args.args ? args : { args })).entries()) {
      const { stdout } = await run("pi", args, { input, env: { PI_OFFLINE: "1" } });
      if (args.includes("json")) writeFileSync(join(project, `printed-${number}.jsonl`), stdout);
    }
  };

const work = [
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
];

const questions = (model) => [
  ["--model", model, "-p", "Tea costs 6. Change prices.json."],
  ["--model", model, "-c", "-p", "And coffee?"],
];

const long = (lines) => ["bash", { command: `seq -f 'row %g of a long list of prices' 1 ${lines}` }];

/** Sixty calls with long results, which the proxy shortens. */
const longWork = [
  ...Array.from({ length: 60 }, (_, index) => ({ text: `List ${index}.`, calls: [long(200 + index)] })),
  { text: "That was the last list." },
];
const longSession = (model) => pi([["--model", model, "-p", "Print sixty lists."]], { contextWindow: 1_000_000 });

const CLAUDE = ["--model", "claude/claude-shop"];
const SESSIONS = /\.pi\/agent\/sessions\/.*\.jsonl$/;

export default {
  name: "pi",
  npm: "@earendil-works/pi-coding-agent",
  node: "24",
  recordings: SESSIONS,
  sessions: {
    "files are read and changed": { files, script: work, run: pi(questions("claude/claude-shop")) },
    "files are read and changed by Chat Completions": { files, script: work, run: pi(questions("chat/shop-chat")) },
    "files are read and changed by Responses": { files, script: work, run: pi(questions("responses/shop-responses")) },
    "files are read and changed by Gemini": { files, script: work, run: pi(questions("google/gemini-shop")) },
    "what is printed as JSON": {
      files,
      recordings: [
        { files: SESSIONS },
        { files: /printed-0\.jsonl$/, known: [/request 6 is not recorded/] },
        { files: /printed-1\.jsonl$/, partial: ["history"], known: [/request [1-5] is not recorded/] },
      ],
      script: work,
      run: pi(questions("claude/claude-shop").map((args) => [...args, "--mode", "json"])),
    },
    "an error of the server and a kill": {
      files,
      script: [
        { text: "I read the prices.", calls: [["read", { path: "prices.json" }]] },
        { status: 529, text: "Overloaded" },
        { calls: [["bash", { command: "cat nothing" }]] },
        "kill",
        { text: "I continue.", calls: [["read", { path: "prices.json" }]] },
        { text: "Tea costs 4." },
      ],
      run: pi([
        [...CLAUDE, "-p", "What does tea cost?"],
        [...CLAUDE, "-c", "-p", "Continue."],
      ]),
    },
    "a compaction": {
      files,
      script: [
        { text: "I print a list.", calls: [long(900)] },
        { text: "And more.", calls: [long(899), long(898)] },
        { text: "I read the prices.", calls: [["read", { path: "prices.json" }]] },
        { text: "Tea costs 4." },
        { text: "Coffee costs 5." },
        { text: "Milk costs 3." },
      ],
      run: pi(
        [
          [...CLAUDE, "-p", "What does tea cost?"],
          [...CLAUDE, "-c", "-p", "And coffee?"],
          [...CLAUDE, "-c", "-p", "And milk?"],
        ],
        { contextWindow: 32_000, compaction: { enabled: true, reserveTokens: 8000, keepRecentTokens: 4000 } },
      ),
    },
    "a long session": { files, script: longWork, run: longSession("claude/claude-shop") },
    "a long session by Chat Completions": { files, script: longWork, run: longSession("chat/shop-chat") },
    "a long session by Responses": { files, script: longWork, run: longSession("responses/shop-responses") },
    "a picture": {
      files: { ...files, "dot.png": PICTURE },
      script: [{ text: "I see a dot.", calls: [["read", { path: "dot.png" }]] }, { text: "It is black." }],
      run: pi([[...CLAUDE, "-p", "@dot.png", "What is on this picture?"]]),
    },
  },
};
