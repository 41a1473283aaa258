// Gemini CLI, with a key of the API and the address of another server.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, PICTURE } from "../shop.mjs";

/** Runs the turns; what each prints as JSON is kept. */
const gemini =
  (turns, settings = {}) =>
  async ({ run, origins, home, project }) => {
    mkdirSync(join(home, ".gemini"), { recursive: true });
    writeFileSync(
      join(home, ".gemini", "settings.json"),
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        ...settings,
      }),
    );
    for (const [number, args] of turns.entries()) {
      const { stdout } = await run("gemini", ["--skip-trust", "--yolo", ...args], {
        env: { GOOGLE_GEMINI_BASE_URL: origins.gemini, GEMINI_API_KEY: "nobody" },
      });
      if (args.includes("stream-json")) writeFileSync(join(project, `printed-${number}.jsonl`), stdout);
    }
  };

const work = ({ project }) => [
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
        { file_path: `${project}/prices.json`, old_string: "4", new_string: "6", instruction: "Change the price" },
      ],
    ],
  },
  { calls: [["read_file", { file_path: `${project}/missing.json` }]] },
  { text: "Tea costs 6 now." },
  { text: "Coffee costs 5." },
];

const long = (lines) => ["run_shell_command", { command: `seq -f 'row %g of a long list of prices' 1 ${lines}` }];

export default {
  name: "Gemini CLI",
  npm: "@google/gemini-cli",
  recordings: /\.gemini\/tmp\/.*\/chats\/.*\.jsonl?$/,
  // A small model chooses that of each question.
  isAside: ({ tools }) =>
    tools === undefined && { text: JSON.stringify({ complexity_reasoning: "A small change", complexity_score: 80 }) },
  sessions: {
    "files are read and changed": {
      files,
      script: work,
      run: gemini([
        ["-p", "Tea costs 6. Change prices.json."],
        ["-r", "latest", "-p", "And coffee?"],
      ]),
    },
    "what is printed as JSON": {
      files,
      recordings: [
        { files: /\.gemini\/tmp\/.*\/chats\/.*\.jsonl?$/ },
        // The results are those that are shown, and one usage is that of all requests.
        {
          files: /printed-.*\.jsonl$/,
          partial: ["usage", "time"],
          known: [/request 6 is not recorded/, /was never made/],
        },
      ],
      script: (about) => work(about).slice(0, -1),
      run: gemini([["-p", "Tea costs 6. Change prices.json.", "--output-format", "stream-json"]]),
    },
    "an error of the server and a kill": {
      files,
      // A resumed session says that a response was interrupted.
      known: [/texts of the assistant were sent/],
      script: ({ project }) => [
        { text: "I read the prices.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { status: 503, text: "The model is overloaded." },
        { calls: [["run_shell_command", { command: "cat nothing" }]] },
        "kill",
        { text: "I continue.", calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { text: "Tea costs 4." },
      ],
      run: gemini([
        ["-p", "What does tea cost?"],
        ["-r", "latest", "-p", "Continue."],
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
        { text: "Milk costs 3." },
      ],
      run: gemini(
        [
          ["-p", "What does tea cost?"],
          ["-r", "latest", "-p", "And coffee?"],
          ["-r", "latest", "-p", "And milk?"],
        ],
        { model: { compressionThreshold: 0.02 } },
      ),
    },
    "a sub-agent": {
      files,
      script: ({ project }) => [
        {
          text: "I let somebody look.",
          calls: [["invoke_agent", { agent_name: "generalist", prompt: "Which files are there?" }]],
        },
        { calls: [["read_file", { file_path: `${project}/prices.json` }]] },
        { calls: [["complete_task", { result: "prices.json is there." }]] },
        { text: "There is a file of prices." },
      ],
      run: gemini([["-p", "Which files are there?"]]),
    },
    "a picture": {
      files: { ...files, "dot.png": PICTURE },
      script: ({ project }) => [
        { text: "I see a dot.", calls: [["read_file", { file_path: `${project}/dot.png` }]] },
        { text: "It is black." },
      ],
      run: gemini([["-p", "What is on this picture? @dot.png"]]),
    },
  },
};
