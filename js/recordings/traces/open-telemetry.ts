import { TurnfoldError } from "../../errors.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfAny, messagesOfTelemetry } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedUsage, usageOf, usageOfCounts } from "../reading/recorded-chat.ts";
import { jsonIn, objectIn, textIn, timeFrom } from "../reading/values.ts";
import { isRequest, loggedRequest } from "./api-requests.ts";
import { chatsOfRequests, type LoggedRequest } from "./request-log.ts";
import { attributeAt, type Span, spansIn } from "./spans.ts";

/**
 * Reads traces of OpenTelemetry: spans of requests to models after its conventions (`gen_ai`, in attributes or events),
 * those of OpenLLMetry, of OpenInference, or of the AI SDK.
 */
export const openTelemetryReader: RecordingReader = {
  format: "opentelemetry",
  recognizes: (given) => [given].flat().some(hasSpans),
  read: (given: unknown) => {
    const spans = spansIn(given);
    const requests = spans.flatMap((span) => {
      const request = requestOf(span);
      return request === null ? [] : [{ span, request }];
    });
    // The client of a provider may have a span within that of a framework: one request.
    const outer = new Set(requests.map(({ span }) => span.parent));
    return chatsOfRequests(requests.filter(({ span }) => !outer.has(span.id)).map(({ request }) => request));
  },
};

const NAMES = /^(?:attributes\.)?(?:gen_ai|llm|ai|openinference|traceloop)\b/;

/** True for an export of OTLP, a trace of Jaeger, or a span with attributes of a request to a model. */
function hasSpans(given: unknown): boolean {
  if (!isPlainObject(given)) return false;
  if (["resourceSpans", "resource_spans", "resourceLogs"].some((name) => Array.isArray(given[name]))) return true;
  const spans = objectsIn(given.spans ?? given.data);
  if (spans.length > 0) return spans.some(hasSpans);
  const attributes = given.attributes ?? given.tags;
  const names = Array.isArray(attributes)
    ? objectsIn(attributes).map(({ key }) => String(key))
    : Object.keys(Object(attributes));
  return [...names, ...Object.keys(given)].some((name) => NAMES.test(name)) && hasTrace(given);
}

const hasTrace = (span: PlainObject): boolean =>
  ["traceId", "trace_id", "traceID", "context", "spanContext", "context.trace_id"].some((name) => name in span);

function requestOf({ attributes, events, start, end, trace }: Span): LoggedRequest | null {
  const at = (...path: string[]) => attributeAt(attributes, ...path);
  const operation = String(at("gen_ai", "operation", "name") ?? at("openinference", "span", "kind") ?? "");
  if (/agent|tool|workflow|embed|chain|retriev/i.test(operation)) return null;
  const all = CONVENTIONS.map((read) => read(attributes, events));
  const found = all.find(({ reply }) => reply.length > 0) ?? all.find(({ sent }) => sent.length > 0);
  if (found === undefined) return null;
  return {
    ...found,
    id: textIn(at("gen_ai", "response", "id"), at("ai", "response", "id"), found.id),
    model: textIn(
      at("gen_ai", "response", "model"),
      at("ai", "response", "model"),
      at("llm", "response", "model_name"),
      at("llm", "model_name"),
      at("gen_ai", "request", "model"),
      at("ai", "model", "id"),
    ),
    usage: found.usage ?? usageOfAISDK(attributes) ?? usageIn(attributes),
    at: end ?? timeFrom(at("ai", "response", "timestamp")),
    start,
    session: textIn(
      at("gen_ai", "conversation", "id"),
      at("session", "id"),
      at("langfuse", "session", "id"),
      at("traceloop", "association", "properties", "session_id"),
      at("ai", "telemetry", "metadata", "sessionId"),
      trace,
    ),
    title: textIn(at("gen_ai", "agent", "name")),
  };
}

type Convention = (
  attributes: PlainObject,
  events: Span["events"],
) => Pick<LoggedRequest, "sent" | "reply" | "usage" | "id">;

/** The ways in which spans have the messages of a request and its reply. */
const CONVENTIONS: readonly Convention[] = [
  (attributes, events) => {
    // The details may be in events: the input in one, and the output in another.
    const holders = [attributes, ...events.map((event) => event.attributes)];
    const at = (...path: string[]) =>
      jsonIn(holders.map((holder) => attributeAt(holder, "gen_ai", ...path)).find((given) => given !== undefined));
    const input = objectsIn(at("input", "messages"));
    const instructions = input.some(({ role }) => role === "system") ? undefined : at("system_instructions");
    const prompt =
      instructions === undefined
        ? []
        : [
            {
              role: "system",
              parts: [instructions]
                .flat()
                .map((part) => (isPlainObject(part) ? part : { type: "text", content: part })),
            },
          ];
    const replies = objectsIn(at("output", "messages")).map((one) => ({ ...one, role: one.role ?? "assistant" }));
    return { sent: messagesOfTelemetry([...prompt, ...input]), reply: messagesOfTelemetry(replies) };
  },
  (attributes, events) => {
    // Logfire has the events in an attribute.
    const listed = objectsIn(jsonIn(attributes.events)).map((event) => ({
      name: String(event["event.name"]),
      attributes: event,
    }));
    const all = [...events, ...listed].map(({ name, attributes: event }) => {
      const [, kind = ""] = /^gen_ai\.(system|user|assistant|tool|choice)(?:\.message)?$/.exec(name) ?? [];
      const message = Object(jsonIn(event.message)) as PlainObject;
      const given = { ...event, ...message };
      return {
        kind,
        message: {
          ...given,
          role: given.role ?? (kind === "choice" ? "assistant" : kind),
          tool_calls: jsonIn(given.tool_calls),
        },
      };
    });
    const of = (test: (kind: string) => boolean) =>
      messagesOfTelemetry(all.filter(({ kind }) => test(kind)).map(({ message }) => message));
    return { sent: of((kind) => kind !== "" && kind !== "choice"), reply: of((kind) => kind === "choice") };
  },
  ({ gen_ai: attributes }) => {
    const { prompt, completion } = Object(attributes) as PlainObject;
    return {
      sent: messagesOfTelemetry(prompt),
      reply: messagesOfTelemetry(objectsIn(completion).map((message) => ({ role: "assistant", ...message }))),
    };
  },
  ({ llm: attributes, input, output }) => {
    const { input_messages: sent, output_messages: reply } = objectIn(attributes);
    const plain = (list: unknown) =>
      messagesOfTelemetry(objectsIn(list).map(({ message }) => plainMessage(Object(message) as PlainObject)));
    const found = { sent: plain(sent), reply: plain(reply) };
    // The bodies have what the attributes leave out, such as all but one of several results.
    const whole =
      found.sent.length > 0 ? exchangeOf(jsonIn(objectIn(input).value), jsonIn(objectIn(output).value)) : null;
    if (whole === null) return found;
    return whole.reply.length > 0 ? whole : { ...found, sent: whole.sent };
  },
  (attributes) => {
    const at = (...path: string[]) => attributeAt(attributes, "ai", ...path);
    const parts = [
      { type: "reasoning", text: at("response", "reasoning") },
      { type: "text", text: at("response", "text") ?? at("response", "object") },
      ...objectsIn(jsonIn(at("response", "toolCalls"))).map((call) => ({
        type: "tool-call",
        ...call,
        input: jsonIn(call.input ?? call.args),
      })),
    ].filter(
      (part) =>
        part.type === "tool-call" ||
        (typeof (part as PlainObject).text === "string" && (part as PlainObject).text !== ""),
    );
    // The spans of a whole run have the prompt in another attribute.
    const sent = messagesOfAny(at("prompt", "messages"), "user");
    return {
      sent,
      reply:
        sent.length === 0 || parts.length === 0 ? [] : messagesOfTelemetry([{ role: "assistant", content: parts }]),
    };
  },
];

/** The request to a provider's API with such bodies; null for other data, which a framework may have there. */
function exchangeOf(request: unknown, response: unknown): LoggedRequest | null {
  if (!isPlainObject(request) || !isRequest(request)) return null;
  try {
    return loggedRequest({ request, response });
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
    return null;
  }
}

/** A message of OpenInference, whose parts and calls are objects in objects. */
function plainMessage({ contents, tool_calls: calls, ...message }: PlainObject): PlainObject {
  const parts = objectsIn(contents).map(({ message_content: part, tool_call: call }) => ({
    ...(Object(part) as PlainObject),
    ...(Object(call) as PlainObject),
  }));
  return {
    ...message,
    ...(parts.length > 0 ? { content: parts } : {}),
    ...(Array.isArray(calls) ? { tool_calls: objectsIn(calls).map((one) => one.tool_call ?? one) } : {}),
  };
}

/** The counts of a span of the AI SDK, whose versions 4 and 5 have those of the cache only in the metadata of the provider. */
function usageOfAISDK(attributes: PlainObject): RecordedUsage | undefined {
  const { usage, response } = objectIn(attributes.ai);
  const provider = Object.values(objectIn(jsonIn(objectIn(response).providerMetadata))).map(objectIn);
  return usageOf(Object.assign({}, usage, ...provider, ...provider.map((own) => objectIn(own.usage))));
}

/** The counts of a span; that of the input has the cached tokens in it, except where it is smaller than they are. */
function usageIn(attributes: PlainObject): RecordedUsage | undefined {
  const count = (...paths: string[]) =>
    paths
      .map((path) => attributeAt(attributes, ...path.split(".")))
      .find((value): value is number => typeof value === "number");
  const input = count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt");
  const output = count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion");
  if (input === undefined && output === undefined) return undefined;
  const read =
    count(
      "gen_ai.usage.cache_read.input_tokens",
      "gen_ai.usage.cache_read_input_tokens",
      "gen_ai.usage.details.cache_read_tokens",
      "llm.token_count.prompt_details.cache_read",
    ) ?? 0;
  const written =
    count(
      "gen_ai.usage.cache_creation.input_tokens",
      "gen_ai.usage.cache_creation_input_tokens",
      "gen_ai.usage.cache_write.input_tokens",
      "gen_ai.usage.details.cache_write_tokens",
      "llm.token_count.prompt_details.cache_write",
    ) ?? 0;
  return usageOfCounts({
    fresh: input === undefined || input < read + written ? input : input - read - written,
    read,
    written,
    output,
    reasoning: count(
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.reasoning_tokens",
      "gen_ai.usage.details.reasoning_tokens",
      "llm.token_count.completion_details.reasoning",
    ),
    dollars: count("llm.cost.total", "gen_ai.usage.cost", "operation.cost"),
  });
}
