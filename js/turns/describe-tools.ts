import { countOption, readOptions } from "../boundary/options.ts";
import type { TextMessage } from "../model/message.ts";
import type { ToolDescription, Tools } from "../tools/tool.ts";
import { toMessages } from "./to-messages.ts";

/** Options of {@link describeTools}. */
export interface DescribeToolsOptions {
  /** Maximum tokens, as {@link RenderOptions.toolBudget}. Default none. */
  toolBudget?: number | undefined;
}

/**
 * Returns the list of tools as the messages of an agent have it: a line for each with its signature and description. For
 * prompts of your own, whose programs a {@link Lisp} with the same tools runs.
 *
 * @throws {TurnfoldError} `invalid_tool`, `invalid_signature`, `invalid_option`
 *
 * @example
 * ```ts
 * const list = describeTools({ search: "(query :string) -> [{id :int, name :string}]" });
 * list; // "tool/search(query :string) -> [{id :int, name :string}]"
 * ```
 */
export function describeTools(
  tools: Tools | Record<string, ToolDescription>,
  options: DescribeToolsOptions = {},
): string {
  const given = readOptions("the options", options, { toolBudget: countOption(undefined, 0) });
  const { messages, sections } = toMessages([], null, { ...given, mission: "", systemPrompt: "", tools });
  const section = sections?.find(({ kind }) => kind === "tool");
  if (section === undefined) return "";
  const { content } = messages[section.message] as TextMessage;
  // Its first line is its header.
  const [, ...lines] = content.slice(section.start, section.end).split("\n");
  return lines.join("\n");
}
