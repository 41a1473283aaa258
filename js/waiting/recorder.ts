import { messageOf } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import type { OnRecord, RunRecord } from "./run-record.ts";

/** What all agents of a run share. */
interface Store {
  readonly onRecord: OnRecord;
  /** Settled when the last record is stored; rejected after one that was not. */
  last: Promise<unknown>;
}

/**
 * Writes the records of a run, one after the other, and keeps those of the running turn.
 *
 * @internal
 */
export class Recorder {
  private readonly store: Store | null;
  private readonly within: string | null;
  private kept: (() => RunRecord)[] = [];

  private constructor(store: Store | null, within: string | null) {
    this.store = store;
    this.within = within;
  }

  /**
   * A recorder of a run; without a function it only keeps.
   *
   * @param previous its records are stored before, or fail to be.
   */
  static for(onRecord: OnRecord | undefined, previous?: Recorder): Recorder {
    const last = previous?.settled().catch(() => {}) ?? Promise.resolve();
    return new Recorder(onRecord === undefined ? null : { onRecord, last }, null);
  }

  /** The recorder of the agent that a call is. */
  inCall(id: string): Recorder {
    return new Recorder(this.store, this.within === null ? id : `${this.within}/${id}`);
  }

  /** The records of the running turn. */
  get current(): RunRecord[] {
    return this.kept.map((make) => make());
  }

  /** Begins the records of a turn, with those that are stored already. */
  begin(records: readonly RunRecord[] = []): void {
    this.kept = records.map((record) => () => record);
  }

  /**
   * Writes a record. Resolves when it is stored.
   *
   * @param make makes the record; called later, or never, where nothing is stored.
   * @param keep makes the one of the running turn, where that has more.
   * @throws {TurnfoldError} `record_failed`
   */
  write(make: () => RunRecord, keep: () => RunRecord = make): Promise<void> {
    this.kept.push(keep);
    return this.send(make);
  }

  /** Writes a record that is not one of the running turn. */
  send(make: () => RunRecord): Promise<void> {
    const { store, within } = this;
    if (store === null) return DONE;
    const record = within === null ? make() : { in: within, ...make() };
    const stored = store.last.then(() => store.onRecord(record));
    store.last = stored;
    const settled = stored.then(() => {}, fail);
    settled.catch(() => {});
    return settled;
  }

  /**
   * Resolves when everything is stored.
   *
   * @throws {TurnfoldError} `record_failed`
   */
  settled(): Promise<void> {
    return this.store === null ? DONE : this.store.last.then(() => {}, fail);
  }
}

const DONE = Promise.resolve();

/** @throws {TurnfoldError} `record_failed` */
function fail(cause: unknown): never {
  throw new TurnfoldError("record_failed", `a record could not be stored: ${messageOf(cause)}`, {
    hint: "continue from the records that were stored",
    cause,
  });
}

/** True when an error says that a program or a run would go another way than its record. */
export const isDivergence = (error: unknown): boolean =>
  TurnfoldError.isInstance(error) && error.code === "replay_diverged";

/** True for an error of a call that ends its run: what happened after it would not be known. */
export const endsRun = (error: unknown): boolean => isRecordFailure(error) || isDivergence(error);

/** True when an error says that a record could not be stored. */
export const isRecordFailure = (error: unknown): boolean =>
  TurnfoldError.isInstance(error) && error.code === "record_failed";
