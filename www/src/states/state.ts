import type { ChatState } from "../chat/state.ts";
import type { ProgramsState } from "../programs/state.ts";
import type { ModelKind } from "../run/models.ts";
import type { TokenSettings } from "../tokens/settings.ts";
import type { LimitName, OptionName, StrategyChoice } from "../turns/options.ts";

/**
 * Everything that can be edited on the page, as the typed texts: an invalid field keeps its text. States are immutable, so
 * an unchanged turn is the same object in the next state.
 */
export interface State {
  readonly mission: string;
  readonly systemPrompt: string;
  readonly tools: readonly ToolRow[];
  /** The data: Clojure text of a map. */
  readonly data: string;
  readonly signature: string;
  readonly fields: readonly FieldRow[];
  readonly strategy: StrategyChoice;
  /** The module of the custom strategy. An empty text is an example. */
  readonly customStrategy: string;
  /** The options; an empty text is the default. */
  readonly options: Readonly<Record<OptionName, string>>;
  readonly toolResults: boolean;
  readonly turns: readonly TurnEntry[];
  /** The step of a run that waits, as JSON; empty when none waits. Its finished turns are in `turns` too. */
  readonly waiting: string;
  /** The program of the REPL. */
  readonly program: string;
  /** The limits of one run; an empty text is the default. */
  readonly limits: Readonly<Record<LimitName, string>>;
  /** The model of the agent. */
  readonly model: ModelKind;
  /** The replies of a scripted model, one for each turn. */
  readonly replies: readonly ReplyRow[];
  /** Null until something is changed on the Chat tab, which then shows its first example. */
  readonly chat: ChatState | null;
  readonly tokens: TokenSettings;
  /** Null until something is changed on the tab of typed calls, which then shows its first example. */
  readonly programs: ProgramsState | null;
}

/** An item of a list. Its id identifies it while rows are edited and moved, and is never saved. */
export interface Row {
  readonly id: number;
}

export interface ToolRow extends Row {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  /** Descriptions of parameters, as lines `path: description`. Saved steps have them for tools with schemas. */
  readonly parameters: string;
  /** The result of a call: Clojure text, JSON or a JavaScript function. When it is empty, calls fail. */
  readonly answer: string;
  /** Milliseconds until a call returns. */
  readonly delay: string;
  /** Whether a call of an agent needs an approval. */
  readonly needsApproval: boolean;
  /** A JavaScript function of the arguments that decides which calls need one. When it is empty, all do. */
  readonly approvalIf: string;
  /** Whether the result of an agent's call is given later. */
  readonly answersLater: boolean;
}

export interface FieldRow extends Row {
  readonly path: string;
  readonly description: string;
}

export interface TurnEntry extends Row {
  readonly success: boolean;
  readonly program: string;
  /** The whole reply of the model. An empty text stands for the program in a fence. */
  readonly reply: string;
  readonly prints: readonly PrintRow[];
  readonly calls: readonly CallRow[];
  /** The result of a successful turn, as Clojure text. */
  readonly result: string;
  /** The failure of a failed turn. */
  readonly reason: string;
  readonly message: string;
  readonly hint: string;
  /** The names that the program of a failed turn would have defined, separated by blanks. */
  readonly lost: string;
  /** The values that this turn defined: Clojure text of a map. */
  readonly memory: string;
  /** The functions that this turn defined. They have no form in Clojure text. */
  readonly functions: readonly FunctionRow[];
}

export interface PrintRow extends Row {
  readonly text: string;
}

/** The model's reply for the turn at the same index. */
export interface ReplyRow extends Row {
  readonly text: string;
}

export interface CallRow extends Row {
  readonly name: string;
  readonly args: string;
  readonly result: string;
  readonly error: string;
}

export interface FunctionRow extends Row {
  readonly name: string;
  readonly params: string;
  readonly doc: string;
  readonly returns: string;
}

let lastId = 0;
export const newId = (): number => ++lastId;

export const blankTool = (): ToolRow => ({
  id: newId(),
  name: "",
  signature: "",
  description: "",
  parameters: "",
  answer: "",
  delay: "",
  needsApproval: false,
  approvalIf: "",
  answersLater: false,
});
export const blankField = (): FieldRow => ({ id: newId(), path: "", description: "" });
export const blankPrint = (): PrintRow => ({ id: newId(), text: "" });
export const blankReply = (): ReplyRow => ({ id: newId(), text: "" });
export const blankCall = (): CallRow => ({ id: newId(), name: "", args: "", result: "", error: "" });
export const blankFunction = (): FunctionRow => ({ id: newId(), name: "", params: "", doc: "", returns: "" });
export const blankTurn = (): TurnEntry => ({
  id: newId(),
  success: true,
  program: "",
  reply: "",
  prints: [],
  calls: [],
  result: "",
  reason: "",
  message: "",
  hint: "",
  lost: "",
  memory: "",
  functions: [],
});

/** A copy of a turn with new ids. */
export const copyOfTurn = (turn: TurnEntry): TurnEntry => ({
  ...turn,
  id: newId(),
  prints: turn.prints.map((row) => ({ ...row, id: newId() })),
  calls: turn.calls.map((row) => ({ ...row, id: newId() })),
  functions: turn.functions.map((row) => ({ ...row, id: newId() })),
});

export const patched = <R extends Row>(rows: readonly R[], id: number, patch: Partial<R>): readonly R[] =>
  rows.map((row) => (row.id === id ? { ...row, ...patch } : row));

export const without = <R extends Row>(rows: readonly R[], id: number): readonly R[] =>
  rows.filter((row) => row.id !== id);

export const inserted = <R extends Row>(rows: readonly R[], index: number, row: R): readonly R[] =>
  rows.toSpliced(index, 0, row);

/** The list with the row moved to `index`; the same list when it is there already. */
export function moved<R extends Row>(rows: readonly R[], id: number, index: number): readonly R[] {
  const from = rows.findIndex((row) => row.id === id);
  const row = rows[from];
  const to = Math.max(0, Math.min(rows.length - 1, index));
  return row === undefined || from === to ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row);
}
