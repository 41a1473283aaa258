// A small history, as the state of a link and as turns of the package.

import { Turn, toMessages } from "../../dist/index.js";

const rows = [
  { program: '(def a 1)\n(println "a is" a)', prints: ["a is 1"], defines: { a: 1 } },
  {
    program: "(def b (tool/search {:q 1}))\nb",
    calls: [{ name: "search", args: { q: 1 }, result: 7 }],
    defines: { b: 7 },
  },
  { program: "(def c (oops b))", reason: "unbound_var", message: "`oops` is not defined" },
  {
    program: '(def c 3)\n(def a 2)\n(println "c is" c)\n(println "done")',
    prints: ["c is 3", "done"],
    calls: [{ name: "search", args: { q: 2 }, result: 8 }],
    defines: { c: 3, a: 2 },
  },
  { program: '(def d {:k "v"})\nd', defines: { d: "v" } },
];

const clojure = (values) =>
  `{${Object.entries(values)
    .map(([name, value]) => `:${name} ${JSON.stringify(value)}`)
    .join(" ")}}`;

const MISSION = "Count what there is";
const MAX_TURNS = 8;

/** The state of a page with this history. */
export const stateOf = (more = {}) => ({
  mission: MISSION,
  tools: [{ name: "search", signature: "(q :int) -> :int" }],
  turns: rows.map(({ program, prints = [], calls = [], defines = {}, reason, message }) => ({
    program,
    prints,
    calls: calls.map(({ name, args, result }) => ({ name, args: clojure(args), result: String(result) })),
    ...(reason === undefined ? { memory: clojure(defines) } : { success: false, reason, message }),
  })),
  ...more,
  options: { maxTurns: String(MAX_TURNS), ...more.options },
});

export const COUNT = rows.length;

const turns = rows.map(({ program, prints = [], calls = [], defines = {}, reason, message }, index) => {
  const memory = Object.assign({}, ...rows.slice(0, index + 1).map((row) => row.defines));
  const init = { number: index + 1, program, prints, toolCalls: calls, memory, defined: Object.keys(defines) };
  return reason === undefined
    ? Turn.success({ ...init, result: null })
    : Turn.failure({ ...init, result: { reason, message } });
});

/** The package's rendering of its first turns. */
export const renderedAfter = (count, compression, limits = {}) =>
  toMessages(turns.slice(0, count), null, {
    mission: MISSION,
    tools: { search: { signature: "(q :int) -> :int" } },
    maxTurns: MAX_TURNS,
    compression: compression === "none" ? false : compression,
    ...limits,
  });

export const STRATEGIES = [
  "single-user-coalesced",
  "journal",
  "rolling-window",
  "per-turn-summary",
  "aggressive",
  "none",
];

/** The strategies for journeys; tests/playground/frames.test.mjs tests all of them. */
export const SOME_STRATEGIES = ["single-user-coalesced", "none"];
