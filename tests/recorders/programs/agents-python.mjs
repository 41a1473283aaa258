// Frameworks for agents in Python: what they store of their messages.

import { python, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const session = (framework, api, recordings, more = {}, ...args) => [
  [framework, ...args].join(", "),
  {
    files: scripts("frameworks.py"),
    script,
    recordings,
    run: python("frameworks.py", (origins) => [framework, origins[api], ...args]),
    ...more,
  },
];

/** For messages alone. */
const bare = { partial: ["usage", "time"] };
const chat = ["input", "read", "output"];

export default {
  name: "Agents in Python",
  pip: ["openai-agents", "google-adk", "smolagents[openai]", "haystack-ai", "semantic-kernel"],
  sessions: Object.fromEntries([
    session("openai-agents", "openai", [/project\/session\.json$/, /input-list\.json$/], bare),
    session("openai-agents", "openai", [/project\/session\.json$/, /input-list\.json$/], bare, "chat"),
    session("google-adk", "gemini", [/session\.json$/, /session-names\.json$/, /events\.json$/], { counts: chat }),
    session("smolagents", "openai", /steps\.json$/, {
      script: [script[0], ...script.slice(1).map(({ text }) => ({ calls: [["final_answer", { answer: text }]] }))],
      counts: chat,
      partial: ["calls"],
    }),
    session("haystack", "openai", /messages\.json$/, { ...bare, counts: chat }),
    session("semantic-kernel", "openai", /history\.json$/, {
      // It sends no text beside calls.
      script: script.map(({ calls, text }) => (calls ? { calls } : { text })),
      ...bare,
      counts: chat,
    }),
  ]),
};
