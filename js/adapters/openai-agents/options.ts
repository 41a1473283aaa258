import { HistoryManager } from "../shared/history-manager.ts";
import { checkHistoryOptions } from "../shared/history-options.ts";

/**
 * @param otherNames names of options that the caller reads.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkOptions(
  options: unknown,
  otherNames: readonly string[] = [],
): { manager: HistoryManager; given: Record<string, unknown> } {
  const { checked, given } = checkHistoryOptions(options, {
    otherNames,
    llmHint: "agentsModel(model, { withTrace }) makes one of a model of the SDK",
  });
  return { manager: new HistoryManager(checked), given };
}
