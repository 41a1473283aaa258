import {
  type ChatMessage,
  Conversation,
  type HistoryReport,
  type LLM,
  type Managed,
  manageHistory,
  openai,
  TurnfoldError,
} from "../../chat.ts";
import type { Bag } from "../../formats/data.ts";
import { callIdOf, grouped, itemKind } from "../../formats/responses-items.ts";
import { newItem, plainText, toWire, withContent } from "./items.ts";
import type { CheckedOptions } from "./options.ts";

/** What is sent with items. */
export interface Sending {
  instructions?: string | undefined;
  tools?: unknown;
  llm: LLM | undefined;
}

/**
 * The items of a request, managed: those that stay are the same objects.
 *
 * @throws {TurnfoldError} as {@link manageHistory}
 */
export async function managedItems<Item extends object>(
  items: readonly Item[],
  { instructions, tools, llm }: Sending,
  options: CheckedOptions,
): Promise<Item[]> {
  const wire = items.map(toWire);
  const groups = grouped(wire.map((item, index) => ({ item, kind: itemKind(item), path: ["input", index] })));
  const { messages } = openai.responses.from(wire);
  const leading: ChatMessage[] =
    instructions === undefined || instructions === "" ? [] : [{ role: "system", content: instructions }];
  const whole = new Conversation({ messages: [...leading, ...messages] });
  const { conversation, report } = await manage(whole, { tools, llm }, options);
  const placesOf = groups.map((group) => group.map(({ path }) => Number(path[1])));
  notify(options.onReport, reportOf(report, leading.length, placesOf));
  if (report.outcome === "unchanged" || report.outcome === "skipped") return [...items];
  const given = new Map(messages.map((message, index) => [message, placesOf[index] as number[]]));
  const results = new Map(wire.map((item, index) => [itemKind(item) === "result" ? callIdOf(item) : null, index]));
  return conversation.messages.slice(leading.length).flatMap((message) => {
    const places = given.get(message);
    if (places !== undefined) return places.map((place) => items[place] as Item);
    return [written(message, items[results.get(message.toolCallId ?? null) ?? -1])] as unknown as Item[];
  });
}

/** @param result the item of the result that the message is, when it is one. */
function written({ role, content, toolCallId }: ChatMessage, result: object | undefined): Bag {
  if (toolCallId !== undefined && result !== undefined) return withContent(result as Bag, content);
  return newItem(role, plainText(content));
}

/** The report about the items: the index of a fate is that of the first item of its message. */
function reportOf(report: HistoryReport, leading: number, places: readonly number[][]): HistoryReport {
  const messages = report.messages
    .slice(leading)
    .map((fate, index) => ({ ...fate, index: places[index]?.[0] ?? index }));
  return { ...report, messages };
}

async function manage(
  conversation: Conversation,
  { tools, llm }: Omit<Sending, "instructions">,
  { parameters, retry, summaryStore, onWarning, sendsOnFailure }: CheckedOptions,
): Promise<Managed> {
  try {
    return await manageHistory(conversation, parameters, {
      summaryStore,
      onWarning,
      retry,
      ...(llm === undefined ? {} : { llm }),
      ...(tools === undefined ? {} : { tools }),
    });
  } catch (error) {
    if (!sendsOnFailure || !TurnfoldError.isInstance(error) || error.code !== "compression_failed") throw error;
    const warning = `the history is sent as it is: ${error.message}`;
    notify(onWarning, warning);
    const report = error.details.report as HistoryReport;
    const warnings = [...report.warnings, warning];
    return { conversation, breakpoints: [], report: { ...report, outcome: "unchanged", warnings } };
  }
}

/** Calls a function of the host. What it throws is written to the console: the request goes on. */
function notify<T>(callback: (value: T) => void, value: T): void {
  try {
    callback(value);
  } catch (error) {
    console.error(error);
  }
}
