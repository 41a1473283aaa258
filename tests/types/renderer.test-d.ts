import {
  type Compression,
  type CustomStrategy,
  type Message,
  type Rendered,
  Renderer,
  type RenderOptions,
  type RenderStats,
  type SectionKind,
  type Step,
  type StrategyName,
  type TextMessage,
  type TokenCounter,
  type Tools,
  type Turn,
  toMessages,
} from "turnfold";
import { estimate } from "turnfold/chat";
import { normalizeCompression } from "turnfold/turns";
import { expectTrue, type Same } from "./expect.ts";

declare const turns: readonly Turn[];
expectTrue<Same<Turn["toolCalls"][number]["step"], Step | undefined>>();

const rendered = toMessages(turns, null, { mission: "m" });
expectTrue<Same<typeof rendered, Rendered>>();
expectTrue<Same<Rendered["messages"], TextMessage[]>>();
expectTrue<Same<Rendered<Message>["messages"], Message[]>>();
expectTrue<Same<TextMessage["content"], string>>();
expectTrue<Same<Rendered["stats"], RenderStats>>();
expectTrue<Same<RenderStats["strategy"], string | null>>();
expectTrue<Same<Rendered["sections"][number]["kind"], SectionKind>>();
expectTrue<Same<Rendered["sections"][number]["turns"], number[]>>();
expectTrue<
  Same<Rendered["dropped"][number]["kind"], "print" | "toolCall" | "sample" | "definition" | "error" | "program">
>();
toMessages(
  turns,
  { x: 1n },
  { mission: "m", data: { rows: [] }, signature: "() -> :int", maxTurns: 5, printLength: 10 },
);

const tools: Tools = {
  plain: (args: { q: string }) => args.q,
  pair: ["(q :string) -> :int", async ({ q }: { q: string }) => q.length],
  whole: { signature: "() -> :int", description: "d", run: () => 1 },
  foreign: { description: "d", inputSchema: {}, execute: (_input: unknown, _options: unknown) => 1 },
};
const options: RenderOptions = { mission: "m", tools };
const described: RenderOptions = { mission: "m", tools: { search: "() -> :int", other: { description: "d" } } };

const counter: TokenCounter = { name: "n", method: "exact", count: (text) => text.length };
const own: CustomStrategy = {
  name: "own",
  toMessages: (turns, memory, { mission, turnsLeft, strategyOptions }) => {
    expectTrue<Same<typeof turnsLeft, number>>();
    return [{ role: "user", content: `${mission} ${turns.length} ${Object.keys(memory)} ${strategyOptions.depth}` }];
  },
};
const compressions: Compression[] = [
  true,
  false,
  null,
  "aggressive",
  ["rolling-window", { keep: 3, printlnLimit: 2 }],
  ["aggressive", { budget: 500, counter }],
  ["aggressive", { counter: estimate }],
  own,
  [own, { depth: 2 }],
];
const { strategy } = normalizeCompression(compressions[0]);
expectTrue<Same<typeof strategy, StrategyName | CustomStrategy | null>>();
normalizeCompression(undefined);

const renderer = new Renderer({ mission: "m" }, turns);
renderer.setOptions({ maxTurns: 3 });
expectTrue<Same<ReturnType<Renderer["render"]>, Rendered & { sharedPrefix: number }>>();
const disposable: Disposable = renderer;

export function disposedAtTheEnd(): number {
  using short = new Renderer({ mission: "m" });
  return short.render({ x: 1 }).sharedPrefix;
}

// @ts-expect-error mission is required
toMessages(turns, null, {});
// @ts-expect-error memory is an object or null
toMessages(turns, 5, { mission: "m" });
// @ts-expect-error the option is called maxTurns
toMessages(turns, null, { mission: "m", max_turns: 5 });
// @ts-expect-error there is no such strategy
toMessages(turns, null, { mission: "m", compression: "lossless" });
// @ts-expect-error keep belongs to rolling-window
toMessages(turns, null, { mission: "m", compression: ["per-turn-summary", { keep: 2 }] });
// @ts-expect-error a counter has a method
toMessages(turns, null, { mission: "m", compression: ["aggressive", { counter: { name: "n", count: () => 1 } }] });
// @ts-expect-error messages are not awaited
const waiting: CustomStrategy = { name: "own", toMessages: async () => [] };
// @ts-expect-error a tool is not a number
const numbers: Tools = { search: 5 };
// @ts-expect-error an index comes first
renderer.replace(turns[0]);

export { described, disposable, numbers, options, waiting };
