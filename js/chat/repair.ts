import { encodeId, numberedId, shortenId } from "./call-ids.ts";
import { type ChatMessage, isSystem } from "./chat-message.ts";
import {
  correctCacheMarks,
  correctContents,
  DENIED,
  isEmptyMessage,
  lastIndex,
  type ReportBroken,
  withValidResultNames,
} from "./content-rules.ts";
import { mergeableRuns, mergeRun } from "./merge-roles.ts";
import type { Provider } from "./parameters.ts";
import { alternates, isValidId, startsWithAnswer } from "./provider-rules.ts";
import {
  approvalDecisions,
  hasOtherContent,
  isCall,
  isInSameMessage,
  lastOther,
  type MessagePart,
  outputText,
  type PairedCall,
  type PairedResult,
  partsOf,
  strayParts,
  type ToolPairs,
  toolPairs,
} from "./tool-pairs.ts";

/** A change of a repair. */
export interface RepairChange {
  /** Index of the message in the conversation before the repair. */
  index: number;
  /** The problem that it corrects: a kind of {@link HistoryProblem}. */
  kind: string;
  /** Description of the change, in English. */
  change: string;
}

/** A message of the result, and the index of the one that it comes from. */
interface RepairedMessage {
  index: number;
  message: ChatMessage;
}

const NO_RESULT = "No result: the call was not answered, and it is unknown whether the tool ran.";
/**
 * The first message of a conversation whose beginning is missing, where a provider requires one of the user.
 *
 * @internal
 */
export const NO_BEGINNING = "(The beginning of the conversation is missing.)";

/**
 * Returns messages that the provider accepts, and the changes.
 *
 * @internal
 */
export function repairMessages(
  messages: readonly ChatMessage[],
  provider: Provider | null,
): { messages: ChatMessage[]; report: RepairChange[] } {
  const report: RepairChange[] = [];
  const add = (kind: string, index: number, change: string): void => {
    report.push({ index, kind, change });
  };
  const given = messages.map((message, index) => ({ index, message }));
  const whole = removeStrayParts(given, add).map(({ message }) => message);
  const pairs = toolPairs(whole);
  const ids = replacementIds(pairs, provider, add);
  const becomesText = (results: readonly PairedResult[]) => results.some(({ call }) => call === null);
  // Without a provider, a call for which an approval is requested may wait for its result.
  const end = provider === null ? Math.max(lastOther(whole), lastIndex(pairs.results, becomesText)) : whole.length;
  const paired = removeStrayParts(pairCallsWithResults(whole, pairs, ids, end, add), add);
  const filled = provider === null ? withoutEmpty(paired, add) : withContents(withoutEmpty(paired, add), provider, add);
  const alternating = alternates(provider) ? alternateRoles(filled, provider, add) : filled;
  const entries = provider === "anthropic" ? withoutExcessMarks(alternating, add) : alternating;
  report.sort((left, right) => left.index - right.index);
  return { messages: entries.map(({ message }) => message), report };
}

type AddChange = (kind: string, index: number, change: string) => void;

const STRAY_CHANGES: Readonly<Record<string, string>> = {
  unanswered_call: "a call of a tool that the provider runs was left out, for it has no result",
  duplicate_call_id: "a call of a tool that the provider runs was left out, for a later one has its id",
  orphan_approval: "an approval was left out, for what it belongs to is missing",
};

/**
 * Removes the halves of pairs that only the provider or a person can complete. Without them a call may no longer wait for
 * its result, so this is repeated until none is found.
 */
function removeStrayParts(entries: RepairedMessage[], add: AddChange): RepairedMessage[] {
  const strays = strayParts(entries.map(({ message }) => message));
  if (strays.length === 0) return entries;
  const left = entries.map((entry, position) => {
    const own = strays.filter(({ messageIndex }) => messageIndex === position);
    if (own.length === 0) return entry;
    const { index, message } = entry;
    for (const { kind } of own)
      add(
        kind,
        index,
        STRAY_CHANGES[kind] ?? "a result of a tool that the provider ran was left out, for its call is missing",
      );
    const content = partsOf(message).filter((_, place) => own.every(({ partIndex }) => partIndex !== place));
    return { index, message: { ...message, content } as unknown as ChatMessage };
  });
  return removeStrayParts(left, add);
}

/** Makes ids for calls whose own id is used twice, or refused by the provider. */
function replacementIds({ calls }: ToolPairs, provider: Provider | null, add: AddChange): Map<PairedCall, string> {
  const taken = new Set(calls.flat().map(({ id }) => id));
  const used = new Map<string, number>();
  const ids = new Map<PairedCall, string>();
  const numbers = new Map<string, number>();
  for (const call of calls.flat()) {
    const { id, messageIndex } = call;
    const isRepeated = id !== "" && (used.get(id) === messageIndex || (provider === "anthropic" && used.has(id)));
    used.set(id, messageIndex);
    if (!isRepeated && (provider === null || isValidId(id, provider))) continue;
    const fresh = unusedId(id, provider, isRepeated, taken, numbers);
    taken.add(fresh);
    ids.set(call, fresh);
    const kind = isRepeated ? "duplicate_call_id" : "invalid_call_id";
    add(kind, messageIndex, `the call ${JSON.stringify(id)} and its result have the id ${fresh}`);
  }
  return ids;
}

/** @param numbers the last number that was appended to each id: all before it are taken. */
function unusedId(
  id: string,
  provider: Provider | null,
  isRepeated: boolean,
  taken: ReadonlySet<string>,
  numbers: Map<string, number>,
): string {
  const valid = provider === "anthropic" ? encodeId(id) : provider === "openai" ? shortenId(id) : id;
  if (id !== "" && !isRepeated && !taken.has(valid)) return valid;
  for (let number = numbers.get(id) ?? (id === "" ? 0 : 2); ; number++) {
    numbers.set(id, number);
    const numbered = id === "" ? numberedId(number) : `${valid}-${number}`;
    const fresh = provider === "openai" ? shortenId(numbered) : numbered;
    if (!taken.has(fresh)) return fresh;
  }
}

/**
 * Moves results directly after their calls; a result without a call becomes a text, and a call without a result gets
 * one that says so, unless a person was asked about it and it comes after the message at `end`.
 */
function pairCallsWithResults(
  messages: readonly ChatMessage[],
  pairs: ToolPairs,
  ids: ReadonlyMap<PairedCall, string>,
  end: number,
  add: AddChange,
): RepairedMessage[] {
  const moved = new Set<PairedResult>();
  const decisions = approvalDecisions(messages);
  const lastCalls = new Map(pairs.calls.flat().map((call) => [call.id, call]));
  /** Messages to insert, by the index of the message that they follow. */
  const insertions = new Map<number, RepairedMessage[]>();
  for (const [messageIndex, called] of pairs.calls.entries()) {
    const waits = (call: PairedCall) => messageIndex > end && decisions.has(call.id) && lastCalls.get(call.id) === call;
    const calls = called.filter((call) => call.result !== null || !waits(call));
    const isMissing = calls.some(({ result }) => result === null);
    const last = messageIndex + (pairs.resultMessageCounts[messageIndex] ?? 0);
    // A new result must come before the other parts of the last message with results.
    const isMixed = isMissing && last > messageIndex && hasOtherContent(messages[last] as ChatMessage);
    const behind = isMixed ? last - 1 : last;
    const more: RepairedMessage[] = [];
    for (const call of calls) {
      const { result } = call;
      const id = ids.get(call) ?? call.id;
      if (result === null) {
        const decision = decisions.get(call.id);
        const isDenied = decision?.isApproved === false;
        const answer = isDenied ? { content: decision.reason || DENIED, isDenied } : { content: NO_RESULT };
        more.push({ index: messageIndex, message: { role: "tool", toolCallId: id, toolName: call.name, ...answer } });
        const said = isDenied ? "it was refused" : "it has none";
        add("unanswered_call", messageIndex, `the call ${JSON.stringify(id)} got a result that says that ${said}`);
      } else if (!isInSameMessage(result) && (result.messageIndex <= messageIndex || result.messageIndex > behind)) {
        const kind = result.problem ?? "separated_result";
        moved.add(result);
        more.push({
          index: result.messageIndex,
          message: resultMessage(messages[result.messageIndex] as ChatMessage, result, id),
        });
        add(kind, result.messageIndex, `the result of ${JSON.stringify(id)} was moved behind its call`);
      }
    }
    insertions.set(behind, [...(insertions.get(behind) ?? []), ...more]);
  }
  return messages.flatMap((message, index) => {
    const own = rewriteMessage(message, index, pairs, ids, moved, add);
    return [...(own === null ? [] : [{ index, message: own }]), ...(insertions.get(index) ?? [])];
  });
}

/** Makes a message of a result. */
function resultMessage(message: ChatMessage, { partIndex }: PairedResult, id: string): ChatMessage {
  if (partIndex === null) return { ...message, toolCallId: id };
  const { timestamp, pinned } = message;
  return {
    role: "tool",
    content: [{ ...partsOf(message)[partIndex], toolCallId: id }] as unknown as ChatMessage["content"],
    ...(timestamp !== undefined && { timestamp }),
    ...(pinned !== undefined && { pinned }),
  };
}

/**
 * Rewrites the ids of a message, removes results that were moved, and makes texts of those without a call; null when
 * nothing is left.
 */
function rewriteMessage(
  message: ChatMessage,
  index: number,
  pairs: ToolPairs,
  ids: ReadonlyMap<PairedCall, string>,
  moved: ReadonlySet<PairedResult>,
  add: AddChange,
): ChatMessage | null {
  const results = pairs.results[index] ?? [];
  const calls = [...(pairs.calls[index] ?? [])];
  if (results.length + calls.length === 0) return message;
  const becameText = (result: PairedResult): void =>
    add(result.problem ?? "orphan_result", index, `the result of ${JSON.stringify(result.id)} became a text`);
  const [messageResult] = results;
  if (message.toolCallId !== undefined && messageResult?.partIndex === null) {
    if (moved.has(messageResult)) return null;
    if (messageResult.call !== null) return withId(message, ids.get(messageResult.call));
    becameText(messageResult);
    return resultAsUserMessage(message, messageResult);
  }
  const parts: MessagePart[] = [];
  const own = [...calls];
  for (const [partIndex, part] of partsOf(message).entries()) {
    if (part.type === "tool-approval-request") {
      const id = ids.get(own.find((call) => call.id === part.toolCallId && ids.has(call)) as PairedCall);
      parts.push(id === undefined ? part : { ...part, toolCallId: id });
      continue;
    }
    if (isCall(part)) {
      const call = calls.shift() as PairedCall;
      parts.push(ids.has(call) ? { ...part, toolCallId: ids.get(call) } : part);
      continue;
    }
    const result = results.find((one) => one.partIndex === partIndex);
    if (result === undefined) parts.push(part);
    else if (result.call === null) {
      parts.push({ type: "text", text: `${resultLabel(result)}${outputText(part.output)}` });
      becameText(result);
    } else if (!moved.has(result)) {
      parts.push(ids.has(result.call) ? { ...part, toolCallId: ids.get(result.call) } : part);
    }
  }
  const toolCalls = message.toolCalls?.map((call) => {
    const id = ids.get(calls.shift() as PairedCall);
    return id === undefined ? call : { ...call, id };
  });
  if (Array.isArray(message.content) && parts.length === 0 && (toolCalls ?? []).length === 0) return null;
  // A message of the role tool may contain only results.
  const isAnswer = parts.some(({ type }) => type === "tool-result");
  const role = message.role === "tool" && !isAnswer && calls.length === 0 && results.length > 0 ? "user" : message.role;
  const content = Array.isArray(message.content) ? parts : message.content;
  return { ...message, role, content, ...(toolCalls !== undefined && { toolCalls }) } as ChatMessage;
}

function withId(message: ChatMessage, id: string | undefined): ChatMessage {
  return id === undefined ? message : { ...message, toolCallId: id };
}

/** Makes a message of the user of a result without a call. A name in it is that of the tool, not of a speaker. */
function resultAsUserMessage(message: ChatMessage, result: PairedResult): ChatMessage {
  const {
    toolCallId: _,
    toolName: __,
    toolCalls: ___,
    name: ____,
    content,
    ...rest
  } = message as ChatMessage & Record<string, unknown>;
  const label = resultLabel(result);
  if (!Array.isArray(content)) return { ...rest, role: "user", content: `${label}${content ?? ""}` } as ChatMessage;
  const others = partsOf(message).filter(({ type }) => type !== "tool-call" && type !== "tool-result");
  return {
    ...rest,
    role: "user",
    content: [{ type: "text", text: label.trimEnd() }, ...others],
  } as unknown as ChatMessage;
}

function resultLabel({ id, name }: PairedResult): string {
  const call = id === "" ? "" : ` ${id}`;
  return `Result of the call${call}${name === "" ? "" : ` of ${name}`}, which is not in this conversation: `;
}

/** Removes messages without content. */
function withoutEmpty(entries: readonly RepairedMessage[], add: AddChange): RepairedMessage[] {
  return entries.filter(({ index, message }) => {
    const isEmpty = isEmptyMessage(message);
    if (isEmpty) add("empty_message", index, "the message was left out, for it has no content");
    return !isEmpty;
  });
}

/** Corrects the contents of messages for a provider, and removes those of which nothing is left. */
function withContents(entries: readonly RepairedMessage[], provider: Provider, add: AddChange): RepairedMessage[] {
  const messages = entries.map(({ message }) => message);
  const corrected = correctContents(messages, provider, changeAt(entries, add));
  return entries
    .map(({ index }, position) => ({
      index,
      message: withValidResultNames(corrected[position] as ChatMessage, provider),
    }))
    .filter(({ message }) => !isEmptyMessage(message));
}

/** Removes the marks for Anthropic's cache beyond those that it accepts. */
function withoutExcessMarks(entries: readonly RepairedMessage[], add: AddChange): RepairedMessage[] {
  const messages = entries.map(({ message }) => message);
  const corrected = correctCacheMarks(messages, "anthropic", changeAt(entries, add));
  return entries.map(({ index }, position) => ({ index, message: corrected[position] as ChatMessage }));
}

/** Reports the change for a rule that the entry at a position breaks. */
function changeAt(entries: readonly RepairedMessage[], add: AddChange): ReportBroken {
  return ({ kind, change }, position) => add(kind, (entries[position] as RepairedMessage).index, change);
}

/** Makes turns alternate, beginning with the user. */
function alternateRoles(
  entries: readonly RepairedMessage[],
  provider: Provider | null,
  add: AddChange,
): RepairedMessage[] {
  const list = mergeableRuns(entries, ({ message }) => message).map((run): RepairedMessage => {
    const [{ index }, ...others] = run as [RepairedMessage, ...RepairedMessage[]];
    for (const other of others) add("consecutive_roles", other.index, "the message was joined to the one before it");
    return { index, message: mergeRun(run.map(({ message }) => message)) };
  });
  const first = list.findIndex(({ message }) => !isSystem(message));
  const opening = list[first];
  if (opening === undefined || !startsWithAnswer(opening.message, provider)) return list;
  add(
    "starts_with_assistant",
    opening.index,
    "a message of the user that says that the beginning is missing was put before it",
  );
  return [
    ...list.slice(0, first),
    { index: opening.index, message: { role: "user", content: NO_BEGINNING } },
    ...list.slice(first),
  ];
}
