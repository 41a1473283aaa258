import { type ChatMessage, isSystem } from "./chat-message.ts";
import { jsonText } from "./message-json.ts";

/** A part of a message: an object with a type. */
export type MessagePart = Record<string, unknown> & { type: string };

/** A call of a tool. */
export interface PairedCall {
  /** The index of its message. */
  readonly messageIndex: number;
  readonly id: string;
  readonly name: string;
  result: PairedResult | null;
}

/** The result of a call. */
export interface PairedResult {
  /** The index of its message. */
  readonly messageIndex: number;
  /** The index of its part; null for a message that is a result as a whole. */
  readonly partIndex: number | null;
  readonly id: string;
  readonly name: string;
  call: PairedCall | null;
  /** Why it has no call, or comes before it. */
  problem: "orphan_result" | "duplicate_result" | "result_before_call" | null;
}

/** The calls of the host's tools and their results in a list of messages. */
export interface ToolPairs {
  /** By the indexes of messages, in the order of their parts. */
  readonly calls: readonly (readonly PairedCall[])[];
  readonly results: readonly (readonly PairedResult[])[];
  /** By the indexes of messages: the number of messages directly after it with results of its calls. */
  readonly resultMessageCounts: readonly number[];
}

/** A part of a message whose other half is not in the conversation, or is not where providers need it. */
export interface StrayPart {
  messageIndex: number;
  partIndex: number;
  /** A kind of problem of `Conversation.lint`. */
  kind: string;
}

/** Returns the parts of a message's content; none when it is a text. */
export function partsOf({ content }: ChatMessage): readonly MessagePart[] {
  return Array.isArray(content) ? (content as unknown as MessagePart[]) : [];
}

/**
 * Pairs calls with their results as `Conversation.lint` does: a result answers the newest open call with its id, or the
 * oldest open call of its tool when there are no ids; a result without an id and a name answers the oldest open call
 * without an id. A result before its call is paired too.
 */
export function toolPairs(messages: readonly ChatMessage[]): ToolPairs {
  const open = new Map<string, PairedCall[]>();
  const known = new Set<string>();
  const calls: PairedCall[][] = [];
  const results: PairedResult[][] = [];
  const unpaired: PairedResult[] = [];
  const withoutId: PairedCall[] = [];
  const ownIds = ownCallIds(messages);
  const openOf = ({ id, name }: { id: string; name: string }): PairedCall[] => {
    const key = pairKey(id, name);
    const list = open.get(key) ?? [];
    open.set(key, list);
    return list;
  };
  const pair = (result: PairedResult, isOldest: boolean): boolean => {
    const list = openOf(result);
    const call = isOldest ? list.shift() : list.pop();
    if (call === undefined) return false;
    result.call = call;
    call.result = result;
    return true;
  };
  for (const [messageIndex, message] of messages.entries()) {
    const [called, answered]: [PairedCall[], PairedResult[]] = [[], []];
    const addCall = (id: string, name: string): void => {
      const call: PairedCall = { messageIndex, id, name, result: null };
      called.push(call);
      openOf(call).push(call);
      if (id === "") withoutId.push(call);
      known.add(pairKey(id, name));
    };
    const addResult = (partIndex: number | null, id: string, given: string): void => {
      const isUnnamed = id === "" && given === "";
      const name = isUnnamed ? (withoutId.find(({ result }) => result === null)?.name ?? "") : given;
      const result: PairedResult = { messageIndex, partIndex, id, name, call: null, problem: null };
      answered.push(result);
      if (!pair(result, id === "")) {
        result.problem = known.has(pairKey(id, name)) ? "duplicate_result" : "orphan_result";
        unpaired.push(result);
      }
    };
    if (message.toolCallId !== undefined) addResult(null, message.toolCallId, textOf(message.toolName ?? message.name));
    for (const [index, part] of partsOf(message).entries()) {
      if (isCall(part)) addCall(textOf(part.toolCallId), textOf(part.toolName));
      if (isResult(part, message, ownIds)) addResult(index, textOf(part.toolCallId), textOf(part.toolName));
    }
    for (const { id, name } of message.toolCalls ?? []) addCall(id, name);
    calls.push(called);
    results.push(answered);
  }
  for (const result of unpaired) if (pair(result, true)) result.problem = "result_before_call";
  return { calls, results, resultMessageCounts: countResultMessages(messages, calls, results) };
}

/** True for a call of one of the host's tools. */
export function isCall({ type, providerExecuted }: MessagePart): boolean {
  return type === "tool-call" && providerExecuted !== true;
}

/** Returns the ids of the calls of the host's tools. */
function ownCallIds(messages: readonly ChatMessage[]): ReadonlySet<unknown> {
  const ids = (message: ChatMessage): unknown[] => [
    ...partsOf(message)
      .filter(isCall)
      .map(({ toolCallId }) => toolCallId),
    ...(message.toolCalls ?? []).map(({ id }) => id),
  ];
  return new Set(messages.flatMap(ids));
}

/** True for a result of one of the host's tools. A model's message has results of others, which the provider ran. */
function isResult(part: MessagePart, { role }: ChatMessage, ownIds: ReadonlySet<unknown>): boolean {
  return part.type === "tool-result" && (role !== "assistant" || ownIds.has(part.toolCallId));
}

/** True for a part that is a call of a tool, whoever runs it. */
export function isAnyCall({ type }: MessagePart): boolean {
  return type === "tool-call" || type === "server_tool_use" || type === "mcp_tool_use";
}

/** True for a part that is the result of a tool, whoever runs it. */
export function isAnyResult({ type }: MessagePart): boolean {
  return type === "tool-result" || type.endsWith("_tool_result");
}

/** Returns the id of a call of a tool that the provider runs; null for other parts. */
function serverCallId(part: MessagePart): string | null {
  if (part.type === "server_tool_use" || part.type === "mcp_tool_use") return textOf(part.id);
  return part.type === "tool-call" && !isCall(part) ? textOf(part.toolCallId) : null;
}

/** Returns the id of the call of such a tool that a part answers; null for other parts. */
function serverResultId(part: MessagePart, message: ChatMessage, ownIds: ReadonlySet<unknown>): string | null {
  if (part.type.endsWith("_tool_result")) return textOf(part.tool_use_id);
  return part.type === "tool-result" && !isResult(part, message, ownIds) ? textOf(part.toolCallId) : null;
}

/** Returns the id of a question to a person whether a call may run; null for other parts. */
function approvalRequestId(part: MessagePart): string | null {
  if (part.type === "mcp_approval_request") return textOf(part.id);
  return part.type === "tool-approval-request" ? textOf(part.approvalId) : null;
}

/** Returns the id of the question that a part answers; null for other parts. */
function approvalResponseId(part: MessagePart): string | null {
  if (part.type === "mcp_approval_response") return textOf(part.approval_request_id);
  return part.type === "tool-approval-response" ? textOf(part.approvalId) : null;
}

/** True for a part that asks a person to approve a call, or answers that. */
export function isApproval(part: MessagePart): boolean {
  return approvalRequestId(part) !== null || approvalResponseId(part) !== null;
}

/** True for a message with calls or results of the host's tools, or approvals. */
function hasTools(message: ChatMessage, ownIds: ReadonlySet<unknown>): boolean {
  if (message.toolCallId !== undefined || (message.toolCalls ?? []).length > 0) return true;
  return partsOf(message).some((part) => isCall(part) || isResult(part, message, ownIds) || isApproval(part));
}

/**
 * Returns the index of the last message that is neither of the system nor has calls or results of the host's tools or
 * approvals, or -1. The results of calls after it are still expected.
 */
export function lastOther(messages: readonly ChatMessage[]): number {
  const ownIds = ownCallIds(messages);
  let last = messages.length - 1;
  const isOfPairs = (message: ChatMessage) => isSystem(message) || hasTools(message, ownIds);
  while (last >= 0 && isOfPairs(messages[last] as ChatMessage)) last--;
  return last;
}

/**
 * Finds the halves of pairs other than calls and results of the host's tools whose other half is missing or comes in the
 * wrong order: results and calls of tools that the provider runs, and approvals.
 */
export function strayParts(messages: readonly ChatMessage[]): StrayPart[] {
  const strays: StrayPart[] = [];
  const open = new Map<string, StrayPart>();
  const serverCalls = new Set<string>();
  const answered = new Set<string>();
  const ownIds = ownCallIds(messages);
  const calls = new Set(ownIds);
  const requests = new Set<string>();
  const all = messages.flatMap((message, messageIndex) =>
    partsOf(message).map((part, partIndex) => ({ message, messageIndex, part, partIndex })),
  );
  for (const { part } of all) {
    const server = serverCallId(part);
    if (server !== null) serverCalls.add(server);
    if (part.type === "tool-call") calls.add(part.toolCallId);
  }
  const isAsked = (part: MessagePart) => part.toolCallId === undefined || calls.has(part.toolCallId);
  for (const { part } of all) {
    const request = approvalRequestId(part);
    if (request !== null && isAsked(part)) requests.add(request);
  }
  for (const { message, messageIndex, part, partIndex } of all) {
    const stray = (kind: string): StrayPart => ({ messageIndex, partIndex, kind });
    const call = serverCallId(part);
    const result = serverResultId(part, message, ownIds);
    const response = approvalResponseId(part);
    if (call !== null) {
      const earlier = open.get(call);
      if (earlier !== undefined) strays.push({ ...earlier, kind: "duplicate_call_id" });
      open.set(call, stray("unanswered_call"));
    } else if (result !== null) {
      if (open.delete(result)) answered.add(result);
      else if (answered.has(result)) strays.push(stray("duplicate_result"));
      else strays.push(stray(serverCalls.has(result) ? "result_before_call" : "orphan_result"));
    } else if (approvalRequestId(part) !== null ? !isAsked(part) : response !== null && !requests.has(response)) {
      strays.push(stray("orphan_approval"));
    }
  }
  const wentOn = lastOther(messages);
  const unanswered = [...open.values()].filter(({ messageIndex }) => messageIndex < wentOn);
  return [...strays, ...unanswered];
}

/** The decision of a person on a call; null as long as there is none. */
export interface ApprovalDecision {
  isApproved: boolean | null;
  reason: string;
}

/** Returns the decisions on the calls for which an approval is requested, by the ids of the calls. */
export function approvalDecisions(messages: readonly ChatMessage[]): Map<string, ApprovalDecision> {
  const parts = messages.flatMap(partsOf);
  const calls = new Map(parts.map((part) => [approvalRequestId(part), textOf(part.toolCallId)]));
  calls.delete(null);
  const decisions = new Map<string, ApprovalDecision>();
  for (const id of calls.values()) decisions.set(id, { isApproved: null, reason: "" });
  for (const part of parts) {
    const id = calls.get(approvalResponseId(part));
    if (id !== undefined) decisions.set(id, { isApproved: part.approved === true, reason: textOf(part.reason) });
  }
  return decisions;
}

function pairKey(id: string, name: string): string {
  return id === "" ? `tool ${name}` : `id ${id}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True for a result that follows its call in the same message, like results of tools that a provider runs. */
export function isInSameMessage(result: PairedResult): boolean {
  return result.call?.messageIndex === result.messageIndex && result.problem === null;
}

/**
 * Counts for each message the messages directly after it that contain only results of its calls or approvals; the last
 * of them may contain more.
 */
function countResultMessages(
  messages: readonly ChatMessage[],
  calls: readonly PairedCall[][],
  results: readonly PairedResult[][],
): number[] {
  return messages.map((_, messageIndex) => {
    let left = (calls[messageIndex] as PairedCall[]).filter(
      ({ result }) => result === null || !isInSameMessage(result),
    ).length;
    let count = 0;
    while (left > 0) {
      const next = messageIndex + count + 1;
      if (hasOnlyApprovals(messages[next])) {
        count++;
        continue;
      }
      const own = (results[next] ?? []).filter((result) => !isInSameMessage(result));
      if (
        own.length === 0 ||
        own.some((result) => result.call?.messageIndex !== messageIndex || result.problem !== null)
      )
        break;
      const isMixed = hasOtherContent(messages[next] as ChatMessage);
      // Results after other content are separated from their call.
      if (isMixed && own.length < left) break;
      left -= own.length;
      count++;
      if (isMixed) break;
    }
    return count;
  });
}

function hasOnlyApprovals(message: ChatMessage | undefined): boolean {
  if (message === undefined || message.toolCallId !== undefined) return false;
  const parts = partsOf(message);
  return parts.length > 0 && parts.every(isApproval);
}

/** True for a message with content or calls besides its results and approvals. */
export function hasOtherContent(message: ChatMessage): boolean {
  if ((message.toolCalls ?? []).length > 0) return true;
  return (
    message.toolCallId === undefined &&
    partsOf(message).some((part) => part.type !== "tool-result" && !isApproval(part))
  );
}

/** Returns the output of a tool as text, with images and files as their types. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  const { type, reason, value = output } = Object(output) as { type?: unknown; reason?: unknown; value?: unknown };
  if (type === "execution-denied") return textOf(reason);
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return jsonText(value) ?? "";
  return value
    .map((item: unknown) => {
      const { type, text } = Object(item) as { type?: unknown; text?: unknown };
      if (typeof text === "string") return text;
      return typeof type === "string" ? `[${type}]` : (jsonText(item) ?? "");
    })
    .join("\n");
}
