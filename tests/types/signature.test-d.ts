import {
  type Field,
  History,
  type InputsOf,
  type OutputsOf,
  type Signature,
  type SignatureInit,
  type Value,
} from "turnfold";
import { parseSignature } from "turnfold/predict";
import type { Keyword } from "turnfold/turns";
import { expectTrue, type Same } from "./expect.ts";

// ── the notation of programs ─────────────────────────────────────────────────────────────────────────────────────────

expectTrue<Same<InputsOf<"question -> answer">, { question: string }>>();
expectTrue<Same<OutputsOf<"question -> answer">, { answer: string }>>();
expectTrue<Same<OutputsOf<"question->answer:list[str],score:float">, { answer: string[]; score: number }>>();

type Mixed = "question, n: int, tags: list[str], on: bool | None, why: Optional[str], meta: dict[str, Any] -> a: Any";
expectTrue<
  Same<
    InputsOf<Mixed>,
    {
      question: string;
      n: number;
      tags: readonly string[];
      on?: boolean | null | undefined;
      why?: string | null | undefined;
      meta: Readonly<Record<string, unknown>>;
    }
  >
>();
expectTrue<Same<OutputsOf<Mixed>, { a: Value }>>();

type Moods = "review -> mood: Literal['good', \"bad, really\"], stars: Literal[1, -2, 2.5] | None, ok: Literal[True]";
expectTrue<Same<OutputsOf<Moods>, { mood: "good" | "bad, really"; stars: 1 | -2 | 2.5 | null; ok: true }>>();
expectTrue<
  Same<OutputsOf<"q -> m: list[Literal['a', 'b']], n: list[Optional[int]]">, { m: ("a" | "b")[]; n: (number | null)[] }>
>();
expectTrue<
  Same<
    OutputsOf<"q -> a: list[list[int]], b: List[str]?, c: list, d: json">,
    { a: number[][]; b: string[] | null; c: Value[]; d: Value }
  >
>();
expectTrue<
  Same<
    OutputsOf<"q -> a: string, b: integer, c: number, d: boolean, e: STR">,
    { a: string; b: number; c: number; d: boolean; e: string }
  >
>();
expectTrue<Same<OutputsOf<"q -> a: Literal['it\\'s', 'b']">, { a: string }>>();

type Asked = "question, history: History -> answer";
expectTrue<Same<InputsOf<Asked>, { question: string; history?: History | null | undefined }>>();
expectTrue<Same<InputsOf<"past: dspy.History, q: str -> a">, { past?: History | null | undefined; q: string }>>();
expectTrue<Same<InputsOf<"q, h: Optional[History] -> a">, { q: string; h?: History | null | undefined }>>();

type Lines = `
  question: str,
  limit: int?
  -> answer: str`;
expectTrue<Same<InputsOf<Lines>, { question: string; limit?: number | null | undefined }>>();
expectTrue<Same<OutputsOf<Lines>, { answer: string }>>();

// ── the notation of turns, and both mixed ────────────────────────────────────────────────────────────────────────────

type Turns = "(query :string, limit :int?, kind :keyword) -> {items [{id :int, note :string?}], total :float?}";
expectTrue<Same<InputsOf<Turns>, { query: string; limit?: number | null | undefined; kind: string | Keyword }>>();
expectTrue<
  Same<OutputsOf<Turns>, { items: { id: number; note?: string | null | undefined }[]; total: number | null }>
>();
expectTrue<Same<OutputsOf<"(query :string) -> [:int]">, number[]>>();
expectTrue<
  Same<OutputsOf<"ids: [:int], q -> items: [{id :int}], kind: :keyword">, { items: { id: number }[]; kind: string }>
>();
expectTrue<Same<InputsOf<"ids: [:int], q -> a">, { ids: readonly number[]; q: string }>>();

type Choices = `(state "open" | 'paid', n (1 | -2.5)?, on true|false | nil, by {id :int | nil}?, q "it\\"s" | "b")
  -> {state ("open" | "paid")?, due "x", tags ["a" | "b"], rest [:int] | nil, deep [{m "y" | 1}?]}`;
expectTrue<
  Same<
    InputsOf<Choices>,
    {
      state: "open" | "paid";
      n?: 1 | -2.5 | null | undefined;
      on: boolean | null;
      by?: { id: number | null } | null | undefined;
      q: string;
    }
  >
>();
expectTrue<
  Same<
    OutputsOf<Choices>,
    {
      state: "open" | "paid" | null;
      due: "x";
      tags: ("a" | "b")[];
      rest: number[] | null;
      deep: ({ m: "y" | 1 } | null)[];
    }
  >
>();
expectTrue<Same<OutputsOf<`() -> {id :int}?`>, { id: number } | null>>();
expectTrue<Same<OutputsOf<`-> {id :int} | nil`>, { id: number } | null>>();
expectTrue<Same<OutputsOf<`(q :int) -> "a" | "b"`>, "a" | "b">>();
expectTrue<Same<OutputsOf<`(q :int) -> ("a" | "b")?`>, "a" | "b" | null>>();
expectTrue<Same<OutputsOf<`"a" | true`>, "a" | true>>();
expectTrue<
  Same<
    OutputsOf<`q -> a: "x" | 'y', b: ("x")?, c: 1 | 2 | None, d: list["x" | "y"]`>,
    {
      a: "x" | "y";
      b: "x" | null;
      c: 1 | 2 | null;
      d: ("x" | "y")[];
    }
  >
>();
// A type with `None` is optional in this notation.
expectTrue<Same<InputsOf<"q, n: :int | nil -> a">, { q: string; n?: number | null | undefined }>>();

// ── objects ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const described = parseSignature({
  inputs: [
    { name: "review", type: "str", description: "as it was sent" },
    { name: "limit", type: "int", default: 5 },
    { name: "earlier", type: "History" },
  ],
  outputs: [
    { name: "mood", type: "str", oneOf: ["good", "bad"] },
    { name: "score", type: "float", optional: true },
    { name: "tags", type: "list[str]" },
  ],
  instructions: "Judge the review",
});
type Described = typeof described;
expectTrue<
  Same<InputsOf<Described>, { review: string; limit?: number | null | undefined; earlier?: History | null | undefined }>
>();
expectTrue<Same<OutputsOf<Described>, { mood: "good" | "bad"; score: number | null; tags: string[] }>>();

const there = parseSignature({
  inputs: [
    { name: "limit", type: "Optional[int]", optional: false },
    { name: "sort", type: "str | None", oneOf: ["up", "down"], optional: false },
    { name: "state", type: `"open" | "paid"` },
  ],
  outputs: [{ name: "answer", type: "str" }],
});
expectTrue<
  Same<InputsOf<typeof there>, { limit: number | null; sort: "up" | "down" | null; state: "open" | "paid" }>
>();

// ── signatures unknown at compile time ───────────────────────────────────────────────────────────────────────────────

expectTrue<Same<InputsOf<string>, Record<string, unknown>>>();
expectTrue<Same<OutputsOf<string>, Record<string, Value>>>();
expectTrue<Same<InputsOf<`question, ${string} -> answer`>, Record<string, unknown>>>();
expectTrue<Same<OutputsOf<"no arrow">, Record<string, Value>>>();
expectTrue<Same<OutputsOf<SignatureInit>, Record<string, Value>>>();
const fields: Field[] = [];
const unknown = parseSignature({ inputs: fields, outputs: fields });
expectTrue<Same<OutputsOf<typeof unknown>, Record<string, Value>>>();

// ── the signature object ─────────────────────────────────────────────────────────────────────────────────────────────

const signature = parseSignature("question, history: History -> answer: str, score: float");
const anySignature: Signature = signature;
const given: SignatureInit = { inputs: signature.inputs, outputs: signature.outputs };
parseSignature(given);
const coerced = signature.coerce({ answer: "x", score: "1" });
expectTrue<Same<typeof coerced.value, { answer: string; score: number }>>();
const inputs = signature.coerce({ question: "x" }, "input");
expectTrue<Same<typeof inputs.value, { question: string; history?: History | null | undefined }>>();
const problems = signature.check(1, "output");
expectTrue<
  | Same<typeof problems, { path: string; message: string }[]>
  | Same<(typeof problems)[0], { path: string; message: string }>
>();
const result = signature["~standard"].validate({});
if (result.issues === undefined) expectTrue<Same<typeof result.value, { answer: string; score: number }>>();

const history = new History([{ question: "x", answer: "y" }, new Map([["question", "x"]])]);
const longer: History = history.append({ question: "z", answer: 1n });
longer.messages.at(0);

// @ts-expect-error a signature is a text or an object
parseSignature(5);
// @ts-expect-error a field has a type
parseSignature({ inputs: [{ name: "q" }], outputs: [] });
// @ts-expect-error there are two sides
signature.check({}, "inputs");
// @ts-expect-error a turn is an object or a Map
new History(["x"]);
// @ts-expect-error a history never changes
history.messages = [];
// @ts-expect-error nor does a signature
signature.instructions = "x";

export { anySignature };
