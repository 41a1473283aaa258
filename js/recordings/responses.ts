import { isResponses } from "../formats/detect.ts";
import { openai } from "../formats/openai-format.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf } from "./recorded-chat.ts";

/** Reads items of OpenAI's Responses API, and a request or response with them. */
export const responsesReader: RecordingReader = {
  format: "openai-responses",
  recognizes: isResponses,
  read: (items: unknown) => [chatOf(openai.responses.from(items))],
};
