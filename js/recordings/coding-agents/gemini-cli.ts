import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { chatOfContents, partsOfContent, type RecordedContent } from "../libraries/gemini.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, usageOf } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  type RecordedMessage,
  resultMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** True for the first record of a session, which has the messages itself in older versions. */
const isSession = (record: unknown): boolean =>
  isPlainObject(record) && typeof record.sessionId === "string" && typeof record.projectHash === "string";

/** Reads sessions, and what `gemini --output-format stream-json` prints. */
export const geminiCliReader: RecordingReader = {
  format: "gemini-cli",
  recognizes: (given) => Array.isArray(given) && (given.some(isSession) || given.some(isStreamEvent)),
  read: (records: unknown[]) =>
    records.some(isSession) ? fromSession(records.filter(isPlainObject)) : chatsOfMessages([fromStream(records)]),
};

/** Applies the records of a session: messages, changes of them, and lists that replace all, as after a compression. */
function fromSession(records: readonly PlainObject[]): RecordedChat[] {
  const histories = new Histories<PlainObject>();
  const all = new Map<string, PlainObject>();
  let facts: PlainObject = {};
  /** The last list that was set; those before it were never sent. */
  let list: PlainObject[] = [];
  const write = (given: PlainObject, more: PlainObject = {}) => {
    const { messages } = histories;
    const known = messages.find((one) => keyOf(one) === keyOf(given));
    const message = all.get(keyOf(given)) ?? { ...given, ...more };
    all.set(keyOf(given), message);
    if (known === undefined) messages.push(message);
    else Object.assign(known, given);
  };
  const replace = () => {
    const isLonger = histories.messages.every((one, index) => keyOf(one) === keyOf(list[index] ?? {}));
    if (list.length > 0 && !isLonger) histories.restart("compacted", []);
    for (const given of list) write(given, given.type !== "user" && !given.tokens ? { isRepeated: true } : {});
    list = [];
  };
  for (const record of records) {
    const { $rewindTo: rewound, $set: set } = record;
    if (messagesIn(set).length > 0) list = messagesIn(set);
    else if (set === undefined) replace();
    if (typeof rewound === "string") {
      const { messages } = histories;
      const from = messages.findIndex(({ id }) => id === rewound);
      histories.restart("rewound", messages.slice(0, Math.max(0, from)));
    } else if (typeof record.id === "string") write(record);
    else for (const message of messagesIn(record)) write(message);
    if (record.id === undefined) facts = { ...facts, ...Object(set ?? record) };
  }
  replace();
  const kind = facts.kind === "subagent" ? "agent" : "chat";
  const title = typeof facts.summary === "string" ? { title: facts.summary } : {};
  return histories.chats((given, chat) => chatOfContents(given.flatMap(contentsOfMessage(given)), chat), {
    kind,
    ...title,
  });
}

/** What a message is known by: a resumed session writes the results of a message's calls with its id. */
const keyOf = ({ type, id }: PlainObject): string => `${String(type)} ${String(id)}`;

function messagesIn(given: unknown): PlainObject[] {
  const { messages } = Object(given) as PlainObject;
  return Array.isArray(messages) ? messages.filter(isPlainObject) : [];
}

/** Converts a message to contents of Gemini. Newer versions record results of tools as messages, too. */
function contentsOfMessage(all: readonly PlainObject[]): (message: PlainObject) => RecordedContent[] {
  const answered = new Set(
    all
      .filter(({ type }) => type === "user")
      .flatMap(({ content }) => partsOfContent(content).map(({ functionResponse: given }) => Object(given).id)),
  );
  return ({ type, content, timestamp: at, toolCalls, thoughts, tokens, model, isRepeated }) => {
    const parts = partsOfContent(content);
    if (type === "user") return [{ content: { role: "user", parts }, at }];
    if (type !== "gemini" && type !== "qwen") return [];
    const calls = Array.isArray(toolCalls) ? toolCalls.filter(isPlainObject) : [];
    const isWhole = parts.some(({ functionCall, thought }) => (functionCall ?? thought) !== undefined);
    const thought = Array.isArray(thoughts) ? thoughts.filter(isPlainObject) : [];
    const reply = isWhole
      ? parts
      : [
          ...thought.map(({ subject, description }) => ({
            text: [subject, description].filter(Boolean).join(": "),
            thought: true,
          })),
          ...parts,
          ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: args ?? {} } })),
        ];
    const results = calls
      .filter(({ id, result }) => !answered.has(id) && (result ?? undefined) !== undefined)
      .flatMap(({ id, name, result }) =>
        typeof result === "string"
          ? [{ functionResponse: { id, name, response: { output: result } } }]
          : partsOfContent(result),
      );
    return [
      {
        content: { role: "model", parts: reply },
        at,
        ...factsOf(model, tokens),
        ...(isRepeated ? { isRepeated: true } : {}),
      },
      { content: { role: "user", parts: results }, at },
    ];
  };
}

function factsOf(model: unknown, tokens: unknown): Pick<RecordedContent, "model" | "usage"> {
  const { input, output, cached, thoughts } = Object(tokens) as PlainObject;
  const usage = usageOf({
    promptTokenCount: input,
    candidatesTokenCount: output,
    cachedContentTokenCount: cached,
    thoughtsTokenCount: thoughts,
  });
  return { ...(typeof model === "string" ? { model } : {}), usage };
}

/** True for the first event that `gemini --output-format stream-json` prints, or for a call. */
const isStreamEvent = (event: unknown): boolean =>
  isPlainObject(event) &&
  (event.type === "init"
    ? typeof event.session_id === "string" && typeof event.model === "string"
    : event.type === "tool_use" && typeof event.tool_id === "string");

function fromStream(events: readonly unknown[]): RecordedMessage[] {
  const ofType = (name: string) => events.filter(isPlainObject).find(({ type }) => type === name);
  // The first event may say that a model is to be chosen: `auto`.
  const [model = Object(ofType("init")).model as string | undefined, usage] = totalsOf(ofType("result"));
  /** The text that is being written. */
  let written: { text: string } | null = null;
  const names = new Map<unknown, string>();
  const messages = events.filter(isPlainObject).flatMap((event): RecordedMessage[] => {
    const { type, role, content, timestamp: at, tool_id: id, tool_name: name, parameters, output, error } = event;
    const reply = (part: PlainObject) => assistantMessages([part], at).map((one) => ({ ...one, model }));
    if (type !== "message") written = null;
    else if (role === "user") return [userMessage(textOf(content), at)];
    else if (event.delta === true && written !== null) written.text += textOf(content);
    else {
      written = textPart(textOf(content));
      return reply(written);
    }
    if (type === "tool_use") {
      names.set(id, String(name));
      return reply(callPart(String(id), String(name), parameters ?? {}));
    }
    const called = names.get(id);
    if (type !== "tool_result" || called === undefined) return [];
    return [resultMessage(String(id), called, textOf(output ?? Object(error).message), at)];
  });
  const last = messages.filter(({ message }) => message.role === "assistant").at(-1);
  if (last !== undefined) last.usage = usage;
  return messages;
}

/** The model that did the most, and its usage in all requests. */
function totalsOf(result: PlainObject | undefined): [string | undefined, RecordedMessage["usage"]] {
  const { models } = Object(Object(result).stats) as PlainObject;
  const all = Object.entries(Object(models) as Record<string, Record<string, number>>);
  const [[model, counts] = [undefined, {}]] = all.sort(
    ([, one], [, other]) => Number(other.total_tokens) - Number(one.total_tokens),
  );
  const { input_tokens: input, total_tokens: total, cached } = counts as Record<string, number | undefined>;
  if (input === undefined || total === undefined) return [model, undefined];
  return [
    model,
    usageOf({ promptTokenCount: input, candidatesTokenCount: total - input, cachedContentTokenCount: cached }),
  ];
}
