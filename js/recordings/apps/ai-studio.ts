import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { resultPart, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  assistantMessages,
  callPart,
  type RecordedMessage,
  reasoningPart,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** Reads a prompt that Google's AI Studio saved, with its answers. */
export const aiStudioReader: RecordingReader = {
  format: "ai-studio",
  recognizes: (given) => isPlainObject(given) && Array.isArray(Object(given.chunkedPrompt).chunks),
  read(prompt: PlainObject) {
    const { runSettings, systemInstruction, chunkedPrompt } = prompt;
    const { model } = Object(runSettings) as PlainObject;
    const named = typeof model === "string" ? { model: model.replace(/^models\//, "") } : {};
    const { text, parts = text } = Object(systemInstruction) as PlainObject;
    const messages = objectsIn(Object(chunkedPrompt).chunks).flatMap(fromChunk);
    const all = messages.map((message) => (message.message.role === "assistant" ? { ...message, ...named } : message));
    return storedChat(prompt, textOf(parts), all);
  },
};

/** Converts a chunk: a text, a thought, a file, or code that the model ran. Consecutive ones of the model are one reply. */
function fromChunk(chunk: PlainObject, index: number): RecordedMessage[] {
  const parts = partsOf(chunk, `call_${index}`, `call_${index - 1}`);
  if (chunk.role === "model") return assistantMessages(parts, chunk.createTime);
  return parts.length === 0 ? [] : [userMessage(parts, chunk.createTime)];
}

const DRIVE_FILES = ["driveDocument", "driveImage", "driveAudio", "driveVideo", "driveFile"];
const INLINE_FILES = ["inlineFile", "inlineImage", "inlineAudio", "inlineData"];

function partsOf(chunk: PlainObject, id: string, lastId: string): PlainObject[] {
  const { text, parts, isThought, executableCode: code, codeExecutionResult: result } = chunk;
  // Parts have the pieces of the text, as they were streamed.
  const said = typeof text === "string" ? text : textOf(objectsIn(parts).map((part) => part.text ?? ""));
  const files = INLINE_FILES.map((name) => chunk[name]).filter(isPlainObject);
  const linked = DRIVE_FILES.filter((name) => isPlainObject(chunk[name]));
  return [
    ...(said === "" ? [] : [isThought === true ? reasoningPart(said) : textPart(said)]),
    ...files.map(({ data, mimeType }) => ({ type: "file", data, mediaType: mimeType })),
    ...linked.map((name) => textPart(`[${name} ${String(Object(chunk[name]).id)}]`)),
    ...(isPlainObject(code) ? [{ ...callPart(id, CODE, { code: code.code }), providerExecuted: true }] : []),
    ...(isPlainObject(result) ? [resultPart(isPlainObject(code) ? id : lastId, CODE, textOf(result.output))] : []),
  ];
}

const CODE = "code_execution";
