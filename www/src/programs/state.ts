import type { ReplyRow, Row } from "../states/state.ts";

/** The state of the tab of typed calls, as the typed texts. */
export interface ProgramsState {
  readonly signature: string;
  readonly kind: ProgramKind;
  readonly adapter: AdapterChoice;
  /** The instructions. An empty text is the default, which is made from the names of the fields. */
  readonly instructions: string;
  /** Descriptions of the fields. */
  readonly descriptions: readonly Cell[];
  readonly demos: readonly TurnRow[];
  readonly inputs: readonly Cell[];
  readonly history: readonly TurnRow[];
  /** How a long history is compressed. */
  readonly strategy: PairStrategy;
  /** The options; an empty text is the default. */
  readonly options: Readonly<Record<ProgramOption, string>>;
  /** The replies of a scripted model, in the order of the requests. */
  readonly replies: readonly ReplyRow[];
}

/** A turn of the history or a demo. */
export interface TurnRow extends Row {
  readonly values: readonly Cell[];
}

/** A value with the name of its field. It is kept when the field disappears, in case the name is typed again. */
export interface Cell {
  readonly name: string;
  readonly text: string;
  /** Whether the text is JSON in a field that takes plain text. */
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
