import { type ChatMessage, Conversation, vercel } from "../../chat.ts";
import { type Bag, isBag } from "../../formats/data.ts";
import { OWN_KEY, ownMembers } from "../../formats/own-members.ts";
import { listOf } from "../../formats/tool-parts.ts";

/** The messages of prompts, by those of the conversations that were made from them. */
const sources = new WeakMap<object, unknown>();

/**
 * The conversation of a prompt, whose messages have the parts of the AI SDK. Options of a message for `turnfold` are its members,
 * and Mastra says in its parts when it was written.
 */
export function fromPrompt(prompt: readonly unknown[]): Conversation {
  const messages = vercel.from(prompt).messages.map((message) => {
    const { providerOptions, content } = message as ChatMessage & Bag;
    const own = ownMembers(isBag(providerOptions) ? providerOptions[OWN_KEY] : undefined);
    return { ...message, ...timeIn(content), ...own };
  });
  const conversation = new Conversation({ messages });
  conversation.messages.forEach((message, index) => {
    sources.set(message, prompt[index]);
  });
  return conversation;
}

function timeIn(content: unknown): { timestamp?: number } {
  for (const { providerOptions } of listOf(content)) {
    const { createdAt } = isBag(providerOptions) && isBag(providerOptions.mastra) ? providerOptions.mastra : {};
    if (typeof createdAt === "number" && Number.isFinite(createdAt)) return { timestamp: createdAt };
  }
  return {};
}

/** The messages of a prompt. One that is unchanged is the same object again. */
export function toPrompt({ messages }: Conversation): unknown[] {
  return messages.flatMap((message) => sources.get(message) ?? converted(message));
}

function converted(message: ChatMessage): unknown[] {
  return (vercel.to(new Conversation({ messages: [message] })) as unknown[]).map(listed);
}

/** In prompts, the content of users and assistants is a list. */
function listed(message: unknown): unknown {
  if (!isBag(message)) return message;
  const { role, content } = message as Bag;
  return role === "system" || typeof content !== "string"
    ? message
    : { ...message, content: [{ type: "text", text: content }] };
}
