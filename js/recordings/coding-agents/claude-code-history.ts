import { anthropic } from "../../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { chatOf, type RecordedChat, type RecordedUsage, usageOf } from "../reading/recorded-chat.ts";
import { jsonOf, withTimestamps } from "../reading/recorded-message.ts";
import { blocksOf, injected, isCall, isResult, messageOf, type SessionMessage } from "./claude-code-messages.ts";
import { SentMessages } from "./claude-code-requests.ts";

/** The messages that one agent sends with its next request. They become a chat where the history does not grow on. */
export class History {
  title: string | undefined;
  readonly complete: RecordedChat[] = [];
  private kind: RecordedChat["kind"];
  private messages: SessionMessage[] = [];
  /** The replies by their ids, which later lines may continue. */
  private readonly replies = new Map<string, SessionMessage>();
  /** For each line the number of messages up to there; a line that no model read has that of the line before. */
  private readonly places = new Map<unknown, number>();
  /** Messages that a compaction kept, which follow the summary. */
  private kept: SessionMessage[] = [];
  /** What the user wrote during a reply: in the queue, and taken out of it for the next request. */
  private readonly queue: unknown[] = [];
  private readonly taken: SessionMessage[] = [];
  /** True for a version that records attachments. */
  private hasAttachments = false;
  /** What the session records of requests. */
  private readonly sent = new SentMessages();
  /** The bills that the stream has written so far. */
  private dollars = 0;

  constructor(private readonly first: "chat" | "agent") {
    this.kind = first;
  }

  has(uuid: unknown): boolean {
    return this.places.has(uuid);
  }

  /** True after an answer without a call. */
  get isFinished(): boolean {
    const last = this.messages.at(-1);
    return last?.message.role === "assistant" && !blocksOf(last.message.content).some(isCall);
  }

  add(line: PlainObject): void {
    const { uuid, parentUuid, type, subtype } = line;
    // What was written before is repeated when a session is resumed.
    if (this.has(uuid)) return;
    const place = parentUuid === null ? 0 : (this.places.get(parentUuid) ?? this.messages.length);
    if (type === "system" && subtype === "compact_boundary") this.compact(line);
    else if (type === "system" && subtype === "microcompact_boundary") this.clearRecorded(line);
    else if (type === "stream_event" || type === "result") this.correctUsage(line);
    else if (type === "queue-operation") this.changeQueue(line);
    else if (type === "attachment") this.hasAttachments = true;
    else if (String(type).startsWith("api-request")) this.noteSent(line);
    const message = messageOf(line);
    const at = message === null ? Math.min(place, this.messages.length) : this.take(message, place);
    if (typeof uuid === "string") this.places.set(uuid, at);
  }

  end(): void {
    if (this.kind !== "rewound" || this.hasRequests(0)) this.completeChat();
  }

  /** Adds a message after the first `place` ones, and returns the number of messages up to there. */
  private take(message: SessionMessage, place: number): number {
    const { id, isPrompt } = message;
    const reply = this.replies.get(String(id));
    if (reply !== undefined) {
      // Lines of one reply repeat its usage; the output of the last one is whole.
      (reply.message.content as unknown[]).push(...blocksOf(message.message.content));
      reply.usage = message.usage ?? reply.usage;
      return this.messages.lastIndexOf(reply) + 1;
    }
    const isReply = message.message.role === "assistant";
    if (isPrompt || isReply) this.leaveBranch(message, place);
    if (isReply) this.messages.push(...this.taken.splice(0));
    if (isReply && !this.sent.noteReply(message)) this.noticeClearing(message);
    if (id !== undefined) {
      // The content is a copy, which grows in place.
      message.message.content = [...blocksOf(message.message.content)];
      this.replies.set(id, message);
    }
    this.messages.push(message, ...(message.isAttached === true ? [] : this.kept.splice(0)));
    return this.messages.length;
  }

  /** Earlier versions record only in this way what the user wrote during a reply; later ones have an attachment. */
  private changeQueue({ operation, content, timestamp }: PlainObject): void {
    if (operation === "enqueue") this.queue.push(content);
    else if (operation === "popAll") this.queue.length = 0;
    else {
      const next = this.queue.shift();
      // What leaves the queue in another way is written as a question; commands are not sent.
      if (operation === "remove" && typeof next === "string" && !next.startsWith("/") && !this.hasAttachments)
        this.taken.push(injected(next, timestamp));
    }
  }

  /** Leaves what follows the first `place` messages, if a question or reply stands in its place. */
  private leaveBranch({ isPrompt }: SessionMessage, place: number): void {
    let from = place;
    while (from < this.messages.length && !this.isOther(from, isPrompt)) from++;
    if (from >= this.messages.length) return;
    const wasRequested = this.hasRequests(from);
    if (wasRequested) this.completeChat();
    this.messages = this.messages.slice(0, from);
    for (const [uuid, at] of this.places) if (at > from) this.places.delete(uuid);
    for (const [id, reply] of this.replies) if (!this.messages.includes(reply)) this.replies.delete(id);
    if (wasRequested) this.goOn(from === 0 ? this.first : "rewound");
  }

  /** True for a message in whose place there is another question or reply; results stand beside each other. */
  private isOther(index: number, isPrompt: boolean): boolean {
    const later = this.messages[index];
    return later?.message.role === "assistant" || (isPrompt && later?.isPrompt === true);
  }

  /** Continues after the history was compacted: what came before was not sent again, except messages that were kept. */
  private compact({ compactMetadata: metadata }: PlainObject): void {
    if (this.hasRequests(0)) this.completeChat();
    const { headUuid, tailUuid } = Object(Object(metadata).preservedSegment) as PlainObject;
    const [head, tail] = [this.places.get(headUuid), this.places.get(tailUuid)];
    this.kept = head === undefined || tail === undefined ? [] : this.messages.slice(head - 1, tail);
    for (const message of this.kept) message.isRequested = false;
    this.messages = [];
    this.places.clear();
    this.replies.clear();
    this.sent.clear();
    this.goOn("compacted");
  }

  /** Continues after the history was changed in a way that only the record of a request shows. */
  private noteSent(line: PlainObject): void {
    if (this.sent.isOther(line) && this.hasRequests(0)) {
      this.completeChat();
      this.goOn("compacted");
    }
    this.sent.note(line);
  }

  private clearRecorded({ microcompactMetadata: metadata }: PlainObject): void {
    const { compactedToolIds: ids } = Object(metadata) as PlainObject;
    if (!Array.isArray(ids)) return;
    const cleared = new Set<unknown>(ids);
    this.clear(({ tool_use_id: id }) => cleared.has(id));
  }

  /** Continues after results were cleared: those of the given calls. */
  private clear(isCleared: (result: PlainObject) => boolean): void {
    if (this.hasRequests(0)) this.completeChat();
    for (const { message } of this.messages) {
      if (message.role !== "user" || !Array.isArray(message.content)) continue;
      message.content = message.content.map((block: unknown) =>
        isResult(block) && isCleared(block) ? { ...block, content: CLEARED } : block,
      );
    }
    this.goOn("compacted");
  }

  /**
   * Most versions of Claude Code clear old results without a record. The input of the next reply, which shrank, shows it:
   * as many of the oldest results were cleared.
   */
  private noticeClearing({ model, usage }: SessionMessage): void {
    let place = this.messages.length - 1;
    while (place >= 0 && !(this.messages[place]?.isRequested && this.messages[place]?.usage)) place--;
    const before = this.messages[place];
    if (before?.usage === undefined || usage === undefined || before.model !== model) return;
    const input = inputOf(before.usage);
    const shrunk = input - inputOf(usage) - SHRINKING * input;
    // Models that forget their thinking when the user asks again have less input too.
    if (shrunk < 0 || shrunk < SIGNATURE_TOKENS * signedIn(this.messages.slice(0, place + 1))) return;
    const since = this.messages.slice(place).map(({ message }) => message);
    let missing = (input - inputOf(usage)) * CHARACTERS_PER_TOKEN + jsonOf(since, "messages").length;
    this.clear((result) => {
      if (missing <= 0 || result.content === CLEARED) return false;
      missing -= jsonOf(result.content ?? "", "content").length;
      return true;
    });
  }

  private goOn(kind: RecordedChat["kind"]): void {
    this.kind = kind;
    for (const message of this.messages) message.isRequested = false;
  }

  /** The stream writes the whole output of a reply after it, and at the end that of the session with its bill. */
  private correctUsage({ type, event, usage, total_cost_usd: dollars }: PlainObject): void {
    const last = [...this.replies.values()].at(-1)?.usage;
    if (last === undefined) return;
    const { output } = usageOf(isPlainObject(event) ? event.usage : usage) ?? { output: 0 };
    const others = type === "result" ? this.outputBefore() : 0;
    last.output = Math.max(last.output, output - others);
    if (typeof dollars !== "number") return;
    last.dollars = dollars - this.dollars;
    this.dollars = dollars;
  }

  private outputBefore(): number {
    const requested = this.messages.filter(({ isRequested }) => isRequested);
    return requested.slice(0, -1).reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
  }

  private hasRequests(from: number): boolean {
    return this.messages.some(({ isRequested }, index) => index >= from && isRequested);
  }

  private completeChat(): void {
    if (this.messages.length === 0) return;
    const sent = this.sent.applyTo(this.messages);
    const { messages } = anthropic.from(sent.map(({ message }) => message));
    const conversation = withTimestamps(
      messages,
      sent.map(({ at }) => at),
    );
    const { title, kind } = this;
    const facts = sent.map((one) => (one.isRequested ? one : []));
    this.complete.push(chatOf(conversation, facts, { kind, ...(title === undefined ? {} : { title }) }));
  }
}

/** What stands in place of a result that was cleared. */
const CLEARED = "[Old tool result content cleared]";

/** The share of its tokens by which an input must shrink to show that results were cleared. */
const SHRINKING = 0.05;
const CHARACTERS_PER_TOKEN = 3;
/** Tokens of thinking for each character of its signature, which contains it. */
const SIGNATURE_TOKENS = 0.2;

/** The length of the signatures of the thinking since the last question. */
function signedIn(messages: readonly SessionMessage[]): number {
  const asked = messages.map(({ isPrompt }) => isPrompt).lastIndexOf(true);
  return messages
    .slice(asked + 1)
    .flatMap(({ message }) => blocksOf(message.content))
    .reduce<number>((sum, block) => sum + String((Object(block) as PlainObject).signature ?? "").length, 0);
}

const inputOf = ({ fresh, read, written }: RecordedUsage): number => fresh + read + written;
