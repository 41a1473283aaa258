// AutoGen: the state of an agent, and the messages of a run. Its client of Anthropic fails with the newest package of that.

const program = `
import asyncio, json, sys
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


def read(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read() * 60


def write(name, data):
    with open(f"{name}.json", "w") as file:
        json.dump(data, file)


async def main():
    client = OpenAIChatCompletionClient(model=sys.argv[1], base_url=sys.argv[2], api_key="sk-nobody")
    agent = AssistantAgent("clerk", client, tools=[read], system_message="You answer.", max_tool_iterations=5)
    first = await agent.run(task="What does tea cost?")
    second = await agent.run(task="And coffee?")
    write("run", [message.model_dump(mode="json") for message in first.messages + second.messages])
    write("agent", await agent.save_state())


asyncio.run(main())
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

const autogen =
  (model, origin) =>
  ({ run, origins }) =>
    run("python", ["-c", program, model, origin(origins)]);

// A state has neither usage nor times, and a run no count of what was read from the cache.
const recordings = [
  { files: /agent\.json$/, partial: ["usage", "time"] },
  { files: /run\.json$/, counts: ["input", "output"] },
];

export default {
  name: "AutoGen",
  pip: ["autogen-agentchat", "autogen-ext[openai]"],
  python: "3.12",
  isAside: () => false,
  recordings,
  sessions: {
    "Chat Completions": { files, script, run: autogen("gpt-4o", ({ openai }) => `${openai}/v1`) },
  },
};
