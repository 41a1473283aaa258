import type { Calibration } from "../chat/calibration.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { copyMessages } from "../chat/message-copy.ts";
import { decodeMessage, encodeMessage } from "../chat/message-json.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { Usage } from "../model/usage.ts";
import { isDeepEqual } from "../values/deep-equal.ts";
import { textHash } from "../values/text-hash.ts";
import type { RequestBody, RequestFormat } from "./request-body.ts";

/**
 * What {@link manageRequest} remembers of a chat: JSON data, to be stored by session. It has the texts that replaced
 * messages, so it is as large as these, and no message that is sent as the app gave it. With the usage of the reply,
 * `{ ...state, usage }`, later requests are counted as the provider counts.
 */
export interface RequestState {
  readonly version: 1;
  readonly format: RequestFormat;
  /** The number of items at the beginning of the history that the entries stand for, and a hash of these items. */
  readonly count: number;
  readonly hash: string;
  /**
   * The messages that are sent for them: indexes from and to, exclusive, of given messages; a given message of which
   * some members have changed; or another message.
   */
  readonly entries: readonly ([from: number, to: number] | ChangedEntry | { message: unknown })[];
  /** The tokens that this saves. */
  readonly saved: number;
  /** The number of items of the last request and their hash, and its time in milliseconds since 1970. */
  readonly size: number;
  readonly sizeHash: string;
  readonly at: number;
  readonly calibration: Calibration;
  /** The usage of the reply, which the host adds. */
  readonly usage?: Usage | undefined;
}

interface ChangedEntry {
  index: number;
  /** The members that differ; in lists, numbers are the indexes of items that did not change. */
  members: PlainObject;
}

/** A message to be sent, with the index of the given message that it is or was; null for another one, such as a summary. */
export interface SourcedMessage {
  message: ChatMessage;
  source: number | null;
}

/** A hash of the first items, by which a state recognizes its chat. */
export function hashOf({ hashes }: RequestBody, count: number): string {
  return textHash(hashes.slice(0, count).join(""));
}

/**
 * Returns the messages for a history of which a state has the beginning; null when the state is of another history, or
 * is none.
 */
export function restoreMessages(state: unknown, body: RequestBody): SourcedMessage[] | null {
  try {
    return isPlainObject(state) ? restored(state, body) : null;
  } catch {
    // What is no state of this package is that of no chat.
    return null;
  }
}

/** True for a state of a chat in which nothing was folded so far. */
export function isUnfolded(state: unknown): boolean {
  try {
    return isPlainObject(state) && state.count === 0;
  } catch {
    return false;
  }
}

function restored(state: PlainObject, body: RequestBody): SourcedMessage[] | null {
  const { version, format, count, hash, entries, at, calibration } = state;
  const { messages, starts } = body;
  const end = starts.indexOf(count as number);
  if (version !== 1 || format !== body.format || end < 0 || !Array.isArray(entries)) return null;
  if (!Number.isFinite(at) || !isPlainObject(calibration)) return null;
  if (hash !== hashOf(body, count as number)) return null;
  const given = (start: number, until: number): SourcedMessage[] =>
    messages.slice(start, until).map((message, index) => ({ message, source: start + index }));
  const before = entries.flatMap((entry: RequestState["entries"][number]) => {
    if (Array.isArray(entry)) return given(...indexesIn(entry, end));
    if ("message" in entry) return { message: copyOf(decodeMessage(entry.message)), source: null };
    const { index, members } = entry;
    return { message: withMembers(messages[index] as ChatMessage, members), source: index };
  });
  return [...before, ...given(end, messages.length)];
}

/** @throws for what are no indexes of messages before `end`. */
function indexesIn([from, to]: readonly unknown[], end: number): [number, number] {
  const isIndex = (index: unknown): index is number => Number.isSafeInteger(index) && (index as number) >= 0;
  if (isIndex(from) && isIndex(to) && to <= end) return [from, to];
  throw new RangeError();
}

/** Makes the entries for the messages that are sent, and the number of given messages that they stand for. */
export function entriesOf(
  sent: readonly SourcedMessage[],
  messages: readonly ChatMessage[],
): { entries: RequestState["entries"]; end: number } {
  let [end, left] = [messages.length, sent.length];
  const isGiven = ({ message, source }: SourcedMessage) => source !== null && message === messages[source];
  for (; end > 0 && left > 0; end--, left--) {
    const last = sent[left - 1] as SourcedMessage;
    if (last.source !== end - 1 || !isGiven(last)) break;
  }
  const entries: RequestState["entries"][number][] = [];
  for (const one of sent.slice(0, left)) {
    const { message, source } = one;
    const run = entries.at(-1);
    if (source === null) entries.push({ message: encodeMessage(message) });
    else if (!isGiven(one))
      entries.push({ index: source, members: membersOf(messages[source] as ChatMessage, message) });
    else if (Array.isArray(run) && run[1] === source) run[1] = source + 1;
    else entries.push([source, source + 1]);
  }
  return { entries, end };
}

/** Returns the members of a changed message that are not those of the given one. */
function membersOf(given: ChatMessage, changed: ChatMessage): PlainObject {
  const members: PlainObject = {};
  const [before, after] = [given as unknown as PlainObject, changed as unknown as PlainObject];
  for (const name of Object.keys(after)) {
    const [was, is] = [before[name], after[name]];
    if (was === is) continue;
    const items = Array.isArray(was) ? was : [];
    const encode = (item: unknown) => {
      const index = items.findIndex((one) => isDeepEqual(one, item));
      return index < 0 ? encodeMessage(item) : index;
    };
    members[name] = Array.isArray(is) ? is.map(encode) : encodeMessage(is);
  }
  return members;
}

function withMembers(given: ChatMessage, members: PlainObject): ChatMessage {
  const before = given as unknown as PlainObject;
  const changed = Object.entries(members).map(([name, value]) => {
    const decode = (item: unknown) =>
      typeof item === "number" ? (before[name] as unknown[])[item] : decodeMessage(item);
    return [name, Array.isArray(value) ? value.map(decode) : decodeMessage(value)];
  });
  return copyOf({ ...before, ...Object.fromEntries(changed) });
}

function copyOf(message: unknown): ChatMessage {
  return copyMessages([message], "state", true)[0] as ChatMessage;
}
