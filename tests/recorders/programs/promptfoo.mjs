// promptfoo: an evaluation of two tests with two prompts. Lines have no times.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const config = (provider) => `
prompts:
  - "What does {{what}} cost?"
  - file://prompt.json
providers:
  - id: ${provider}
    config: { max_tokens: 100 }
tests:
  - vars: { what: tea }
    assert: [{ type: contains, value: costs }]
  - vars: { what: coffee }
`;

const promptfoo =
  (provider) =>
  async ({ run, origins, project }) => {
    writeFileSync(join(project, "promptfooconfig.yaml"), config(provider));
    writeFileSync(
      join(project, "prompt.json"),
      JSON.stringify([
        { role: "system", content: "You know prices." },
        { role: "user", content: "{{what}}?" },
      ]),
    );
    const env = {
      ANTHROPIC_BASE_URL: origins.anthropic,
      ANTHROPIC_API_KEY: "sk-ant-nobody",
      OPENAI_BASE_URL: `${origins.openai}/v1`,
      OPENAI_API_KEY: "sk-nobody",
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      PROMPTFOO_SELF_HOSTED: "1",
    };
    await run("promptfoo", ["eval", "--no-cache", "-j", "1", "-o", "results.json", "-o", "results.jsonl"], { env });
  };

const script = ["Tea costs 4.", "Coffee costs 5.", "4", "5"].map((text) => ({ text }));

export default {
  name: "promptfoo",
  npm: "promptfoo",
  node: "22",
  isAside: () => false,
  // A test fails.
  fails: true,
  recordings: [{ files: /results\.json$/ }, { files: /results\.jsonl$/, partial: ["time"] }],
  sessions: {
    Messages: { script, run: promptfoo("anthropic:messages:claude-sonnet-4-5") },
    "Chat Completions": { script, run: promptfoo("openai:chat:gpt-4o") },
    Responses: { script, run: promptfoo("openai:responses:gpt-5") },
  },
};
