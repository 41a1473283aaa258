import { copyData, isPlainObject, type PlainObject } from "../formats/data.ts";

/**
 * Returns a request to Gemini, or its contents, with the names of members as Gemini's client has them. The REST API also
 * accepts them with underscores, as some serializers write them.
 */
export function withClientNames(data: unknown): PlainObject {
  const request = isPlainObject(data) ? renamed(data) : { contents: data };
  const { systemInstruction = renamed(Object(request.config) as PlainObject).systemInstruction } = request;
  return { systemInstruction, contents: renamedAll(copyData(request.contents, "contents")) };
}

function renamed(given: PlainObject): PlainObject {
  const rename = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [rename(name), value]));
}

/** Renames the members of all objects but those of arguments and results, whose names are those of tools. */
function renamedAll(value: unknown, name?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamedAll(item));
  if (!isPlainObject(value) || name === "args" || name === "response") return value;
  return Object.fromEntries(Object.entries(renamed(value)).map(([key, item]) => [key, renamedAll(item, key)]));
}
