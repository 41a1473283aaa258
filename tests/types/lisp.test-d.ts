import {
  type Completion,
  type Diagnostic,
  type KnownNames,
  type Limits,
  Lisp,
  type LispOptions,
  type LispResult,
  type ToolCall,
  Turn,
  type Value,
} from "turnfold";
import { check, complete } from "turnfold/lisp";
import { expectTrue, type Same } from "./expect.ts";

const options: LispOptions = {
  data: { rows: [{ id: 1n }], seen: new Set(["a"]) },
  tools: {
    plain: (query: string, limit: number) => query.repeat(limit),
    pair: ["(q :string) -> :int", async ({ q }: { q: string }) => q.length],
    whole: { signature: "() -> :int", description: "d", run: () => 1 },
    foreign: { description: "d", inputSchema: {}, execute: (_input: unknown, _options: unknown) => 1 },
  },
  memory: { total: 7 },
  limits: { fuel: 1000, heapBytes: 1 << 20, depth: 100, loopIterations: 50, collectionSize: 10, prints: 5 },
  keywords: "keep",
};
const lisp = new Lisp(options);
const limits: Limits = { printLength: 100, toolCalls: 3, timeoutMs: Number.POSITIVE_INFINITY };
new Lisp();
new Lisp({ limits });
const disposable: Disposable = lisp;

const later = lisp.run("(+ 1 2)", { signal: new AbortController().signal });
expectTrue<Same<typeof later, Promise<LispResult>>>();
const result = lisp.runSync("(+ 1 2)");
expectTrue<Same<typeof result, LispResult>>();
expectTrue<Same<LispResult["ok"], boolean>>();
expectTrue<Same<LispResult["value"], Value>>();
expectTrue<Same<LispResult["error"], Diagnostic | null>>();
expectTrue<Same<LispResult["signal"], "return" | "fail" | null>>();
if (result.ok) expectTrue<Same<typeof result.error, null>>();
else expectTrue<Same<typeof result.error, Diagnostic>>();
expectTrue<Same<LispResult["prints"], string[]>>();
expectTrue<Same<LispResult["toolCalls"], ToolCall[]>>();
expectTrue<Same<LispResult["memory"], Record<string, Value>>>();
expectTrue<Same<LispResult["docs"], Record<string, string>>>();
expectTrue<Same<LispResult["defined"], string[]>>();
expectTrue<Same<LispResult["fuelUsed"], number>>();
expectTrue<Same<Lisp["memory"], Record<string, Value>>>();
expectTrue<Same<keyof Diagnostic, "kind" | "message" | "span" | "hint">>();
expectTrue<Same<Diagnostic["span"], { start: number; end: number; line: number; column: number } | null>>();
expectTrue<Same<Diagnostic["hint"], string | null>>();
expectTrue<Same<NonNullable<Limits[keyof Limits]>, number>>();

expectTrue<Same<ReturnType<Lisp["toJSON"]>, unknown>>();
const loaded = Lisp.fromJSON(lisp.toJSON(), { data: options.data ?? {} });
expectTrue<Same<typeof loaded, Lisp>>();
Lisp.fromJSON(JSON.stringify(lisp));

const { value, prints, toolCalls, memory, docs, defined } = result;
Turn.success({ program: "(+ 1 2)", result: value, prints, toolCalls, memory, docs, defined });
Turn.failure({ program: "(+ 1 2)", result: result.error?.message, prints, toolCalls });

const names: KnownNames = { tools: ["search"], data: Object.keys(options.data ?? {}), memory: ["total"] as const };
const problems = check("(foo)", names);
expectTrue<Same<typeof problems, Diagnostic[]>>();
check("(foo)");
const found = complete("(red", 4, names);
expectTrue<Same<typeof found, Completion[]>>();
expectTrue<Same<Completion, { name: string; detail: string; doc: string }>>();
complete("", 0);

export function disposedAtTheEnd(): Value {
  using short = new Lisp({ data: { n: 1 } });
  return short.runSync("data/n").value;
}

// @ts-expect-error the limit is called fuel
new Lisp({ limits: { steps: 5 } });
// @ts-expect-error a limit is a number
new Lisp({ limits: { fuel: 10n } });
// @ts-expect-error keywords are kept or become strings
new Lisp({ keywords: "symbols" });
// @ts-expect-error there is no such option
new Lisp({ context: {} });
// @ts-expect-error a tool is not a number
new Lisp({ tools: { search: 5 } });
// @ts-expect-error data is given by name
new Lisp({ data: 5 });
// @ts-expect-error a program is a text
lisp.runSync(["(+ 1 2)"]);
// @ts-expect-error the signal is a member of the options
lisp.run("1", new AbortController().signal);
// @ts-expect-error a synchronous run can't be aborted
lisp.runSync("1", { signal: new AbortController().signal });
// @ts-expect-error definitions are made by programs
lisp.memory = {};
// @ts-expect-error the result is awaited
lisp.run("1").value;
// @ts-expect-error names are lists
check("(foo)", { tools: { search: "() -> :int" } });
// @ts-expect-error there is no such list of names
check("(foo)", { builtins: ["x"] });
// @ts-expect-error an offset comes second
complete("(foo)", names);

export { disposable };
