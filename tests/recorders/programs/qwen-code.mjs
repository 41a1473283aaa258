// Qwen Code, with the address of another server for OpenAI's API.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, PICTURE } from "../shop.mjs";

/** Runs the turns; what each prints as JSON is kept. */
const qwen =
  (turns, settings = {}) =>
  async ({ run, origins, home, project }) => {
    mkdirSync(join(home, ".qwen"), { recursive: true });
    writeFileSync(
      join(home, ".qwen", "settings.json"),
      JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
        ...settings,
      }),
    );
    for (const [number, args] of turns.entries()) {
      const { stdout } = await run("qwen", ["--yolo", ...args], {
        env: { OPENAI_BASE_URL: `${origins.openai}/v1`, OPENAI_API_KEY: "nobody", OPENAI_MODEL: "qwen3-coder-plus" },
      });
      const at = args.indexOf("--output-format");
      if (at >= 0)
        writeFileSync(join(project, `printed-${number}.${args[at + 1] === "json" ? "json" : "jsonl"}`), stdout);
    }
  };

const work = ({ project }) => [
  { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
  {
    calls: [
      ["read_file", { file_path: `${project}/src/shop.js` }],
      ["run_shell_command", { command: "ls", description: "List files", is_background: false }],
    ],
  },
  { calls: [["edit", { file_path: `${project}/prices.json`, old_string: "4", new_string: "6" }]] },
  { calls: [["read_file", { file_path: `${project}/missing.json` }]] },
  { text: "Tea costs 6 now." },
  { text: "Coffee costs 5." },
];

const long = (lines) => [
  "run_shell_command",
  { command: `seq -f 'row %g of a long list of prices' 1 ${lines}`, is_background: false },
];

const SESSIONS = /\.qwen\/projects\/.*\.jsonl$/;

export default {
  name: "Qwen Code",
  npm: "@qwen-code/qwen-code",
  node: "24",
  recordings: SESSIONS,
  // Requests that are in no session: for memories, titles and what to ask next.
  isAside: ({ tools, messages }) =>
    (tools === undefined || /managed memory/.test(JSON.stringify(messages[0]))) && { text: "Prices" },
  sessions: {
    "files are read and changed": {
      files,
      script: work,
      run: qwen([
        ["-p", "Tea costs 6. Change prices.json."],
        ["--continue", "-p", "And coffee?"],
      ]),
    },
    "what is printed as JSON": {
      files,
      recordings: [
        { files: SESSIONS },
        // The question is not printed, and no time.
        { files: /printed-0\.jsonl$/, partial: ["time"], known: [/request 6 is not recorded/] },
        { files: /printed-1\.json$/, partial: ["time", "history"], known: [/request [1-5] is not recorded/] },
      ],
      script: work,
      run: qwen([
        ["-p", "Tea costs 6. Change prices.json.", "--output-format", "stream-json"],
        ["--continue", "-p", "And coffee?", "--output-format", "json"],
      ]),
    },
    "an error of the server and a kill": {
      files,
      // The result that is missing is sent as one that was not recorded.
      known: [/results were sent/],
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { status: 503, text: "The model is overloaded." },
        { calls: [["run_shell_command", { command: "cat nothing", is_background: false }]] },
        "kill",
        { text: "I continue.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { text: "Tea costs 4." },
      ],
      run: qwen([
        ["-p", "What does tea cost?"],
        ["--continue", "-p", "Continue."],
      ]),
    },
    "a compression": {
      files,
      script: ({ project }) => [
        { text: "I print a list.", calls: [long(900)] },
        { text: "And more.", calls: [long(899), long(898)] },
        { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { text: "Tea costs 4." },
        { text: "Coffee costs 5." },
        { text: "<state_snapshot>Tea costs 4, coffee 5.</state_snapshot>" },
        { text: "Milk costs 3." },
      ],
      run: qwen([
        ["-p", "What does tea cost?"],
        ["--continue", "-p", "And coffee?"],
        ["--continue", "-p", "/compress"],
        ["--continue", "-p", "And milk?"],
      ]),
    },
    "a sub-agent": {
      files,
      script: ({ project }) => [
        {
          text: "I let somebody look.",
          calls: [
            ["agent", { description: "Look", prompt: "Which files are there?", subagent_type: "general-purpose" }],
          ],
        },
        { calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { text: "prices.json is there." },
        { text: "There is a file of prices." },
      ],
      run: qwen([["-p", "Which files are there?"]]),
    },
    "a long session": {
      files,
      script: [
        ...Array.from({ length: 60 }, (_, index) => ({ text: `List ${index}.`, calls: [long(200 + index)] })),
        { text: "That was the last list." },
      ],
      run: qwen([["-p", "Print sixty lists."]]),
    },
    "a picture": {
      files: { ...files, "dot.png": PICTURE },
      script: ({ project }) => [
        { text: "I see a dot.", calls: [["read_file", { file_path: `${project}/dot.png` }]] },
        { text: "It is black." },
      ],
      run: qwen([["-p", "What is on this picture? @dot.png"]]),
    },
  },
};
