import { objectArguments } from "../../chat/call-arguments.ts";
import { Conversation } from "../../chat.ts";
import { TurnfoldError, wrapReadErrors } from "../../errors.ts";
import { copyData, isPlainObject, omitMembers, type PlainObject } from "../../formats/data.ts";
import { invalidMessage, type MessagePath } from "../../formats/format-errors.ts";
import {
  fromLangChain,
  isLangChainInstance,
  LangChainCalls,
  type LangChainParts,
  langChainParts,
} from "../../formats/langchain.ts";
import { keepOriginal, restoreOriginal } from "../../formats/original.ts";
import { OWN_MEMBERS_KEY } from "../../formats/own-members.ts";
import { answeredIds, objectsIn } from "../../formats/tool-parts.ts";
import { describe } from "../../values/describe.ts";
import { MessageSources } from "../shared/message-sources.ts";
import { type LangChainRecord, toLangChain } from "./write-messages.ts";

/** A class of messages of LangChain, such as `HumanMessage`. */
export type MessageClass = new (fields: never) => unknown;

/** Classes of messages, by their names. */
export interface MessageClasses {
  HumanMessage?: MessageClass | undefined;
  AIMessage?: MessageClass | undefined;
  SystemMessage?: MessageClass | undefined;
  ToolMessage?: MessageClass | undefined;
}

/** The messages from which conversations were made. */
const messageSources = new MessageSources<unknown>();

/** Reads messages of LangChain; each becomes one message. */
export function fromMessages(given: unknown): Conversation {
  const list = wrapReadErrors("invalid_message", "messages", () => {
    if (!Array.isArray(given)) throw invalidMessage(["messages"], "a list of messages of LangChain", given);
    return Array.from(given as unknown[]);
  });
  const parts = list.map((message, index) =>
    wrapReadErrors("invalid_message", `messages[${index}]`, () => partsAt(message, ["messages", index])),
  );
  const plain = plainParts(parts);
  const calls = new LangChainCalls(plain);
  const messages = plain.map((each, index) => {
    const path = ["messages", index];
    const neutral = fromLangChain(each, path, calls);
    const kept = keepOriginal("langchain", toObject(each), neutral, () => onlyMessage(toLangChain(neutral, path)));
    return kept.original === undefined ? { ...kept, original: { format: "langchain" } } : kept;
  });
  const conversation = new Conversation({ messages: messages as never });
  messageSources.note(conversation.messages, list);
  return conversation;
}

function partsAt(given: unknown, path: MessagePath): LangChainParts {
  const parts =
    typeof given === "string"
      ? { type: "human", members: { content: given } }
      : Array.isArray(given) && given.length === 2
        ? langChainParts({ role: given[0], content: given[1] })
        : langChainParts(given);
  if (parts !== null) return parts;
  const hint = "HumanMessage, AIMessage, SystemMessage, ToolMessage, or { role, content }";
  throw invalidMessage(path, "a message of LangChain", given, hint);
}

/** Members that are not sent to a model and may contain values that are not plain data. */
const NON_MODEL_MEMBERS = ["artifact", "additional_kwargs", "response_metadata", "metadata", "usage_metadata"];

/** Copies messages. Loose members that can't be copied are omitted; they are read from the source later. */
function plainParts(parts: readonly LangChainParts[]): LangChainParts[] {
  const objects = parts.map(({ type, members }) => {
    const object: PlainObject = { type };
    for (const name of Object.keys(members)) {
      const value = members[name];
      if (value === undefined || isEmptyMember(name, value)) continue;
      const given = NON_MODEL_MEMBERS.includes(name) ? copyOrUndefined(() => copyData(value, name)) : value;
      if (given !== undefined) object[name] = given;
    }
    return object;
  });
  return (copyData(objects, "messages") as PlainObject[]).map(toWritten);
}

const toObject = ({ type, members }: LangChainRecord): PlainObject => ({ type, ...members });
const toWritten = ({ type, ...members }: PlainObject): LangChainRecord => ({ type: String(type), members });

/** True for the empty members that every message of LangChain has. */
function isEmptyMember(name: string, value: unknown): boolean {
  if (name === "tool_calls" || name === "invalid_tool_calls") return Array.isArray(value) && value.length === 0;
  return NON_MODEL_MEMBERS.includes(name) && isPlainObject(value) && Object.keys(value).length === 0;
}

function copyOrUndefined(copy: () => unknown): unknown {
  try {
    return copy();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Returns the only message in a list; null if there are none or several. */
function onlyMessage(written: readonly LangChainRecord[]): PlainObject | null {
  const [first] = written;
  return written.length === 1 && first !== undefined ? toObject(first) : null;
}

/**
 * Writes messages of LangChain. A message that is unchanged since it was read is the same object.
 *
 * @param samples messages whose classes new messages may have.
 * @throws {TurnfoldError} `unsupported_part`, `invalid_message`, `invalid_argument`
 */
export function toMessages(
  conversation: Conversation,
  classes: MessageClasses,
  samples: readonly unknown[],
): unknown[] {
  if (!(conversation instanceof Conversation)) {
    throw new TurnfoldError("invalid_argument", `a Conversation is needed, got ${describe(conversation)}`, {
      hint: "new Conversation({ messages }), or langchain.from(messages)",
    });
  }
  const { messages } = conversation;
  const answered = answeredIds(messages as unknown as PlainObject[]);
  const known = new ClassRegistry(classes, [
    ...samples,
    ...messages.map((message) => messageSources.ofUnchanged(message)),
    ...messages.map((message) => messageSources.ofOriginal(message)),
  ]);
  return messages.flatMap((message, index) => {
    if (messageSources.has(message)) return [messageSources.ofUnchanged(message)];
    const path = ["messages", index];
    const origin = messageSources.ofOriginal(message);
    const written = rewriteMessage(message as unknown as PlainObject, path, origin);
    return written.map((each) => known.instance(withAnsweredCalls(each, answered), origin));
  });
}

/**
 * Writes invalid calls that have results as calls, with arguments in the form of `to`: LangChain does not send invalid
 * calls, and providers refuse results without calls.
 */
function withAnsweredCalls(record: LangChainRecord, answered: ReadonlySet<unknown>): LangChainRecord {
  const { invalid_tool_calls: invalid, tool_calls: calls, ...rest } = record.members;
  const known = objectsIn(invalid).filter(({ id }) => answered.has(id));
  if (known.length === 0) return record;
  const others = objectsIn(invalid).filter((call) => !known.includes(call));
  const valid = known.map(({ id, name, args }) => ({ id, name, args: objectArguments(args), type: "tool_call" }));
  const members = { ...rest, tool_calls: [...objectsIn(calls), ...valid] };
  return { ...record, members: others.length > 0 ? { ...members, invalid_tool_calls: others } : members };
}

/** Members that are derived from the members of a conversation's message. */
const DERIVED_MEMBERS = ["type", "role", "content", "tool_calls", "invalid_tool_calls", "tool_call_id"];

/**
 * Writes a message with all members of its source if it is unchanged, otherwise with those members of the source that
 * are not derived from it.
 */
function rewriteMessage(message: PlainObject, path: MessagePath, origin: unknown): LangChainRecord[] {
  const written = toLangChain(message, path);
  const writtenMessage = onlyMessage(written);
  if (writtenMessage === null) return written;
  const back = (given: PlainObject) => {
    const { type, members } = toWritten(given);
    return fromLangChain({ type, members }, path, callsFor(message));
  };
  const restored = restoreOriginal("langchain", message, () => writtenMessage, back);
  if (restored === null)
    return [toWritten(withOwnKwargs({ ...otherMembersOf(message, origin), ...writtenMessage }, writtenMessage))];
  const loose = Object.entries(liveMembers(origin)).filter(([name]) => NON_MODEL_MEMBERS.includes(name));
  return [
    toWritten(
      withOwnKwargs(
        { ...Object.fromEntries(loose), ...(copyData(restored, "messages") as PlainObject) },
        writtenMessage,
      ),
    ),
  ];
}

/** Replaces this package's members in `additional_kwargs` by the current ones. */
function withOwnKwargs(message: PlainObject, { additional_kwargs: own }: PlainObject): PlainObject {
  const { additional_kwargs: given, ...rest } = message;
  const kwargs = {
    ...(isPlainObject(given) ? omitMembers(given, [OWN_MEMBERS_KEY]) : {}),
    ...(own as PlainObject | undefined),
  };
  return Object.keys(kwargs).length === 0 ? rest : { ...rest, additional_kwargs: kwargs };
}

/**
 * Returns the members of a source that are not derived from the message: those of the object, or those kept in
 * `original`.
 */
function otherMembersOf({ original }: PlainObject, origin: unknown): PlainObject {
  const kept =
    isPlainObject(original) && original.format === "langchain" && isPlainObject(original.members)
      ? original.members
      : {};
  const members = { ...(copyData(kept, "messages") as PlainObject), ...liveMembers(origin) };
  const { additional_kwargs: kwargs, status, ...rest } = omitMembers(members, DERIVED_MEMBERS);
  return {
    ...rest,
    ...(status === "success" ? { status } : {}),
    // OpenAI's form of the calls repeats `tool_calls`.
    ...(isPlainObject(kwargs) ? { additional_kwargs: omitMembers(kwargs, ["tool_calls", "function_call"]) } : {}),
  };
}

function liveMembers(origin: unknown): PlainObject {
  return isLangChainInstance(origin) ? (langChainParts(origin)?.members ?? {}) : {};
}

/**
 * Makes the calls that are needed to read a message without the others: names of tools, and the answered calls with
 * invalid arguments.
 */
function callsFor({ content }: PlainObject): LangChainCalls {
  const parts = Array.isArray(content) ? content.filter(isPlainObject) : [];
  const calls = new LangChainCalls(
    parts.map(({ toolCallId }) => ({ type: "tool", members: { tool_call_id: toolCallId } })),
  );
  const results = parts.filter(({ type }) => type === "tool-result");
  calls.note({ toolCalls: results.map(({ toolCallId, toolName }) => ({ id: toolCallId, name: toolName })) });
  return calls;
}

const CLASS_NAMES: Readonly<Record<string, keyof MessageClasses>> = {
  human: "HumanMessage",
  ai: "AIMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
};

/** The role that LangChain coerces to a message of each type. */
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/** The classes of new messages. */
class ClassRegistry {
  private readonly classes = new Map<string, MessageClass>();

  constructor(given: MessageClasses, samples: readonly unknown[]) {
    for (const [type, name] of Object.entries(CLASS_NAMES)) {
      const own = given[name];
      if (own !== undefined) this.classes.set(type, own);
    }
    for (const sample of samples) {
      // Chunks are skipped: they are pieces of replies.
      if (!isLangChainInstance(sample) || typeof (sample as PlainObject).concat === "function") continue;
      const type = langChainParts(sample)?.type;
      if (type !== undefined && !this.classes.has(type)) this.classes.set(type, classOf(sample));
    }
  }

  /**
   * Makes a message of the class of its origin, or of a known class for its type; otherwise plain data that LangChain
   * coerces.
   */
  instance({ type, members }: LangChainRecord, origin: unknown): unknown {
    const isAlike = isLangChainInstance(origin) && langChainParts(origin)?.type === type;
    const Message = isAlike ? classOf(origin) : this.classes.get(type);
    if (Message !== undefined) return new Message(members as never);
    const role = Object.hasOwn(ROLES, type) ? ROLES[type] : members.role;
    return { role, ...omitMembers(members, ["role"]) };
  }
}

function classOf(instance: object): MessageClass {
  return instance.constructor as MessageClass;
}

/**
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkClasses(given: unknown): MessageClasses {
  const classes = (given ?? {}) as PlainObject;
  for (const name of Object.keys(classes)) {
    const isKnown = Object.values(CLASS_NAMES).includes(name as keyof MessageClasses);
    if (isKnown && (classes[name] === undefined || typeof classes[name] === "function")) continue;
    const problem = isKnown ? `must be a class, got ${describe(classes[name])}` : "is no class of messages";
    throw new TurnfoldError("invalid_option", `classes.${name} ${problem}`, {
      details: { option: `classes.${name}`, known: Object.values(CLASS_NAMES) },
      hint: 'import { HumanMessage, AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages"',
    });
  }
  return classes as MessageClasses;
}
