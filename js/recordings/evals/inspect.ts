import { Conversation } from "../../chat/conversation.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfTelemetry } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOf, type RecordedChat, usageOfCounts } from "../reading/recorded-chat.ts";
import { objectIn, textIn, timeFrom } from "../reading/values.ts";
import { chatsOfRequests, type LoggedRequest } from "../traces/request-log.ts";

/** Reads logs of Inspect AI as JSON, and single samples of them. */
export const inspectReader: RecordingReader = {
  format: "inspect",
  recognizes: (given) =>
    isPlainObject(given) && (isPlainObject(given.eval) ? Array.isArray(given.samples) : isSample(given)),
  read: (log: PlainObject) =>
    (isPlainObject(log.eval) ? objectsIn(log.samples) : [log]).flatMap((sample) =>
      chatsOfSample(sample, textIn(objectIn(log.eval).model)),
    ),
};

const isSample = ({ messages, epoch, target }: PlainObject): boolean =>
  Array.isArray(messages) && typeof epoch === "number" && target !== undefined;

/** The chats of a sample: those of its calls of models, or without these its messages. */
function chatsOfSample(sample: PlainObject, model: string | undefined): RecordedChat[] {
  const { attachments, events_data: pool } = sample;
  const resolve = (given: unknown) => withAttachments(given, objectIn(attachments));
  const title = textIn(sample.id) ?? (typeof sample.id === "number" ? String(sample.id) : undefined);
  const session = `${title} ${String(sample.epoch)}`;
  const requests = objectsIn(sample.events)
    .filter(({ event, error, pending }) => event === "model" && (error ?? null) === null && pending !== true)
    .map((event): LoggedRequest => {
      const output = objectIn(event.output);
      const replies = objectsIn(output.choices)
        .slice(0, 1)
        .map(({ message }) => message);
      return {
        sent: messagesOfTelemetry(resolve(inputOf(event, objectIn(pool)))),
        reply: messagesOfTelemetry(resolve(replies)),
        model: textIn(output.model) ?? textIn(event.model),
        // A reply of Inspect's own cache was not billed.
        usage: event.cache === "read" ? undefined : usageIn(objectIn(output.usage)),
        at: timeFrom(event.completed ?? event.timestamp),
        start: timeFrom(event.timestamp),
        session,
        title,
      };
    });
  if (requests.length > 0) return chatsOfRequests(requests);
  const messages = messagesOfTelemetry(resolve(sample.messages));
  const facts = messages.map(() => ({ model: textIn(objectIn(sample.output).model) ?? model }));
  return messages.length === 0
    ? []
    : [chatOf(new Conversation({ messages }), facts, title === undefined ? {} : { title })];
}

/** The messages of a request, which may be ranges of a list of all messages. */
function inputOf({ input, input_refs: ranges }: PlainObject, { messages }: PlainObject): unknown {
  if (!Array.isArray(ranges) || !Array.isArray(messages)) return input;
  return ranges.flatMap(([from, to]: [number, number]) => messages.slice(from, to));
}

/** Replaces references to long texts, which are stored once. */
function withAttachments(given: unknown, attachments: PlainObject): unknown {
  if (typeof given === "string")
    return given.startsWith("attachment://") ? (attachments[given.slice(13)] ?? given) : given;
  if (Array.isArray(given)) return given.map((one) => withAttachments(one, attachments));
  if (!isPlainObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withAttachments(value, attachments)]));
}

const usageIn = (usage: PlainObject) =>
  usageOfCounts({
    fresh: usage.input_tokens,
    read: usage.input_tokens_cache_read,
    written: usage.input_tokens_cache_write,
    output: usage.output_tokens,
    reasoning: usage.reasoning_tokens,
    dollars: usage.total_cost,
  });
