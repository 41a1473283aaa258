import { checkMembers } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { timeOf } from "./message-copy.ts";

/** What becomes of old messages; made by functions such as {@link lastNMessages}, or the host's own. */
export interface HistoryStrategy {
  readonly name: string;
}

/** Which messages stay, become summaries, or go; by their places in the list that `plan` was given. */
export interface CustomPlan {
  keep: number[];
  /** Each becomes one summary. `prompt` is what the model is told, in place of `summaryPrompt`. */
  summarize?: { covers: number[]; prompt?: string }[];
  drop?: number[];
}

/**
 * A strategy of the host's. Every message must stand in exactly one list; a plan that tears a call from its results, or takes
 * away a system message, a pin, or what waits for an answer, is refused as `invalid_strategy`.
 */
export interface CustomHistoryStrategy extends HistoryStrategy {
  /** Pure: the same messages have the same plan. `tokens` are those of each message. */
  plan(messages: readonly ChatMessage[], context: { tokens: readonly number[] }): CustomPlan;
}

/** What facts are gathered about. */
export interface Concept {
  name: string;
  description?: string;
}

/** By which strategies of this package are known, those of other copies too. */
const SPEC: unique symbol = Symbol.for("turnfold.history-strategy");

/** What the wasm side is told of a strategy. */
type Spec = { name: string; number?: number; time?: number; concepts?: Concept[]; host?: string };

function strategy(spec: Spec): HistoryStrategy {
  return Object.freeze(Object.defineProperty({ name: spec.name }, SPEC, { value: Object.freeze(spec) }));
}

/**
 * Everything becomes one summary, but for system messages, pins, and tool calls at the end that are not answered yet
 * [FR-003].
 *
 * @example
 * ```ts
 * await agent.chat("Where is my order?", { compressionStrategy: wholeHistory(), maxTokens: 50_000 });
 * ```
 */
export const wholeHistory = (): HistoryStrategy => strategy({ name: "wholeHistory" });

/**
 * The last `n` messages stay as they are, all before them become one summary [FR-003, US4.1]. Where the border would
 * tear a call from its results, more stay. System messages count nowhere.
 *
 * @example
 * ```ts
 * await agent.chat("Where is my order?", { compressionStrategy: lastNMessages(20) });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `n` is a whole number from 0 up.
 */
export const lastNMessages = (n: number): HistoryStrategy =>
  strategy({ name: "lastNMessages", number: whole("lastNMessages(n)", n, 0) });

/**
 * Groups of `size` messages become a summary each [FR-003, US4.3]. A group is longer where it would tear a call from its
 * results, and where what is said in it is hardly longer than the heading of a summary; the last one may be shorter. Once there are summaries, a group is filled before it is summarised.
 *
 * @example
 * ```ts
 * await agent.chat("Where is my order?", { compressionStrategy: chunked(10) });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `size` is a whole number from 1 up.
 */
export const chunked = (size: number): HistoryStrategy =>
  strategy({ name: "chunked", number: whole("chunked(size)", size, 1) });

/**
 * Everything from that time on stays as it is, everything before becomes one summary [FR-003, US4.2]. A message without
 * a timestamp was said when the one before it was; when no message has one, planning fails with `missing_timestamp`.
 *
 * @param time milliseconds since 1970, a text that `Date` reads, or a `Date`.
 *
 * @example
 * ```ts
 * const hour = 60 * 60 * 1000;
 * await agent.chat("Where is my order?", { compressionStrategy: fromTimestamp(Date.now() - hour) });
 * ```
 * @throws {TurnfoldError} `invalid_option` for what is no time.
 */
export const fromTimestamp = (time: number | string | Date): HistoryStrategy => {
  const millis = reading("invalid_option", "time", () => timeOf(time));
  if (Number.isNaN(millis)) {
    throw new TurnfoldError("invalid_option", `fromTimestamp(time) takes a time, got ${describe(time)}`, {
      hint: "milliseconds since 1970, an ISO text, or a Date",
    });
  }
  return strategy({ name: "fromTimestamp", time: Math.ceil(millis) });
};

/**
 * Everything between two system messages becomes one summary; what stands before the first one belongs to its block
 * [FR-003].
 *
 * @example
 * ```ts
 * await agent.chat("Where is my order?", { compressionStrategy: wholeHistoryMultipleSystemMessages() });
 * ```
 */
export const wholeHistoryMultipleSystemMessages = (): HistoryStrategy =>
  strategy({ name: "wholeHistoryMultipleSystemMessages" });

/**
 * Facts about each concept take the place of everything but system messages and pins. The model is asked once for each
 * concept, and what it knows nothing about is left out.
 *
 * @example
 * ```ts
 * const facts = retrieveFacts([{ name: "order", description: "what was ordered, and its state" }]);
 * await agent.chat("Where is my order?", { compressionStrategy: facts });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless there is at least one concept with a name.
 */
export const retrieveFacts = (concepts: readonly Concept[]): HistoryStrategy =>
  reading("invalid_option", "concepts", () => {
    if (!Array.isArray(concepts) || concepts.length === 0) {
      throw new TurnfoldError("invalid_option", `retrieveFacts(concepts) takes a list, got ${describe(concepts)}`, {
        hint: '[{ name: "order", description: "what was ordered, and its state" }]',
      });
    }
    return strategy({ name: "retrieveFacts", concepts: concepts.map(concept) });
  });

function concept(given: unknown, index: number): Concept {
  const { name, description = "" } = Object(given) as { name?: unknown; description?: unknown };
  if (typeof name !== "string" || name.trim() === "" || typeof description !== "string") {
    throw new TurnfoldError(
      "invalid_option",
      `concepts[${index}] must be { name, description }, got ${describe(given)}`,
    );
  }
  return { name, description };
}

/**
 * Results of tools, but for the last `keep` (3), are replaced by a word about it; the calls stay. No model is asked.
 *
 * @example
 * ```ts
 * await agent.chat("Where is my order?", { compressionStrategy: [clearToolResults({ keep: 5 }), lastNMessages(40)] });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `keep` is a whole number from 0 up.
 */
export const clearToolResults = (options: { keep?: number } = {}): HistoryStrategy => {
  const { keep = 3 } = reading("invalid_option", "the options", () =>
    checkMembers("the options of clearToolResults", options, ["keep"]),
  );
  return strategy({ name: "clearToolResults", number: whole("clearToolResults({ keep })", keep, 0) });
};

function whole(what: string, given: unknown, least: number): number {
  if (Number.isSafeInteger(given) && (given as number) >= least) return given as number;
  throw new TurnfoldError("invalid_option", `${what} takes a whole number from ${least} up, got ${describe(given)}`);
}

/**
 * What the wasm side is told of a strategy; those of the host by `host`, their name.
 *
 * @throws {TurnfoldError} `invalid_strategy`
 *
 * @internal
 */
export function specOf(given: unknown): Spec {
  const known = Object(given) as { [SPEC]?: Spec; name?: unknown; plan?: unknown };
  const spec = known[SPEC];
  if (spec !== undefined) return spec;
  if (typeof known.plan === "function" && typeof known.name === "string" && known.name !== "") {
    return { name: "host", host: known.name };
  }
  throw new TurnfoldError("invalid_strategy", `a strategy is needed, got ${describe(given)}`, {
    hint: "wholeHistory(), lastNMessages(20), chunked(10), … or { name, plan(messages) }",
  });
}

/**
 * What a host's strategy says of messages, checked as far as it can be without knowing what belongs together.
 *
 * @throws {TurnfoldError} `invalid_strategy` when it throws, waits, or gives anything but lists of places.
 *
 * @internal
 */
export function askStrategy(
  strategy: CustomHistoryStrategy,
  messages: readonly ChatMessage[],
  tokens: readonly number[],
): Required<CustomPlan> {
  const name = reading("invalid_strategy", "the name of a strategy", () => strategy.name);
  const failed = (problem: string, cause?: unknown) =>
    new TurnfoldError("invalid_strategy", `the strategy ${JSON.stringify(name)} ${problem}`, {
      details: { strategy: name },
      hint: "plan(messages) gives { keep: [0, 1], summarize: [{ covers: [2, 3] }], drop: [] }",
      ...(cause === undefined ? {} : { cause }),
    });
  let plan: unknown;
  try {
    plan = strategy.plan(messages, { tokens });
  } catch (cause) {
    throw failed("threw", cause);
  }
  return reading("invalid_strategy", `the plan of ${JSON.stringify(name)}`, () => {
    if (typeof plan !== "object" || plan === null || !("keep" in plan)) throw failed(`gave ${describe(plan)}`);
    const { keep, summarize = [], drop = [] } = plan as { keep: unknown; summarize?: unknown; drop?: unknown };
    const places = (list: unknown, what: string): number[] => {
      if (!Array.isArray(list)) throw failed(`gave ${describe(list)} as ${what}`);
      const wrong = list.find((place) => !Number.isSafeInteger(place) || place < 0 || place >= messages.length);
      if (wrong !== undefined || list.includes(undefined)) throw failed(`names ${describe(wrong)} in ${what}`);
      return [...(list as number[])];
    };
    if (!Array.isArray(summarize)) throw failed(`gave ${describe(summarize)} as summarize`);
    return {
      keep: places(keep, "keep"),
      drop: places(drop, "drop"),
      summarize: summarize.map((group: unknown, index) => {
        const { covers, prompt } = Object(group) as { covers?: unknown; prompt?: unknown };
        if (prompt !== undefined && typeof prompt !== "string") throw failed(`gave ${describe(prompt)} as a prompt`);
        const checked = places(covers, `summarize[${index}].covers`);
        return prompt === undefined ? { covers: checked } : { covers: checked, prompt };
      }),
    };
  });
}
