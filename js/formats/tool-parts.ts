import { objectArguments } from "../chat/call-arguments.ts";
import { withSafeIntegers } from "../chat/safe-integers.ts";
import { setMember } from "../values/deep-copy.ts";
import { describe } from "../values/describe.ts";
import { isPlainObject, objectAt, type PlainObject, type TypedObject, textAt } from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";

/** Names of tools by the ids of their calls, from earlier messages. */
export interface ToolNameLookup {
  nameOf(id: string): string;
}

/** Collects the names of tools by the ids of their calls from messages in order. */
export class CallNames implements ToolNameLookup {
  private readonly names = new Map<string, string>();

  /** Adds the calls of a message. */
  note(message: PlainObject): void {
    for (const { id, name } of objectsIn(message.toolCalls)) this.set(id, name);
    for (const part of objectsIn(message.content)) {
      if (part.type === "tool-call") this.set(part.toolCallId, part.toolName);
    }
  }

  /** Returns the name of the tool; empty for an unknown call. */
  nameOf(id: string): string {
    return this.names.get(id) ?? "";
  }

  private set(id: unknown, name: unknown): void {
    if (typeof id === "string" && typeof name === "string") this.names.set(id, name);
  }
}

/** Returns the names of tools by the results in one message. */
export function toolNamesIn(message: PlainObject): ToolNameLookup {
  const names = new Map<unknown, unknown>();
  const note = (parts: unknown): void => {
    for (const { type, toolCallId, toolName, output } of objectsIn(parts)) {
      if (type !== "tool-result") continue;
      names.set(toolCallId, toolName);
      if (isPlainObject(output)) note(output.value);
    }
  };
  note(message.content);
  return { nameOf: (id) => String(names.get(id) ?? "") };
}

/** Returns the objects in a list; an empty list for other values. */
export function objectsIn(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** Returns the ids of the calls that have results in messages of a conversation. */
export function answeredIds(messages: readonly PlainObject[]): Set<unknown> {
  const parts = messages.flatMap(({ content }) => objectsIn(content).filter(({ type }) => type === "tool-result"));
  return new Set([...messages, ...parts].map(({ toolCallId }) => toolCallId));
}

/** Checks the required members of calls and results. */
export function checkToolPart(part: TypedObject, path: MessagePath): void {
  if (part.type !== "tool-call" && part.type !== "tool-result") return;
  textAt(part, "toolCallId", path);
  textAt(part, "toolName", path);
  if (part.type === "tool-result") textAt(objectAt(part, "output", path), "type", [...path, "output"]);
}

/** True for a part of the AI SDK that asks a person to approve a call, or answers that. */
export function isApproval({ type }: PlainObject): boolean {
  return type === "tool-approval-request" || type === "tool-approval-response";
}

/** Converts `toolCalls` to parts, with their options for the AI SDK. */
export function callParts(toolCalls: unknown, path: MessagePath): TypedObject[] {
  if (toolCalls === undefined) return [];
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalidMessage(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isPlainObject(call)) throw invalidMessage([...at, index], "a call, { id, name, args }", call);
    const toolCallId = textAt(call, "id", [...at, index]);
    const toolName = textAt(call, "name", [...at, index]);
    const part = { type: "tool-call", toolCallId, toolName, input: call.args ?? {} };
    const { providerOptions } = call;
    return isPlainObject(providerOptions) ? { ...part, providerOptions } : part;
  });
}

/** Returns parts for members of OpenAI's messages other than the content: a refusal, and the transcript of audio. */
export function spokenParts({ refusal, audio }: PlainObject, path: MessagePath, target: string): PlainObject[] {
  const texts: PlainObject[] = typeof refusal === "string" && refusal !== "" ? [{ type: "text", text: refusal }] : [];
  if (!isPlainObject(audio)) return texts;
  if (typeof audio.transcript === "string") return [...texts, { type: "text", text: audio.transcript }];
  throw unsupportedPart([...path, "audio"], "audio that is not here", target, "give its words as content");
}

/**
 * Returns the summary in Anthropic's compaction of a conversation; null for other parts, and for compactions of OpenAI,
 * which are encrypted.
 */
export function compactionText({ type, content }: PlainObject): string | null {
  return type === "compaction" && typeof content === "string" ? content : null;
}

/** Consecutive parts of a message: either content or tool results. */
export interface PartRun {
  results: boolean;
  parts: { part: TypedObject; path: MessagePath }[];
}

/**
 * Splits a message into runs of parts, for formats with tool results in separate messages. Results of calls in the same
 * message follow the run with the call; all others come first.
 */
export function partRuns(parts: readonly TypedObject[], path: MessagePath): PartRun[] {
  const before: PartRun = { results: true, parts: [] };
  const runs: PartRun[] = [];
  /** The run for the results of each call. */
  const answers = new Map<string, PartRun>();
  let current: PartRun | null = null;
  let answer: PartRun | null = null;
  for (const [index, part] of parts.entries()) {
    const placed = { part, path: [...path, index] };
    if (part.type === "tool-result") {
      const run = answers.get(String(part.toolCallId)) ?? before;
      run.parts.push(placed);
      // Content after a result starts a new run.
      if (run === answer) current = null;
      continue;
    }
    if (current === null || answer === null) {
      current = { results: false, parts: [] };
      answer = { results: true, parts: [] };
      runs.push(current, answer);
    }
    current.parts.push(placed);
    if (part.type === "tool-call") answers.set(String(part.toolCallId), answer);
  }
  return [before, ...runs].filter(({ parts }) => parts.length > 0);
}

/** How a call ended: with a result, with a failure of the tool, or refused by a person or a rule. */
export type CallOutcome = "success" | "error" | "denied";

/** A tool result as text or parts, and how its call ended. */
export interface ToolOutput {
  content: string | TypedObject[];
  outcome: CallOutcome;
}

/** What the model reads of a call that was refused without a reason. */
const DENIED_TEXT = "Tool call execution denied.";

/** Reads a tool result in any of the AI SDK's kinds of output. */
export function readOutput(output: PlainObject, path: MessagePath, target: string): ToolOutput {
  const isError = output.type === "error-text" || output.type === "error-json" || output.isError === true;
  const outcome = isError ? "error" : "success";
  switch (output.type) {
    case "text":
    case "error-text":
      return { content: textAt(output, "value", path), outcome };
    case "json":
    case "error-json":
      return { content: JSON.stringify(output.value) ?? "null", outcome };
    case "execution-denied":
      return { content: typeof output.reason === "string" ? output.reason : DENIED_TEXT, outcome: "denied" };
    case "content":
      if (Array.isArray(output.value)) return { content: output.value as TypedObject[], outcome };
  }
  throw unsupportedPart(path, `an output of type ${describe(output.type)}`, target, "give its output as text or json");
}

/** Returns how the call ended whose result a message is. */
export function outcomeOf({ isError, isDenied }: PlainObject): CallOutcome {
  return isDenied === true ? "denied" : isError === true ? "error" : "success";
}

/** Returns the output of a call that ended with a text. */
export function textOutput(text: string, outcome: CallOutcome): PlainObject {
  if (outcome === "denied") return { type: "execution-denied", reason: text };
  return { type: outcome === "error" ? "error-text" : "text", value: text };
}

/** Matches results whose text says that the tool failed. */
const SAYS_FAILED = /^\W*error\b|\(it failed\)/i;

/** Returns the content of a result for a format that has no place for the outcome: its first text says that it failed. */
export function withFailure(content: unknown, outcome: CallOutcome): unknown {
  if (outcome !== "error") return content;
  if (!Array.isArray(content)) return failureText(typeof content === "string" ? content : "");
  const first = objectsIn(content).find(({ text }) => typeof text === "string");
  if (first === undefined) return [...content, { type: "text", text: failureText("") }];
  return content.map((part) => (part === first ? { ...first, text: failureText(first.text as string) } : part));
}

function failureText(text: string): string {
  if (text.trim() === "") return "Error: the tool failed without a message.";
  return SAYS_FAILED.test(text) ? text : `Error: ${text}`;
}

/** Returns the provider options of a part or message for one provider of the AI SDK. */
export function providerOptions(provider: string, holder: PlainObject): PlainObject {
  const options = holder.providerOptions;
  const own = isPlainObject(options) && Object.hasOwn(options, provider) ? options[provider] : undefined;
  return isPlainObject(own) ? own : {};
}

/** Returns `holder` with options for one provider of the AI SDK merged into its own. */
export function withProviderOptions(holder: PlainObject, provider: string, options: PlainObject): PlainObject {
  const all: PlainObject = isPlainObject(holder.providerOptions) ? { ...holder.providerOptions } : {};
  setMember(all, provider, { ...providerOptions(provider, holder), ...options });
  return { ...holder, providerOptions: all };
}

/** Writes arguments as in OpenAI's requests: a JSON object, with integers beyond 2^53 as texts of their digits. */
export function writeArguments(args: unknown): string {
  return JSON.stringify(withSafeIntegers(objectArguments(args)));
}
