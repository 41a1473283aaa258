// Pydantic AI: the messages of a run, as all_messages_json() writes them.

const program = `
import sys
from pydantic_ai import Agent, ModelRetry

agent = Agent(sys.argv[1], instructions="You answer.")


@agent.tool_plain
def read(path: str) -> str:
    """Read a file."""
    try:
        with open(path) as file:
            return file.read() * 60
    except OSError as error:
        raise ModelRetry("there is no such file") from error


first = agent.run_sync("What does tea cost?")
second = agent.run_sync("And coffee?", message_history=first.all_messages())
with open("messages.json", "wb") as file:
    file.write(second.all_messages_json())
`;

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };
const script = [
  { text: "I look.", calls: [["read", { path: "prices.json" }]] },
  {
    calls: [
      ["read", { path: "missing.json" }],
      ["read", { path: "prices.json" }],
    ],
  },
  { text: "Tea costs 4." },
  { text: "Coffee costs 5." },
];

const pydantic =
  (model) =>
  ({ run, origins }) =>
    run("python", ["-c", program, model], {
      env: {
        ANTHROPIC_BASE_URL: origins.anthropic,
        ANTHROPIC_API_KEY: "sk-ant-nobody",
        OPENAI_BASE_URL: `${origins.openai}/v1`,
        OPENAI_API_KEY: "sk-nobody",
        GOOGLE_GEMINI_BASE_URL: origins.gemini,
        GOOGLE_API_KEY: "nobody",
      },
    });

export default {
  name: "Pydantic AI",
  pip: "pydantic-ai-slim[anthropic,google,openai]",
  python: "3.12",
  isAside: () => false,
  recordings: /messages\.json$/,
  sessions: {
    Messages: { files, script, run: pydantic("anthropic:claude-sonnet-4-5") },
    "Chat Completions": { files, script, run: pydantic("openai-chat:gpt-4o") },
    Responses: { files, script, run: pydantic("openai-responses:gpt-5") },
    Gemini: { files, script, run: pydantic("google:gemini-2.5-pro") },
  },
};
