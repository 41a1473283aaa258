import { messageOf } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import { readSaved, type SavedSandbox, savedJson } from "../sandbox/saved-sandbox.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import type { Answers, WaitingCall } from "../waiting/waiting-call.ts";

/**
 * Where a {@link ProgramTool} keeps definitions and programs that wait, as JSON by texts. A `Map` is one; so is what reads and
 * writes rows of a table. Values of one conversation are never read in another.
 */
export interface ProgramStore {
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
  delete(key: string): unknown;
}

/** What programs of a conversation left. */
export interface ConversationState {
  /** Higher in a later state. */
  readonly time: number;
  readonly sandbox: SavedSandbox;
  /** The keys of the programs that wait, and of those that ended and whose results may be asked for again. */
  readonly open: readonly string[];
}

/** A program that waits. */
export interface OpenProgram {
  readonly program: string;
  /** The state in which it began. */
  readonly before: SavedSandbox;
  readonly records: readonly RunRecord[];
  readonly waiting: readonly WaitingCall[];
  /** Answers that the host gave ahead. */
  readonly answers: Answers;
  /** How often calls that waited were answered since its call began. */
  readonly rounds: number;
  /** The number of the first record in the store that is added to its own. */
  readonly next: number;
  /** True when the call has ended with what it waits for: only the model goes on with it. */
  readonly isTold: boolean;
}

/** A program that ended before its result was asked for, or whose result may be asked for again. */
export interface EndedProgram {
  readonly program: string;
  readonly text: string;
  readonly ok: boolean;
  readonly rounds: number;
}

/** States kept in memory when the host gives no store: the least recently used are forgotten. */
const KEPT_STATES = 1000;

/** The states of conversations and the programs of calls, in the store of the host or in memory. */
export class ProgramStates {
  private readonly kept = new Map<string, ConversationState | OpenProgram | EndedProgram>();
  private readonly store: ProgramStore | undefined;

  constructor(store: ProgramStore | undefined) {
    this.store = store;
  }

  async conversation(key: string): Promise<ConversationState | undefined> {
    const read = (json: Saved<ConversationState>) => ({ ...json, sandbox: readSaved(json.sandbox) });
    return (await this.read(`state/${key}`, read)) as ConversationState | undefined;
  }

  async setConversation(key: string, state: ConversationState): Promise<void> {
    await this.write(`state/${key}`, state, () => ({ ...state, sandbox: savedJson(state.sandbox) }));
  }

  async program(key: string): Promise<OpenProgram | EndedProgram | undefined> {
    const read = (json: Saved<OpenProgram>) =>
      json.before === undefined ? json : { ...json, before: readSaved(json.before) };
    return (await this.read(`program/${key}`, read)) as OpenProgram | EndedProgram | undefined;
  }

  async setProgram(key: string, program: OpenProgram | EndedProgram): Promise<void> {
    await this.write(`program/${key}`, program, () =>
      "before" in program ? { ...program, before: savedJson(program.before) } : program,
    );
  }

  async deleteProgram(key: string): Promise<void> {
    await this.delete(`program/${key}`);
  }

  /** True when the states outlive the process. */
  get outlive(): boolean {
    return this.store !== undefined;
  }

  /** Adds a record after those that an open program has. */
  async addRecord(key: string, number: number, record: RunRecord): Promise<void> {
    await stored("set", () => this.store?.set(`record/${key}/${number}`, record));
  }

  /** The records that were added, from this number on. */
  async addedRecords(key: string, from: number): Promise<RunRecord[]> {
    const records: RunRecord[] = [];
    while (this.store !== undefined) {
      const name = `record/${key}/${from + records.length}`;
      const record = await stored("get", () => this.store?.get(name));
      if (record === undefined || record === null) break;
      records.push(record as RunRecord);
    }
    return records;
  }

  /** Forgets the records that were added with these numbers. */
  async deleteRecords(key: string, from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((number) => this.delete(`record/${key}/${number}`)));
  }

  private async delete(key: string): Promise<void> {
    if (this.store === undefined) this.kept.delete(key);
    else await stored("delete", () => this.store?.delete(key));
  }

  private async read<T>(key: string, read: (json: Saved<T>) => unknown): Promise<unknown> {
    if (this.store !== undefined) {
      const json = await stored("get", () => this.store?.get(key));
      return json === undefined || json === null ? undefined : read(json as Saved<T>);
    }
    const state = this.kept.get(key);
    if (state !== undefined) this.keep(key, state);
    return state;
  }

  private async write(key: string, state: ConversationState | OpenProgram | EndedProgram, json: () => unknown) {
    if (this.store === undefined) this.keep(key, state);
    else await stored("set", () => this.store?.set(key, json()));
  }

  private keep(key: string, state: ConversationState | OpenProgram | EndedProgram): void {
    this.kept.delete(key);
    this.kept.set(key, state);
    if (this.kept.size <= KEPT_STATES) return;
    const [oldest = ""] = this.kept.keys();
    this.kept.delete(oldest);
  }
}

/** What a store has of a state. */
type Saved<T> = { [member in keyof T]: unknown };

async function stored(what: string, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (cause) {
    throw new TurnfoldError("record_failed", `${what} of the store of programs failed: ${messageOf(cause)}`, { cause });
  }
}
