import { type PlainObject, partsAt, type TypedObject, textAt } from "./data.ts";
import { invalidMessage, type MessagePath } from "./format-errors.ts";
import { base64ToText, fromDataURL, isImageType } from "./media.ts";
import { objectsIn } from "./tool-parts.ts";

/**
 * Returns the role and the parts of a message of a user interface, those of version 4 of the AI SDK in the form of later
 * versions: calls are `toolInvocations` or parts `tool-invocation`, files are in `experimental_attachments`.
 */
export function fromUIMessageV4(message: PlainObject, path: MessagePath): { role: string; parts: unknown[] } {
  const role = textAt(message, "role", path);
  const { content, parts, toolInvocations, experimental_attachments: attachments } = message;
  const files = objectsIn(attachments).map((one, index) => fromAttachment(one, [...path, "attachments", index]));
  if (Array.isArray(parts)) {
    const isV4 = objectsIn(parts).some((part) => V4_MEMBERS.some((name) => part[name] !== undefined));
    const list = isV4 ? fromParts(partsOfV4(parts), path) : parts;
    return { role, parts: [...list, ...files] };
  }
  const said = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
  const calls = fromParts(
    objectsIn(toolInvocations).map((toolInvocation) => ({ type: "tool-invocation", toolInvocation })),
    path,
  );
  return { role, parts: [...calls, ...(calls.length > 0 && said.length > 0 ? [STEP_START] : []), ...said, ...files] };
}

/** Members that only parts of version 4 have. */
const V4_MEMBERS = ["toolInvocation", "source", "details", "reasoning", "mimeType"];
const STEP_START = { type: "step-start" };

/** Version 4 has the text of reasoning in another member than other parts have. */
const partsOfV4 = (parts: readonly unknown[]): PlainObject[] =>
  objectsIn(parts).map((part) =>
    part.type === "reasoning" && part.text === undefined ? { ...part, text: part.reasoning } : part,
  );

/** Divides the parts of an answer into steps, as version 4 does: by the numbers of calls, and before a text after calls. */
function fromParts(parts: readonly PlainObject[], path: MessagePath): PlainObject[] {
  const list: PlainObject[] = [];
  let step = 0;
  let hasCalls = false;
  const startStep = (): void => {
    list.push(STEP_START);
    hasCalls = false;
    step++;
  };
  for (const part of partsAt(parts, [...path, "parts"])) {
    if (part.type === "text" && hasCalls) startStep();
    if (part.type !== "tool-invocation") {
      if (part.type !== "step-start") list.push(...fromPart(part));
      continue;
    }
    const { toolInvocation: call } = part;
    if (typeof call !== "object" || call === null) {
      throw invalidMessage([...path, "parts", "toolInvocation"], "a call, an object", call);
    }
    const { step: number = 0, ...invocation } = call as PlainObject;
    if (number !== step) {
      startStep();
      step = number as number;
    }
    list.push(fromInvocation(invocation));
    hasCalls = true;
  }
  return list;
}

function fromPart(part: TypedObject): PlainObject[] {
  const { type, details, mimeType, data } = part;
  if (type === "file" && data !== undefined) return [{ type, data, mediaType: mimeType }];
  if (type !== "reasoning" || !Array.isArray(details)) return [part];
  return objectsIn(details).map(({ type: kind, text, signature, data: redactedData }) => {
    if (kind === "redacted") return { type, text: "", redactedData };
    return { type, text, ...(signature !== undefined && { signature }) };
  });
}

const STATES: Readonly<Record<string, string>> = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
};

function fromInvocation({ state, toolCallId, toolName, args, result }: PlainObject): PlainObject {
  const known = STATES[state as string] ?? "input-available";
  return { type: "dynamic-tool", toolCallId, toolName, state: known, input: args, output: result };
}

/** Converts a file: images to images, other data to files. */
function fromAttachment(attachment: PlainObject, path: MessagePath): PlainObject {
  const url = textAt(attachment, "url", path);
  const { contentType, name } = attachment;
  const inline = fromDataURL(url);
  const mediaType = contentType ?? inline?.mediaType;
  const type = isImageType(mediaType) ? "image" : "file";
  const text = inline !== null && String(mediaType).startsWith("text/") ? base64ToText(inline.base64) : null;
  if (text !== null) return { type: "text", text };
  const content = inline === null ? url : inline.base64;
  const typed = mediaType === undefined ? {} : { mediaType };
  // An image of the AI SDK has no name.
  if (type === "image") return { type, image: content, ...typed };
  return { type, data: content, ...typed, ...(typeof name === "string" ? { filename: name } : {}) };
}
