import {
  type Failure,
  type FinishedStep,
  fork,
  type LLM,
  type RunEvent,
  type RunRecord,
  replay,
  Step,
  SubAgent,
  type SubAgentOptions,
  T,
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
  usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0 },
});
const chunks: LLM = async function* () {
  yield "(return ";
  yield { text: "1)", usage: { outputTokens: 3 } };
};

export async function runs(): Promise<string> {
  const step = await agent.run({ llm: texts, data: { that: "x" }, signal: new AbortController().signal });
  expectTrue<Same<typeof step.return, { found: string[] } | null>>();
  expectTrue<Same<typeof step.turns, readonly Turn[]>>();
  await agent.run({ llm: objects, data: step });
  await replay(agent, Step.fromJSON(step.toJSON()));
  await fork(agent, step, 2, { program: "(return 1)", llm: chunks });
  if (step.ok) {
    expectTrue<Same<typeof step.fail, null>>();
    expectTrue<Same<typeof step.return, { found: string[] }>>();
    return "";
  }
  expectTrue<Same<typeof step.fail, Failure>>();
  expectTrue<Same<typeof step.return, null>>();
  return step.fail.reason;
}

// The inputs and the result have the types of the signature.

type Ok<P> = Awaited<P> extends infer F ? (F extends { ok: true; return: infer R } ? R : never) : never;

export async function typed(): Promise<void> {
  const lamps = new SubAgent({
    mission: "m",
    signature: '(what :string, sort ("price" | "name")?, near :string | nil) -> {name :string, price :float?}',
  });
  lamps.run({ data: { what: "lamp", near: null } });
  lamps.run({ data: { what: "lamp", near: "Bern", sort: "price" }, llm: texts });
  lamps.preview();
  lamps.preview({ data: { what: "lamp", near: null } });
  // @ts-expect-error inputs are missing
  lamps.run();
  // @ts-expect-error inputs are missing
  lamps.run({ llm: texts });
  // @ts-expect-error an input is missing
  lamps.run({ data: { what: "lamp" } });
  // @ts-expect-error an input is of another type
  lamps.run({ data: { what: 5, near: null } });
  // @ts-expect-error there is no such choice
  lamps.run({ data: { what: "lamp", near: null, sort: "size" } });
  // @ts-expect-error there is no such input
  lamps.run({ data: { what: "lamp", near: null, limit: 5 } });
  // @ts-expect-error an input is of another type
  lamps.preview({ data: { what: 5, near: null } });

  const step = await lamps.run({ data: { what: "lamp", near: null } });
  if (step.ok) expectTrue<Same<typeof step.return, { name: string; price: number | null }>>();
  // @ts-expect-error the run may have failed
  void step.return.name;

  const again = await replay(lamps, step);
  const other = await fork(lamps, step, 1);
  const saved = await replay(lamps, Step.fromJSON("{}"));
  expectTrue<Same<typeof again, typeof step>>();
  expectTrue<Same<typeof other, typeof step>>();
  expectTrue<Same<typeof saved, typeof step>>();

  // A step is accepted as the data of another agent, for any result.
  inner.run({ data: step });
  const number = inner.run({ data: { n: 1 } });
  expectTrue<Same<Ok<typeof number>, number>>();

  const program = new SubAgent({ mission: "m", signature: "what, limit: int? -> names: list[str], total: int" });
  const found = program.run({ data: { what: "lamp" } });
  expectTrue<Same<Ok<typeof found>, { names: string[]; total: number }>>();
  const none = new SubAgent({ mission: "m", signature: "() -> {id :int}?" }).run();
  expectTrue<Same<Ok<typeof none>, { id: number } | null>>();

  // A result that is not checked may have any type.
  const unchecked = new SubAgent({ mission: "m", signature: "(n :int) -> :int", validation: "warn" });
  const anything = unchecked.run({ data: { n: 1 } });
  expectTrue<Same<Ok<typeof anything>, Value>>();
  const strict = new SubAgent({ mission: "m", signature: "(n :int) -> :int", validation: "strict" });
  const integer = strict.run({ data: { n: 1 } });
  expectTrue<Same<Ok<typeof integer>, number>>();
}

// Without a signature, or with one that is unknown at compile time, inputs and result are any values.

export async function untyped(text: string, options: SubAgentOptions): Promise<Value> {
  const agents = [
    new SubAgent({ mission: "m" }),
    new SubAgent({ mission: "m", signature: text }),
    new SubAgent({ mission: "m", signature: undefined }),
    new SubAgent(options),
  ];
  for (const any of agents) {
    await any.run();
    const step = await any.run({ data: { anything: 1 } });
    expectTrue<Same<typeof step.return, Value>>();
    if (step.ok) expectTrue<Same<typeof step.return, Value>>();
  }
  const plain: SubAgent = new SubAgent({ mission: "m" });
  const some: SubAgent[] = [plain, agent, inner];
  const step: Step = await plain.run();
  const finished: FinishedStep = Step.fromJSON(step.toJSON());
  void [some, finished];
  return finished.return;
}

export function told(event: RunEvent): string {
  switch (event.type) {
    case "text":
      return event.text;
    case "turn":
      return event.turn.rawResponse;
    case "tool-result":
      return event.error ?? event.call.name;
    case "messages":
      expectTrue<Same<typeof event.stats.enabled, boolean>>();
      return event.messages[0]?.role ?? "";
    default:
      return event.agent?.join("/") ?? "";
  }
}

T("{{a}}").expand({ a: 1 });

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

// A list without records begins a run, with its inputs.
const begun = inner.resume([], { data: { n: 1 }, answers: async (waiting) => ({ [waiting[0]?.id ?? ""]: true }) });
expectTrue<Same<typeof begun, ReturnType<typeof inner.run>>>();
// @ts-expect-error: an input of another type.
inner.resume([], { data: { n: "1" } });
export const answered: Promise<RunRecord[]> = inner.answer([], { "1.0": { args: { n: 2 }, by: "Ada" } });
