import { isPlainObject } from "../formats/data.ts";
import { isResponses } from "../formats/detect.ts";
import { openai } from "../formats/openai-format.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf } from "./recorded-chat.ts";

/** Reads items of OpenAI's Responses API, and a request or response with them, or a list that the API answered. */
export const responsesReader: RecordingReader = {
  format: "openai-responses",
  recognizes: (given) => isResponses(itemsIn(given)),
  read: (given: unknown) => [chatOf(openai.responses.from(itemsIn(given)))],
};

/** The API lists the items of a conversation from the newest to the oldest, unless it is asked for another order. */
function itemsIn(given: unknown): unknown {
  if (!isPlainObject(given) || given.object !== "list" || !Array.isArray(given.data)) return given;
  const [first] = given.data.filter((item) => isPlainObject(item) && item.type === "message");
  return Object(first).role === "assistant" ? [...(given.data as unknown[])].reverse() : given.data;
}
