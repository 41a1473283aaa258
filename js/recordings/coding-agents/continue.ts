import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { argumentsOf, BlockReader, blocksOf } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type RecordedUsage, usageOf } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, textOf, userMessage } from "../reading/recorded-message.ts";

const isItem = (item: unknown): boolean =>
  isPlainObject(item) && isPlainObject(item.message) && Array.isArray(item.contextItems);

/** Reads sessions of Continue, files in `~/.continue/sessions`. */
export const continueReader: RecordingReader = {
  format: "continue",
  recognizes: (given) =>
    isPlainObject(given) &&
    typeof given.sessionId === "string" &&
    Array.isArray(given.history) &&
    given.history.some(isItem),
  read: ({ history, title }: PlainObject) => fromSession((history as unknown[]).filter(isPlainObject), title),
};

/** Reads the items of a history. A summary replaces the items up to its own. */
function fromSession(items: readonly PlainObject[], title: unknown): RecordedChat[] {
  const reader = new BlockReader();
  const histories = new Histories<RecordedMessage>();
  for (const { message, contextItems, toolCallStates, promptLogs, conversationSummary: summary } of items) {
    const { role, content, toolCalls, toolCallId, usage } = Object(message) as PlainObject;
    const { modelTitle: model } = objectsIn(promptLogs)[0] ?? {};
    const { model: served = model } = Object(usage) as PlainObject;
    const facts = { ...(typeof served === "string" ? { model: served } : {}), usage: usageIn(usage) };
    const states = objectsIn(toolCallStates);
    const calls = objectsIn(toolCalls).map(({ id, function: given }) => {
      const { name, arguments: input } = Object(given) as PlainObject;
      return { type: "tool_use", id, name, input: argumentsOf(input) };
    });
    if (role === "thinking") {
      histories.messages.push(...reader.messages("assistant", [{ type: "thinking", thinking: textOf(content) }]));
    } else if (role === "tool") histories.messages.push(reader.result(String(toolCallId), content, undefined));
    else {
      // What the user attached stands before the question.
      const attached =
        role === "user" ? objectsIn(contextItems).map(({ content: text }) => ({ type: "text", text })) : [];
      histories.messages.push(...reader.messages(role, [...attached, ...blocksOf(content), ...calls], facts));
    }
    for (const { toolCallId: id, output } of states.filter(({ output }) => Array.isArray(output))) {
      const texts = objectsIn(output).map((item) => textOf(item.content));
      histories.messages.push(reader.result(String(id), texts.join("\n\n"), undefined));
    }
    if (typeof summary === "string") histories.restart("compacted", [userMessage(summary)]);
  }
  return histories.chats(chatOfMessages, typeof title === "string" ? { title } : {});
}

/** The usage of a reply. With Anthropic, whose counts are named apart, the prompt is without what the cache has. */
function usageIn(usage: unknown): RecordedUsage | undefined {
  const { prompt_tokens: prompt, prompt_tokens_details: details } = Object(usage) as PlainObject;
  const { cache_read_tokens: read, cache_write_tokens: written } = Object(details) as PlainObject;
  if (typeof read !== "number") return usageOf(usage);
  return usageOf({ ...Object(usage), prompt_tokens: Number(prompt) + read + Number(written ?? 0) });
}

const objectsIn = (given: unknown): PlainObject[] => (Array.isArray(given) ? given.filter(isPlainObject) : []);
