// Inspect AI: an agent with tools, whose answer a model judges.

const files = {
  "prices.json": '{ "tea": 4, "coffee": 5 }\n',
  "task.py": `
from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.tool import tool


@tool
def read():
    async def execute(path: str) -> str:
        """Read a file.

        Args:
            path: The path of the file.
        """
        with open(path) as file:
            return file.read() * 60

    return execute


@task
def prices():
    return Task(
        dataset=[Sample(id="tea", input="What does tea cost?", target="4")],
        solver=react(prompt="You answer.", tools=[read()]),
        scorer=model_graded_qa(),
    )
`,
};

const script = [
  { text: "I look.", calls: [["read", { path: "prices.json" }]] },
  {
    calls: [
      ["read", { path: "missing.json" }],
      ["read", { path: "prices.json" }],
    ],
  },
  { text: "It costs 4.", calls: [["submit", { answer: "4" }]] },
  { text: "GRADE: C" },
];

const inspect =
  (model, ...options) =>
  async ({ run, origins }) => {
    const env = {
      ANTHROPIC_BASE_URL: origins.anthropic,
      ANTHROPIC_API_KEY: "sk-ant-nobody",
      OPENAI_BASE_URL: `${origins.openai}/v1`,
      OPENAI_API_KEY: "sk-nobody",
    };
    await run("inspect", ["eval", "task.py", "--model", model, "--display", "plain", ...options], { env });
    await run("inspect", ["log", "convert", "logs", "--to", "json", "--output-dir", "json"], { env });
  };

export default {
  name: "Inspect AI",
  pip: ["inspect-ai", "anthropic", "openai"],
  python: "3.12",
  isAside: () => false,
  recordings: /project\/json\/.*\.json$/,
  sessions: {
    Messages: { files, script, run: inspect("anthropic/claude-sonnet-4-5") },
    "Chat Completions": { files, script, run: inspect("openai/gpt-4o", "-M", "responses_api=false") },
    Responses: { files, script, run: inspect("openai/gpt-5") },
  },
};
