import { type ToolCall, Turn, type TurnInit, type Value } from "turnfold";
import { expectTrue, type Same } from "./expect.ts";

const turn = Turn.success({
  number: 1,
  program: null,
  prints: ["a"] as const,
  toolCalls: [{ name: "search", args: { q: 1n }, error: null, durationMs: 1 }],
  memory: { x: new Set([1]) },
  docs: { x: "doc" },
  defined: ["x"],
});
expectTrue<Same<typeof turn, Turn>>();
expectTrue<Same<Turn["number"], number>>();
expectTrue<Same<Turn["rawResponse"], string>>();
expectTrue<Same<Turn["program"], string | null>>();
expectTrue<Same<Turn["result"], Value>>();
expectTrue<Same<Turn["prints"], readonly string[]>>();
expectTrue<Same<Turn["toolCalls"], readonly ToolCall[]>>();
expectTrue<Same<Turn["memory"], Readonly<Record<string, Value>>>>();
expectTrue<Same<Turn["docs"], Readonly<Record<string, string>>>>();
expectTrue<Same<Turn["defined"], readonly string[]>>();
expectTrue<Same<Turn["success"], boolean>>();
expectTrue<Same<ReturnType<Turn["toJSON"]>, unknown>>();
expectTrue<Same<ToolCall["args"], Value>>();

const empty: TurnInit = {};
Turn.failure({ result: "message" });
Turn.success({ ...turn });
Turn.fromJSON(turn.toJSON());

// @ts-expect-error turns are made by success, failure and fromJSON
new Turn({}, { text: "" });
// @ts-expect-error a turn does not change
turn.number = 2;
// @ts-expect-error nor do its lists
turn.prints.push("x");
// @ts-expect-error nor its memory
turn.memory.x = 1;
// @ts-expect-error the name is toolCalls
Turn.success({ tool_calls: [] });
// @ts-expect-error a call has a name
Turn.success({ toolCalls: [{ args: {} }] });
// @ts-expect-error prints are strings
Turn.success({ prints: [1] });

export { empty };
