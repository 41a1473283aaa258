import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type CopyProblem, DeepCopier, setMember } from "../values/deep-copy.ts";
import { describe, isPlain } from "../values/describe.ts";
import { isBytes } from "./media.ts";
import { invalid, type Path, written } from "./problem.ts";

/** An object of plain data, such as a message or a part. */
export type Bag = Record<string, unknown>;

/** A part: an object with a type. */
export type TypedBag = Bag & { type: string };

/** Maximum nesting of a message; values of turns have the same limit. */
const MAX_NESTING = 1000;

/**
 * Makes a deep copy that the host can't change and whose members can't throw: plain objects without getters, arrays,
 * bytes, URLs, dates.
 *
 * @param convertBigInt converts big integers in the copy; without it they are refused.
 * @throws {TurnfoldError} `invalid_message` for other values, for cycles, and for values that can't be read.
 */
export function copyOf(value: unknown, root: string, convertBigInt?: (value: bigint) => unknown): unknown {
  const copier = new DeepCopier({
    // The list of messages does not count.
    maxLevels: MAX_NESTING + 1,
    allowsBigInt: convertBigInt !== undefined,
    convertBigInt,
    isBytes,
    freezes: false,
    refuse: (problem, value, path) => refusal(problem, value, [root, ...path]),
  });
  try {
    return copier.copy(value);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) throw error;
    const at = written([root, ...copier.path]);
    throw new TurnfoldError("invalid_message", `${at} could not be read`, {
      details: { path: at, expected: "plain data" },
      hint: "a getter or a proxy threw; see the cause",
      cause: error,
    });
  }
}

const REFUSAL_HINTS: Readonly<Record<Exclude<CopyProblem, "depth">, string | undefined>> = {
  type: undefined,
  bigint: "JSON has no such numbers; give a text",
  class: "give a plain object; images and files are texts, Uint8Array or URL",
  cycle: "it contains itself; leave the reference out",
};

function refusal(problem: CopyProblem, value: unknown, path: Path): TurnfoldError {
  return problem === "depth"
    ? invalid(path.slice(0, 8), `nested at most ${MAX_NESTING} levels deep`, value)
    : invalid(path, "plain data", value, REFUSAL_HINTS[problem]);
}

/** True for copies that are deeply equal; the order of members does not matter. */
export function same(left: unknown, right: unknown): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (isBytes(left) || isBytes(right)) return isBytes(left) && isBytes(right) && sameBytes(left, right);
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => same(item, right[index]))
    );
  }
  if (!isPlain(left) || !isPlain(right)) return sameInstance(left, right);
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same((left as Bag)[key], (right as Bag)[key]))
  );
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function sameInstance(left: object, right: object): boolean {
  const kind = Object.prototype.toString.call(left);
  if (kind !== Object.prototype.toString.call(right)) return false;
  if (kind === "[object ArrayBuffer]") {
    return sameBytes(new Uint8Array(left as ArrayBuffer), new Uint8Array(right as ArrayBuffer));
  }
  return kind === "[object Date]"
    ? Object.is((left as Date).getTime(), (right as Date).getTime())
    : String(left) === String(right);
}

/** True for plain objects; false for lists, bytes, URLs and dates. */
export function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlain(value);
}

/** Returns the members of an object except those with the given names. */
export function without(bag: Bag, names: readonly string[]): Bag {
  const rest: Bag = {};
  for (const key of Object.keys(bag)) if (!names.includes(key)) setMember(rest, key, bag[key]);
  return rest;
}

/** Returns a member, which must be a string. */
export function textAt(bag: Bag, key: string, path: Path): string {
  const text = bag[key];
  if (typeof text !== "string") throw invalid([...path, key], "a text", text);
  return text;
}

/** Returns a member, which must be an object. */
export function bagAt(bag: Bag, key: string, path: Path): Bag {
  const inner = bag[key];
  if (!isBag(inner)) throw invalid([...path, key], "an object", inner);
  return inner;
}

/** Checks a list of parts: each is an object with a type, and those of the types `text` and `reasoning` have a text. */
export function partsAt(list: readonly unknown[], path: Path): TypedBag[] {
  return list.map((part, index) => {
    const at = [...path, index];
    if (!isBag(part)) throw invalid(at, "a part, an object with a type", part, '{ type: "text", text } is a part');
    textAt(part, "type", at);
    if (part.type === "text" || part.type === "reasoning") textAt(part, "text", at);
    return part as TypedBag;
  });
}

/** Copies and checks a list of messages: each is an object with a role. */
export function messagesOf(given: unknown, shape: string, convertBigInt?: (value: bigint) => unknown): Bag[] {
  if (!wrapReadErrors("invalid_message", "messages", () => Array.isArray(given))) {
    throw invalid(["messages"], `a list of ${shape}`, given);
  }
  return (copyOf(given, "messages", convertBigInt) as unknown[]).map((message, index) => {
    const path = ["messages", index];
    if (!isBag(message)) throw invalid(path, "a message, an object with a role", message);
    if (typeof message.role !== "string" && Array.isArray(message.parts)) throw uiMessage(path, message.content);
    textAt(message, "role", path);
    return message;
  });
}

/** Returns the message of a list with exactly one; otherwise null. */
export function only(messages: readonly Bag[]): Bag | null {
  return messages.length === 1 ? (messages[0] as Bag) : null;
}

/** Refuses messages of a user interface, such as those of `useChat`, which are not messages for a model. */
export function refuseUIMessage(message: Bag, path: Path): void {
  if (message.content === undefined && Array.isArray(message.parts)) throw uiMessage(path, message.content);
}

function uiMessage(path: Path, content: unknown): TurnfoldError {
  return invalid(
    [...path, "content"],
    "there, as in messages for models",
    content,
    "messages of a user interface have `parts`; `await convertToModelMessages(messages)` of the package ai converts them",
  );
}

/**
 * Refuses `toolCalls` and `toolCallId` of this package's own messages, which have no meaning in a provider's format.
 */
export function refuseOwnMembers(message: Bag, path: Path, instead: Readonly<Record<string, string>>): void {
  for (const name of ["toolCalls", "toolCallId"]) {
    if (message[name] !== undefined) {
      const hint = `${instead[name]} has this place; messages of a Conversation's own shape need no conversion`;
      throw invalid([...path, name], "left out", message[name], hint);
    }
  }
}

/** Describes a value for an error message. */
export function kindOf(value: unknown): string {
  return isBag(value) && typeof value.type === "string" ? `a part of type ${describe(value.type)}` : describe(value);
}
