import { type ChatMessage, isSystem } from "./chat-message.ts";
import { appendAll, type Conversation, ofMessages } from "./conversation.ts";
import type { IndexRange } from "./history-context.ts";
import { markChecked } from "./message-copy.ts";
import { encodeMessage } from "./message-json.ts";
import type { OpenRound } from "./open-round.ts";

/**
 * The state of an agent between two calls, or in the midst of one.
 *
 * @internal
 */
export interface AgentState {
  readonly conversation: Conversation;
  readonly transcript: readonly ChatMessage[];
  /** The calls that wait, beside the conversation. */
  readonly round: OpenRound | null;
  /** The names of the tools that searches have found, in their order. */
  readonly foundTools: readonly string[];
}

/**
 * The start of a call: of a new exchange, or of an unfinished one. None of its messages is marked.
 *
 * @internal
 */
export interface ExchangeStart {
  /** The conversation before the question. */
  readonly before: Conversation;
  /** The question and the messages after it in the conversation, without a partial answer. */
  readonly exchanged: readonly ChatMessage[];
  /** Number of messages at the beginning of `exchanged` that are the question. */
  readonly questionCount: number;
  /** False when the question was in the conversation before the call. */
  readonly isNewQuestion: boolean;
  /** The transcript before the exchange. */
  readonly earlierTranscript: readonly ChatMessage[];
  /** The messages of the exchange, including those that are no longer in the conversation. */
  readonly messages: readonly ChatMessage[];
  /** The partial answer that the next answer replaces. */
  readonly partial: ChatMessage | null;
  /** The calls of the exchange that are not decided. */
  readonly round: OpenRound | null;
  /** The tools that searches have found before it. */
  readonly foundTools: readonly string[];
}

/** Messages with their marked copies, and the reverse: a message is the same object again when its mark is removed. */
const markedCopies = new WeakMap<ChatMessage, ChatMessage>();
const unmarkedCopies = new WeakMap<ChatMessage, ChatMessage>();

/**
 * Marks messages as the question of an unfinished exchange.
 *
 * @internal
 */
export function withMarks(messages: readonly ChatMessage[], questions: ReadonlySet<ChatMessage>): ChatMessage[] {
  return messages.map((message) => {
    if (!questions.has(message)) return message;
    const copy = markedCopies.get(message) ?? markChecked({ ...message, unfinished: true });
    markedCopies.set(message, copy);
    unmarkedCopies.set(copy, message);
    return copy;
  });
}

function withoutMarks(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ unfinished }) => unfinished === true)) return messages;
  return messages.map((message) => {
    if (message.unfinished !== true) return message;
    const { unfinished: _, ...rest } = message;
    const copy = unmarkedCopies.get(message) ?? markChecked(rest);
    unmarkedCopies.set(message, copy);
    return copy;
  });
}

/**
 * Returns the indexes of the question of an unfinished exchange, or null.
 *
 * @internal
 */
export function unfinishedQuestion(messages: readonly ChatMessage[]): IndexRange | null {
  let end = messages.length;
  while (end > 0 && messages[end - 1]?.unfinished !== true) end--;
  if (end === 0) return null;
  let start = end - 1;
  while (messages[start - 1]?.unfinished === true) start--;
  return { start, end };
}

/**
 * True when a call with an input resumes an unfinished exchange.
 *
 * @internal
 */
export function isResumedBy({ messages }: Conversation, input: readonly ChatMessage[]): boolean {
  const unfinished = unfinishedQuestion(messages);
  if (unfinished === null) return false;
  return input.length === 0 || hasSameContents(messages.slice(unfinished.start, unfinished.end), input);
}

/**
 * Returns the start of a call with an input. An empty input, or the same question, resumes an unfinished exchange. After
 * another question, calls that wait have a result that says so.
 *
 * @param at the time of the call.
 *
 * @internal
 */
export function exchangeStart(state: AgentState, input: readonly ChatMessage[], at: number): ExchangeStart {
  return { ...messagesAtStart(state, input, at), foundTools: state.foundTools };
}

type StartMessages = Omit<ExchangeStart, "foundTools">;

function messagesAtStart(
  { conversation, transcript, round }: AgentState,
  input: readonly ChatMessage[],
  at: number,
): StartMessages {
  const { messages } = conversation;
  const unfinished = unfinishedQuestion(messages);
  if (unfinished !== null && isResumedBy(conversation, input))
    return { ...startFromUnfinished(messages, transcript, unfinished), round };
  round?.giveUp(at);
  const undecided = round?.closed() ?? [];
  const earlierTranscript = [...withoutMarks(transcript), ...undecided];
  const unmarked = withoutMarks(messages);
  if (input.length === 0) return startFromConversation(unmarked, earlierTranscript);
  const before = appendAll(unmarked === messages ? conversation : ofMessages(unmarked), undecided);
  return {
    before,
    exchanged: input,
    questionCount: input.length,
    isNewQuestion: true,
    earlierTranscript,
    messages: input,
    partial: null,
    round: null,
  };
}

/** Returns the start of a call with an empty input, which answers the end of the conversation. */
function startFromConversation(
  messages: readonly ChatMessage[],
  earlierTranscript: readonly ChatMessage[],
): StartMessages {
  let start = messages.length - 1;
  while (start >= 0 && !isQuestion(messages[start] as ChatMessage)) start--;
  if (start < 0) start = messages.findIndex((message) => !isSystem(message));
  if (start < 0) start = messages.length - 1;
  return {
    before: ofMessages(messages.slice(0, start)),
    exchanged: messages.slice(start),
    questionCount: 1,
    isNewQuestion: false,
    earlierTranscript,
    messages: [],
    partial: null,
    round: null,
  };
}

function startFromUnfinished(
  messages: readonly ChatMessage[],
  transcript: readonly ChatMessage[],
  { start, end }: IndexRange,
): Omit<StartMessages, "round"> {
  const question = unfinishedQuestion(transcript);
  const partial = partialAnswer(messages.slice(end));
  const unmarked = withoutMarks(partial === null ? messages : messages.slice(0, -1));
  const exchanged = unmarked.slice(start);
  const all = question === null ? exchanged : withoutMarks(transcript.slice(question.start));
  return {
    before: ofMessages(unmarked.slice(0, start)),
    exchanged,
    questionCount: end - start,
    isNewQuestion: true,
    earlierTranscript: withoutMarks(question === null ? transcript : transcript.slice(0, question.start)),
    messages: partialAnswer(all) === null ? all : all.slice(0, -1),
    partial,
  };
}

/** Returns the partial answer at the end of messages, or null. */
function partialAnswer(messages: readonly ChatMessage[]): ChatMessage | null {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.partial === true ? last : null;
}

function isQuestion(message: ChatMessage): boolean {
  const { role, toolCallId, content } = message;
  if (isSystem(message) || role === "assistant" || toolCallId !== undefined) return false;
  return !Array.isArray(content) || !content.some(({ type }: { type: string }) => type === "tool-result");
}

/** True for messages with equal contents, whatever their timestamps. */
function hasSameContents(left: readonly ChatMessage[], right: readonly ChatMessage[]): boolean {
  const contentsOf = (messages: readonly ChatMessage[]) =>
    JSON.stringify(
      messages.map(({ role, content, name, toolCalls, toolCallId }) =>
        encodeMessage({ role, content, name, toolCalls, toolCallId }),
      ),
    );
  return left.length === right.length && contentsOf(left) === contentsOf(right);
}
