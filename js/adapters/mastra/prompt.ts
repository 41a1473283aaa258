import { type Bag, isBag } from "../../formats/data.ts";
import { OWN_KEY, ownMembers } from "../../formats/own-members.ts";
import { listOf } from "../../formats/tool-parts.ts";
import type { ReadMessage } from "../ai-sdk/messages.ts";

/**
 * Returns the members `pinned`, `timestamp` and `summary` of a message in a prompt. Prompts of Mastra have the messages
 * of the AI SDK; Mastra keeps the time of a message in the options of its parts. Malformed values are ignored, because
 * they come from a memory that the caller can't correct.
 */
export function ownMembersOf({ providerOptions, content }: ReadMessage): Bag {
  return { ...timeIn(content), ...ownMembers(isBag(providerOptions) ? providerOptions[OWN_KEY] : undefined) };
}

function timeIn(content: unknown): { timestamp?: number } {
  for (const { providerOptions } of listOf(content)) {
    const { createdAt } = isBag(providerOptions) && isBag(providerOptions.mastra) ? providerOptions.mastra : {};
    if (typeof createdAt === "number" && Number.isFinite(createdAt)) return { timestamp: createdAt };
  }
  return {};
}
