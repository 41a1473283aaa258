import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { resultPart } from "./answers.ts";
import { callPart, textOf } from "./recorded-message.ts";

/** Roles of apps with models of their own, and their names in the formats of providers. */
const ROLES = new Map([
  ["human", "user"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["bot", "assistant"],
  ["chatbot", "assistant"],
  ["gpt", "assistant"],
  ["model", "assistant"],
  ["tool-call", "assistant"],
  ["tool-response", "user"],
]);

/** Returns a message as its provider or the AI SDK has it, where an app stored it in a shape of its own. */
export function fromStored(message: unknown): unknown {
  if (!isPlainObject(message)) return message;
  return withTextualThoughts(withNewParts(withParts(withContent(withTypes(withKnownRole(message))))));
}

/** Haystack has the type of a part as its only member, Semantic Kernel parts under names of its own. */
function withTypes(message: PlainObject): PlainObject {
  const { role, content, items, meta, ...others } = message;
  const parts = objectsIn(items ?? content).map(typedPart);
  if (parts.length === 0 || parts.includes(null)) return message;
  const metadata = meta === undefined ? {} : { metadata: meta };
  return { ...others, role, content: parts, ...metadata };
}

/** The part of the AI SDK for one of Haystack or Semantic Kernel; null for others. */
function typedPart(part: PlainObject): PlainObject | null {
  const { content_type: kind, text, reasoning, tool_call: call, tool_call_result: result } = part;
  const typed = { type: "text", text };
  if (kind === undefined && part.type === undefined) {
    if (typeof text === "string") return typed;
    if (isPlainObject(reasoning)) return { type: "reasoning", text: reasoning.reasoning_text };
    if (isPlainObject(call)) return callPart(String(call.id), String(call.tool_name), call.arguments);
    const { id, tool_name: name } = Object(Object(result).origin) as PlainObject;
    return isPlainObject(result)
      ? resultPart(String(id), String(name), textOf(result.result), result.error === true)
      : null;
  }
  const { id, name, arguments: args } = part;
  if (kind === "text") return typed;
  if (kind === "reasoning") return { ...typed, type: "reasoning" };
  if (kind === "function_call")
    return callPart(String(id), String(name), typeof args === "string" ? parseArguments(args) : (args ?? {}));
  return kind === "function_result" ? resultPart(String(id), String(name), textOf(part.result)) : null;
}

/** Version 4 of the AI SDK has calls, results and files in members with other names than later versions. */
function withNewParts(message: PlainObject): PlainObject {
  if (!objectsIn(message.content).some(isOldPart)) return message;
  return {
    ...message,
    content: objectsIn(message.content).map((part) => {
      const { args, result, mimeType, ...own } = part;
      if (!isOldPart(part)) return part;
      if (part.type === "tool-call") return { ...own, input: args };
      if (part.type !== "tool-result") return { ...own, mediaType: mimeType };
      const type = `${part.isError === true ? "error-" : ""}${typeof result === "string" ? "text" : "json"}`;
      return { ...own, output: { type, value: result ?? null } };
    }),
  };
}

const isOldPart = ({ type, input, args, output, result, mimeType }: PlainObject): boolean =>
  (type === "tool-call" && input === undefined && args !== undefined) ||
  (type === "tool-result" && output === undefined && result !== undefined) ||
  (typeof mimeType === "string" && /^(?:file|image)$/.test(String(type)));

/**
 * Chatbox has parts under a name of its own, LlamaIndex as blocks, and calls of OpenAI beside them; other apps have a text. Texts with
 * parents are a tree, whose order says nothing.
 */
function withContent(message: PlainObject): PlainObject {
  const { role, content, parts, text, blocks, contentParts, additional_kwargs: others } = message;
  if (content !== undefined || parts !== undefined || typeof role !== "string") return message;
  if (Array.isArray(contentParts)) return chatboxMessage(message, objectsIn(contentParts));
  if (!Array.isArray(blocks) || !blocks.every((block) => typeof Object(block).block_type === "string"))
    return typeof text === "string" && !Object.keys(message).some((name) => name.startsWith("parent"))
      ? { ...message, content: text }
      : message;
  const { tool_calls: calls, tool_call_id: id } = Object(others) as PlainObject;
  return {
    ...message,
    content: objectsIn(blocks).flatMap(({ block_type: type, ...block }) =>
      type === "text" ? [{ type, text: textOf(block.text) }] : [],
    ),
    ...(Array.isArray(calls) ? { tool_calls: calls } : {}),
    ...(typeof id === "string" ? { tool_call_id: id } : {}),
  };
}

function withKnownRole(message: PlainObject): PlainObject {
  const { role, parts } = message;
  if (typeof role !== "string" || parts !== undefined) return message;
  const lower = role.toLowerCase();
  const known = ROLES.get(lower) ?? (lower === role ? role : lower);
  return known === role ? message : { ...message, role: known };
}

/** A message of a user interface for one of Chatbox, whose calls have their results: what follows these is another step. */
function chatboxMessage({ model, timestamp, ...message }: PlainObject, given: readonly PlainObject[]): PlainObject {
  const parts = given.flatMap(({ type, toolName, toolCallId, args, result, ...part }, index): PlainObject[] => {
    if (type === "tool-call")
      return [
        { type: "dynamic-tool", toolName, toolCallId, state: "output-available", input: args ?? {}, output: result },
      ];
    return [...(given[index - 1]?.type === "tool-call" ? [{ type: "step-start" }] : []), { type, ...part }];
  });
  return { ...message, parts, metadata: { model, timestamp } };
}

/** Mastra stores the parts of a message of a user interface in an object as its content, tables may have them as JSON. */
function withParts(message: PlainObject): PlainObject {
  const { content, parts, created_at: createdAt, ...rest } = message;
  if (isPlainObject(content) && Array.isArray(content.parts))
    return { ...rest, parts: content.parts, ...(content.metadata === undefined ? {} : { metadata: content.metadata }) };
  const parsed = typeof parts === "string" ? parseArguments(parts) : parts;
  return typeof parts === "string" && Array.isArray(parsed) ? { createdAt, ...rest, parts: parsed } : message;
}

/**
 * Mistral has the thoughts of a model as a list of texts in a part of its content, Ollama and OpenRouter in members with
 * other names than most servers.
 */
function withTextualThoughts(message: PlainObject): PlainObject {
  const { content, reasoning, thinking = reasoning, reasoning_content: known = thinking } = message;
  if (typeof thinking === "string" && thinking !== "" && known === thinking)
    return { ...message, reasoning_content: thinking };
  const thoughts = objectsIn(content).filter(({ type, thinking }) => type === "thinking" && Array.isArray(thinking));
  if (thoughts.length === 0) return message;
  const said = objectsIn(content).filter((part) => !thoughts.includes(part));
  return { ...message, content: said, reasoning_content: thoughts.map(({ thinking }) => textOf(thinking)).join("\n") };
}
