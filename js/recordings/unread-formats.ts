import { isPlainObject, type PlainObject } from "../formats/data.ts";

/** Formats that are known and not read, each recognized by members of a record. */
const FORMATS: readonly (readonly [name: string, has: (record: PlainObject) => boolean])[] = [
  ["a thread of Zed", ({ User: user, Agent: agent }) => isPlainObject(user ?? agent)],
];

/** What a record is that is not read: the name of its format, or its members. */
export function unreadFormat(record: unknown): string {
  if (!isPlainObject(record)) return "it holds no messages";
  const known = FORMATS.find(([, has]) => has(record));
  if (known !== undefined) return `it is ${known[0]}, which is not read yet`;
  const { type } = record;
  if (typeof type === "string")
    return `it has records of the type ${JSON.stringify(type)}, which no format that is read has`;
  const names = Object.keys(record).slice(0, 6).join(", ");
  return `it holds no messages: it has ${names === "" ? "nothing" : `the members ${names}`}`;
}
