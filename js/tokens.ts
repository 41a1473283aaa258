import { describe } from "./describe.ts";
import { TurnfoldError } from "./errors.ts";
import { requireText } from "./tokens/text.ts";
import { call, send } from "./wasm.ts";

/** Counts the tokens of a text. Every count that Turnfold reports names the counter that made it. */
export interface TokenCounter {
  /** Such as `o200k`. */
  readonly name: string;
  /** `exact` when it counts what the provider counts. */
  readonly method: "exact" | "estimate";
  /** The number of tokens of `text`; the same text always has the same number. */
  count(text: string): number;
}

/**
 * The built-in counter. It knows no vocabulary: it takes text apart as o200k does and weighs the pieces.
 *
 * @example
 * ```ts
 * estimate.count("(filter in-stock? products)"); // a whole number
 * ```
 */
export const estimate: TokenCounter = Object.freeze<TokenCounter>({
  name: "estimate",
  method: "estimate",
  count(text) {
    requireText(text);
    return call((wasm) => wasm.estimateTokens(send(text)));
  },
});

/**
 * `counter`, when it is one.
 *
 * @throws {TurnfoldError} `invalid_counter`
 *
 * @internal
 */
export function checkCounter(counter: unknown): TokenCounter {
  const { name, method, count } = Object(counter) as Partial<TokenCounter>;
  if (typeof name !== "string" || typeof count !== "function" || (method !== "exact" && method !== "estimate")) {
    throw new TurnfoldError(
      "invalid_counter",
      `a counter has a name, a method and count(text); got ${describe(counter)}`,
      {
        hint: '{ name: "mine", method: "exact", count: (text) => … }',
      },
    );
  }
  return counter as TokenCounter;
}

/**
 * What a host's counter says about each text.
 *
 * @internal
 */
export function countAll(counter: TokenCounter, texts: readonly string[]): Float64Array {
  return Float64Array.from(texts, (text) => {
    let count: unknown;
    try {
      count = counter.count(text);
    } catch (cause) {
      throw failed(counter, "threw", cause);
    }
    if (typeof count === "number" && Number.isFinite(count) && count >= 0) return count;
    throw failed(counter, `gave ${describe(count)} for the number of tokens`);
  });
}

function failed(counter: TokenCounter, problem: string, cause?: unknown): TurnfoldError {
  return new TurnfoldError("invalid_counter", `the counter ${JSON.stringify(counter.name)} ${problem}`, {
    details: { counter: counter.name },
    hint: "count(text) gives a finite number, not negative, and does not wait for anything",
    ...(cause === undefined ? {} : { cause }),
  });
}
