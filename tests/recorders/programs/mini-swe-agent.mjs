// mini-SWE-agent, with calls of tools and with commands in texts. A reply that it rejects for its form has no time. With Responses it sends
// members that OpenAI's types lack.

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };

const submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
const script = [
  { text: "I look.", calls: [["bash", { command: "cat prices.json && seq 2000" }]] },
  {
    calls: [
      ["bash", { command: "cat missing.json" }],
      ["bash", { command: "ls" }],
    ],
  },
  { text: "I forgot to call." },
  { calls: [["bash", { command: "sed -i s/4/6/ prices.json" }]] },
  { text: "Done.", calls: [["bash", { command: submit }]] },
];
const said = script.map(({ text = "", calls = [] }) => ({
  text: [
    `THOUGHT: ${text}`,
    ...calls.slice(0, 1).map(([, { command }]) => `\`\`\`mswea_bash_command\n${command}\n\`\`\``),
  ].join("\n\n"),
}));

const mini =
  (config, model, ...options) =>
  async ({ run, origins, home }) => {
    const env = {
      MSWEA_GLOBAL_CONFIG_DIR: home,
      MSWEA_CONFIGURED: "true",
      MSWEA_COST_TRACKING: "ignore_errors",
      ANTHROPIC_API_BASE: origins.anthropic,
      ANTHROPIC_API_KEY: "sk-ant-nobody",
      OPENAI_API_BASE: `${origins.openai}/v1`,
      OPENAI_API_KEY: "sk-nobody",
    };
    const args = ["-c", config, ...options.flatMap((option) => ["-c", option]), "-m", model, "-t", "Tea costs 6."];
    await run("mini", [...args, "-y", "--exit-immediately", "-o", "last.traj.json"], { env });
  };

export default {
  name: "mini-SWE-agent",
  pip: "mini-swe-agent",
  python: "3.12",
  isAside: () => false,
  partial: ["time"],
  recordings: /last\.traj\.json$/,
  sessions: {
    Messages: { files, script, run: mini("mini.yaml", "anthropic/claude-sonnet-4-5") },
    "Chat Completions": { files, script, run: mini("mini.yaml", "openai/gpt-4o") },
    "commands in texts": {
      files,
      script: said,
      run: mini("mini_textbased.yaml", "openai/gpt-4o", "model.model_class=litellm_textbased"),
    },
  },
};
