import { wellFormed } from "../boundary/plain-json.ts";
import { isPlainObject } from "../values/describe.ts";
import { mapPrimitives } from "../values/map-primitives.ts";
import { objectArguments, parseArguments } from "./call-arguments.ts";
import type { ChatMessage } from "./chat-message.ts";
import type { Provider } from "./parameters.ts";
import { withSafeIntegers } from "./safe-integers.ts";
import { isApproval, type MessagePart, outputText, partsOf } from "./tool-pairs.ts";

/** A rule of providers for the content of single messages. */
interface ContentRule {
  kind: string;
  providers: readonly Provider[];
  /** What is wrong with a message that breaks it. */
  problem: string;
  /** What its correction changes. */
  change: string;
  /** Returns the message with the correction; the same message when it keeps the rule. */
  correct(message: ChatMessage, provider: Provider): ChatMessage;
}

/** What a report says of a broken rule. */
export type BrokenRule = Pick<ContentRule, "kind" | "problem" | "change">;

const ALL: readonly Provider[] = ["openai", "anthropic", "gemini"];

/** In the order of their corrections: what the first ones leave may break the last ones. */
const RULES: readonly ContentRule[] = [
  {
    kind: "unsafe_number",
    providers: ALL,
    problem: "has an integer beyond 2^53 in a call or a result",
    change: "integers beyond 2^53 became texts of their digits",
    correct: withSafeNumbers,
  },
  {
    kind: "lone_surrogate",
    providers: ALL,
    problem: "has half of a character, which JSON can't express",
    change: "halves of characters were replaced by U+FFFD",
    correct: withWholeCharacters,
  },
  {
    kind: "invalid_arguments",
    providers: ALL,
    problem: "has a call whose arguments are no JSON object",
    change: "arguments that were no object became the member `input` of one",
    correct: withObjectArguments,
  },
  {
    kind: "invalid_tool_name",
    providers: ALL,
    problem: "has a call of a tool with a name that the provider refuses",
    change: "the name of a called tool was changed to one that the provider accepts",
    correct: (message, provider) => mapCallNames(message, (name) => toolNameFor(provider, name)),
  },
  {
    kind: "blank_text_block",
    providers: ["anthropic"],
    problem: "has a blank text",
    change: "blank texts were left out",
    correct: withoutBlankTexts,
  },
  {
    kind: "empty_error",
    providers: ["anthropic"],
    problem: "has the result of a failed or refused call, without a text",
    change: "the result without a text got one that says that the call failed",
    correct: withErrorTexts,
  },
];

const ENDS_IN_THINKING: BrokenRule = {
  kind: "ends_in_thinking",
  problem: "ends an answer with thinking",
  change: "thinking at the end of the answer was left out",
};

const TRAILING_WHITESPACE: BrokenRule = {
  kind: "trailing_whitespace",
  problem: "is an answer to be continued that ends in white space",
  change: "white space at the end of the last answer was left out",
};

const TOO_MANY_CACHE_MARKS: BrokenRule = {
  kind: "too_many_cache_marks",
  problem: "has a mark for the cache before the last four of the conversation",
  change: "marks for the cache before the last four of the conversation were left out",
};

/** Is called for each message that breaks a rule. */
export type ReportBroken = (broken: BrokenRule, index: number) => void;

/**
 * Corrects the contents of messages for a provider. Messages without content are neither checked nor changed; of those
 * that had nothing but thinking at the end of an answer, nothing is left.
 */
export function correctContents(
  messages: readonly ChatMessage[],
  provider: Provider,
  report: ReportBroken,
): ChatMessage[] {
  const rules = RULES.filter(({ providers }) => providers.includes(provider));
  const list = messages.map((message, index) => {
    if (isEmptyMessage(message)) return message;
    return rules.reduce((before, rule) => {
      const corrected = rule.correct(before, provider);
      if (corrected !== before) report(rule, index);
      return corrected;
    }, message);
  });
  if (provider !== "anthropic") return list;
  let isFollowed = false;
  for (const [index, message] of [...list.entries()].reverse()) {
    if (!isSentMessage(message)) continue;
    const corrected: ChatMessage = isFollowed || message.role !== "assistant" ? message : withoutLastThinking(message);
    if (corrected !== message) report(ENDS_IN_THINKING, index);
    list[index] = corrected;
    isFollowed = message.role === "assistant" && (isFollowed || isSentMessage(corrected));
  }
  const last = lastIndex(list, isSentMessage);
  const answer = list[last];
  if (answer?.role === "assistant") {
    const trimmed = withoutLastWhitespace(answer);
    if (trimmed !== answer) report(TRAILING_WHITESPACE, last);
    list[last] = trimmed;
  }
  return list;
}

/** True for a message without content, calls and results. */
export function isEmptyMessage(message: ChatMessage): boolean {
  const { content, toolCallId, toolCalls = [] } = message;
  if (toolCallId !== undefined || toolCalls.length > 0) return false;
  if (Array.isArray(content)) return partsOf(message).every(isBlank);
  return typeof content !== "string" || content.trim() === "";
}

/** True for an empty or blank text part. */
function isBlank(part: unknown): boolean {
  return isPlainObject(part) && part.type === "text" && typeof part.text === "string" && part.text.trim() === "";
}

/** Returns the index of the last item for which a condition holds, or -1. */
export function lastIndex<T>(list: readonly T[], isIt: (item: T) => boolean): number {
  return list.reduce((last, item, index) => (isIt(item) ? index : last), -1);
}

// ── Changing messages ────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns an object with a member; the same object when it has that value. */
function withMember<T extends object>(holder: T, name: string, value: unknown): T {
  return (holder as Record<string, unknown>)[name] === value ? holder : { ...holder, [name]: value };
}

/** Maps a list; returns the same list when no item changes. */
function mapItems<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  const items = list.map(change);
  return items.some((item, index) => item !== list[index]) ? items : list;
}

/** Removes items of a list; returns the same list when all are kept. */
function filterItems<T>(list: readonly T[], keeps: (item: T) => boolean): readonly T[] {
  return list.every(keeps) ? list : list.filter(keeps);
}

function mapParts(message: ChatMessage, change: (part: MessagePart) => MessagePart): ChatMessage {
  return Array.isArray(message.content) ? withMember(message, "content", mapItems(partsOf(message), change)) : message;
}

function mapToolCalls(message: ChatMessage, change: <T extends object>(call: T) => T): ChatMessage {
  return message.toolCalls === undefined
    ? message
    : withMember(message, "toolCalls", mapItems(message.toolCalls, change));
}

// ── Calls and results ────────────────────────────────────────────────────────────────────────────────────────────────

function withSafeNumbers(message: ChatMessage): ChatMessage {
  const safe = <T extends object>(holder: T, name: string): T =>
    withMember(holder, name, withSafeIntegers((holder as Record<string, unknown>)[name]));
  const parts = mapParts(message, (part) => {
    if (part.type === "tool-result") return safe(part, "output");
    return hasInput(part) ? safe(part, "input") : part;
  });
  return mapToolCalls(parts, (call) => safe(call, "args"));
}

/** True for a call, whoever runs the tool. */
function hasInput({ type }: MessagePart): boolean {
  return type === "tool-call" || type === "server_tool_use" || type === "mcp_tool_use";
}

function withWholeCharacters(message: ChatMessage): ChatMessage {
  const whole = mapPrimitives(message, (value) => (typeof value === "string" ? wellFormed(value) : value));
  return whole === message ? message : { ...message, ...(whole as ChatMessage) };
}

function withObjectArguments(message: ChatMessage, provider: Provider): ChatMessage {
  const correct = (holder: object, args: unknown): unknown =>
    isPlainObject(args) || (provider === "openai" && isAcceptedText(holder, args)) ? args : objectArguments(args);
  const parts = mapParts(message, (part) =>
    hasInput(part) ? withMember(part, "input", correct(part, part.input)) : part,
  );
  return mapToolCalls(parts, (call) => withMember(call, "args", correct(call, (call as { args?: unknown }).args)));
}

/** True for a text that OpenAI takes as arguments: JSON of an object, and any text for a custom tool. */
function isAcceptedText(call: object, args: unknown): boolean {
  if (typeof args !== "string") return false;
  const { format, type, members } = Object((call as { original?: unknown }).original) as Record<string, unknown>;
  const own = type ?? (isPlainObject(members) ? members.type : undefined);
  const isCustom = String(format).startsWith("openai") && String(own).startsWith("custom");
  return isCustom || (args.trim() !== "" && isPlainObject(parseArguments(args)));
}

/** Maximum length of the name of a called tool. */
const MAX_TOOL_NAME_LENGTH: Readonly<Record<Provider, number>> = { openai: 64, anthropic: 200, gemini: 128 };

/** Returns a name of a tool that a provider accepts. Gemini's have dots and colons too, and begin with a letter or `_`. */
export function toolNameFor(provider: Provider, name: string): string {
  const maxLength = MAX_TOOL_NAME_LENGTH[provider];
  if (provider !== "gemini") return validToolName(name, maxLength);
  const valid = name.replace(/[^a-zA-Z0-9_.:-]/g, "_");
  return (/^[a-zA-Z_]/.test(valid) ? valid : `_${valid}`).slice(0, maxLength);
}

/** The characters that some providers do not accept in the name of a tool. */
const INVALID_NAME_CHARACTERS = /[^a-zA-Z0-9_-]/g;

/**
 * Returns a name of a tool that providers accept, of at most `maxLength` characters: models call tools by names that
 * nobody offered, and a request with such a call in its history is refused.
 */
export function validToolName(name: string, maxLength: number): string {
  return name.replace(INVALID_NAME_CHARACTERS, "_").slice(0, maxLength) || "unknown";
}

function mapCallNames(message: ChatMessage, change: (name: string) => string): ChatMessage {
  const rename = <T extends object>(call: T, member: string): T => {
    const name = (call as Record<string, unknown>)[member];
    return typeof name === "string" ? withMember(call, member, change(name)) : call;
  };
  const parts = mapParts(message, (part) => (part.type === "tool-call" ? rename(part, "toolName") : part));
  return mapToolCalls(parts, (call) => rename(call, "name"));
}

/** Gives results the name that their call gets by the rule for names. */
export function withValidResultNames(message: ChatMessage, provider: Provider): ChatMessage {
  const rename = <T extends object>(holder: T): T => {
    const { toolName: name } = holder as { toolName?: unknown };
    const isNamed = typeof name === "string" && name !== "";
    return isNamed ? withMember(holder, "toolName", toolNameFor(provider, name)) : holder;
  };
  return mapParts(rename(message), (part) => (part.type === "tool-result" ? rename(part) : part));
}

// ── Texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const isKept = (part: unknown): boolean => !isBlank(part);

/** Changes the parts of a result. */
function mapOutputParts(part: MessagePart, change: (parts: readonly unknown[]) => readonly unknown[]): MessagePart {
  const { output } = part;
  if (part.type !== "tool-result" || !isPlainObject(output) || !Array.isArray(output.value)) return part;
  return withMember(part, "output", withMember(output, "value", change(output.value)));
}

function withoutBlankTexts(message: ChatMessage): ChatMessage {
  const { content, toolCallId, toolCalls = [] } = message;
  if (typeof content === "string") {
    const isBlankText = toolCallId === undefined && toolCalls.length > 0 && content !== "" && content.trim() === "";
    return isBlankText ? withMember(message, "content", null) : message;
  }
  if (!Array.isArray(content)) return message;
  const kept = mapItems(filterItems(partsOf(message), isKept), (part) =>
    mapOutputParts(part, (parts) => filterItems(parts, isKept)),
  );
  const isEmptied = kept.length === 0 && content.length > 0 && toolCallId === undefined;
  return withMember(message, "content", isEmptied ? null : kept);
}

/**
 * What the model reads of a call that failed without a message.
 *
 * @internal
 */
export const FAILED = "The tool failed without a message.";
/**
 * What the model reads of a call that was refused without a reason.
 *
 * @internal
 */
export const DENIED = "The call was refused.";

function withErrorTexts(message: ChatMessage): ChatMessage {
  const { toolCallId, content, isError, isDenied } = message;
  if (toolCallId === undefined) return mapParts(message, withErrorText);
  const isFailure = isError === true || isDenied === true;
  if (!isFailure || outputText(content ?? "").trim() !== "") return message;
  return withMember(message, "content", isDenied === true ? DENIED : FAILED);
}

function withErrorText(part: MessagePart): MessagePart {
  const { output } = part;
  if (part.type !== "tool-result" || !isPlainObject(output) || outputText(output).trim() !== "") return part;
  const { type, value, reason, isError } = output;
  if (type === "execution-denied")
    return typeof reason === "string" ? withMember(part, "output", { ...output, reason: DENIED }) : part;
  if (type !== "error-text" && isError !== true) return part;
  const text = Array.isArray(value) ? [{ type: "text", text: FAILED }] : FAILED;
  return withMember(part, "output", { ...output, value: text });
}

// ── The end of an answer ─────────────────────────────────────────────────────────────────────────────────────────────

function anthropicOptions(holder: object): Record<string, unknown> {
  const { providerOptions } = holder as { providerOptions?: unknown };
  const options = isPlainObject(providerOptions) ? providerOptions.anthropic : undefined;
  return isPlainObject(options) ? options : {};
}

/** True for thinking that is sent to Anthropic: thinking of other models has no signature. */
function isThinking(part: MessagePart): boolean {
  if (part.type === "thinking" || part.type === "redacted_thinking") return true;
  const options = anthropicOptions(part);
  const sent = [part.signature, part.redactedData, options.signature, options.redactedData];
  return part.type === "reasoning" && sent.some((data) => typeof data === "string");
}

function isSent(part: MessagePart): boolean {
  return part.type === "reasoning" ? isThinking(part) : !isApproval(part);
}

/** True for an answer with calls or words besides its content. */
function isMoreSaid({ toolCalls = [], refusal, audio }: ChatMessage & { refusal?: unknown; audio?: unknown }): boolean {
  return toolCalls.length > 0 || (typeof refusal === "string" && refusal !== "") || isPlainObject(audio);
}

/** True for a message of which something is sent to Anthropic. */
function isSentMessage(message: ChatMessage): boolean {
  const isOther = message.toolCallId !== undefined || !Array.isArray(message.content) || isMoreSaid(message);
  return !isEmptyMessage(message) && (isOther || partsOf(message).some(isSent));
}

function withoutLastThinking(message: ChatMessage): ChatMessage {
  const parts = partsOf(message);
  const end = lastIndex(parts, (part) => isSent(part) && !isThinking(part)) + 1;
  if (isMoreSaid(message) || !parts.slice(end).some(isThinking)) return message;
  return withMember(
    message,
    "content",
    parts.filter((part, index) => index < end || !isThinking(part)),
  );
}

function withoutLastWhitespace(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (isMoreSaid(message)) return message;
  if (typeof content === "string") return withMember(message, "content", content.trimEnd());
  const last = lastIndex(partsOf(message), isSent);
  let place = 0;
  return mapParts(message, (part) =>
    place++ === last && part.type === "text" ? withMember(part, "text", String(part.text).trimEnd()) : part,
  );
}

// ── Marks for the cache ──────────────────────────────────────────────────────────────────────────────────────────────

/** Maximum number of places that a request marks for a provider's cache. */
export const MAX_CACHE_MARKS = 4;

/** Removes the marks for Anthropic's cache before the last four. */
export function correctCacheMarks(
  messages: readonly ChatMessage[],
  provider: Provider,
  report: ReportBroken,
): readonly ChatMessage[] {
  if (provider !== "anthropic") return messages;
  let excess = -MAX_CACHE_MARKS;
  const count = <T extends object>(holder: T): T => {
    excess++;
    return holder;
  };
  for (const message of messages) mapMarked(message, count);
  if (excess <= 0) return messages;
  return messages.map((message, index) => {
    const corrected = mapMarked(message, (holder) => (excess-- > 0 ? withoutMark(holder) : holder));
    if (corrected !== message) report(TOO_MANY_CACHE_MARKS, index);
    return corrected;
  });
}

function isMarked(holder: object): boolean {
  const { cache_control: own } = holder as { cache_control?: unknown };
  return isPlainObject(own) || isPlainObject(anthropicOptions(holder).cacheControl);
}

function withoutMark<T extends object>(holder: T): T {
  const { cache_control: _, ...rest } = holder as { cache_control?: unknown; providerOptions?: unknown };
  const { cacheControl: __, ...options } = anthropicOptions(holder);
  if (isPlainObject(rest.providerOptions) && isPlainObject(rest.providerOptions.anthropic))
    rest.providerOptions = { ...rest.providerOptions, anthropic: options };
  return rest as T;
}

/** Changes the marked parts and calls of a message, and the message if it is marked, in the order of the request. */
function mapMarked(message: ChatMessage, change: <T extends object>(holder: T) => T): ChatMessage {
  const own = <T extends object>(holder: T): T => (isMarked(holder) ? change(holder) : holder);
  const parts = mapParts(message, (part) =>
    isSent(part) && !isThinking(part)
      ? own(mapOutputParts(part, (inner) => mapItems(inner, (one) => (isPlainObject(one) ? own(one) : one))))
      : part,
  );
  const all = mapToolCalls(parts, own);
  // A marked message marks its last block, unless that is marked itself.
  const lastOf = ({ toolCalls, toolCallId, ...rest }: ChatMessage): object | undefined =>
    toolCallId === undefined ? (toolCalls?.at(-1) ?? partsOf(rest as ChatMessage).at(-1)) : undefined;
  const last = lastOf(message);
  if (last === undefined) return own(all);
  if (message.role === "tool" || !isMarked(message)) return all;
  if (!isMarked(last)) return change(all);
  return isMarked(lastOf(all) as object) ? all : withoutMark(all);
}
