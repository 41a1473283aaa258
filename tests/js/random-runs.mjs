import { SubAgent } from "turnfold";
import { seeded } from "./random.mjs";

/** Values in the notation of programs. */
const VALUES = [
  "1",
  "-7",
  "2.0",
  "2.5",
  "12345678901234567890",
  '"text"',
  '"a \\"quoted\\" one\\nand a line"',
  ":key",
  "nil",
  "true",
  "[1 [2 {:a 3}]]",
  "{:a 1 :_b 2}",
  '{"k" 1 :k 2}',
  "#{:a 1}",
  "{1 2}",
  "[]",
  '"日本 é 👩‍👩‍👧"',
  "{:$keyword 1}",
  "(range 40)",
];
const NAMES = ["a", "b", "c", "_hidden", "__proto__", "constructor", "long-name?", "toString", "d1"];

/** A reply with a program, or without one. */
function reply({ pick, below, chance }) {
  const value = () => pick(VALUES);
  const name = () => pick(chance(0.9) ? NAMES.slice(0, 4) : NAMES);
  const id = () => below(4);
  const statements = [
    () => `(def ${name()} ${value()})`,
    () => `(def ${name()} ${value()})`,
    () => `(def ${name()} "its doc; here" ${name()})`,
    () => `(defn f "Multiplies" [x] (* x ${id()}))`,
    () => `(def g (let [k ${id()} v ${value()}] (fn [x & more] [x k v more])))`,
    () => `(def ${name()} (g ${name()}))`,
    () => `(def ${name()} (f ${id()}))`,
    () => `(println "saw" ${value()})`,
    () => `(println ${name()})`,
    () => `(def ${name()} *1) (def ${name()} [*2 *3])`,
    () => `(def ${name()} (tool/get {:id ${id()}}))`,
    () => `(def ${name()} (tool/get "${id()}"))`,
    () => `(tool/get {:id "none"})`,
    () => `(tool/free ${id()} ${value()})`,
    () => `(tool/free {:v ${value()}})`,
    () => `(def ${name()} (pmap (fn [i] [(tool/get (mod i 2)) (when (even? i) (tool/get 0))]) (range ${1 + id()})))`,
    () => `(def ${name()} (pcalls (fn [] (tool/get 1)) (fn [] (println "in a branch") (tool/get 1) (tool/get 1))))`,
    () => `(def ${name()} (tool/inner {:n ${id()} :mode ${value()}}))`,
    () => `(def ${name()} (get data/list ${id()}))`,
    () => (chance(0.3) ? `(undefined-name ${name()})` : `(println [*1 ${name()}])`),
    () => (chance(0.5) ? "(assoc 1 2 3)" : "(reduce + (range 150000))"),
    () => `(when (map? data/map) (def ${name()} data/map))`,
  ];
  const last = [
    () => "",
    () => value(),
    () => name(),
    () => `(return ${value()})`,
    () => `(return {:n ${id()}})`,
    () => `(return {:n "${id()}" :_extra ${value()}})`,
    () => `(fail ${value()})`,
    () => `(fail {:reason :gave-up :message "no" :details ${value()}})`,
  ];
  const program = [
    ...Array.from({ length: below(4) }, () => pick(statements)()),
    pick(chance(0.6) ? last.slice(0, 3) : last)(),
  ];
  const text = program.join("\n");
  return pick([
    () => `\`\`\`clojure\n${text}\n\`\`\``,
    () => `\`\`\`clojure\n${text}\n\`\`\``,
    () => `Thinking: ${pick(VALUES)}\n\n~~~clj\n${text}\n~~~\nDone.`,
    () => `<think>\n\`\`\`clojure\n(fail 1)\n\`\`\`\n</think>\n${text}`,
    () => (chance(0.3) ? text : `\`\`\`\n${text}\n\`\`\``),
    () => (chance(0.3) ? `(do ${text}` : `\`\`\`clojure\n${text}\n\`\`\``),
    () => (chance(0.3) ? "I do not know." : `\`\`\`clojure\n${text}\n\`\`\``),
    () => (chance(0.2) ? `\`\`\`clojure\n${text}` : `\`\`\`clojure\n${text}\n\`\`\``),
  ])();
}

const CHARACTERS = { name: "characters", method: "exact", count: (text) => text.length };
const SHOUT = {
  name: "shout",
  toMessages: (turns, memory, { turnsLeft, mission }) => [
    { role: "user", content: `${mission} ${turns.length} ${Object.keys(memory).join()} ${turnsLeft}`.toUpperCase() },
  ],
};
const STRATEGIES = [
  undefined,
  false,
  true,
  "per-turn-summary",
  ["rolling-window", { keep: 1 }],
  ["rolling-window", { keep: 0 }],
  ["aggressive", { budget: 30 }],
  ["journal", { prices: { minimum: 0, cacheRead: 0.5 } }],
  ["aggressive", { budget: 200, counter: CHARACTERS }],
  SHOUT,
  ["single-user-coalesced", { toolResults: true, printlnLimit: 1 }],
];

/**
 * A random run from a seed: the agent, its data, and the results of model and tools, which depend only on the turn, so that a
 * run forked at any turn takes the same course.
 *
 * @param through wraps the function of each tool.
 */
export function randomRun(seed, through = (run) => run) {
  const random = seeded(seed);
  const { below, chance, pick } = random;
  const replies = Array.from({ length: 8 }, () => reply(random));
  // The names that later programs use are defined first.
  if (chance(0.8)) {
    replies[0] = `(def a ${pick(VALUES)}) (def b [a]) (def c *1) (def __proto__ 1) (defn f [x] (* x 2)) (def g (let [k 1] (fn [x] [x k])))`;
  }
  const inner = Array.from({ length: 8 }, () => reply(random));
  const breaks = chance(0.1) ? 1 + below(4) : 0;
  const aborts = chance(0.3) ? 1 + below(3) : 0;
  const requests = [];
  let turn = 0;
  let abort = new AbortController();
  const given = new Map();
  /** A generator for the n-th answer to these arguments in this turn. */
  const answerTo = (key) => {
    const place = `${turn} ${key}`;
    const count = given.get(place) ?? 0;
    given.set(place, count + 1);
    return seeded(seed * 31 + turn * 7 + count + key.length * 1000);
  };
  const answer = async (key) => {
    const own = answerTo(key);
    if (aborts === turn && own.chance(0.6)) abort.abort();
    for (let waits = own.below(3); waits > 0; waits--) await null;
    if (own.chance(0.15))
      throw own.pick([new Error("it failed: `get` failed: no"), "a text", undefined, { message: "m" }, new Error("")]);
    return own.pick([
      own.below(100),
      "r",
      null,
      { id: own.below(9), _key: "hidden" },
      [1.5, 2n, new Set([1])],
      undefined,
      new Map([[1, 2]]),
    ]);
  };
  const llm = (request) => {
    const isInner = request.messages.some(
      ({ content }) => content.includes("Inner mission") || content.includes("INNER MISSION"),
    );
    if (isInner) return inner[(turn + request.turn) % inner.length];
    turn = request.turn;
    for (const place of given.keys()) if (place.startsWith(`${turn} `)) given.delete(place);
    requests.push({ turn, messages: request.messages.map((message) => ({ ...message })) });
    if (turn === breaks) throw new Error("the model is away");
    return { content: replies[turn - 1], usage: { inputTokens: turn, outputTokens: 2 } };
  };
  const nested = new SubAgent({
    mission: "Inner mission",
    signature: "(n :int, mode :any) -> :any",
    maxTurns: 1 + below(3),
  });
  const agent = new SubAgent({
    mission: "Mission",
    systemPrompt: "SYSTEM",
    ...(chance(0.4) && { signature: "(list [:any]) -> {n :int}" }),
    tools: {
      get: ["(id :int) -> :any", through(({ id }) => answer(`get ${id}`))],
      free: through((...args) => answer(`free ${args.length}`)),
      inner: nested,
    },
    maxTurns: 1 + below(6),
    compression: pick(STRATEGIES),
    validation: pick([undefined, "strict", "warn", "disabled"]),
    ...(chance(0.2) && { turnBudget: 1 + below(5) }),
    ...(chance(0.2) && { limits: { toolCalls: 3, prints: 2, ...(chance(0.5) && { timeoutMs: 0 }) } }),
  });
  const data = {
    list: [1, "two", 3.5, null],
    map: { a: { _b: 1 }, "k ey": new Date(5) },
    __proto__: null,
    _secret: "s",
  };
  /** The options of a run, with a new signal each time, because a tool may abort it. */
  const options = () => {
    abort = new AbortController();
    given.clear();
    requests.length = 0;
    return { llm, signal: abort.signal };
  };
  return { agent, data, requests, options, replies };
}
