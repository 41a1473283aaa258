import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  assistantMessages,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const isMessage = (line: unknown): boolean =>
  isPlainObject(line) && typeof line.mes === "string" && typeof line.is_user === "boolean";

/** Reads a chat of SillyTavern. Messages of the system are hidden from the model. */
export const sillyTavernReader: RecordingReader = {
  format: "sillytavern",
  recognizes: (given) => Array.isArray(given) && given.some(isMessage),
  read(lines: PlainObject[]) {
    const messages = lines.filter((line) => isMessage(line) && line.is_system !== true);
    const name = messages.find(({ is_user: isUser }) => isUser === false)?.name;
    const asked = messages.findIndex(({ is_user: isUser }) => isUser === true);
    const recorded = messages.flatMap((line, index) =>
      // No model wrote the greeting of a character.
      fromLine(line).map((message): RecordedMessage => ({ ...message, isRepeated: index < asked })),
    );
    const chat = chatOfMessages(recorded, typeof name === "string" ? { title: name } : {});
    return chat === null ? [] : [chat];
  },
};

function fromLine({
  mes,
  is_user: isUser,
  extra,
  send_date: sent,
  gen_finished: at = sent,
}: PlainObject): RecordedMessage[] {
  const text = mes as string;
  if (isUser === true) return [userMessage(text, sent)];
  const { reasoning, model } = Object(extra) as PlainObject;
  const thoughts = typeof reasoning === "string" && reasoning !== "" ? [reasoningPart(reasoning)] : [];
  const facts = { at, ...(typeof model === "string" ? { model } : {}) };
  return assistantMessages([...thoughts, textPart(text)]).map((one) => ({ ...one, ...facts }));
}
