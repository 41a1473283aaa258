import { functionOption, type OptionTable, type OptionValues } from "../../boundary/options.ts";
import type { LLM } from "../../chat.ts";
import { HistoryManager } from "../shared/history-manager.ts";
import { checkHistoryOptions } from "../shared/history-options.ts";

/**
 * @param more the checks of further options.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkOptions<More extends OptionTable>(
  options: unknown,
  more: More,
): { manager: HistoryManager } & OptionValues<More> {
  const llm = functionOption<LLM>("agentsModel(model, { withTrace }) makes one of a model of the SDK");
  const checked = checkHistoryOptions(options, llm, more);
  return { ...checked, manager: new HistoryManager(checked) };
}
