import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfAny } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOfCounts } from "../reading/recorded-chat.ts";
import { objectIn, timeFrom } from "../reading/values.ts";
import { chatsOfRequests, type LoggedRequest } from "./request-log.ts";

/** Reads rows of Braintrust's logs and experiments: spans of the type `llm`. */
export const braintrustReader: RecordingReader = {
  format: "braintrust",
  recognizes: (given) => rowsIn(given).some(isRow),
  read: (given: unknown) =>
    chatsOfRequests(
      rowsIn(given)
        .filter((row) => objectIn(row.span_attributes).type === "llm" && (row.error ?? null) === null)
        .map(requestOf),
    ),
};

const isRow = (row: PlainObject): boolean => isPlainObject(row.span_attributes) && typeof row.root_span_id === "string";

/** The rows of a list, or of an answer of the API. */
const rowsIn = (given: unknown): PlainObject[] =>
  objectsIn(isPlainObject(given) ? (given.events ?? given.data ?? given.rows ?? [given]) : given);

function requestOf({ input, output, metadata, metrics, root_span_id: root }: PlainObject): LoggedRequest {
  const { model, session_id: session = root } = objectIn(metadata);
  const {
    prompt_tokens: prompt,
    prompt_cached_tokens: read = 0,
    prompt_cache_creation_tokens: written = 0,
    ...counts
  } = objectIn(metrics);
  const cached = Number(read) + Number(written);
  return {
    sent: messagesOfAny(input, "user"),
    reply: messagesOfAny(replyIn(output), "assistant"),
    model: typeof model === "string" ? model : undefined,
    usage: usageOfCounts({
      fresh: typeof prompt === "number" && prompt >= cached ? prompt - cached : prompt,
      read,
      written,
      output: counts.completion_tokens,
      reasoning: counts.completion_reasoning_tokens,
    }),
    at: timeFrom(counts.end),
    start: timeFrom(counts.start),
    session: typeof session === "string" ? session : undefined,
  };
}

/** The first of the choices of Chat Completions, or another reply. */
function replyIn(output: unknown): unknown {
  const [first] = objectsIn(output);
  return isPlainObject(first?.message) ? first.message : output;
}
