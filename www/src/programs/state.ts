import type { ReplyRow, Row } from "../state.ts";

/** What the Programs tab has, as the texts that were typed. */
export interface ProgramsState {
  readonly signature: string;
  readonly kind: ProgramKind;
  readonly adapter: AdapterChoice;
  /** Empty text: what the names of the fields say. */
  readonly instructions: string;
  /** What fields are for, by their names. */
  readonly descriptions: readonly Cell[];
  readonly demos: readonly TurnRow[];
  readonly inputs: readonly Cell[];
  readonly history: readonly TurnRow[];
  /** What is done with a history that became too long. */
  readonly strategy: PairStrategy;
  /** Empty text: the default. */
  readonly options: Readonly<Record<ProgramOption, string>>;
  /** What a scripted model answers, in the order in which it is asked. */
  readonly replies: readonly ReplyRow[];
}

/** A turn of the same signature: of the history, or a demo. */
export interface TurnRow extends Row {
  readonly values: readonly Cell[];
}

/** A value by the name of its field. One whose field goes away stays, for a name that is typed again. */
export interface Cell {
  readonly name: string;
  readonly text: string;
  /** The text is JSON although the field takes text as it stands. */
  readonly json: boolean;
}

// The first of each list is the default.

export const programKinds = ["predict", "chainOfThought", "react"] as const;
export type ProgramKind = (typeof programKinds)[number];

export const adapterChoices = ["default", "chat", "json"] as const;
export type AdapterChoice = (typeof adapterChoices)[number];

export const pairStrategies = ["none", "lastNMessages", "wholeHistory", "chunked"] as const;
export type PairStrategy = (typeof pairStrategies)[number];

export const programOptionNames = ["maxRepairs", "maxSteps", "n", "size", "maxTokens", "minMessages"] as const;
export type ProgramOption = (typeof programOptionNames)[number];
