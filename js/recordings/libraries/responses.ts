import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { isResponses } from "../../formats/detect.ts";
import { openai } from "../../formats/openai-format.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { modelIn } from "../reading/message-facts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOf } from "../reading/recorded-chat.ts";

/** Reads items of OpenAI's Responses API, and a request or response with them, or a list that the API answered. */
export const responsesReader: RecordingReader = {
  format: "openai-responses",
  recognizes: (given) => isResponses(itemsIn(given)),
  read(given: unknown) {
    const conversation = openai.responses.from(itemsIn(given));
    const usual = modelIn(Object(given) as PlainObject);
    return [
      chatOf(
        conversation,
        conversation.messages.map(() => usual),
      ),
    ];
  },
};

/** The API lists items from the newest to the oldest, unless it is asked for another order. */
function itemsIn(given: unknown): unknown {
  if (!isPlainObject(given) || given.object !== "list" || !Array.isArray(given.data)) return given;
  const items = objectsIn(given.data);
  const place = (ends: RegExp, id: unknown) =>
    items.findIndex((item) => ends.test(String(item.type)) && item.call_id === id);
  const [answered] = items.filter(({ type }) => /_call_output$/.test(String(type)));
  const [first] = items.filter(({ type }) => type === "message");
  const isReversed =
    answered === undefined
      ? first?.role === "assistant"
      : place(/_call_output$/, answered.call_id) < place(/_call$/, answered.call_id);
  return isReversed ? [...items].reverse() : items;
}
