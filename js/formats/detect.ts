import { TurnfoldError } from "../errors.ts";
import { type Bag, copyOf, isBag } from "./data.ts";
import type { FormatName } from "./original.ts";
import { listOf } from "./tool-parts.ts";

/** Roles, members of messages, types of parts and members of parts that only one provider has. */
const SIGNS: Readonly<Record<FormatName, { roles: string[]; members: string[]; types: string[]; inParts: string[] }>> =
  {
    openai: {
      roles: ["developer", "function"],
      members: ["tool_calls", "tool_call_id", "function_call", "refusal", "reasoning_content"],
      types: ["image_url", "input_audio", "refusal"],
      inParts: ["file"],
    },
    anthropic: {
      roles: [],
      members: [],
      types: [
        "container_upload",
        "document",
        "redacted_thinking",
        "search_result",
        "server_tool_use",
        "thinking",
        "tool_result",
        "tool_use",
      ],
      inParts: ["source"],
    },
    vercel: {
      roles: [],
      members: ["providerOptions"],
      types: [
        "reasoning",
        "reasoning-file",
        "tool-approval-request",
        "tool-approval-response",
        "tool-call",
        "tool-result",
      ],
      inParts: ["data", "image", "providerOptions"],
    },
  };

/** Types of parts that several providers use, with different members. */
const SHARED = ["text", "image", "file"];

/**
 * Detects the provider whose format messages have, by members and types that only one provider uses. Plain texts, which
 * all write alike, count as OpenAI's, and objects with `system` as Anthropic's. Null when no format or several match: for
 * messages of a user interface, a conversation's own messages, and values that can't be read. Never throws.
 *
 * @example
 * ```ts
 * detectFormat([{ role: "user", content: "Hello" }]); // => 'openai'
 * detectFormat({ system: "Be kind.", messages: [] }); // => 'anthropic'
 * ```
 */
export function detectFormat(messages: unknown): FormatName | null {
  try {
    const copied = copyOf(messages, "messages");
    if (Array.isArray(copied)) return copied.length === 0 ? null : formatOf(copied, null);
    return isBag(copied) && Array.isArray(copied.messages) ? inRequest(copied.system, copied.messages) : null;
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return null;
    throw error;
  }
}

/** Only Anthropic's requests hold more than a list of messages. */
function inRequest(system: unknown, messages: readonly unknown[]): FormatName | null {
  if (system !== undefined && typeof system !== "string" && !Array.isArray(system)) return null;
  return formatOf(messages, "anthropic") === "anthropic" ? "anthropic" : null;
}

function formatOf(messages: readonly unknown[], told: FormatName | null): FormatName | null {
  const found = new Set<FormatName>(told === null ? [] : [told]);
  for (const message of messages) {
    if (!isMessage(message)) return null;
    for (const name of Object.keys(SIGNS) as FormatName[]) if (shows(name, message)) found.add(name);
  }
  if (found.size > 1) return null;
  const [only] = found;
  return only ?? (messages.some(isMarked) ? "anthropic" : "openai");
}

/** Cache breakpoints of Anthropic, which resellers of its models accept in their own formats. */
function isMarked(message: unknown): boolean {
  return isBag(message) && listOf(message.content).some((part) => Object.hasOwn(part, "cache_control"));
}

/** True for what may be a message of a provider. */
function isMessage(message: unknown): message is Bag {
  if (!isBag(message) || typeof message.role !== "string") return false;
  if (message.toolCalls !== undefined || message.toolCallId !== undefined) return false;
  const { content } = message;
  if (Array.isArray(content)) return content.every((part) => isBag(part) && typeof part.type === "string");
  if (content === undefined) return message.parts === undefined;
  return content === null || typeof content === "string";
}

function shows(name: FormatName, message: Bag): boolean {
  const { roles, members, types, inParts } = SIGNS[name];
  return (
    roles.includes(message.role as string) ||
    members.some((member) => Object.hasOwn(message, member)) ||
    listOf(message.content).some(
      (part) =>
        types.includes(part.type as string) ||
        (SHARED.includes(part.type as string) && inParts.some((member) => Object.hasOwn(part, member))),
    )
  );
}
