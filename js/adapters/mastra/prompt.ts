import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { OWN_MEMBERS_KEY, readOwnMembers } from "../../formats/own-members.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { ReadMessage } from "../ai-sdk/messages.ts";

/**
 * Returns the members `pinned`, `timestamp` and `summary` of a message in a prompt. Prompts of Mastra have the messages
 * of the AI SDK; Mastra keeps the time of a message in the options of its parts. Malformed values are ignored, because
 * they come from a memory that the caller can't correct.
 */
export function ownMembersOf({ providerOptions, content }: ReadMessage): PlainObject {
  return {
    ...readTimestamp(content),
    ...readOwnMembers(isPlainObject(providerOptions) ? providerOptions[OWN_MEMBERS_KEY] : undefined),
  };
}

function readTimestamp(content: unknown): { timestamp?: number } {
  for (const { providerOptions } of objectsIn(content)) {
    const { createdAt } =
      isPlainObject(providerOptions) && isPlainObject(providerOptions.mastra) ? providerOptions.mastra : {};
    if (typeof createdAt === "number" && Number.isFinite(createdAt)) return { timestamp: createdAt };
  }
  return {};
}
