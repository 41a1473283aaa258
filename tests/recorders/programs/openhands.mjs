// The command line of OpenHands. It has a file for each event, and the usage in one beside them: they are joined as the document says.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };

const script = [
  {
    text: "I look.",
    calls: [["terminal", { command: "cat prices.json && seq 900", security_risk: "LOW", summary: "look" }]],
  },
  {
    calls: [
      ["terminal", { command: "cat missing.json", security_risk: "LOW", summary: "look" }],
      ["terminal", { command: "ls", security_risk: "LOW", summary: "list" }],
    ],
  },
  { text: "Tea costs 4." },
  { text: "Coffee costs 5." },
];

const openhands =
  (model, key) =>
  async ({ run, origins, home }) => {
    const env = {
      LLM_API_KEY: "sk-nobody",
      LLM_MODEL: model,
      LLM_BASE_URL: key === "anthropic" ? origins.anthropic : `${origins.openai}/v1`,
      OPENHANDS_SUPPRESS_BANNER: "1",
    };
    const args = ["--headless", "--json", "--override-with-envs", "--exit-without-confirmation"];
    const all = join(home, ".openhands", "conversations");
    await run("openhands", [...args, "-t", "What does tea cost?"], { env });
    const [id] = readdirSync(all);
    await run("openhands", [...args, "--resume", id, "-t", "And coffee?"], { env });
    const folder = join(all, id);
    const events = readdirSync(join(folder, "events"))
      .filter((name) => name.endsWith(".json"))
      .sort();
    const lines = ["base_state.json", ...events.map((name) => join("events", name))].map((name) =>
      JSON.stringify(JSON.parse(readFileSync(join(folder, name), "utf8"))),
    );
    writeFileSync(join(home, "session.jsonl"), lines.join("\n"));
  };

export default {
  name: "OpenHands",
  pip: "openhands",
  python: "3.12",
  isAside: () => false,
  recordings: /home\/session\.jsonl$/,
  sessions: {
    Messages: { files, script, run: openhands("anthropic/claude-sonnet-4-5", "anthropic") },
    "Chat Completions": { files, script, run: openhands("openai/gpt-4o", "openai") },
  },
};
