import type { PlainObject } from "../../formats/data.ts";
import type { RecordedChat, ReplyFacts } from "./recorded-chat.ts";

/** Why a chat stands beside the one before it, and its title. */
export type ChatFacts = Partial<Pick<RecordedChat, "kind" | "title">>;

/**
 * The histories that a session sent, in their order: one until its messages are replaced or taken back, then another.
 * Messages may be in several.
 */
export class Histories<Message extends ReplyFacts> {
  readonly #all: { kind: RecordedChat["kind"]; messages: Message[] }[] = [{ kind: "chat", messages: [] }];

  /** The messages of the last history. */
  get messages(): Message[] {
    return this.#all.at(-1)?.messages ?? [];
  }

  /** Continues with other messages. */
  restart(kind: RecordedChat["kind"], messages: readonly Message[]): void {
    this.#all.push({ kind, messages: [...messages] });
  }

  /**
   * Adds the branches of a tree: those after the first one were taken back to a record of an earlier one.
   *
   * @param compacted returns the messages with which a record that compacts the history replaces it; null for others.
   */
  addBranches<Record extends PlainObject>(
    branches: readonly (readonly Record[])[],
    read: (record: Record) => readonly Message[],
    compacted: (record: Record, branch: readonly Record[]) => readonly Message[] | null,
  ): void {
    const seen = new Set<Record>();
    for (const [index, branch] of branches.entries()) {
      if (index > 0) this.restart("rewound", []);
      for (const record of branch) {
        const replaced = compacted(record, branch);
        if (replaced !== null) this.restart(seen.has(record) ? "rewound" : "compacted", replaced);
        else for (const message of read(record)) this.messages.push(message);
        seen.add(record);
      }
    }
  }

  /** Makes a chat of each history that has messages of its own. Requests of the others stand where they were made. */
  chats(
    make: (messages: readonly Message[], facts: ChatFacts) => RecordedChat | null,
    { title, kind: first = "chat" }: ChatFacts = {},
  ): RecordedChat[] {
    const seen = new Set<Message>();
    const chats: RecordedChat[] = [];
    for (const { kind, messages } of this.#all) {
      if (messages.every((message) => seen.has(message) || message.isRepeated === true)) continue;
      const marked = messages.map((message) => (seen.has(message) ? { ...message, isRepeated: true } : message));
      for (const message of messages) seen.add(message);
      const named = title === undefined ? {} : { title };
      const chat = make(marked, { kind: chats.length === 0 ? first : kind, ...named });
      if (chat !== null) chats.push(chat);
    }
    return chats;
  }
}

/**
 * The paths from a root to each leaf of a tree of records, in the order of the leaves. A record whose parent is missing,
 * as in a damaged file, follows the record before it.
 */
export function pathsOfTree(records: readonly PlainObject[], id: string, parent: string): PlainObject[][] {
  const all = new Map(records.map((record) => [record[id], record]));
  const parents = new Map<PlainObject, PlainObject | undefined>();
  for (const [index, record] of records.entries()) {
    const before = typeof record[parent] === "string" ? records[index - 1] : undefined;
    parents.set(record, all.get(record[parent]) ?? before);
  }
  const inner = new Set(parents.values());
  return records
    .filter((record) => !inner.has(record))
    .map((leaf) => {
      const path = new Set<PlainObject>();
      let record: PlainObject | undefined = leaf;
      while (record !== undefined && !path.has(record)) {
        path.add(record);
        record = parents.get(record);
      }
      return [...path].reverse();
    });
}
