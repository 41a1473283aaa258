import { type ChatMessage, Conversation, vercel } from "../../chat.ts";
import { type Bag, isBag } from "../../formats/data.ts";

/** The messages of prompts, by those of the conversations that were made from them. */
const sources = new WeakMap<object, unknown>();

/** The conversation of a prompt, whose messages have the parts of the AI SDK. */
export function fromPrompt(prompt: readonly unknown[]): Conversation {
  const conversation = vercel.from(prompt);
  conversation.messages.forEach((message, index) => {
    sources.set(message, prompt[index]);
  });
  return conversation;
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
