/** The member in which a message of another shape has its content, and what reads such messages. */
export interface ForeignShape {
  member: string;
  hint: string;
}

type Members = Readonly<Record<string, unknown>>;

const LANGCHAIN_HINT = "`langchain.from(messages)` of turnfold/adapters/langchain reads the messages of LangChain";
const SHAREGPT_HINT = "give { role, content }: `from` is the role (human: user, gpt: assistant), `value` the content";

/** Members that have the content of messages of other programs. */
const CONTENT_MEMBERS: Readonly<Record<string, { isContent: (value: unknown) => boolean; hint: string }>> = {
  parts: { isContent: Array.isArray, hint: "`gemini.from(contents)` reads the contents of Gemini" },
  blocks: { isContent: Array.isArray, hint: "give { role, content }, with the texts of the blocks as content" },
  message: {
    isContent: isObject,
    hint: "`readConversation(lines)` reads a session of Claude Code; of other records, give the `message` alone",
  },
  kwargs: { isContent: isObject, hint: LANGCHAIN_HINT },
  data: { isContent: isObject, hint: LANGCHAIN_HINT },
  value: { isContent: isText, hint: SHAREGPT_HINT },
  text: { isContent: isText, hint: "give { role, content }, with the text as content" },
};

/** Members of which one is the content of a message, in this package's shape or a provider's. */
const OWN_CONTENT_MEMBERS = ["content", "toolCalls", "tool_calls", "function_call", "refusal", "audio"];

/**
 * Returns where a message of another shape has its content. Without this check it would be a message without content:
 * counted as a few tokens, and never compressed. Null for a message with content or calls, for a result, and for an
 * empty message.
 */
export function foreignShape(message: Members): ForeignShape | null {
  if (isUIMessage(message)) return { member: uiMember(message), hint: "`aiSdk.from(messages)` reads UI messages" };
  if (message.toolCallId !== undefined || OWN_CONTENT_MEMBERS.some((name) => !isEmpty(message[name]))) return null;
  for (const [member, { isContent, hint }] of Object.entries(CONTENT_MEMBERS)) {
    if (isContent(message[member]) && !isEmpty(message[member])) return { member, hint };
  }
  return null;
}

/**
 * True for a message of a user interface of the AI SDK, such as those of `useChat`: its content is in `parts`, or, in
 * version 4, in `toolInvocations` and `experimental_attachments` besides `content`.
 */
export function isUIMessage(message: Members): boolean {
  const { role, content, parts } = message;
  if (typeof role !== "string" || role === "model") return false;
  if (Array.isArray(parts) && (isEmpty(content) || (typeof content === "string" && parts.length > 0))) {
    return parts.every((part) => typeof (part as Members | null)?.type === "string");
  }
  return V4_MEMBERS.some((name) => Array.isArray(message[name]) && !isEmpty(message[name]));
}

const V4_MEMBERS = ["toolInvocations", "experimental_attachments"];

const uiMember = (message: Members): string =>
  Array.isArray(message.parts) ? "parts" : (V4_MEMBERS.find((name) => !isEmpty(message[name])) as string);

/** Returns the hint for an instance of a class that is a message of a framework; null for any other value. */
export function instanceHint(value: object): string | null {
  const { getType, _getType } = value as Members;
  return typeof getType === "function" || typeof _getType === "function" ? LANGCHAIN_HINT : null;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
