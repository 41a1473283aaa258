import {
  History,
  type LLM,
  Predict,
  type PredictCallOptions,
  type Prediction,
  type PredictOptions,
  type ReActOptions,
  type ReActPrediction,
  type TextMessage,
  type Tools,
  type Value,
} from "turnfold";
import { ChainOfThought, parseSignature, ReAct } from "turnfold/predict";
import { expectTrue, type Same } from "./expect.ts";

const llm: LLM = () => "Answer: yes";
const options: PredictOptions = {
  adapter: "json",
  instructions: "Be brief",
  demos: [{ question: "x", answer: "y" }],
  llm,
  retry: { attempts: 2 },
  maxRepairs: 2,
};
const callOptions: PredictCallOptions = { llm, signal: new AbortController().signal, maxRepairs: 0 };

const program = new Predict("question, n: int -> answer: str, tags: list[str]", options);
const called = program.call({ question: "x", n: 1 }, callOptions);
expectTrue<Same<typeof called, Promise<{ answer: string; tags: string[] }>>>();
const messages = program.messages({ question: "x", n: 1 });
expectTrue<Same<typeof messages, TextMessage[]>>();
const run = program.run({ question: "x", n: 1 });
expectTrue<Same<typeof run, Promise<Prediction<{ answer: string; tags: string[] }>>>>();

// @ts-expect-error an input is missing
program.call({ question: "x" });
// @ts-expect-error an input is of another type
program.call({ question: "x", n: "1" });
// @ts-expect-error there is no such input
program.call({ question: "x", n: 1, limit: 5 });
// @ts-expect-error there are inputs
program.messages();
// @ts-expect-error there is no such output
called.then(({ score }) => score);
// @ts-expect-error there is no such option
program.call({ question: "x", n: 1 }, { model: llm });

const asked = new Predict("question, history: History -> answer");
asked.call({ question: "x" });
asked.call({ question: "x", history: null });
asked.call({ question: "x", history: undefined });
asked.call({ question: "x", history: new History() });
// @ts-expect-error a history is a History
asked.call({ question: "x", history: [{ question: "q", answer: "a" }] });
// @ts-expect-error only the history may be omitted
asked.call({ history: new History() });

const turns = new Predict("(query :string, limit :int?) -> {items [{id :int}], total :float?}");
const found = turns.call({ query: "x", limit: null });
expectTrue<Same<typeof found, Promise<{ items: { id: number }[]; total: number | null }>>>();

const moods = new Predict('review -> mood: Literal["good", "bad"]', { adapter: "chat" }).call({ review: "x" });
expectTrue<Same<typeof moods, Promise<{ mood: "good" | "bad" }>>>();

const described = new Predict({
  inputs: [{ name: "review", type: "str", description: "as it was sent" }],
  outputs: [{ name: "mood", type: "str", oneOf: ["good", "bad"] }],
});
const judged = described.call({ review: "x" });
expectTrue<Same<typeof judged, Promise<{ mood: "good" | "bad" }>>>();

const parsed = new Predict(parseSignature("q: int -> a: bool"));
const answered = parsed.call({ q: 1 });
expectTrue<Same<typeof answered, Promise<{ a: boolean }>>>();
// @ts-expect-error an input is of another type
parsed.call({ q: "1" });

// A signature that is unknown at compile time accepts and returns any values.
export async function dynamic(text: string): Promise<Value | undefined> {
  const any = new Predict(text);
  const given = await any.call({ whatever: 1 });
  expectTrue<Same<typeof given, Record<string, Value>>>();
  return given.answer;
}
const anyProgram: Predict = new Predict("question -> answer");
const list: Predict[] = [anyProgram, new Predict(String(llm))];

const thinking = new ChainOfThought("question, history: History -> answer: int", options);
const thought = thinking.call({ question: "x", history: new History() });
expectTrue<Same<typeof thought, Promise<{ answer: number; reasoning: string }>>>();
const own = new ChainOfThought("question -> reasoning: list[str], answer").call({ question: "x" });
expectTrue<Same<typeof own, Promise<{ reasoning: string[]; answer: string }>>>();
// @ts-expect-error an input is missing
thinking.call({});

const tools: Tools = { search: ["(query :string) -> [:string]", ({ query }: { query: string }) => [query]] };
const reactOptions: ReActOptions = { ...options, tools, maxSteps: 3 };
const react = new ReAct("question, history: History -> answer: int", reactOptions);
const acted = react.call({ question: "x" });
expectTrue<Same<typeof acted, Promise<{ answer: number }>>>();
const told = react.run({ question: "x" });
expectTrue<Same<typeof told, Promise<ReActPrediction<{ answer: number }>>>>();
// @ts-expect-error there are tools
new ReAct("question -> answer", {});
// @ts-expect-error an input is missing
react.call({});

// @ts-expect-error there is no such adapter
new Predict("question -> answer", { adapter: "xml" });
// @ts-expect-error demos are objects
new Predict("question -> answer", { demos: ["x"] });
// @ts-expect-error a signature is a text or an object
new Predict(5);

export { list };
