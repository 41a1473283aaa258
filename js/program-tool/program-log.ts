import type { RunRecord } from "../waiting/run-record.ts";
import type { OpenProgram, ProgramStates } from "./program-store.ts";

/** The call of a program, as far as it decides what is kept. */
interface LoggedCall {
  readonly abortSignal?: AbortSignal | undefined;
  readonly mayRepeat?: boolean | undefined;
}

/** What happens in a running program, each written to a store that outlives the process before its effect. */
export class ProgramLog {
  /** From the beginning of the program, without its end. */
  readonly records: RunRecord[];
  /** False where nobody can ask for the records. */
  readonly isNeeded: boolean;
  private readonly states: ProgramStates;
  private readonly key: string;
  private readonly open: OpenProgram;
  private readonly signal: AbortSignal | undefined;
  private readonly first: number;
  private isInStore: boolean;
  private number: number;

  /**
   * @param open the program, with all its records.
   * @param first the number of the first record that was added in the store; null when the program is not there.
   */
  constructor(
    states: ProgramStates,
    key: string,
    open: OpenProgram,
    { abortSignal, mayRepeat = false }: LoggedCall,
    first: number | null = null,
  ) {
    this.states = states;
    this.key = key;
    this.open = open;
    this.signal = abortSignal;
    this.records = [...open.records];
    this.isNeeded = states.outlive || mayRepeat;
    this.isInStore = first !== null;
    this.first = first ?? open.next;
    this.number = open.next;
  }

  /** The number of the next record. */
  get next(): number {
    return this.number;
  }

  async add(record: RunRecord): Promise<void> {
    if (!this.isNeeded || record.type === "end") return;
    // The error of a call that is aborted says nothing about its effect.
    if (record.type === "result" && record.error !== undefined && this.signal?.aborted) return;
    this.records.push(record);
    if (!this.states.outlive) return;
    if (this.isInStore) await this.states.addRecord(this.key, this.number++, record);
    else if (record.type !== "start") {
      // A program that has made no call can run again.
      await this.states.setProgram(this.key, { ...this.open, records: [...this.records] });
      this.isInStore = true;
    }
  }

  /** Removes the records that were written one by one. */
  async forget(): Promise<void> {
    if (this.states.outlive) await this.states.deleteRecords(this.key, this.first, this.number);
  }
}
