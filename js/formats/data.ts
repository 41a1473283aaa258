import { wellFormed } from "../boundary/plain-json.ts";
import { type ForeignShape, foreignShape } from "../chat/foreign-shapes.ts";
import { bigIntToJson } from "../chat/safe-integers.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type CopyProblem, DeepCopier, setMember } from "../values/deep-copy.ts";
import { describe, isBytes, isPlainObject } from "../values/describe.ts";
import { invalidMessage, type MessagePath, pathText } from "./format-errors.ts";

export { isPlainObject };

/** An object of plain data, such as a message or a part. */
export type PlainObject = Record<string, unknown>;

/** A part: an object with a type. */
export type TypedObject = PlainObject & { type: string };

/** Maximum nesting of a message; values of turns have the same limit. */
const MAX_NESTING = 1000;

/**
 * Makes a deep copy that the host can't change and whose members can't throw: plain objects without getters, arrays,
 * bytes, URLs, dates.
 *
 * @param isOutgoing true for data to be sent: big integers become numbers or texts, and halves of surrogate pairs, which
 * providers refuse in JSON, the replacement character.
 * @throws {TurnfoldError} `invalid_message` for other values, for cycles, and for values that can't be read.
 */
export function copyData(value: unknown, root: string, isOutgoing = false): unknown {
  const copier = new DeepCopier({
    // The list of messages does not count.
    maxLevels: MAX_NESTING + 1,
    ...(isOutgoing ? { convertBigInt: bigIntToJson, convertText: wellFormed } : {}),
    isBytes,
    freezes: false,
    refuse: (problem, value, path) => copyError(problem, value, [root, ...path]),
  });
  try {
    return copier.copy(value);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) throw error;
    const at = pathText([root, ...copier.path]);
    throw new TurnfoldError("invalid_message", `${at} could not be read`, {
      details: { path: at, expected: "plain data" },
      hint: "a getter or a proxy threw; see the cause",
      cause: error,
    });
  }
}

const COPY_ERROR_HINTS: Readonly<Record<Exclude<CopyProblem, "depth">, string | undefined>> = {
  type: undefined,
  class: "give a plain object; images and files are texts, Uint8Array or URL",
  cycle: "it contains itself; leave the reference out",
};

function copyError(problem: CopyProblem, value: unknown, path: MessagePath): TurnfoldError {
  return problem === "depth"
    ? invalidMessage(path.slice(0, 8), `nested at most ${MAX_NESTING} levels deep`, value)
    : invalidMessage(path, "plain data", value, COPY_ERROR_HINTS[problem]);
}

/** Returns the members of an object except those with the given names. */
export function omitMembers(object: PlainObject, names: readonly string[]): PlainObject {
  const rest: PlainObject = {};
  for (const key of Object.keys(object)) if (!names.includes(key)) setMember(rest, key, object[key]);
  return rest;
}

/** Returns a member, which must be a string. */
export function textAt(object: PlainObject, key: string, path: MessagePath): string {
  const text = object[key];
  if (typeof text !== "string") throw invalidMessage([...path, key], "a text", text);
  return text;
}

/** Returns a member, which must be an object. */
export function objectAt(object: PlainObject, key: string, path: MessagePath): PlainObject {
  const inner = object[key];
  if (!isPlainObject(inner)) throw invalidMessage([...path, key], "an object", inner);
  return inner;
}

/** Checks a list of parts: each is an object with a type, and those of the types `text` and `reasoning` have a text. */
export function partsAt(list: readonly unknown[], path: MessagePath): TypedObject[] {
  return list.map((part, index) => {
    const at = [...path, index];
    if (!isPlainObject(part))
      throw invalidMessage(at, "a part, an object with a type", part, '{ type: "text", text } is a part');
    textAt(part, "type", at);
    if (part.type === "text" || part.type === "reasoning") textAt(part, "text", at);
    return part as TypedObject;
  });
}

/**
 * Copies and checks a list of messages: each is an object with a role.
 *
 * @param reads true for messages of another shape that the format reads too.
 */
export function copyMessages(
  given: unknown,
  shape: string,
  isOutgoing = false,
  reads: (message: PlainObject) => boolean = () => false,
): PlainObject[] {
  if (!wrapReadErrors("invalid_message", "messages", () => Array.isArray(given))) {
    throw invalidMessage(["messages"], `a list of ${shape}`, given);
  }
  return (copyData(given, "messages", isOutgoing) as unknown[]).map((message, index) => {
    const path = ["messages", index];
    if (!isPlainObject(message)) throw invalidMessage(path, "a message, an object with a role", message);
    const foreign = foreignShape(message);
    if (foreign !== null && !reads(message)) throw foreignShapeError(foreign, path, message);
    textAt(message, "role", path);
    return message;
  });
}

/** Returns the message of a list with exactly one; otherwise null. */
export function onlyMessage(messages: readonly PlainObject[]): PlainObject | null {
  return messages.length === 1 ? (messages[0] as PlainObject) : null;
}

/** Makes the error for a message of another shape than those of the format. */
export function foreignShapeError(shape: ForeignShape, path: MessagePath, message: PlainObject): TurnfoldError {
  const { content } = message;
  return content === undefined || content === null
    ? invalidMessage([...path, "content"], "there", content, shape.hint)
    : invalidMessage([...path, shape.member], "left out", message[shape.member], shape.hint);
}

/**
 * Refuses `toolCalls` and `toolCallId` of this package's own messages, which have no meaning in a provider's format.
 */
export function rejectOwnMembers(
  message: PlainObject,
  path: MessagePath,
  instead: Readonly<Record<string, string>>,
): void {
  for (const name of ["toolCalls", "toolCallId"]) {
    if (message[name] !== undefined) {
      const hint = `${instead[name]} has this place; messages of a Conversation's own shape need no conversion`;
      throw invalidMessage([...path, name], "left out", message[name], hint);
    }
  }
}

/** Describes a value for an error message. */
export function describePart(value: unknown): string {
  return isPlainObject(value) && typeof value.type === "string"
    ? `a part of type ${describe(value.type)}`
    : describe(value);
}
