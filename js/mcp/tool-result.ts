import { TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { parseExactly } from "../values/exact-json.ts";

/** A part of a result that is not text: its type, address and size, without its bytes. */
interface NamedPart {
  type: string;
  [member: string]: unknown;
}

/**
 * Converts the result of `callTool` to a value: the structured content; or the parts of the content: a list, the part
 * itself if there is only one, null if there is none. A text that is a JSON object or array is parsed. Images, sounds
 * and files are reduced to their type, address and size, because programs and models can't use their bytes; with a
 * structured object they become its `attachments`.
 *
 * @param tool the name of the tool, for errors.
 * @throws {TurnfoldError} `tool_error` for a result that is an error, with its text; `mcp_error` for one that can't be read.
 */
export function resultValue(tool: string, result: unknown): unknown {
  if (typeof result !== "object" || result === null) throw unreadableResult(tool, `it is ${describe(result)}`);
  const { content, structuredContent, isError, toolResult } = result as Record<string, unknown>;
  if (content !== undefined && !Array.isArray(content))
    throw unreadableResult(tool, `its content is ${describe(content)}`);
  const parts = (content ?? []).map((part: unknown) => readPart(tool, part)) as (string | NamedPart)[];
  if (isError === true) throw toolError(tool, parts, structuredContent);
  // Some servers write null for absent members.
  if (structuredContent !== undefined && structuredContent !== null) return structuredValue(structuredContent, parts);
  // Servers of the protocol's first version send only this member.
  if (content === undefined && toolResult !== undefined) return toolResult;
  if (content === undefined) throw unreadableResult(tool, "it has no content");
  const values = parts.map((part) => (typeof part === "string" ? textValue(part) : part));
  return values.length > 1 ? values : (values[0] ?? null);
}

function structuredValue(value: unknown, parts: readonly (string | NamedPart)[]): unknown {
  const shown = withoutBytes(value, MAX_LEVELS);
  const attachments = parts.filter((part) => typeof part !== "string");
  // Parts that the structured content already has are not repeated.
  const isWhole = attachments.length === 0 || shown !== value;
  if (isWhole || typeof value !== "object" || value === null || !isPlain(value) || "attachments" in value) return shown;
  return { ...value, attachments };
}

/** Deeper data is left to the encoding of results, which refuses it with its path. */
const MAX_LEVELS = 100;

/** Reduces the parts with bytes in data as {@link resultValue} does; returns the same data when there are none. */
function withoutBytes(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutBytes(item, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isPlain(value)) return value;
  const { type, data, mimeType, resource } = value as Record<string, unknown>;
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return definedMembers({ type, mimeType, size: byteLength(data) });
  }
  if (type === "resource" && typeof Object(resource).blob === "string") return embeddedResource(resource);
  const members = Object.entries(value).map(([key, member]) => [key, withoutBytes(member, levels - 1)] as const);
  const isSame = members.every(([key, member]) => member === (value as Record<string, unknown>)[key]);
  return isSame ? value : Object.fromEntries(members);
}

function toolError(tool: string, parts: readonly (string | NamedPart)[], structuredContent: unknown): TurnfoldError {
  const text = parts
    .map((part) => (typeof part === "string" ? part : writtenData(part)))
    .join("\n")
    .trim();
  const message = text || (structuredContent === undefined ? `${tool} failed` : writtenData(structuredContent));
  return new TurnfoldError("tool_error", message, { details: { tool } });
}

/** Writes data as JSON; describes data that JSON can't express. */
function writtenData(data: unknown): string {
  try {
    return JSON.stringify(data) ?? describe(data);
  } catch {
    return describe(data);
  }
}

/** Returns the text of a part, or its type, address and size. */
function readPart(tool: string, part: unknown): string | NamedPart {
  if (typeof part !== "object" || part === null)
    throw unreadableResult(tool, `a part of its content is ${describe(part)}`);
  const { type, text, data, mimeType, uri, name, description, size, resource } = part as Record<string, unknown>;
  switch (type) {
    case "text":
      if (typeof text === "string") return text;
      throw unreadableResult(tool, `a text in it is ${describe(text)}`);
    case "image":
    case "audio":
      return definedMembers({ type, mimeType, size: byteLength(data) });
    case "resource_link":
      return definedMembers({ type, uri, name, description, mimeType, size });
    case "resource":
      return embeddedResource(resource);
    default:
      if (typeof type === "string") return { type };
      throw unreadableResult(tool, `a part of its content has ${describe(type)} as its type`);
  }
}

/** Reads a file in the result: its text is kept, its bytes are not. */
function embeddedResource(resource: unknown): NamedPart {
  const { uri, mimeType, text, blob } = Object(resource) as Record<string, unknown>;
  return typeof text === "string"
    ? definedMembers({ type: "resource", uri, mimeType, text })
    : definedMembers({ type: "resource", uri, mimeType, size: byteLength(blob) });
}

/** Removes the members that are not texts or numbers. */
function definedMembers(part: NamedPart): NamedPart {
  return Object.fromEntries(
    Object.entries(part).filter(([, member]) => typeof member === "string" || typeof member === "number"),
  ) as NamedPart;
}

/** Returns the number of bytes encoded in base64. */
function byteLength(base64: unknown): number | undefined {
  if (typeof base64 !== "string") return undefined;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Parses a text that is a JSON object or array; returns any other text, because a number or a word is usually text. */
function textValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseExactly(text, (_, exact) => exact);
  } catch {
    return text;
  }
}

function unreadableResult(tool: string, problem: string): TurnfoldError {
  return new TurnfoldError("mcp_error", `the result of ${tool} can't be read: ${problem}`, { details: { tool } });
}
