import { type ChatMessage, isSystem } from "../../chat/chat-message.ts";
import { partsOf } from "../../chat/tool-pairs.ts";
import { groupBy } from "../../values/group-by.ts";
import { chatOf, type RecordedChat, type ReplyFacts } from "../reading/recorded-chat.ts";
import { withTimestamps } from "../reading/recorded-message.ts";

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

/** Requests of which each continues the one before it. Only the first and the last one are kept whole. */
interface Branch {
  first: Entry;
  last: Entry;
  /** What is known of the requests, with the numbers of their messages after the system prompt. */
  requests: { messages: number; facts: ReplyFacts }[];
  index: number;
}

/** Makes chats of requests as {@link RequestLog} does; in the order of time where all have one. */
export function chatsOfRequests(requests: readonly LoggedRequest[]): RecordedChat[] {
  const log = new RequestLog();
  const isTimed = requests.every(({ start }) => start !== undefined);
  const ordered = isTimed ? [...requests].sort((a, b) => (a.start as number) - (b.start as number)) : requests;
  for (const request of ordered) log.add(request);
  return log.chats();
}

/**
 * Makes chats of requests: a request whose messages continue those of an earlier one and its reply belongs to the chat
 * of that. One that has only a part of that history begins another chat: `rewound` if it has the beginning, `compacted`
 * if it has something else of it, or is shorter, of the same session and has the same system prompt. In a session, chats with another system prompt
 * than the longest one are sub-agents. The requests of a chat are those in the log: the history may have replies of
 * others, which were examples, or came before the log. Requests without a reply count only if none has one.
 */
export class RequestLog {
  readonly #branches: Branch[] = [];
  readonly #unanswered: LoggedRequest[] = [];
  /** The branches with a message at their beginning, or as their last reply: those that a request may continue. */
  readonly #bySign = new Map<string | undefined, Set<Branch>>();
  readonly #byId = new Map<string, Branch>();

  add(request: LoggedRequest): void {
    if (request.reply.length > 0) this.#place(request);
    else if (this.#branches.length === 0 && request.sent.length > 0) this.#unanswered.push(request);
  }

  chats(): RecordedChat[] {
    if (this.#branches.length === 0) for (const request of this.#unanswered) this.#place(request);
    const branches = this.#branches.every(({ first }) => first.start !== undefined)
      ? [...this.#branches].sort((a, b) => (a.first.start as number) - (b.first.start as number))
      : this.#branches;
    const chats = chatsBeside(branches);
    return [...groupBy(chats, ({ root }) => root.branch.first.session ?? root).values()]
      .flatMap(withAgents)
      .map(recordedChat);
  }

  #place(request: LoggedRequest): void {
    const entry = entryOf(request, this.#byId.get(request.previous ?? "")?.last);
    const { id, model, usage, at, omitted, signs, replySigns, start } = entry;
    const known = { messages: signs.length, facts: { id, model, usage, at, omitted } };
    const near = [signs[0], ...signs.slice(1).map(asReply)].flatMap((sign) => [...(this.#bySign.get(sign) ?? [])]);
    const latest = [...new Set(near)].sort((a, b) => b.index - a.index);
    const open = latest.find(({ last }) => continues(last, entry));
    // Some logs begin with the newest request.
    const next = latest.find(({ first }) => Number(start) <= Number(first.start) && continues(entry, first));
    const made: Branch = { first: entry, last: entry, requests: [], index: this.#branches.length };
    const branch = open ?? next ?? made;
    if (open !== undefined) open.last = entry;
    else if (next !== undefined) next.first = entry;
    else this.#branches.push(made);
    branch.requests.push(known);
    if (id !== undefined) this.#byId.set(id, branch);
    for (const sign of [signs[0], asReply(replySigns[0])]) {
      this.#bySign.set(sign, (this.#bySign.get(sign) ?? new Set()).add(branch));
    }
  }
}

const asReply = (sign: string | undefined): string => `reply ${sign}`;

/** @param before the request whose history the server has. */
function entryOf(request: LoggedRequest, before: Entry | undefined): Entry {
  const from = leading(request.sent);
  const history = before === undefined ? [] : [...before.sent.slice(leading(before.sent)), ...before.reply];
  const sent = [...request.sent.slice(0, from), ...history, ...request.sent.slice(from)];
  const prompts = sent.slice(0, from).map((message) => signOf(message).slice(message.role.length));
  return {
    ...request,
    sent,
    system: prompts.join("\n"),
    signs: sent.slice(from).map(signOf),
    replySigns: request.reply.map(signOf),
  };
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

/** A branch as a chat beside others. */
interface BranchChat {
  branch: Branch;
  kind: RecordedChat["kind"];
  /** The chat with which this one's history began: itself, or that of which it is a part. */
  root: BranchChat;
}

/** Finds for each branch the one before it of which it has a part: of the same session, or with the same texts. */
function chatsBeside(branches: readonly Branch[]): BranchChat[] {
  const bySession = new Map<string, BranchChat[]>();
  const byText = new Map<string, BranchChat>();
  return branches.map((branch) => {
    const { first, last } = branch;
    const ofSession = bySession.get(first.session ?? "") ?? [];
    const alike = textsOf(first.signs).map((text) => byText.get(text));
    const chat = { branch, kind: "chat" } as BranchChat;
    chat.root = chat;
    for (const before of new Set([...ofSession, ...alike].reverse())) {
      const kind = before === undefined ? null : kindBeside(first, before.branch);
      if (kind === null || before === undefined) continue;
      Object.assign(chat, { kind, root: before.root });
      break;
    }
    if (first.session !== undefined) bySession.set(first.session, [...ofSession, chat]);
    for (const text of textsOf([...last.signs, ...last.replySigns])) byText.set(text, chat);
    return chat;
  });
}

/** The texts that histories may have in common: the first one, and long ones. */
const textsOf = (signs: readonly string[]): string[] =>
  signs.filter((sign, index) => index === 0 || sign.length >= OWN_LENGTH);

/** What a request is beside the requests before it; null where they have nothing to do with each other. */
function kindBeside(entry: Entry, { first, last }: Branch): "compacted" | "rewound" | null {
  const isSession = last.session !== undefined && last.session === entry.session;
  if ((last.session ?? entry.session) !== undefined && !isSession) return null;
  if (!isSameSystem(last.system, entry.system)) return null;
  const all = [...last.signs, ...last.replySigns];
  const common = all.findIndex((sign, index) => sign !== entry.signs[index]);
  const own = new Set(entry.signs);
  const isLeft = (sign: string) => sign.length >= OWN_LENGTH && own.has(sign);
  if (common !== -1 && all.slice(common).some(isLeft)) return "compacted";
  if (common === -1 || common >= Math.max(1, first.signs.length)) return "rewound";
  return isSession && entry.system !== "" && entry.signs.length < last.signs.length ? "compacted" : null;
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

/** Puts the chats of a session into their order: the work of sub-agents stands last. */
function withAgents(chats: readonly BranchChat[]): BranchChat[] {
  const [longest] = [...chats].sort((a, b) => b.branch.last.signs.length - a.branch.last.signs.length) as [BranchChat];
  const isAgent = ({ root }: BranchChat) => !isSameSystem(root.branch.last.system, longest.root.branch.last.system);
  const agents = chats.filter(isAgent).map((chat) => Object.assign(chat, chat.root === chat ? { kind: "agent" } : {}));
  const own = chats.filter((chat) => !isAgent(chat));
  return [own, agents].flatMap((list) => [...groupBy(list, ({ root }) => root).values()].flat());
}

function recordedChat({ branch: { last, requests }, kind }: BranchChat): RecordedChat {
  const { sent, reply, title } = last;
  const messages = [...sent, ...reply];
  const from = leading(sent);
  const facts: ReplyFacts[][] = messages.map(() => []);
  for (const request of requests) facts[from + request.messages]?.push(request.facts);
  const conversation = withTimestamps(
    messages,
    facts.map((list) => list[0]?.at),
  );
  // A request without a reply has only those of its history.
  return chatOf(conversation, reply.length > 0 ? facts : [], { kind, ...(title === undefined ? {} : { title }) });
}
