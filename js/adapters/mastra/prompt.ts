import { type Bag, isBag } from "../../formats/data.ts";
import { OWN_KEY, ownMembers } from "../../formats/own-members.ts";
import { listOf } from "../../formats/tool-parts.ts";
import type { ReadMessage } from "../ai-sdk/messages.ts";

/**
 * What a message of a prompt says of itself. Prompts of Mastra have the messages of the AI SDK; Mastra keeps the time of a message in
 * the options of its parts. What is malformed is ignored: it stands in a memory, where no one can change it.
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
