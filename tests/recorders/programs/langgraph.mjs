// LangGraph and LangChain's agents in Python: states, checkpoints of SQLite and dumped messages.

const program = `
import json, sys
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.load import dumpd
from langchain_core.messages import messages_to_dict
from langgraph.checkpoint.sqlite import SqliteSaver


def read(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read() * 60


def settled(given):
    return dumpd(given) if hasattr(given, "lc_id") else str(given)


config = {"configurable": {"thread_id": "prices"}}
options = json.loads(sys.argv[2])
with SqliteSaver.from_conn_string("checkpoints.db") as saver:
    agent = create_agent(init_chat_model(sys.argv[1], **options), [read], system_prompt="You answer.", checkpointer=saver)
    for question in ["What does tea cost?", "And coffee?"]:
        agent.invoke({"messages": [{"role": "user", "content": question}]}, config)
    history = list(agent.get_state_history(config))
    messages = history[0].values["messages"]
    checkpoint = saver.get_tuple(config)
    dumps = {
        "messages": messages_to_dict(messages),
        "dumped": {"messages": dumpd(messages)},
        "state": {"values": {"messages": [message.model_dump() for message in messages]}},
        "history": [{"values": state.values, "config": state.config} for state in history],
        "checkpoint": checkpoint.checkpoint,
    }
    for name, dump in dumps.items():
        with open(f"{name}.json", "w") as file:
            json.dump(dump, file, default=settled)
`;

const files = { "prices.json": '{ "tea": 4, "coffee": 5 }\n' };
const script = [
  { text: "I look.", calls: [["read", { path: "prices.json" }]] },
  {
    calls: [
      ["read", { path: "prices.json" }],
      ["read", { path: "./prices.json" }],
    ],
  },
  { text: "Tea costs 4." },
  { text: "Coffee costs 5." },
];

const langgraph =
  (model, options) =>
  ({ run, origins }) =>
    run("python", ["-c", program, model, JSON.stringify({ ...options, base_url: options.base_url(origins) })], {
      env: { ANTHROPIC_API_KEY: "sk-ant-nobody", OPENAI_API_KEY: "sk-nobody" },
    });
const openai = ({ openai }) => `${openai}/v1`;

export default {
  name: "LangGraph",
  pip: ["langchain", "langchain-anthropic", "langchain-openai", "langgraph-checkpoint-sqlite"],
  python: "3.12",
  isAside: () => false,
  partial: ["time"],
  recordings: ["messages", "dumped", "state", "history", "checkpoint"].map((name) => ({
    files: new RegExp(`project/${name}\\.json$`),
  })),
  sessions: {
    Messages: {
      files,
      script,
      run: langgraph("anthropic:claude-sonnet-4-5", { base_url: ({ anthropic }) => anthropic }),
    },
    "Chat Completions": { files, script, run: langgraph("openai:gpt-4o", { base_url: openai }) },
    Responses: { files, script, run: langgraph("openai:gpt-5", { base_url: openai, use_responses_api: true }) },
  },
};
