import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOf } from "../reading/recorded-chat.ts";
import { objectIn, timeFrom } from "../reading/values.ts";
import { chatOfContents, partsOfContent, type RecordedContent, withClientNames } from "./gemini.ts";

const eventsIn = (given: unknown): PlainObject[] => objectsIn(isPlainObject(given) ? given.events : given);

const isEvent = ({ author, invocationId, invocation_id: id = invocationId }: PlainObject): boolean =>
  typeof author === "string" && typeof id === "string";

/** Reads sessions of Google's Agent Development Kit, and lists of their events. */
export const adkReader: RecordingReader = {
  format: "google-adk",
  recognizes: (given) => {
    const events = eventsIn(given);
    return events.length > 0 && events.every(isEvent);
  },
  read: (given: unknown) => {
    const histories = new Histories<RecordedContent>();
    for (const recorded of copyData(eventsIn(given), "events") as PlainObject[]) {
      const { content, actions, author, partial, timestamp, modelVersion: model, ...event } = withClientNames(recorded);
      const {
        startTimestamp: start,
        endTimestamp: end,
        compactedContent: summary,
      } = objectIn(objectIn(actions).compaction);
      const at = timeFrom(timestamp);
      if (isPlainObject(summary)) {
        const isKept = ({ at: time }: RecordedContent) =>
          Number(time) < Number(timeFrom(start)) || Number(time) > Number(timeFrom(end));
        histories.restart("compacted", [
          { content: contentOf(summary, "user"), at },
          ...histories.messages.filter(isKept),
        ]);
      }
      // Pieces of a streamed answer are in the event after them.
      if (!isPlainObject(content) || partial === true) continue;
      const known =
        author === "user"
          ? {}
          : { usage: usageOf(event.usageMetadata), ...(typeof model === "string" ? { model } : {}) };
      histories.messages.push({ content: contentOf(content, content.role), at, ...known });
    }
    return histories.chats(chatOfContents);
  },
};

const contentOf = ({ parts }: PlainObject, role: unknown): RecordedContent["content"] => ({
  role: role === "model" ? "model" : "user",
  parts: partsOfContent(parts),
});
