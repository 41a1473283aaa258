import { checkSignal } from "../../boundary/abort.ts";
import { choiceOption, copyMembers, countOption, readOptions } from "../../boundary/options.ts";
import type { CacheMarks } from "../../chat.ts";
import { HistoryManager } from "../shared/history-manager.ts";
import { checkHistoryOptions, type HistoryOptions } from "../shared/history-options.ts";
import type { CacheMarkOptions } from "./cache-marks.ts";

/** Options of {@link turnfoldMiddleware}: how histories are managed, and with which model. */
export interface MiddlewareOptions extends HistoryOptions {
  /** Marks breakpoints for Anthropic's cache in `providerOptions`. By default nothing is marked. */
  cache?: Pick<CacheMarks, "breakpoints" | "ttl"> | undefined;
}

/**
 * Checked options.
 *
 * @internal
 */
export interface CheckedOptions {
  manager: HistoryManager;
  cache: CacheMarkOptions | null;
}

/**
 * @param otherNames further options that the caller reads.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkOptions(
  options: unknown,
  otherNames: readonly string[],
): { checked: CheckedOptions; given: Record<string, unknown> } {
  const { checked, given } = checkHistoryOptions(options, {
    otherNames: ["cache", ...otherNames],
    llmHint: "aiSdkModel(model) makes one of a model of the AI SDK",
  });
  return { checked: { manager: new HistoryManager(checked), cache: checkCache(given.cache) }, given };
}

/**
 * Returns the signal in the options.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkedSignal({ signal }: Record<string, unknown>): AbortSignal | undefined {
  return checkSignal(signal);
}

function checkCache(given: unknown): CacheMarkOptions | null {
  if (given === undefined) return null;
  const checks = { breakpoints: countOption(4, 0, 4), ttl: choiceOption("5m", "1h") };
  const { breakpoints, ttl } = readOptions("cache", copyMembers(given, "cache"), checks, {}, "cache.");
  return { maxBreakpoints: breakpoints, ttl };
}
