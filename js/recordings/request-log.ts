import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { partsOf } from "../chat/tool-pairs.ts";
import { chatOf, type RecordedChat, type ReplyFacts } from "./recorded-chat.ts";
import { withTimestamps } from "./recorded-message.ts";

/** A request to a model, with the whole history, as a log or a trace has it. */
export interface LoggedRequest extends ReplyFacts {
  /** The messages that were sent; with `previous`, those after its reply. */
  sent: readonly ChatMessage[];
  /** The reply; empty where there is none. */
  reply: readonly ChatMessage[];
  /** When it was sent, in milliseconds since 1970. */
  start?: number | undefined;
  /** The same for all requests of a session, those of its sub-agents too. */
  session?: string | undefined;
  title?: string | undefined;
  /** The id of the reply whose history the server has. */
  previous?: string | undefined;
}

/** A request with signs by which messages are compared. */
interface Entry extends LoggedRequest {
  system: string;
  /** Signs of the messages that were sent, without the system prompt at their beginning. */
  signs: readonly string[];
  replySigns: readonly string[];
}

/** Requests of which each continues the one before it. */
interface Branch {
  kind: RecordedChat["kind"];
  entries: Entry[];
  /** The branch with which this one's history began: itself, or that of which it is a part. */
  root: Branch;
}

/**
 * Makes chats of requests: a request whose messages continue those of an earlier one and its reply belongs to the chat
 * of that. One that has only a part of that history begins another chat: `rewound` if it has the beginning, `compacted`
 * if it has something else of it, or is shorter and of the same session. In a session, chats with another system prompt
 * than the longest one are sub-agents. The requests of a chat are those in the log: the history may have replies of
 * others, which were examples, or came before the log.
 */
export function chatsOfRequests(requests: readonly LoggedRequest[]): RecordedChat[] {
  const branches: Branch[] = [];
  for (const entry of entriesOf(requests)) {
    const open = [...branches].reverse().find((branch) => continues(lastOf(branch), entry));
    if (open === undefined) branches.push(beginBranch(entry, branches));
    else open.entries.push(entry);
  }
  return groupsOf(branches, ({ root }) => firstOf(root).session ?? root)
    .flatMap(withAgents)
    .map(chatOfBranch);
}

/** Groups branches, in the order of the first of each group. */
function groupsOf(branches: readonly Branch[], keyOf: (branch: Branch) => unknown): Branch[][] {
  const groups = new Map<unknown, Branch[]>();
  for (const branch of branches) {
    const key = keyOf(branch);
    groups.set(key, [...(groups.get(key) ?? []), branch]);
  }
  return [...groups.values()];
}

const firstOf = ({ entries }: Branch): Entry => entries[0] as Entry;
const lastOf = ({ entries }: Branch): Entry => entries.at(-1) as Entry;

/** Requests in the order of time, where all have one, with the history that the server has. Those without a reply count only if no one has a reply. */
function entriesOf(requests: readonly LoggedRequest[]): Entry[] {
  const answered = requests.filter(({ reply }) => reply.length > 0);
  const ordered = answered.length > 0 ? answered : [...requests];
  if (ordered.every(({ start }) => start !== undefined))
    ordered.sort((a, b) => (a.start as number) - (b.start as number));
  const byId = new Map<string, LoggedRequest>();
  return ordered.map((request) => {
    const before = byId.get(request.previous ?? "");
    const history = before === undefined ? [] : [...before.sent.slice(leading(before.sent)), ...before.reply];
    const from = leading(request.sent);
    const sent = [...request.sent.slice(0, from), ...history, ...request.sent.slice(from)];
    if (request.id !== undefined) byId.set(request.id, { ...request, sent });
    return {
      ...request,
      sent,
      system: sent
        .slice(0, from)
        .map((message) => signOf(message).slice(message.role.length))
        .join("\n"),
      signs: sent.slice(from).map(signOf),
      replySigns: request.reply.map(signOf),
    };
  });
}

/** The number of system messages at the beginning. */
function leading(messages: readonly ChatMessage[]): number {
  const first = messages.findIndex((message) => !isSystem(message));
  return first === -1 ? messages.length : first;
}

/** Members that clients move, add or remove between requests. */
const VOLATILE = /^(?:original|providerOptions|cache_?control|signature|timestamp)$/i;

/** A text that is the same for messages with the same role, texts, calls and results. Reasoning is not sent by all clients. */
function signOf(message: ChatMessage): string {
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : partsOf(message);
  const texts = parts
    .filter(({ type }) => type !== "reasoning")
    .map((part) => (part.type === "text" ? String(part.text).trim() : signOfData(part)));
  const calls = (message.toolCalls ?? []).map(({ id, name }) => `${id}:${name}`);
  return [message.role, message.toolCallId, ...calls, ...texts].filter(Boolean).join("\n");
}

const signOfData = (part: object): string =>
  JSON.stringify(part, (name, value: unknown) =>
    VOLATILE.test(name)
      ? undefined
      : ArrayBuffer.isView(value)
        ? value.byteLength
        : typeof value === "bigint"
          ? String(value)
          : value,
  );

/** True for a request whose history is that of another one with its reply. */
function continues({ signs: earlier, replySigns: reply }: Entry, { sent, signs }: Entry): boolean {
  const end = earlier.length;
  if (signs.length <= end) return false;
  const hasReply = reply.length > 0 && reply[0] === signs[end];
  const isNear = (sign: string, index: number) =>
    sign === signs[index] || (hasReply && isAmended(sign, signs[index] as string, index === 0, index === end - 1));
  return (reply.length === 0 || sent[leading(sent) + end]?.role === "assistant") && earlier.every(isNear);
}

/** True for a text that clients change between requests: they add reminders to the first message and to the last one. */
function isAmended(one: string, other: string, isFirst: boolean, isLast: boolean): boolean {
  return isFirst || (isLast && (one.includes(other) || other.includes(one)));
}

/** The length of a text that two histories have in common only if one was made of the other. */
const OWN_LENGTH = 80;

function beginBranch(entry: Entry, branches: readonly Branch[]): Branch {
  const own = new Set(entry.signs);
  const kindBeside = (branch: Branch): "compacted" | "rewound" | null => {
    const { session, system, signs, replySigns } = lastOf(branch);
    const isSession = session !== undefined && session === entry.session;
    if ((session ?? entry.session) !== undefined && !isSession) return null;
    if (!isSameSystem(system, entry.system)) return null;
    const all = [...signs, ...replySigns];
    const common = all.findIndex((sign, index) => sign !== entry.signs[index]);
    const isLeft = (sign: string) => sign.length >= OWN_LENGTH && own.has(sign);
    if (all.slice(common).some(isLeft) && common !== -1) return "compacted";
    if (common === -1 || common >= Math.max(1, firstOf(branch).signs.length)) return "rewound";
    return isSession && entry.signs.length < signs.length ? "compacted" : null;
  };
  for (const branch of [...branches].reverse()) {
    const kind = kindBeside(branch);
    if (kind !== null) return { kind, entries: [entry], root: branch.root };
  }
  const made = { kind: "chat", entries: [entry] } as unknown as Branch;
  made.root = made;
  return made;
}

/** True for system prompts with at least half of their lines in common: parts of them change, such as dates. */
function isSameSystem(one: string, other: string): boolean {
  if (one === other) return true;
  const [lines, others] = [one, other].map((text) => new Set(text.split("\n").filter(Boolean))) as [
    Set<string>,
    Set<string>,
  ];
  const common = [...lines].filter((line) => others.has(line)).length;
  return 2 * common >= Math.max(lines.size, others.size);
}

/** Puts the branches of a session into the order of their chats: the work of sub-agents stands last. */
function withAgents(branches: readonly Branch[]): Branch[] {
  const [longest] = [...branches].sort((a, b) => lastOf(b).signs.length - lastOf(a).signs.length) as [Branch];
  const isAgent = ({ root }: Branch) => !isSameSystem(lastOf(root).system, lastOf(longest.root).system);
  const agents = branches.filter(isAgent);
  for (const branch of agents) if (branch.root === branch) branch.kind = "agent";
  const own = branches.filter((branch) => !isAgent(branch));
  return [own, agents].flatMap((list) => groupsOf(list, ({ root }) => root).flat());
}

function chatOfBranch({ kind, entries }: Branch): RecordedChat {
  const { sent, reply, title } = entries.at(-1) as Entry;
  const messages = [...sent, ...reply];
  const from = leading(sent);
  const facts: ReplyFacts[][] = messages.map(() => []);
  for (const { id, model, usage, at, signs } of entries) facts[from + signs.length]?.push({ id, model, usage, at });
  const conversation = withTimestamps(
    messages,
    facts.map((list) => list[0]?.at),
  );
  // A request without a reply has only those of its history.
  return chatOf(conversation, reply.length > 0 ? facts : [], { kind, ...(title === undefined ? {} : { title }) });
}
