import type { AISDKMessage } from "../../formats/ai-sdk.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { titleOf } from "./message-facts.ts";
import type { RecordedChat, ReplyFacts } from "./recorded-chat.ts";
import { assistantMessages, chatOfMessages, type RecordedMessage, systemMessage } from "./recorded-message.ts";

/** Makes the chat of a stored conversation with its title; none without messages. */
export function storedChat(stored: PlainObject, system: unknown, messages: readonly RecordedMessage[]): RecordedChat[] {
  const title = titleOf(stored);
  const prompt = typeof system === "string" && system !== "" && messages.length > 0 ? [systemMessage(system)] : [];
  const chat = chatOfMessages([...prompt, ...messages], title === undefined ? {} : { title });
  return chat === null ? [] : [chat];
}

/**
 * Returns the messages of an answer whose parts are in their order, calls with their results: what stands between results
 * is the reply to a request. The usage is that of the answer, which is that of a request if there is one reply.
 *
 * @param parts those of the AI SDK.
 */
export function answerMessages(parts: readonly PlainObject[], { usage, ...facts }: ReplyFacts): RecordedMessage[] {
  const runs: PlainObject[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last !== undefined && isResult(last[0]) === isResult(part)) last.push(part);
    else runs.push([part]);
  }
  const isOne = runs.filter(([first]) => !isResult(first)).length === 1;
  return runs.flatMap((run): RecordedMessage[] =>
    isResult(run[0])
      ? [{ message: { role: "tool", content: run } as unknown as AISDKMessage, at: facts.at }]
      : assistantMessages(run).map((message) => ({ ...message, ...facts, ...(isOne ? { usage } : {}) })),
  );
}

const isResult = (part: PlainObject | undefined): boolean => part?.type === "tool-result";

export function resultPart(toolCallId: string, toolName: string, value: string, isError = false): PlainObject {
  return { type: "tool-result", toolCallId, toolName, output: { type: isError ? "error-text" : "text", value } };
}

/**
 * Returns the records from the root to a leaf of a tree of messages.
 *
 * @param records by their ids.
 */
export function branchTo(records: ReadonlyMap<unknown, PlainObject>, leaf: unknown, parent: string): PlainObject[] {
  const branch = new Set<PlainObject>();
  for (
    let record = records.get(leaf);
    isPlainObject(record) && !branch.has(record);
    record = records.get(record[parent])
  )
    branch.add(record);
  return [...branch].reverse();
}
