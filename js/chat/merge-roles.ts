import type { ChatMessage } from "./chat-message.ts";
import { copyMessages, unitKey } from "./message-copy.ts";
import { canMerge } from "./provider-rules.ts";
import { partsOf } from "./tool-pairs.ts";

/**
 * Divides a list into runs of messages that can be merged into one.
 *
 * @internal
 */
export function mergeableRuns<T>(list: readonly T[], messageOf: (item: T) => ChatMessage): T[][] {
  const runs: T[][] = [];
  for (const item of list) {
    const run = runs.at(-1);
    if (run !== undefined && canMerge(messageOf(run.at(-1) as T), messageOf(item))) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

/**
 * Merges the messages of a run: its halves, so that no content is copied once for each message.
 *
 * @internal
 */
export function mergeRun(messages: readonly ChatMessage[]): ChatMessage {
  if (messages.length === 1) return messages[0] as ChatMessage;
  const middle = messages.length >> 1;
  return mergeMessages(mergeRun(messages.slice(0, middle)), mergeRun(messages.slice(middle)));
}

/**
 * Merges two messages of one role: texts joined by a blank line, otherwise the parts of both in order, and the calls of
 * both. The result is pinned when one of them is, and a summary when both are; its time is that of the later one.
 */
function mergeMessages(before: ChatMessage, message: ChatMessage): ChatMessage {
  const calls = [...(before.toolCalls ?? []), ...(message.toolCalls ?? [])];
  const { summary: first, ...one } = before;
  const { summary: second, ...other } = message;
  const both: Record<string | symbol, unknown> = { ...one, ...other, content: joinContents(before, message) };
  if (calls.length > 0) both.toolCalls = calls;
  if (before.pinned === true || message.pinned === true) both.pinned = true;
  if (first !== undefined && second !== undefined) {
    both.summary = { covers: first.covers + second.covers, strategy: second.strategy };
  }
  // These members describe only one of the two.
  delete both.original;
  delete both[unitKey];
  return both as unknown as ChatMessage;
}

function joinContents(before: ChatMessage, message: ChatMessage): unknown {
  const contents = [before.content ?? "", message.content ?? ""];
  if (contents.every((content) => typeof content === "string")) {
    const texts = contents.filter((content) => content.trim() !== "");
    return texts.length === 0 ? null : texts.join("\n\n");
  }
  return [before, message].flatMap((one) => {
    if (typeof one.content !== "string") return partsOf(one);
    return one.content.trim() === "" ? [] : [{ type: "text", text: one.content }];
  });
}

/**
 * Merges consecutive messages of one role, for providers and chat templates that require turns to alternate. System
 * messages and tool results are not merged, nor are messages of speakers with different names.
 *
 * Texts are joined by a blank line; other content becomes one list of parts. A merged message is pinned when one of them is.
 *
 * @throws {TurnfoldError} `invalid_message`
 *
 * @example
 * ```ts
 * mergeRoles([{ role: "user", content: "Hello" }, { role: "user", content: "Are you there?" }]);
 * // => [{ role: 'user', content: 'Hello\n\nAre you there?' }]
 * ```
 */
export function mergeRoles(messages: readonly ChatMessage[]): ChatMessage[] {
  return mergeableRuns(copyMessages(messages, "messages", true), (message) => message).map(mergeRun);
}
