import { Float, Fn, Keyword, Ref, type ToolFunction, type Value } from "turnfold/lisp";
import { readLiteral } from "./literal.ts";

/** Matches a tool's answer that is a JavaScript function: no Clojure or JSON text begins like this. */
const FUNCTION = /^(async\s*)?(function\b|[\w$]+\s*=>|\([^()]*(\([^()]*\)[^()]*)*\)\s*=>)/;

export const isFunctionText = (answer: string): boolean => FUNCTION.test(answer);

const MAX_DELAY_MS = 600_000;

/** The function of a tool. Throws when the text of the answer can't be read. */
export function readAnswer(text: string): (args: readonly Value[], signal?: AbortSignal) => unknown {
  const source = text.trim();
  if (source === "")
    return () => {
      throw new Error("it has no answer: write one for it under Tools on the Run or REPL tab");
    };
  // The frame is loaded with the first call.
  if (isFunctionText(source))
    return async (args, signal) => (await import("./answer-frame.ts")).answers.call(source, args.map(plain), signal);
  const value = readLiteral(source);
  return () => value;
}

export function readDelay(text: string): number {
  const digits = text.trim();
  if (digits === "") return 0;
  if (/^\d{1,6}$/.test(digits) && Number(digits) <= MAX_DELAY_MS) return Number(digits);
  throw new TypeError(`Write whole milliseconds, at most ${MAX_DELAY_MS}, or nothing`);
}

/** A tool's function, which waits for the delay and then answers. Its last argument is the options of the host function. */
export const toolFunction =
  (answer: ReturnType<typeof readAnswer>, delay: number): ToolFunction =>
  async (...given) => {
    const { signal } = given.pop() as { readonly signal?: AbortSignal };
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return answer(given as Value[], signal);
  };

/** Converts a value to plain JavaScript: keywords to their names, floats to numbers. */
export function plain(value: Value): unknown {
  if (value instanceof Keyword) return value.name;
  if (value instanceof Float) return value.value;
  if (value instanceof Fn) return value.source ?? `#fn[${value.params}]`;
  if (value instanceof Ref) return value.text;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return new Set([...value].map(plain));
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [plain(key), plain(each)]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
