import {
  choiceOption,
  copyMembers,
  countOption,
  functionOption,
  type OptionTable,
  type OptionValues,
  readOptions,
} from "../../boundary/options.ts";
import type { CacheMarks, LLM } from "../../chat.ts";
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
 * @param more the checks of further options.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkOptions<More extends OptionTable>(
  options: unknown,
  more: More,
): CheckedOptions & OptionValues<More> {
  const llm = functionOption<LLM>("aiSdkModel(model) makes one of a model of the AI SDK");
  const checked = checkHistoryOptions(options, llm, { cache: checkCache, ...more });
  return { ...checked, manager: new HistoryManager(checked) } as CheckedOptions & OptionValues<More>;
}

function checkCache(given: unknown): CacheMarkOptions | null {
  if (given === undefined) return null;
  const checks = { breakpoints: countOption(4, 0, 4), ttl: choiceOption(["5m", "1h"]) };
  const { breakpoints, ttl } = readOptions("cache", copyMembers(given, "cache"), checks, {}, "cache.");
  return { maxBreakpoints: breakpoints, ttl };
}
