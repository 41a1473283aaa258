import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { type MessagePath, pathText } from "../formats/problem.ts";
import {
  assistant,
  bagsOf,
  call,
  malformed,
  type Recorded,
  reasoning,
  result,
  system,
  text,
  textOf,
  user,
} from "./recorded.ts";

/** Returns a member of Gemini's objects, whose names may also be written with underscores in the REST API. */
const either = (given: PlainObject, name: string): unknown =>
  given[name] ?? given[name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)];

/** True for a request or a list of Gemini's contents. */
export function isGemini(data: unknown): boolean {
  const list = isPlainObject(data) ? data.contents : data;
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((content) => isPlainObject(content) && Array.isArray(content.parts)) &&
    (isPlainObject(data) || list.some((content) => (content as PlainObject).role === "model"))
  );
}

/**
 * Converts messages of Gemini: `contents`, alone or in a request. Calls without an id get one, and results without an
 * id belong to the next open call of their name.
 */
export function ofGemini(data: unknown): Recorded[] {
  const request = isPlainObject(data) ? data : { contents: data };
  const instruction = either(request, "systemInstruction");
  const prompt = isPlainObject(instruction) ? textOf(instruction.parts) : textOf(instruction);
  const open: { id: string; name: string }[] = [];
  let made = 0;
  const messages = bagsOf(request.contents, ["contents"]).flatMap(({ role, parts }, index) => {
    const path = ["contents", index, "parts"];
    const own: PlainObject[] = [];
    const results: Recorded[] = [];
    for (const [index, part] of bagsOf(parts, path).entries()) {
      const [asked, answered] = [either(part, "functionCall"), either(part, "functionResponse")];
      const [data, file] = [either(part, "inlineData"), either(part, "fileData")];
      if (isPlainObject(asked)) {
        const name = nameOf(asked, [...path, index]);
        const id = typeof asked.id === "string" ? asked.id : `call_${++made}`;
        open.push({ id, name });
        own.push(call(id, name, asked.args ?? {}));
      } else if (isPlainObject(answered)) {
        const name = nameOf(answered, [...path, index]);
        const at = open.findIndex((one) => (answered.id === undefined ? one.name === name : one.id === answered.id));
        const id = at < 0 ? String(answered.id ?? `call_${++made}`) : (open.splice(at, 1)[0]?.id as string);
        results.push(result(id, name, answered.response));
      } else if (typeof part.text === "string") {
        own.push(part.thought === true ? reasoning(part.text) : text(part.text));
      } else if (isPlainObject(data)) {
        own.push({ type: "file", data: data.data, mediaType: either(data, "mimeType") });
      } else if (isPlainObject(file)) {
        own.push({ type: "file", data: either(file, "fileUri"), mediaType: either(file, "mimeType") });
      } else {
        own.push(text(JSON.stringify(part)));
      }
    }
    const said = role === "model" ? assistant(own) : own.length === 0 ? [] : [user(own)];
    return [...results, ...said];
  });
  return prompt === "" ? messages : [system(prompt), ...messages];
}

function nameOf({ name }: PlainObject, path: MessagePath): string {
  if (typeof name !== "string") throw malformed(`${pathText(path)} must name a function`);
  return name;
}
