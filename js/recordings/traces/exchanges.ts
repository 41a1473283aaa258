import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingFormat } from "../reading/formats.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOf } from "../reading/recorded-chat.ts";
import { bodyOf, type Exchange, isRequest, loggedRequest } from "./api-requests.ts";
import { chatsOfRequests } from "./request-log.ts";

interface API {
  format: RecordingFormat;
  /** True for a response with a reply. */
  isResponse: (response: PlainObject) => boolean;
}

const APIS: readonly API[] = [
  {
    format: "openai",
    isResponse: ({ choices, done, message = objectsIn(choices)[0]?.message }) =>
      isPlainObject(message) && (Array.isArray(choices) || typeof done === "boolean"),
  },
  {
    format: "openai-responses",
    isResponse: ({ object, output, usage }) => Array.isArray(output) && (object === "response" || isPlainObject(usage)),
  },
  {
    format: "anthropic",
    isResponse: ({ type, role, content, usage }) =>
      type === "message" && role === "assistant" && Array.isArray(content) && isPlainObject(usage),
  },
  { format: "bedrock", isResponse: ({ output }) => isPlainObject(output) && isPlainObject(output.message) },
  { format: "gemini", isResponse: ({ candidates }) => isPlainObject(objectsIn(candidates)[0]?.content) },
];

/** A response with members of the request beside its own, or alone; a line of a batch, or of a log of Bedrock. */
function exchangeIn(given: PlainObject): Exchange {
  // CloudWatch has the records of Bedrock as texts.
  const record = (typeof given.message === "string" ? bodyOf(given.message) : null) ?? given;
  const { response, custom_id: id, body, params, result, input, output, modelId: model, timestamp: end } = record;
  if (isPlainObject(input) && isPlainObject(output) && typeof model === "string") {
    const usage = usageOf({
      inputTokens: input.inputTokenCount,
      outputTokens: output.outputTokenCount,
      cacheReadInputTokens: input.cacheReadInputTokenCount,
      cacheWriteInputTokens: input.cacheWriteInputTokenCount,
    });
    return { request: input.inputBodyJson, response: bodyOf(output.outputBodyJson), model, end, usage };
  }
  if (typeof id === "string")
    return { request: body ?? params, response: Object(result).message ?? Object(response).body };
  return { request: isRequest(record) ? record : undefined, response: record };
}

/** The records of a list, of the events that CloudWatch gives, or one record. */
function recordsIn(given: unknown): PlainObject[] {
  const { events = given } = Object(given) as { events?: unknown };
  return objectsIn([events].flat());
}

const apiOf = ({ response }: Exchange): API | undefined =>
  isPlainObject(response) ? APIS.find(({ isResponse }) => isResponse(response)) : undefined;

/** The API of the first response; undefined if there are other messages than responses. */
function apiIn(given: unknown): API | undefined {
  const records = recordsIn(given);
  const apis = records.map((record) => apiOf(exchangeIn(record)));
  const isOther = ({ role, type }: PlainObject, index: number) =>
    apis[index] === undefined && (role ?? type) !== undefined;
  return records.some(isOther) ? undefined : apis.find((api) => api !== undefined);
}

/** Reads requests with their responses, and responses alone. Requests without a reply are left out. */
export const exchangeReaders: readonly RecordingReader[] = APIS.map(({ format }) => ({
  format,
  recognizes: (given) => apiIn(given)?.format === format,
  read: (given) =>
    chatsOfRequests(
      recordsIn(given)
        .map((record) => loggedRequest(exchangeIn(record)))
        .filter((request) => request !== null),
    ),
}));
