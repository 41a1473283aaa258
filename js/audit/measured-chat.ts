import { partsOf as partsOfStep, type Step } from "../agent/step.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { countMessages } from "../chat/count-messages.ts";
import { partsOf, toolPairs } from "../chat/tool-pairs.ts";
import { replayStep } from "../costs/replay-requests.ts";
import type { Message } from "../model/message.ts";
import type { Usage } from "../model/usage.ts";
import { argumentsOf } from "../recall/shown-text.ts";
import type { RecordedChat, RecordedRequest } from "../recordings/reading/recorded-chat.ts";
import type { RequestParts } from "./audit-result.ts";
import { hiddenThinking } from "./hidden-thinking.ts";

/** What messages are. `unknown` is in no message. */
type MessagePart = Exclude<keyof RequestParts, "unknown">;
type MessageSums = Record<MessagePart, number>;

export const MESSAGE_PARTS: readonly MessagePart[] = ["system", "questions", "answers", "calls", "results"];

/** A request of a chat, and the estimated tokens of the messages that it sent. */
export interface MeasuredRequest extends RecordedRequest {
  estimated: number;
  /** The same by what the messages are. */
  parts: MessageSums;
  /** The number of calls in these messages. */
  calls: number;
  /** The estimated tokens of the reply. */
  reply: number;
}

/** What an audit keeps of a chat: no message. */
export interface MeasuredChat extends Pick<RecordedChat, "kind" | "title"> {
  index: number;
  /** The number of its messages. */
  messages: number;
  requests: MeasuredRequest[];
  /** The calls of the chat with their tokens. */
  calls: MeasuredCall[];
}

/** A call with its result. */
export interface MeasuredCall {
  name: string;
  /** The file that it names. */
  file: string | null;
  call: MeasuredPart;
  result: MeasuredPart | null;
}

/** A call or a result. */
interface MeasuredPart {
  /** The index of its message. */
  message: number;
  /** Its estimated tokens. */
  tokens: number;
  /** The number of requests that sent it. */
  sent: number;
}

/** Arguments that name a file: those of `arrival.rs`. */
const FILE_ARGUMENTS = [
  "path",
  "file",
  "file_path",
  "filePath",
  "filename",
  "file_name",
  "absolute_path",
  "target_file",
  "notebook_path",
  "uri",
];

export function measureChat(
  { kind, title, conversation, requests: recorded }: RecordedChat,
  index: number,
): MeasuredChat {
  const { messages } = conversation;
  const before = sumsOfMessages(messages);
  const sent = timesSent(recorded, messages.length);
  const calls = callsOf(messages, before, sent);
  const requests = recorded.map((request): MeasuredRequest => {
    const { messages: count } = request;
    const parts = before[count] as MessageSums;
    const estimated = totalOf(parts);
    // Several replies may be one message.
    const replies = (sent[count - 1] ?? recorded.length) - (sent[count] ?? 0);
    const reply = (totalOf(before[count + 1] ?? parts) - estimated) / replies;
    return { ...request, estimated, parts, calls: countBefore(calls, count), reply };
  });
  return { ...aboutChat(index, kind, title), messages: messages.length, requests, calls };
}

const aboutChat = (index: number, kind: RecordedChat["kind"], title: string | undefined) => ({
  index,
  kind,
  ...(title === undefined ? {} : { title }),
});

/** The number of requests that sent each of the messages of a chat. */
export function timesSent(requests: readonly RecordedRequest[], messages: number): number[] {
  const times = new Array<number>(messages + 1).fill(0);
  for (const { messages: sent } of requests) (times[sent] as number)++;
  for (let index = messages; index > 0; index--) (times[index - 1] as number) += times[index] as number;
  return times.slice(1);
}

/** The number of calls in the first `count` messages. The calls are in the order of their messages. */
function countBefore(calls: readonly MeasuredCall[], count: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle] as MeasuredCall).call.message < count) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The estimated tokens of the messages before each index, and of all. */
function sumsOfMessages(messages: readonly ChatMessage[]): MessageSums[] {
  const before = [newSums()];
  const sizes = messages.length === 0 ? [] : countMessages(messages).messages;
  for (const [at, size] of sizes.entries()) {
    const sums = { ...(before[at] as MessageSums) };
    const message = messages[at] as ChatMessage;
    const shares = partShares(message);
    for (const part of MESSAGE_PARTS) sums[part] += size * shares[part];
    sums.answers += hiddenThinking(message);
    before.push(sums);
  }
  return before;
}

export const totalOf = (sums: MessageSums): number => MESSAGE_PARTS.reduce((total, part) => total + sums[part], 0);

const newSums = (): MessageSums => ({ system: 0, questions: 0, answers: 0, calls: 0, results: 0 });

/** The share of each part in a message, by its characters. */
function partShares(message: ChatMessage): MessageSums {
  const sums = newSums();
  const { role, content, toolCallId, toolCalls = [] } = message;
  const ofTexts = isSystem(message) ? "system" : role === "assistant" ? "answers" : "questions";
  if (typeof content === "string") sums[toolCallId === undefined ? ofTexts : "results"] += content.length;
  for (const part of partsOf(message)) {
    const kind = part.type === "tool-call" ? "calls" : part.type === "tool-result" ? "results" : ofTexts;
    sums[toolCallId === undefined ? kind : "results"] += lengthOf(part);
  }
  for (const call of toolCalls) sums.calls += lengthOf(call);
  const total = totalOf(sums);
  if (total === 0) return { ...sums, [toolCallId === undefined ? ofTexts : "results"]: 1 };
  for (const part of MESSAGE_PARTS) sums[part] /= total;
  return sums;
}

/** The characters of the texts in data. */
function lengthOf(data: unknown): number {
  if (typeof data === "string") return data.length;
  if (typeof data !== "object" || data === null) return 4;
  return Object.values(data).reduce<number>((sum, item) => sum + lengthOf(item), 0);
}

function callsOf(
  messages: readonly ChatMessage[],
  before: readonly MessageSums[],
  sent: readonly number[],
): MeasuredCall[] {
  const pairs = toolPairs(messages);
  /** A part of a message, whose tokens are divided among what is in it. */
  const measured = (message: number, part: "calls" | "results"): MeasuredPart => {
    const tokens = (before[message + 1] as MessageSums)[part] - (before[message] as MessageSums)[part];
    const count = Math.max(1, (pairs[part][message] as unknown[]).length);
    return { message, tokens: tokens / count, sent: sent[message] as number };
  };
  return pairs.calls.flatMap((ofMessage, message) => {
    const args = ofMessage.length === 0 ? [] : argumentsOf(messages[message] as ChatMessage);
    return ofMessage.map(
      ({ name, result }, number): MeasuredCall => ({
        name,
        file: fileIn(args[number]),
        call: measured(message, "calls"),
        result: result === null ? null : measured(result.messageIndex, "results"),
      }),
    );
  });
}

function fileIn(args: unknown): string | null {
  if (typeof args !== "object" || args === null) return null;
  for (const name of FILE_ARGUMENTS) {
    const value = (args as Record<string, unknown>)[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** The turns of a step as requests without compression, which have their numbers in place of numbers of messages. */
export function measureStep(step: Step, { kind, title, conversation }: RecordedChat): MeasuredChat {
  const { log } = partsOfStep(step);
  const sums = new WeakMap<Message, MessageSums>();
  const sumsOf = (message: Message): MessageSums => {
    const known = sums.get(message) ?? sumsOfMessages([message as ChatMessage])[1] ?? newSums();
    sums.set(message, known);
    return known;
  };
  const requests = Array.from(replayStep(step, {})(false), ({ messages, at }, index): MeasuredRequest => {
    const parts = newSums();
    for (const message of messages) for (const part of MESSAGE_PARTS) parts[part] += sumsOf(message)[part];
    const usage = usageOf(log[index]?.usage);
    return {
      messages: index + 1,
      ...(at === undefined ? {} : { at }),
      ...(usage === undefined ? {} : { usage }),
      estimated: totalOf(parts),
      parts,
      calls: 0,
      reply: 0,
    };
  });
  return { ...aboutChat(0, kind, title), messages: conversation.messages.length, requests, calls: [] };
}

function usageOf({ inputTokens, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage = {}) {
  if (inputTokens === undefined) return undefined;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return { fresh, read: cacheReadTokens, written: cacheWriteTokens, output: outputTokens };
}
