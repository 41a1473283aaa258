import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { openai } from "../../formats/openai-format.ts";
import { groupItems, isAnswer, isItemType, itemKind, itemsOf } from "../../formats/responses-items.ts";
import { type LineReader, readLines } from "../reading/line-reader.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOf, type RecordedChat, type ReplyFacts, timeOf, usageOf } from "../reading/recorded-chat.ts";
import { textOf, withTimestamps } from "../reading/recorded-message.ts";
import { ExecReader, isCodexEvent } from "./codex-exec.ts";

const LINES = /^(?:session_meta|response_item|event_msg|turn_context|compacted)$/;

/** True for a line of a session of Codex, a file `rollout-….jsonl`. */
const isCodexLine = (line: unknown): boolean =>
  isPlainObject(line) && ((isPlainObject(line.payload) && LINES.test(String(line.type))) || isBareLine(line));

/** True for the first line and for states of a session whose items stand in no payload, as in the first half of 2025. */
const isBareLine = ({ id, timestamp, instructions, type, record_type: record }: PlainObject): boolean =>
  record === "state" ||
  (typeof id === "string" && typeof timestamp === "string" && instructions !== undefined && type === undefined);

/** Reads sessions, and what `codex exec --json` prints. */
export const codexReader: RecordingReader = {
  format: "codex",
  recognizes: (given) => Array.isArray(given) && (given.some(isCodexLine) || given.some(isCodexEvent)),
  read: (lines: unknown[]) => readLines(lines, new CodexReader()),
  lines: () => new CodexReader(),
};

class CodexReader implements LineReader {
  private readonly session = new SessionReader();
  private readonly exec = new ExecReader();

  read(line: PlainObject): RecordedChat[] {
    return isCodexEvent(line) ? this.exec.read(line) : this.session.read(line);
  }

  end(): RecordedChat[] {
    return [...this.session.end(), ...this.exec.end()];
  }
}

/** An item of the Responses API that was sent or received. */
interface SessionItem {
  item: PlainObject;
  at: unknown;
  /** The reply that it is a part of; null for an item that was sent, or is a part of a reply in an earlier chat. */
  reply: ReplyFacts | null;
}

/** Reads the items that each part of a session sent and got. */
class SessionReader implements LineReader {
  private items: SessionItem[] = [];
  private readonly complete: RecordedChat[] = [];
  private kind: RecordedChat["kind"] = "chat";
  private title: string | undefined;
  private instructions: PlainObject | undefined;
  private model: string | undefined;
  /** The most characters of a result that are sent, where more are recorded. */
  private maxResult = Number.POSITIVE_INFINITY;
  /** The id of the session; later lines with facts of a session are of the one from which it was forked, or repeat its own. */
  private id: unknown;
  /** The reply whose items are being written. */
  private reply: ReplyFacts | null = null;
  /** The tokens of all requests so far, by which a repeated count is known. */
  private counted: unknown;
  /** The last reply, if its items have not been written: it is a compaction, which follows. */
  private compaction: ReplyFacts | null = null;
  /** True in a session that has a line with the usage and the id of each reply. */
  private hasRecords = false;
  /** True for a line that is a copy, or was put before those of the session that it begins. */
  private isCopy = (_line: PlainObject): boolean => false;

  read(line: PlainObject): RecordedChat[] {
    const { type, payload, timestamp } = line;
    if (!isPlainObject(payload)) this.add(line, undefined, false);
    else if (type === "session_meta") this.start(payload, timestamp);
    else if (type === "turn_context") this.set(payload);
    else if (type === "response_item") this.add(payload, timestamp, this.isCopy(line));
    else if (type === "compacted") this.compact(payload, timestamp);
    else if (type === "event_msg") this.note(payload);
    else if (type === "token_usage_record") this.record(payload);
    return this.complete.splice(0);
  }

  end(): RecordedChat[] {
    if (this.kind !== "rewound" || this.hasReplies(0)) this.completeChat();
    return this.complete;
  }

  private start(meta: PlainObject, timestamp: unknown): void {
    if (this.id !== undefined) return;
    this.id = meta.id ?? null;
    const { source, base_instructions: given, agent_nickname: name, agent_role: role, forked_from_id: origin } = meta;
    const { end_ordinal_exclusive: end = meta.subagent_history_start_ordinal } = Object(
      meta.history_base,
    ) as PlainObject;
    const { subagent } = Object(source) as PlainObject;
    if (subagent !== undefined) {
      this.kind = "agent";
      this.title = [name, role, subagent].find((one) => typeof one === "string");
    }
    // A copy is written at once; a model needs longer.
    const copiedUntil = (timeOf(timestamp) ?? 0) + 1000;
    if (typeof end === "number") this.isCopy = ({ ordinal }) => Number(ordinal) < end;
    else if (typeof origin === "string") this.isCopy = (line) => (timeOf(line.timestamp) ?? copiedUntil) < copiedUntil;
    const { text = given } = Object(given) as PlainObject;
    if (typeof text === "string" && text !== "") this.instructions = { type: "message", role: "system", content: text };
    if (this.items.length === 0) this.begin([]);
  }

  /** Begins a history: the instructions stand before all items. */
  private begin(items: readonly PlainObject[], at?: unknown): void {
    const sent = this.instructions === undefined ? items : [this.instructions, ...items];
    this.items = sent.map((item) => ({ item, at, reply: null }));
    this.reply = null;
  }

  private set({ model, truncation_policy: policy }: PlainObject): void {
    if (typeof model === "string") this.model = model;
    const { mode, limit } = Object(policy) as PlainObject;
    this.maxResult = typeof limit === "number" ? limit * (mode === "tokens" ? 4.8 : 1.2) : Number.POSITIVE_INFINITY;
  }

  private add(given: PlainObject, at: unknown, isCopy: boolean): void {
    const item = cut(asMessage(given), this.maxResult);
    if (!this.isSent(item)) return;
    const before = this.items.at(-1);
    // What a review found is written as an action of the user and a message that no model wrote here.
    const isReply = isAnswer({ item, kind: itemKind(item) }) && !isReview(before?.item);
    const wasReply = before?.reply ?? null;
    if (isReply && (this.reply === null || wasReply === null)) this.reply = { model: this.model, at };
    this.items.push({ item, at, reply: isReply && !isCopy ? this.reply : null });
  }

  private note(event: PlainObject): void {
    const { type, info, num_turns: questions, thread_name: name } = event;
    if (type === "token_count") this.count(Object(info) as PlainObject);
    else if (type === "thread_rolled_back") this.takeBack(Number(questions));
    else if (type === "thread_name_updated" && typeof name === "string") this.title ??= name;
  }

  /** Reads the tokens of the last reply, which are written after it, and again with each change of the limits. */
  private count({ last_token_usage: last, total_token_usage: total }: PlainObject): void {
    const usage = usageOf(last);
    const { total_tokens: counted } = Object(total) as PlainObject;
    if (usage === undefined || counted === this.counted || this.hasRecords) return;
    this.counted = counted;
    this.endReply({ usage });
  }

  private record({ usage, response_id: id }: PlainObject): void {
    this.hasRecords = true;
    this.endReply({ usage: usageOf(usage), ...(typeof id === "string" ? { id } : {}) });
  }

  private endReply(facts: ReplyFacts): void {
    this.compaction = this.reply === null ? facts : null;
    if (this.reply !== null) Object.assign(this.reply, facts);
    this.reply = null;
  }

  /** Removes the last questions of the user with everything after the first of them. */
  private takeBack(questions: number): void {
    const asked = this.items.flatMap(({ item }, index) => (isQuestion(item) ? [index] : []));
    const from = questions > 0 ? asked.at(-questions) : undefined;
    if (from === undefined) return;
    const hadReplies = this.hasReplies(from);
    if (hadReplies) this.completeChat();
    this.items = this.items.slice(0, from);
    this.reply = null;
    if (!hadReplies) return;
    this.kind = "rewound";
    for (const one of this.items) one.reply = null;
  }

  /** Continues with the history that was written, or with the user's messages and the summary. */
  private compact({ replacement_history: written, message }: PlainObject, at: unknown): void {
    const history = Array.isArray(written) ? written.filter(isPlainObject) : null;
    const summary = { type: "message", role: "user", content: String(message ?? "") };
    const output = history?.find((item) => itemKind(item) === "compaction") ?? { ...summary, role: "assistant" };
    if (this.compaction !== null) {
      const reply = { ...this.compaction, model: this.model, at };
      // With reasoning, an answer is another one than what the model said before.
      for (const item of [{ type: "reasoning", summary: [] }, output]) this.items.push({ item, at, reply });
    }
    const hadReplies = this.hasReplies(0);
    if (hadReplies) this.completeChat();
    const asked = this.items
      .map(({ item }) => item)
      .filter((item) => item.type === "message" && item.role !== "assistant");
    this.begin(
      Array.isArray(written) ? written.filter(isPlainObject).filter((one) => this.isSent(one)) : [...asked, summary],
      at,
    );
    if (hadReplies) this.kind = "compacted";
  }

  /**
   * True for an item that a model reads; a session has others, such as snapshots of the files, and may repeat the
   * instructions.
   */
  private isSent(item: PlainObject): boolean {
    const { type, role, content } = item;
    if (type !== "message") return isItemType(type) && type !== "configuration_update";
    return typeof role === "string" && (role !== "developer" || textOf(content) !== this.instructions?.content);
  }

  private hasReplies(from: number): boolean {
    return this.items.some(({ reply }, index) => index >= from && reply !== null);
  }

  private completeChat(): void {
    const { kind, title } = this;
    const items = withResults(this.items);
    if (items.every(({ item }) => item === this.instructions)) return;
    const given = items.map(({ item }) => item);
    const groups = groupItems(itemsOf(given)).map((group) =>
      group.map(({ path }) => items[path.at(-1) as number] as SessionItem),
    );
    const facts = groups.map((group) => [...new Set(group.flatMap(({ reply }) => reply ?? []))]);
    const { messages } = openai.responses.from(given);
    const conversation = withTimestamps(
      messages,
      groups.map(([first]) => first?.at),
    );
    // A reply of several messages is one request.
    const seen = new Set<ReplyFacts>();
    const requests = facts.map((replies) => replies.filter((reply) => !seen.has(reply) && seen.add(reply)));
    this.complete.push(chatOf(conversation, requests, { kind, ...(title === undefined ? {} : { title }) }));
  }
}

/** Other formats have no place for tools in the history, and for messages of other agents. */
function asMessage(item: PlainObject): PlainObject {
  const { type, tools, content } = item;
  if (type === "additional_tools") return { type: "message", role: "system", content: JSON.stringify(tools) };
  // To the model that reads it, it is of the user.
  return type === "agent_message" ? { type: "message", role: "user", content: textOf(content) } : item;
}

/** Cuts the middle out of a long result, as Codex does. */
function cut(item: PlainObject, most: number): PlainObject {
  const { output } = item;
  if (typeof output !== "string" || output.length <= most) return item;
  const half = Math.floor(most / 2);
  const gap = `…${output.length - 2 * half} chars truncated…`;
  return { ...item, output: output.slice(0, half) + gap + output.slice(-half) };
}

/** Adds the results that Codex sends for calls which ended without one, such as those of a session that was killed. */
function withResults(items: readonly SessionItem[]): SessionItem[] {
  const ended = new Set(items.flatMap(({ item }) => (itemKind(item) === "result" ? [item.call_id] : [])));
  const all: SessionItem[] = [];
  let open: PlainObject[] = [];
  for (const one of items) {
    const kind = itemKind(one.item);
    if (!isAnswer({ item: one.item, kind })) {
      for (const { type, call_id: id } of open)
        all.push({ item: { type: `${type}_output`, call_id: id, output: "aborted" }, at: one.at, reply: null });
      open = [];
    } else if (kind === "call" && !ended.has(one.item.call_id)) open.push(one.item);
    all.push(one);
  }
  return all;
}

/** Texts that Codex adds as messages of the user. */
const ADDED = /^(?:<[a-z_]+>|# AGENTS\.md instructions)/;

const isReview = (item: PlainObject = {}): boolean =>
  item.role === "user" && textOf(item.content).startsWith("<user_action>");

const isQuestion = ({ type, role, content }: PlainObject): boolean =>
  type === "message" && role === "user" && !ADDED.test(textOf(content));
