import { setMember } from "../values/deep-copy.ts";
import { describe } from "../values/describe.ts";
import { type Bag, bagAt, isBag, same, type TypedBag, textAt } from "./data.ts";
import { invalid, type Path, unsupported } from "./problem.ts";

/** Names of tools by the ids of their calls, from earlier messages. */
export interface Known {
  nameOf(id: string): string;
}

/** Collects the names of tools by the ids of their calls from messages in order. */
export class CallNames implements Known {
  private readonly names = new Map<string, string>();

  /** Adds the calls of a message. */
  note(message: Bag): void {
    for (const { id, name } of listOf(message.toolCalls)) this.set(id, name);
    for (const part of listOf(message.content)) {
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
export function namesIn(message: Bag): Known {
  const names = new Map<unknown, unknown>();
  const note = (parts: unknown): void => {
    for (const { type, toolCallId, toolName, output } of listOf(parts)) {
      if (type !== "tool-result") continue;
      names.set(toolCallId, toolName);
      if (isBag(output)) note(output.value);
    }
  };
  note(message.content);
  return { nameOf: (id) => String(names.get(id) ?? "") };
}

/** Returns the objects in a list; an empty list for other values. */
export function listOf(value: unknown): Bag[] {
  return Array.isArray(value) ? value.filter(isBag) : [];
}

/** Checks the required members of calls and results. */
export function checkToolPart(part: TypedBag, path: Path): void {
  if (part.type !== "tool-call" && part.type !== "tool-result") return;
  textAt(part, "toolCallId", path);
  textAt(part, "toolName", path);
  if (part.type === "tool-result") textAt(bagAt(part, "output", path), "type", [...path, "output"]);
}

/** Converts `toolCalls` to parts, with their options for the AI SDK. */
export function callParts(toolCalls: unknown, path: Path): TypedBag[] {
  if (toolCalls === undefined) return [];
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalid(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isBag(call)) throw invalid([...at, index], "a call, { id, name, args }", call);
    const toolCallId = textAt(call, "id", [...at, index]);
    const toolName = textAt(call, "name", [...at, index]);
    const part = { type: "tool-call", toolCallId, toolName, input: call.args ?? {} };
    const { providerOptions } = call;
    return isBag(providerOptions) ? { ...part, providerOptions } : part;
  });
}

/** Returns parts for members of OpenAI's messages other than the content: a refusal, and the transcript of audio. */
export function spokenAside({ refusal, audio }: Bag, path: Path, target: string): Bag[] {
  const texts: Bag[] = typeof refusal === "string" && refusal !== "" ? [{ type: "text", text: refusal }] : [];
  if (!isBag(audio)) return texts;
  if (typeof audio.transcript === "string") return [...texts, { type: "text", text: audio.transcript }];
  throw unsupported([...path, "audio"], "audio that is not here", target, "give its words as content");
}

/** Consecutive parts of a message: either content or tool results. */
export interface Stretch {
  results: boolean;
  parts: { part: TypedBag; path: Path }[];
}

/**
 * Splits a message into stretches, for formats with tool results in separate messages. Results of calls in the same
 * message follow the stretch with the call; all others come first.
 */
export function stretchesOf(parts: readonly TypedBag[], path: Path): Stretch[] {
  const before: Stretch = { results: true, parts: [] };
  const stretches: Stretch[] = [];
  /** The stretch for the results of each call. */
  const answers = new Map<string, Stretch>();
  let current: Stretch | null = null;
  let answer: Stretch | null = null;
  for (const [index, part] of parts.entries()) {
    const placed = { part, path: [...path, index] };
    if (part.type === "tool-result") {
      const stretch = answers.get(String(part.toolCallId)) ?? before;
      stretch.parts.push(placed);
      // Content after a result starts a new stretch.
      if (stretch === answer) current = null;
      continue;
    }
    if (current === null || answer === null) {
      current = { results: false, parts: [] };
      answer = { results: true, parts: [] };
      stretches.push(current, answer);
    }
    current.parts.push(placed);
    if (part.type === "tool-call") answers.set(String(part.toolCallId), answer);
  }
  return [before, ...stretches].filter(({ parts }) => parts.length > 0);
}

/** A tool result as text or parts, and whether it is an error. */
export interface Outcome {
  content: string | TypedBag[];
  error: boolean;
}

/** Reads a tool result in any of the AI SDK's kinds of output. */
export function outcomeOf(output: Bag, path: Path, target: string): Outcome {
  const error = output.type === "error-text" || output.type === "error-json" || output.isError === true;
  switch (output.type) {
    case "text":
    case "error-text":
      return { content: textAt(output, "value", path), error };
    case "json":
    case "error-json":
      return { content: JSON.stringify(output.value) ?? "null", error };
    case "execution-denied":
      return {
        content: typeof output.reason === "string" ? output.reason : "Tool call execution denied.",
        error: true,
      };
    case "content":
      if (Array.isArray(output.value)) return { content: output.value as TypedBag[], error };
  }
  throw unsupported(path, `an output of type ${describe(output.type)}`, target, "give its output as text or json");
}

/** Returns the provider options of a part or message for one provider of the AI SDK. */
export function optionsFor(provider: string, bag: Bag): Bag {
  const options = bag.providerOptions;
  const own = isBag(options) && Object.hasOwn(options, provider) ? options[provider] : undefined;
  return isBag(own) ? own : {};
}

/** Returns `bag` with options for one provider of the AI SDK merged into its own. */
export function withOptions(bag: Bag, provider: string, options: Bag): Bag {
  const all: Bag = isBag(bag.providerOptions) ? { ...bag.providerOptions } : {};
  setMember(all, provider, { ...optionsFor(provider, bag), ...options });
  return { ...bag, providerOptions: all };
}

/** Parses the arguments of a model: an empty text is an empty object, and text that is not JSON stays text. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    // A number that parses to infinity could not be written back.
    return HUGE.test(text) && !same(JSON.parse(JSON.stringify(value)), value) ? text : value;
  } catch {
    return text;
  }
}

/** Matches every number that may overflow, and some that do not. */
const HUGE = /e\+?\d{3}|\d{300}/i;

/** Writes arguments as in OpenAI's requests. */
export function argumentsText(args: unknown): string {
  return JSON.stringify(args ?? {}) ?? "{}";
}
