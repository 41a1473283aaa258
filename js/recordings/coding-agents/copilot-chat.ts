import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { argumentsOf } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type ReplyFacts, usageOfCounts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** True for a session of the chat of VS Code. */
const isSession = (given: unknown): given is PlainObject =>
  isPlainObject(given) &&
  Array.isArray(given.requests) &&
  given.requests.every((request) => isPlainObject(request) && isPlainObject(request.message)) &&
  ("sessionId" in given || "responderUsername" in given);

/** True for the first record of a session that is a log of changes. */
const isStart = (record: unknown): boolean => isPlainObject(record) && record.kind === 0 && isSession(record.v);

/** Reads exported chats of VS Code, and the files in `chatSessions`. */
export const copilotChatReader: RecordingReader = {
  format: "copilot-chat",
  recognizes: (given) => isSession(given) || (Array.isArray(given) && given.some(isStart)),
  read: (given: PlainObject | unknown[]) =>
    fromSession(Array.isArray(given) ? applied(copyData(given, "records") as unknown[]) : given),
};

/** Applies a log of changes: values that are set, pushed after a place in a list, or deleted. */
function applied(records: readonly unknown[]): PlainObject {
  let session: PlainObject = {};
  for (const { kind, k: path, v: value, i: length } of records.filter(isPlainObject)) {
    if (kind === 0 && isPlainObject(value)) session = value;
    if (!Array.isArray(path) || path.length === 0 || path.includes("__proto__")) continue;
    const holder = path.slice(0, -1).reduce<unknown>((inner, key) => Object(inner)[key], session);
    const key = path.at(-1) as string;
    if (typeof holder !== "object" || holder === null) continue;
    const target = holder as PlainObject;
    const list = Array.isArray(target[key]) ? (target[key] as unknown[]) : [];
    if (kind === 1) target[key] = value;
    if (kind === 2) target[key] = [...list.slice(0, (length as number) ?? list.length), ...[value ?? []].flat()];
    if (kind === 3) delete target[key];
  }
  return session;
}

/** Reads the rounds of each request: in each, the model answers or calls tools. A summary replaces what came before it. */
function fromSession({ requests, customTitle: title }: PlainObject): RecordedChat[] {
  const histories = new Histories<RecordedMessage>();
  for (const request of (requests as unknown[]).filter(isPlainObject)) {
    const { message, response, result, modelId, timestamp: at } = request;
    const { metadata } = Object(result) as PlainObject;
    const {
      renderedUserMessage: rendered,
      toolCallRounds,
      toolCallResults,
      summaries,
      resolvedModel,
    } = Object(metadata) as PlainObject;
    const asked = Array.isArray(rendered) ? rendered.filter((part) => typeof Object(part).text === "string") : [];
    const text = asked.length > 0 ? textOf(asked) : textOf((Object(message) as PlainObject).text);
    histories.messages.push(userMessage(text, at));
    const model = String(resolvedModel ?? modelId ?? "").replace(/^copilot\//, "");
    const facts = { at, ...(model === "" ? {} : { model }) };
    const rounds = Array.isArray(toolCallRounds) ? toolCallRounds.filter(isPlainObject) : [];
    for (const [index, round] of rounds.entries()) {
      const isLast = index === rounds.length - 1;
      const known = { ...facts, at: round.timestamp ?? at, ...(isLast ? usageIn(metadata) : {}) };
      histories.messages.push(...messagesOfRound(round, Object(toolCallResults) as PlainObject, known));
      const listed = Array.isArray(summaries) ? summaries.filter(isPlainObject) : [];
      const summary = listed.find(({ toolCallRoundId: id }) => id === round.id)?.text ?? round.summary;
      if (typeof summary === "string") histories.restart("compacted", [userMessage(summary, at)]);
    }
    if (rounds.length === 0) histories.messages.push(...messagesShown(response, { ...facts, ...usageIn(metadata) }));
  }
  return histories.chats(chatOfMessages, typeof title === "string" ? { title } : {});
}

/** The usage of the last round of a request. */
function usageIn(metadata: unknown): ReplyFacts {
  const { promptTokens, outputTokens } = Object(metadata) as PlainObject;
  return promptTokens === undefined ? {} : { usage: usageOfCounts({ fresh: promptTokens, output: outputTokens }) };
}

function messagesOfRound(round: PlainObject, results: PlainObject, facts: ReplyFacts): RecordedMessage[] {
  const { response, thinking, toolCalls } = round;
  const thought = [(Object(thinking) as PlainObject).text ?? []].flat().join("\n");
  const calls = Array.isArray(toolCalls) ? toolCalls.filter(isPlainObject) : [];
  const parts = [
    ...(thought === "" ? [] : [reasoningPart(thought)]),
    ...(textOf(response) === "" ? [] : [textPart(textOf(response))]),
    ...calls.map(({ id, name, arguments: input }) => callPart(String(id), String(name), argumentsOf(input))),
  ];
  return [
    ...assistantMessages(parts).map((reply) => ({ ...reply, ...facts })),
    ...calls
      .filter(({ id }) => String(id) in results)
      .map(({ id, name }) => resultMessage(String(id), String(name), textOfResult(results[String(id)]), facts.at)),
  ];
}

/** The texts of a result: values that are texts, or trees with texts. */
function textOfResult(result: unknown): string {
  if (typeof result === "string") return result;
  if (Array.isArray(result)) return result.map(textOfResult).join("");
  const { content, value, node, children, text, lineBreakBefore } = Object(result) as PlainObject;
  const own = typeof text === "string" ? (lineBreakBefore ? "\n" : "") + text : "";
  return own + [content, value, node, children].map((part) => (part === undefined ? "" : textOfResult(part))).join("");
}

/** What was shown of a response without rounds. */
function messagesShown(response: unknown, facts: ReplyFacts): RecordedMessage[] {
  const shown = Array.isArray(response) ? response.filter(isPlainObject) : [];
  const texts = shown.map(({ kind, value, content, name, inlineReference }) => {
    if (kind === "inlineReference") return String(name ?? (Object(inlineReference) as PlainObject).path ?? "");
    if (kind !== undefined && kind !== "markdownContent") return "";
    return textOfResult(value ?? content);
  });
  const parts = texts.join("") === "" ? [] : [textPart(texts.join(""))];
  return assistantMessages(parts).map((reply) => ({ ...reply, ...facts }));
}
