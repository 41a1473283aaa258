import {
  type Failure,
  fork,
  type LLM,
  type RunEvent,
  replay,
  Step,
  SubAgent,
  T,
  Template,
  type Turn,
  type Value,
} from "turnfold";
import { expectTrue, type Same } from "./expect.ts";

const inner = new SubAgent({ mission: "m", signature: "(n :int) -> :int" });
const agent = new SubAgent({
  mission: T`Find ${"this"} and {{that}}`,
  signature: "(that :string) -> {found [:string]}",
  tools: { inner, search: ["(query :string) -> [:string]", async ({ query }: { query: string }) => [query]] },
  maxTurns: 3,
  compression: ["rolling-window", { keep: 1 }],
  systemPrompt: { prefix: "p", suffix: "s", languageSpec: "l", outputFormat: "o" },
  limits: { fuel: 1000, timeoutMs: 100 },
  retry: { attempts: 3, delayMs: (attempt) => 100 * attempt },
  fieldDescriptions: { found: "what was found" },
  validation: "strict",
  maxDepth: 2,
  turnBudget: 10,
});

const texts: LLM = () => "(return 1)";
const objects: LLM = async () => ({
  content: "(return 1)",
  usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 0 },
});
const chunks: LLM = async function* () {
  yield "(return ";
  yield { text: "1)", usage: { outputTokens: 3 } };
};

export async function runs(): Promise<string> {
  const step = await agent.run({ llm: texts, data: { that: "x" }, signal: new AbortController().signal });
  expectTrue<Same<typeof step.return, Value>>();
  expectTrue<Same<typeof step.turns, readonly Turn[]>>();
  await agent.run({ llm: objects, data: step });
  await replay(agent, Step.fromJSON(step.toJSON()));
  await fork(agent, step, 2, { program: "(return 1)", llm: chunks });
  if (step.ok) {
    expectTrue<Same<typeof step.fail, null>>();
    return "";
  }
  expectTrue<Same<typeof step.fail, Failure>>();
  return step.fail.reason;
}

export function told(event: RunEvent): string {
  switch (event.type) {
    case "chunk":
      return event.text;
    case "turn":
      return event.turn.rawResponse;
    case "toolResult":
      return event.error ?? event.name;
    case "messages":
      expectTrue<Same<typeof event.stats.enabled, boolean>>();
      return event.messages[0]?.role ?? "";
    default:
      return event.agent?.join("/") ?? "";
  }
}

new Template("{{a}}").expand({ a: 1 });

// @ts-expect-error a mission is needed
new SubAgent({ signature: "() -> :int" });
// @ts-expect-error it is called mission
new SubAgent({ prompt: "m" });
// @ts-expect-error there is no such mode
new SubAgent({ mission: "m", validation: "loose" });
// @ts-expect-error a signature alone can't be called
new SubAgent({ mission: "m", tools: { search: "() -> :int" } });
// @ts-expect-error a model is a function
agent.run({ llm: "gpt" });
// @ts-expect-error a model gives text
const numbers: LLM = () => 5;
// @ts-expect-error turns come third
fork(agent, Step.fromJSON("{}"), {});
void numbers;
