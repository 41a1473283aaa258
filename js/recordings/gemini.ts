import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { type MessagePath, pathText } from "../formats/format-errors.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import {
  assistantMessages,
  callPart,
  jsonOf,
  malformedRecording,
  objectsOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "./recorded-message.ts";

/** Returns a member of Gemini's objects, whose names may also be written with underscores in the REST API. */
const readEither = (given: PlainObject, name: string): unknown =>
  given[name] ?? given[name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)];

/**
 * Converts messages of Gemini: `contents`, alone or in a request. Calls without an id get one, and results without an
 * id belong to the next open call of their name.
 */
export function fromGemini(data: unknown): RecordedMessage[] {
  const request = isPlainObject(data) ? data : { contents: data };
  // The client has the instruction in `config`.
  const holder = isPlainObject(request.config) ? { ...request.config, ...request } : request;
  const instruction = readEither(holder, "systemInstruction");
  const isContent = isPlainObject(instruction) && instruction.parts !== undefined;
  const prompt = textOf(isContent ? instruction.parts : isPlainObject(instruction) ? [instruction] : instruction);
  const open: { id: string; name: string }[] = [];
  const contents = objectsOf(request.contents, ["contents"]);
  const givenIds = new Set(contents.flatMap(({ parts }) => objectsIn(parts).map(functionIdOf)));
  let made = 0;
  const makeId = (): string => {
    do made++;
    while (givenIds.has(`call_${made}`));
    return `call_${made}`;
  };
  const messages = contents.flatMap(({ role, parts }, index) => {
    const path = ["contents", index, "parts"];
    const own: PlainObject[] = [];
    const results: RecordedMessage[] = [];
    for (const [index, part] of objectsOf(parts ?? [], path).entries()) {
      const [functionCall, functionResponse] = [readEither(part, "functionCall"), readEither(part, "functionResponse")];
      const media = mediaPart(part);
      if (isPlainObject(functionCall)) {
        const name = functionName(functionCall, [...path, index]);
        const id = functionIdOf(part) || makeId();
        open.push({ id, name });
        own.push(callPart(id, name, functionCall.args ?? {}));
      } else if (isPlainObject(functionResponse)) {
        const name = functionName(functionResponse, [...path, index]);
        const given = functionIdOf(part);
        const at = open.findIndex((one) => (given === "" ? one.name === name : one.id === given));
        const id = at < 0 ? given || makeId() : (open.splice(at, 1)[0]?.id as string);
        const files = objectsIn(functionResponse.parts)
          .map(mediaPart)
          .filter((one) => one !== null);
        results.push(resultMessage(id, name, functionResponse.response, undefined, files));
      } else if (typeof part.text === "string") {
        own.push(part.thought === true ? reasoningPart(part.text) : textPart(part.text));
      } else if (media !== null) {
        own.push(media);
      } else {
        own.push(textPart(jsonOf(part, pathText([...path, index]))));
      }
    }
    // A result without an id must not become that of a call before the question.
    if (role !== "model" && own.length > 0) open.length = 0;
    const ownMessages = role === "model" ? assistantMessages(own) : own.length === 0 ? [] : [userMessage(own)];
    return [...results, ...ownMessages];
  });
  return prompt === "" ? messages : [systemMessage(prompt), ...messages];
}

/** Returns the file for a part with an image or other data; null for other parts. */
function mediaPart(part: PlainObject): PlainObject | null {
  const [data, file] = [readEither(part, "inlineData"), readEither(part, "fileData")];
  if (isPlainObject(data)) return { type: "file", data: data.data, mediaType: readEither(data, "mimeType") };
  if (!isPlainObject(file)) return null;
  return { type: "file", data: readEither(file, "fileUri"), mediaType: readEither(file, "mimeType") };
}

/** Returns the id of a call or a result; empty for a part without one. Serializers write an absent id as null. */
function functionIdOf(part: PlainObject): string {
  const { id } = Object(readEither(part, "functionCall") ?? readEither(part, "functionResponse")) as { id?: unknown };
  return String(id ?? "");
}

function functionName({ name }: PlainObject, path: MessagePath): string {
  if (typeof name !== "string") throw malformedRecording(`${pathText(path)} must name a function`);
  return name;
}
