import type { ChatMessage } from "../../chat.ts";
import type { PlainObject } from "../../formats/data.ts";
import { openai } from "../../formats/openai-format.ts";
import { groupItems, itemKind } from "../../formats/responses-items.ts";
import { objectsIn, writeArguments } from "../../formats/tool-parts.ts";
import { type HistoryManager, restoreHostMessages, type SentContext } from "../shared/history-manager.ts";
import { newItem, plainText, toWire, withContent } from "./items.ts";

/** What is sent with the items. */
export interface ItemsContext extends Pick<SentContext, "tools" | "llm"> {
  instructions?: string | undefined;
}

/**
 * Manages the items of a request; kept items are the same objects.
 *
 * @throws {TurnfoldError} as {@link manageHistory}
 */
export async function manageItems<Item extends object>(
  items: readonly Item[],
  manager: HistoryManager,
  { instructions = "", ...sending }: ItemsContext = {},
): Promise<Item[]> {
  const wire = items.map(toWire);
  const groups = groupItems(wire.map((item, index) => ({ item, kind: itemKind(item), path: ["input", index] })));
  /** The indexes of the items of each message. */
  const itemIndexes = groups.map((group) => group.map(({ path }) => Number(path[1])));
  const { messages } = openai.responses.from(wire);
  const managed = await manager.manage(messages, {
    ...sending,
    system: instructions === "" ? [] : [{ role: "system", content: instructions }],
    // Reports use indexes of items: a message is reported at the index of its first item.
    indexOf: (message) => itemIndexes[message]?.[0] ?? message,
  });
  if (!managed.isChanged) return [...items];
  const given = (index: number) => (itemIndexes[index] ?? []).map((itemIndex) => items[itemIndex] as Item);
  return restoreHostMessages(messages, managed, given, (message, source) => {
    const own = source === null ? [] : given(source);
    const before = source === null ? null : argumentsById(messages[source] as ChatMessage);
    if (before !== null && before.size > 0) {
      const after = argumentsById(message);
      return own.map((item) => {
        const { type, callId } = item as PlainObject;
        const args = after.get(callId);
        const isChanged = type === "function_call" && args !== before.get(callId);
        return isChanged ? { ...item, arguments: writeArguments(args) } : item;
      });
    }
    return [toItem(message, own[0]) as unknown as Item];
  });
}

/** Returns the arguments of the calls of a message by the ids of the calls. */
function argumentsById({ content, toolCalls = [] }: ChatMessage): Map<unknown, unknown> {
  const calls = objectsIn(content).filter(({ type }) => type === "tool-call");
  return new Map([
    ...calls.map(({ toolCallId, input }): [unknown, unknown] => [toolCallId, input]),
    ...toolCalls.map(({ id, args }): [unknown, unknown] => [id, args]),
  ]);
}

/** @param source the item from which the changed message was made. */
function toItem({ role, content, toolCallId }: ChatMessage, source: object | undefined): PlainObject {
  if (toolCallId !== undefined && source !== undefined) return withContent(source as PlainObject, content);
  return newItem(role, plainText(content));
}
