import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { recordedMessages } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOfMessages } from "../reading/recorded-message.ts";

/** Reads what `crush session show SESSION --json` prints. It has the tokens and dollars of whole sessions only. */
export const crushReader: RecordingReader = {
  format: "crush",
  recognizes: (given) =>
    isPlainObject(given) &&
    isPlainObject(given.meta) &&
    typeof given.meta.prompt_tokens === "number" &&
    Array.isArray(given.messages),
  read({ meta: { title }, messages }: { meta: PlainObject; messages: unknown }) {
    const read = objectsIn(messages).map((message) => ({
      ...message,
      parts: objectsIn(message.parts).filter(({ type }) => type !== "finish"),
    }));
    const facts = ({ model, created: at }: PlainObject) => ({ at, ...(typeof model === "string" ? { model } : {}) });
    const chat = chatOfMessages(recordedMessages(read, facts), typeof title === "string" ? { title } : {});
    return chat === null ? [] : [chat];
  },
};
