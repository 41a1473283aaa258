import { handleRejection } from "../boundary/host.ts";
import { checkMembers, flagOption } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { millisecondsOf } from "./message-copy.ts";

/** A strategy for old messages, made by functions such as {@link lastNMessages}. */
export interface HistoryStrategy {
  readonly name: string;
}

/** Which messages are kept, summarized or dropped, by their indexes in the list that `plan` received. */
export interface CustomPlan {
  keep: number[];
  /** Each group becomes one summary. `prompt` replaces `summaryPrompt` for it. */
  summarize?: { covers: number[]; prompt?: string | undefined }[] | undefined;
  drop?: number[] | undefined;
}

/**
 * A strategy of the host. Every message must be in exactly one list. A plan that separates a call from its results, or removes
 * a system message, a pinned message or a pending exchange, is refused as `invalid_strategy`.
 */
export interface CustomHistoryStrategy extends HistoryStrategy {
  /** Must be pure and synchronous. `tokens` are the tokens of each message. */
  plan(messages: readonly ChatMessage[], context: { tokens: readonly number[] }): CustomPlan;
}

/** A subject of {@link retrieveFacts}. */
export interface Concept {
  name: string;
  description?: string | undefined;
}

/** Options of {@link clearToolResults}. */
export interface ClearingOptions {
  /** The last results that stay, with the arguments of their calls. Default 3. */
  keep?: number | undefined;
  /** Names of tools whose results and arguments stay. They count in `keep`. Default none. */
  exclude?: readonly string[] | undefined;
  /** Whether the arguments of calls are cleared too: of all tools, or of those with these names. Default false. */
  clearInputs?: boolean | readonly string[] | undefined;
  /** Minimum number of tokens that a batch saves. Default 0. */
  atLeast?: number | undefined;
  /** Maximum number of names that a note lists from the cleared text. Default 0. */
  names?: number | undefined;
}

/** Options of {@link digest}. */
export interface DigestOptions {
  /** The last rounds that stay unchanged. Default 1. */
  keep?: number | undefined;
  /** Maximum number of names that a line lists from the omitted text. Default 200. */
  names?: number | undefined;
  /** Characters that a line shows of each argument and of a long result; the other lengths are multiples of it. Default 80. */
  head?: number | undefined;
  /** Minimum number of tokens that a batch of rounds saves. Default 2000. */
  atLeast?: number | undefined;
  /** Whether each line has a handle, by which the model can read the whole result. Default false. */
  handles?: boolean | undefined;
}

/** The property that marks strategies of this package, across copies of it. */
const specKey: unique symbol = Symbol.for("turnfold.history-strategy");

/** A strategy for the wasm side. */
export type StrategySpec = {
  name: string;
  number?: number;
  atLeast?: number;
  names?: number;
  head?: number;
  recall?: boolean;
  exclude?: readonly string[];
  clearInputs?: boolean | readonly string[];
  time?: number;
  concepts?: Concept[];
  host?: string;
};

function makeStrategy(spec: StrategySpec): HistoryStrategy {
  return Object.freeze(Object.defineProperty({ name: spec.name }, specKey, { value: Object.freeze(spec) }));
}

/**
 * Summarizes everything into one summary, except system messages, pinned messages, and unanswered tool calls at the end.
 *
 * @example
 * ```ts
 * await support.chat("Where is my order?", { compressionStrategy: wholeHistory(), maxTokens: 50_000 });
 * ```
 */
export const wholeHistory = (): HistoryStrategy => makeStrategy({ name: "wholeHistory" });

/**
 * Keeps the last `n` messages and summarizes all before them. It keeps more when the boundary would separate a call
 * from its results, and less when they do not fit in the limits. System messages are not counted.
 *
 * @example
 * ```ts
 * await support.chat("Where is my order?", { compressionStrategy: lastNMessages(20) });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `n` is a whole number from 0 up.
 */
export const lastNMessages = (n: number): HistoryStrategy =>
  makeStrategy({ name: "lastNMessages", number: checkWholeNumber("lastNMessages(n)", n, 0) });

/**
 * Summarizes groups of `size` messages, each into one summary. A group is longer when it would separate a call from its
 * results, and when its text is hardly longer than the heading of a summary; the last group may be shorter. Once there
 * are summaries, a group is summarized only when it is full.
 *
 * @example
 * ```ts
 * await support.chat("Where is my order?", { compressionStrategy: chunked(10) });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `size` is a whole number from 1 up.
 */
export const chunked = (size: number): HistoryStrategy =>
  makeStrategy({ name: "chunked", number: checkWholeNumber("chunked(size)", size, 1) });

/**
 * Keeps everything from that time on and summarizes everything before. A message without a timestamp has that of the
 * previous message; when no message has one, planning fails with `missing_timestamp`.
 *
 * @param time milliseconds since 1970, a text that `Date` reads, or a `Date`.
 *
 * @example
 * ```ts
 * const hour = 60 * 60 * 1000;
 * await support.chat("Where is my order?", { compressionStrategy: fromTimestamp(Date.now() - hour) });
 * ```
 * @throws {TurnfoldError} `invalid_option` for a value that is not a time.
 */
export const fromTimestamp = (time: number | string | Date): HistoryStrategy => {
  const millis = wrapReadErrors("invalid_option", "time", () => millisecondsOf(time));
  if (Number.isNaN(millis)) {
    throw new TurnfoldError("invalid_option", `fromTimestamp(time) takes a time, got ${describe(time)}`, {
      hint: "milliseconds since 1970, an ISO text, or a Date",
    });
  }
  return makeStrategy({ name: "fromTimestamp", time: Math.ceil(millis) });
};

/**
 * Summarizes the messages between system messages, each range into one summary; messages before the first system
 * message belong to the range after it.
 *
 * @example
 * ```ts
 * await support.chat("Where is my order?", { compressionStrategy: wholeHistoryMultipleSystemMessages() });
 * ```
 */
export const wholeHistoryMultipleSystemMessages = (): HistoryStrategy =>
  makeStrategy({ name: "wholeHistoryMultipleSystemMessages" });

/**
 * Replaces everything except system messages and pinned messages by facts about each concept. The model is called once per
 * concept; a concept without facts is omitted.
 *
 * @example
 * ```ts
 * const facts = retrieveFacts([{ name: "order", description: "what was ordered, and its state" }]);
 * await support.chat("Where is my order?", { compressionStrategy: facts });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless there is at least one concept with a name.
 */
export const retrieveFacts = (concepts: readonly Concept[]): HistoryStrategy =>
  wrapReadErrors("invalid_option", "concepts", () => {
    if (!Array.isArray(concepts) || concepts.length === 0) {
      throw new TurnfoldError("invalid_option", `retrieveFacts(concepts) takes a list, got ${describe(concepts)}`, {
        hint: '[{ name: "order", description: "what was ordered, and its state" }]',
      });
    }
    return makeStrategy({ name: "retrieveFacts", concepts: concepts.map(checkConcept) });
  });

function checkConcept(given: unknown, index: number): Concept {
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
 * Replaces tool results, except the last `keep` (default 3), by a short note; the calls stay. No model is called. The
 * results of tools in `exclude` stay. With `clearInputs`, the arguments of the same calls become
 * `{ cleared: "old arguments" }`. With `atLeast`, results are replaced in batches that save at least that many tokens
 * each: earlier messages stay the same for longer, and the provider's cache can reuse more. The note lists up to `names`
 * (default 0) of the paths, addresses, hashes, codes and identifiers that were in the result and that no earlier message
 * shows, each preceded by a word that was next to it, so that the model knows what it has seen in which result.
 *
 * @example
 * ```ts
 * await support.chat("Where is my order?", { compressionStrategy: [clearToolResults({ keep: 5 }), lastNMessages(40)] });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `exclude` is a list of names, `clearInputs` a boolean or such a list, and
 * the others are whole numbers from 0 up.
 */
export const clearToolResults = (options: ClearingOptions = {}): HistoryStrategy =>
  wrapReadErrors("invalid_option", "the options", () => {
    const known = ["keep", "exclude", "clearInputs", "atLeast", "names"];
    const given = checkMembers("the options of clearToolResults", options, known, {
      excludeTools: "exclude",
      clearToolInputs: "clearInputs",
      clearAtLeast: "atLeast",
    });
    const { keep = 3, exclude = [], clearInputs = false, atLeast = 0, names = 0 } = given;
    return makeStrategy({
      name: "clearToolResults",
      number: checkWholeNumber("clearToolResults({ keep })", keep, 0),
      exclude: checkNames("clearToolResults({ exclude }) takes", exclude),
      clearInputs:
        typeof clearInputs === "boolean"
          ? clearInputs
          : checkNames("clearToolResults({ clearInputs }) takes true, false or", clearInputs),
      atLeast: checkWholeNumber("clearToolResults({ atLeast })", atLeast, 0),
      names: checkWholeNumber("clearToolResults({ names })", names, 0),
    });
  });

/**
 * Folds finished rounds of tool calls, except the last `keep` (default 1), into lines: the model's text, each call with
 * shortened arguments, the first `head` (default 80) characters of its result, and up to `names` (default 200) of the
 * paths, addresses, hashes, codes and identifiers that were in the omitted text and that no earlier message shows, each
 * preceded by a word that was next to it. No model is called. Rounds are folded in batches that save at least `atLeast`
 * (default 2000) tokens each, and the lines of a batch are one message. When the lines
 * exceed 6,000 tokens, the older half of them becomes one message of short lines, each a call with the names in it, and
 * so do the messages of users and models between them: their first 600 characters, and the names in the rest.
 *
 * With it, `when` is `worthIt` by default: a fold breaks the provider's cache, so rounds are folded
 * when that pays at `prices`. `always` folds whenever a batch is full.
 *
 * With `handles`, each line has a handle, and {@link Agent} offers the model a tool `recall({ id })` that returns the
 * whole result from the transcript; {@link resultTool} is that tool for other hosts. It must then be the only strategy;
 * limits apply after it.
 *
 * @example
 * ```ts
 * await support.chat("Why does the build fail?", { compressionStrategy: digest() });
 * ```
 * @throws {TurnfoldError} `invalid_option` unless `handles` is a boolean and the others are whole numbers from 0 up.
 */
export const digest = (options: DigestOptions = {}): HistoryStrategy => {
  const {
    keep = 1,
    names = 200,
    head = 80,
    atLeast = 2000,
    handles,
  } = wrapReadErrors("invalid_option", "the options", () =>
    checkMembers("the options of digest", options, ["keep", "names", "head", "atLeast", "handles"]),
  );
  return makeStrategy({
    name: "digest",
    number: checkWholeNumber("digest({ keep })", keep, 0),
    names: checkWholeNumber("digest({ names })", names, 0),
    head: checkWholeNumber("digest({ head })", head, 0),
    atLeast: checkWholeNumber("digest({ atLeast })", atLeast, 0),
    recall: flagOption(false)(handles, "digest({ handles })"),
  });
};

/** @param takes the beginning of the error. */
function checkNames(takes: string, given: unknown): readonly string[] {
  const names: unknown[] | null = Array.isArray(given) ? Array.from(given) : null;
  if (names?.every((name) => typeof name === "string")) return Object.freeze(names);
  throw new TurnfoldError("invalid_option", `${takes} a list of names of tools, got ${describe(given)}`);
}

function checkWholeNumber(what: string, given: unknown, min: number): number {
  if (Number.isSafeInteger(given) && (given as number) >= min) return given as number;
  throw new TurnfoldError("invalid_option", `${what} takes a whole number from ${min} up, got ${describe(given)}`);
}

/**
 * Returns a strategy for the wasm side; one of the host has the name `host`, and its own name in `host`.
 *
 * @throws {TurnfoldError} `invalid_strategy`
 *
 * @internal
 */
export function specOf(given: unknown): StrategySpec {
  const known = Object(given) as { [specKey]?: StrategySpec; name?: unknown; plan?: unknown };
  const spec = known[specKey];
  if (spec !== undefined) return spec;
  if (typeof known.plan === "function" && typeof known.name === "string" && known.name !== "") {
    return { name: "host", host: known.name };
  }
  throw new TurnfoldError("invalid_strategy", `a strategy is needed, got ${describe(given)}`, {
    hint:
      typeof given === "function"
        ? "call it: lastNMessages(20), digest(); or pass { name, plan(messages) }"
        : "lastNMessages(20), digest(), wholeHistory(), … or { name, plan(messages) }",
  });
}

/**
 * A checked plan of a host's strategy.
 *
 * @internal
 */
export interface CheckedPlan {
  keep: number[];
  drop: number[];
  summarize: { covers: number[]; prompt?: string }[];
}

/**
 * Returns the plan of a host's strategy, checked as far as possible without knowing which messages must stay together.
 *
 * @throws {TurnfoldError} `invalid_strategy` when it throws, returns a promise, or returns anything but lists of indexes.
 *
 * @internal
 */
export function callCustomStrategy(
  strategy: CustomHistoryStrategy,
  messages: readonly ChatMessage[],
  tokens: readonly number[],
): CheckedPlan {
  const name = wrapReadErrors("invalid_strategy", "the name of a strategy", () => strategy.name);
  const invalidStrategy = (problem: string, cause?: unknown) =>
    new TurnfoldError("invalid_strategy", `the strategy ${JSON.stringify(name)} ${problem}`, {
      details: { strategy: name },
      hint: "plan(messages) gives { keep: [0, 1], summarize: [{ covers: [2, 3] }], drop: [] }",
      ...(cause === undefined ? {} : { cause }),
    });
  let plan: unknown;
  try {
    plan = strategy.plan(messages, { tokens });
    handleRejection(plan);
  } catch (cause) {
    throw invalidStrategy("threw", cause);
  }
  return wrapReadErrors("invalid_strategy", `the plan of ${JSON.stringify(name)}`, () => {
    if (typeof plan !== "object" || plan === null || !("keep" in plan))
      throw invalidStrategy(`returned ${describe(plan)}`);
    const { keep, summarize = [], drop = [] } = plan as { keep: unknown; summarize?: unknown; drop?: unknown };
    const checkIndexes = (list: unknown, what: string): number[] => {
      if (!Array.isArray(list)) throw invalidStrategy(`returned ${describe(list)} as ${what}`);
      const wrong = list.find((index) => !Number.isSafeInteger(index) || index < 0 || index >= messages.length);
      if (wrong !== undefined || list.includes(undefined)) throw invalidStrategy(`names ${describe(wrong)} in ${what}`);
      return [...(list as number[])];
    };
    if (!Array.isArray(summarize)) throw invalidStrategy(`returned ${describe(summarize)} as summarize`);
    return {
      keep: checkIndexes(keep, "keep"),
      drop: checkIndexes(drop, "drop"),
      summarize: summarize.map((group: unknown, index) => {
        const { covers, prompt } = Object(group) as { covers?: unknown; prompt?: unknown };
        if (prompt !== undefined && typeof prompt !== "string")
          throw invalidStrategy(`returned ${describe(prompt)} as a prompt`);
        const checked = checkIndexes(covers, `summarize[${index}].covers`);
        return prompt === undefined ? { covers: checked } : { covers: checked, prompt };
      }),
    };
  });
}
