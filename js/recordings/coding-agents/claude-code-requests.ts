import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { blocksOf, injected, type SessionMessage } from "./claude-code-messages.ts";

/**
 * What was sent, as newer versions of Claude Code record it. A line of a request has the hashes of its messages, as many of
 * which are those of the request before it as `keep` says. Of a message that is made of the lines of the session, which a run
 * of lines of one role are, there is the hash only; others have lines of their own.
 */
export class SentMessages {
  private readonly own = new Map<unknown, PlainObject>();
  private readonly systems = new Map<unknown, unknown>();
  private id: unknown;
  private hashes: unknown[] = [];
  private system: unknown;
  /** The reply to the newest request, and the number of its messages. */
  private answered: { reply: SessionMessage; count: number } | undefined;
  private isNew = false;

  /** True for a line of a request that does not continue the one before it. */
  isOther(line: PlainObject): boolean {
    const next = this.hashesOf(line);
    return next !== undefined && this.hashes.some((one, index) => one !== next[index]);
  }

  note(line: PlainObject): void {
    const { type, hash, message, shapeHash, shape, id, base, keep } = line;
    if (type === "api-request-blob" && isPlainObject(message)) this.own.set(hash, message);
    if (type === "api-request-shape" && isPlainObject(shape)) this.systems.set(shapeHash, shape.system);
    const next = this.hashesOf(line);
    if (next === undefined) return;
    if (this.isOther(line)) this.answered = undefined;
    this.isNew = keep === 0 || base === this.id;
    [this.id, this.hashes, this.system] = [id, next, this.systems.get(shapeHash)];
  }

  private hashesOf({ type, keep, tail }: PlainObject): unknown[] | undefined {
    if (type !== "api-request" || typeof keep !== "number" || !Array.isArray(tail)) return undefined;
    return [...this.hashes.slice(0, keep), ...tail];
  }

  /** Notes the reply to the newest request; false if there is no record of this request. */
  noteReply(reply: SessionMessage): boolean {
    if (!this.isNew) return false;
    this.answered = { reply, count: this.hashes.length };
    this.isNew = false;
    return true;
  }

  /** Forgets what was sent before a compaction. */
  clear(): void {
    this.own.clear();
    this.answered = undefined;
  }

  /** The messages as they were sent, if they and the records say the same; otherwise as they are. */
  applyTo(messages: SessionMessage[]): SessionMessage[] {
    if (this.answered === undefined) return messages;
    const { reply, count } = this.answered;
    const runs = runsOf(messages.filter((one) => one === reply || (one.isAttached !== true && !isBroken(one))));
    const sent = this.system === undefined ? [] : [systemMessage(this.system)];
    let place = 0;
    let isOwnOfUser = false;
    for (const hash of this.hashes.slice(0, count)) {
      const own = this.own.get(hash) as SessionMessage["message"] | undefined;
      if (own?.role === "system") {
        // A message may have settings and no content.
        if (own.content !== undefined) sent.push(systemMessage(own.content));
        continue;
      }
      // Of what the lines of the user say, several messages may be made.
      const isMore = own?.role === "user" && isOwnOfUser;
      isOwnOfUser = own?.role === "user";
      const run = runs[isMore ? place - 1 : place++] ?? [];
      const [first] = run;
      if (first === undefined || (own !== undefined && own.role !== first.message.role)) return messages;
      sent.push(...(own === undefined ? run : [{ ...first, message: own }]));
    }
    return runs[place]?.[0] === reply ? [...sent, ...runs.slice(place).flat()] : messages;
  }
}

/** True for a reply that broke off before it said something, which is not sent. */
const isBroken = ({ message: { role, content } }: SessionMessage): boolean =>
  role === "assistant" &&
  blocksOf(content).every((block) => /thinking/.test(String((Object(block) as PlainObject).type)));

const systemMessage = (content: unknown): SessionMessage => ({
  ...injected(content, undefined),
  message: { role: "system", content },
});

/** Messages that are sent as one: those of the user that follow each other, and each reply. */
function runsOf(messages: readonly SessionMessage[]): SessionMessage[][] {
  const runs: SessionMessage[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (message.message.role === "user" && last?.[0]?.message.role === "user") last.push(message);
    else runs.push([message]);
  }
  return runs;
}
