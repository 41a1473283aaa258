import { millisecondsOf } from "../chat/message-copy.ts";
import { fromUIMessageV4 } from "./ai-sdk-ui-v4.ts";
import { isPlainObject, type PlainObject, partsAt, type TypedObject, textAt } from "./data.ts";
import { invalidMessage, type MessagePath } from "./format-errors.ts";

/** A message for models, and members of the message of the user interface that it is made of. */
export interface ConvertedUIMessage {
  message: PlainObject;
  kept: PlainObject;
}

/**
 * Converts a message of a user interface (`UIMessage`) to the messages that `convertToModelMessages` of the AI SDK 7
 * makes of it: each step of an answer is a message, and another one of the role `tool` for its results.
 *
 * @param isAnsweredLater whether a message of the user follows. Then calls that wait for an approval are omitted.
 */
export function fromUIMessage(message: PlainObject, path: MessagePath, isAnsweredLater: boolean): ConvertedUIMessage[] {
  const { id, metadata, createdAt } = message;
  const time = isPlainObject(metadata) ? (createdAt ?? metadata.createdAt) : createdAt;
  const kept: PlainObject = {};
  if (typeof id === "string") kept.id = id;
  if (time !== undefined && !Number.isNaN(millisecondsOf(time))) kept.timestamp = time;
  const { role, parts } = fromUIMessageV4(message, path);
  const isOpen = (part: TypedObject) => isToolPart(part) && part.state === "approval-requested";
  const list = partsAt(parts, [...path, "parts"]).filter((part) => !(isAnsweredLater && isOpen(part)));
  return messagesOf(role, list, path).map((made, index) => ({
    message: made,
    kept: index === 0 && metadata !== undefined ? { ...kept, metadata } : kept,
  }));
}

function messagesOf(role: string, parts: readonly TypedObject[], path: MessagePath): PlainObject[] {
  if (role === "system") {
    const texts = parts.filter(({ type }) => type === "text");
    const options = Object.assign({}, ...texts.map(({ providerMetadata }) => providerMetadata));
    const content = texts.map(({ text }) => text).join("");
    return [{ role, content, ...(Object.keys(options).length > 0 && { providerOptions: options }) }];
  }
  if (role === "user") return [{ role, content: parts.flatMap((part, index) => userParts(part, [...path, index])) }];
  if (role !== "assistant") throw invalidMessage([...path, "role"], '"system", "user" or "assistant"', role);
  const messages: PlainObject[] = [];
  let step: TypedObject[] = [];
  const endStep = (): void => {
    messages.push(...stepMessages(step, path));
    step = [];
  };
  for (const part of parts) {
    if (part.type === "step-start") endStep();
    else if (part.type === "steering-message" && Array.isArray(part.parts)) {
      endStep();
      const said = partsAt(part.parts, path);
      messages.push({ role: "user", content: said.flatMap((one) => userParts(one, path)) });
    } else step.push(part);
  }
  endStep();
  return messages;
}

/** Returns the part of a message of the user; none for data that only the user interface shows. */
function userParts(part: TypedObject, path: MessagePath): PlainObject[] {
  if (part.type === "text") return [withOptions({ type: "text", text: part.text }, part.providerMetadata)];
  return part.type === "file" || part.type === "image" ? [filePart(part, path)] : [];
}

function filePart(part: TypedObject, path: MessagePath): PlainObject {
  const { type, mediaType, filename, providerReference: reference, providerMetadata, url } = part;
  // A part that was read from version 4 is in the form of messages for models.
  if (part.data !== undefined || part.image !== undefined) return part;
  const data = isPlainObject(reference) ? { type: "reference", reference } : (url ?? textAt(part, "url", path));
  const named = filename === undefined ? {} : { filename };
  return withOptions({ type, mediaType, ...named, data }, providerMetadata);
}

/** Returns the messages of a step: what the model said and called, and the approvals and results of its calls. */
function stepMessages(step: readonly TypedObject[], path: MessagePath): PlainObject[] {
  const said = step.flatMap((part) => saidParts(part, path));
  const answered = step.filter(isToolPart).flatMap((part) => answerParts(part, path));
  const messages: PlainObject[] = said.length === 0 ? [] : [{ role: "assistant", content: said }];
  return answered.length === 0 ? messages : [...messages, { role: "tool", content: answered }];
}

function saidParts(part: TypedObject, path: MessagePath): PlainObject[] {
  const { type, text, kind, url, mediaType, providerMetadata } = part;
  switch (type) {
    case "text":
      return [withOptions({ type, text }, providerMetadata)];
    case "reasoning": {
      const { signature, redactedData } = part;
      const own = { type, text, ...(signature !== undefined && { signature }) };
      return [withOptions(redactedData === undefined ? own : { ...own, redactedData }, providerMetadata)];
    }
    case "reasoning-file":
      return [withOptions({ type, data: url, mediaType }, providerMetadata)];
    case "custom":
      return [withOptions({ type, kind }, providerMetadata)];
    case "file":
      return [filePart(part, path)];
  }
  return isToolPart(part) ? calledParts(part, path) : [];
}

/** True for a call with its state. */
function isToolPart({ type }: TypedObject): boolean {
  return type === "dynamic-tool" || type.startsWith("tool-");
}

function toolName(part: TypedObject, path: MessagePath): string {
  return part.type === "dynamic-tool" ? textAt(part, "toolName", path) : part.type.slice("tool-".length);
}

/** Returns a call, the question for its approval, and the result when the provider ran it. */
function calledParts(part: TypedObject, path: MessagePath): PlainObject[] {
  const { state, providerExecuted, callProviderMetadata, resultProviderMetadata } = part;
  if (state === "input-streaming") return [];
  const toolCallId = textAt(part, "toolCallId", path);
  const isFailed = state === "output-error";
  const call: PlainObject = { type: "tool-call", toolCallId, toolName: toolName(part, path) };
  call.input = isFailed ? (part.input ?? part.rawInput) : part.input;
  if (providerExecuted !== undefined) call.providerExecuted = providerExecuted;
  const parts = [withOptions(call, callProviderMetadata ?? (isFailed ? resultProviderMetadata : undefined))];
  if (isPlainObject(part.approval)) parts.push(approvalRequest(part.approval, toolCallId));
  if (providerExecuted !== true || (state !== "output-available" && !isFailed)) return parts;
  const output = isFailed ? { type: "error-json", value: part.errorText ?? null } : outputOf(part);
  return [...parts, toolResult(part, output, path, resultProviderMetadata ?? callProviderMetadata)];
}

function approvalRequest(approval: PlainObject, toolCallId: string): PlainObject {
  const { id, isAutomatic, requestReason, signature, inputSchemaInput } = approval;
  const request: PlainObject = { type: "tool-approval-request", approvalId: id, toolCallId };
  if (isAutomatic !== undefined) request.isAutomatic = isAutomatic;
  if (requestReason !== undefined && requestReason !== null) request.reason = requestReason;
  if (Object.hasOwn(approval, "inputSchemaInput")) request.inputSchemaInput = inputSchemaInput;
  if (signature !== undefined && signature !== null) request.signature = signature;
  return request;
}

/** Returns the answer to the question for an approval, and the result when the host ran the call. */
function answerParts(part: TypedObject, path: MessagePath): PlainObject[] {
  const { state, providerExecuted, callProviderMetadata: options } = part;
  const { id, approved, reason } = isPlainObject(part.approval) ? part.approval : ({} as PlainObject);
  const isAnswered = approved !== undefined && approved !== null;
  if (state === "input-streaming" && !isAnswered) return [];
  const parts: PlainObject[] = [];
  const withReason = reason === undefined ? {} : { reason };
  if (isAnswered) {
    const executed = providerExecuted === undefined ? {} : { providerExecuted };
    parts.push({ type: "tool-approval-response", approvalId: id, approved, ...withReason, ...executed });
  }
  if (state === "approval-responded" && approved === false) {
    return [...parts, toolResult(part, { type: "execution-denied", ...withReason }, path, options)];
  }
  if (providerExecuted === true) return parts;
  if (state === "output-denied") {
    const value = reason ?? "Tool call execution denied.";
    return [...parts, toolResult(part, { type: "error-text", value }, path, options)];
  }
  if (state === "output-error") {
    return [...parts, toolResult(part, { type: "error-text", value: String(part.errorText) }, path, options)];
  }
  return state === "output-available" ? [...parts, toolResult(part, outputOf(part), path, options)] : parts;
}

function toolResult(part: TypedObject, output: PlainObject, path: MessagePath, options: unknown): PlainObject {
  const { toolCallId } = part;
  return withOptions({ type: "tool-result", toolCallId, toolName: toolName(part, path), output }, options);
}

const NO_TOOL = { type: "text", value: "Tool output omitted because the tool is no longer available." };

function outputOf({ type, dynamic, output }: TypedObject): PlainObject {
  // The AI SDK marks the outputs of tools that an application no longer has.
  if (type === "dynamic-tool" && dynamic === false) return { ...NO_TOOL };
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output ?? null };
}

function withOptions(part: PlainObject, options: unknown): PlainObject {
  return isPlainObject(options) ? { ...part, providerOptions: options } : part;
}
