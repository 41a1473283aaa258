import {
  type ChatState,
  type ConceptRow,
  chatOptionNames,
  historyChoices,
  providerChoices,
  shapeChoices,
  summarizers,
  summaryRoles,
  tokenLimits,
  whenChoices,
} from "../chat/state.ts";
import {
  adapterChoices,
  type Cell,
  type ProgramsState,
  pairStrategies,
  programKinds,
  programOptionNames,
  type TurnRow,
} from "../programs/state.ts";
import { models } from "../run/models.ts";
import { knownModel, modelChoices } from "../tokens/models.ts";
import { amountNames, counterChoices, type TokenSettings, tokenViews } from "../tokens/settings.ts";
import { limitNames, optionNames, type StrategyChoice, strategies } from "../turns/options.ts";
import {
  type CallRow,
  type FieldRow,
  type FunctionRow,
  newId,
  type PrintRow,
  type ReplyRow,
  type State,
  type ToolRow,
  type TurnEntry,
} from "./state.ts";

/** The saved form of a value: without ids of rows and default values, and a row with a single text as that text. */
type Saved<T> = T extends { readonly id: number; readonly text: string }
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Saved<Item>[]
    : T extends object
      ? { readonly [K in Exclude<keyof T, "id">]?: Saved<NonNullable<T[K]>> }
      : T;

/** The state in links, files, the browser's storage and examples. */
export type SavedState = Saved<State>;
export type SavedChat = Saved<ChatState>;
export type SavedPrograms = Saved<ProgramsState>;
export type SavedTurn = Saved<TurnEntry>;

/** Reads and writes a kind of value as JSON. `write` returns undefined for the default. */
interface Codec<T> {
  read(json: unknown, path: string): T;
  write(value: T): unknown;
}

const text: Codec<string> = {
  read(json, path) {
    if (json === undefined) return "";
    if (typeof json !== "string") throw new TypeError(`${path} is not a string`);
    return json;
  },
  write: (value) => (value === "" ? undefined : value),
};

const flag = (fallback: boolean): Codec<boolean> => ({
  read(json, path) {
    if (json === undefined) return fallback;
    if (typeof json !== "boolean") throw new TypeError(`${path} is neither true nor false`);
    return json;
  },
  write: (value) => (value === fallback ? undefined : value),
});

/** One of several names; the first is the default. */
const choice = <N extends string>(names: readonly [N, ...N[]]): Codec<N> => ({
  read(json, path) {
    if (json === undefined) return names[0];
    const name = names.find((candidate) => candidate === json);
    if (name === undefined) throw new TypeError(`${path} is not one of ${names.join(", ")}`);
    return name;
  },
  write: (value) => (value === names[0] ? undefined : value),
});

const list = <T>(item: Codec<T>): Codec<readonly T[]> => ({
  read(json, path) {
    if (json === undefined) return [];
    if (!Array.isArray(json)) throw new TypeError(`${path} is not a list`);
    return json.map((value: unknown, index) => item.read(value, `${path}[${index}]`));
  },
  write: (value) => (value.length === 0 ? undefined : value.map((each) => item.write(each) ?? null)),
});

function record<T extends object>(members: { readonly [K in keyof T]: Codec<T[K]> }): Codec<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  return {
    read(json, path) {
      if (typeof json !== "object" || json === null || Array.isArray(json))
        throw new TypeError(`${path} is not an object`);
      const source = json as Readonly<Record<string, unknown>>;
      return Object.fromEntries(names.map((name) => [name, members[name].read(source[name], `${path}.${name}`)])) as T;
    },
    write: (value) => Object.fromEntries(names.map((name) => [name, members[name].write(value[name])])),
  };
}

function row<R extends { readonly id: number }>(
  members: { readonly [K in Exclude<keyof R, "id">]: Codec<R[K]> },
): Codec<R> {
  const body = record<Omit<R, "id">>(
    members as unknown as { readonly [K in keyof Omit<R, "id">]: Codec<Omit<R, "id">[K]> },
  );
  return {
    read: (json, path) => ({ id: newId(), ...body.read(json, path) }) as R,
    write: (value) => body.write(value),
  };
}

/** A row with a single text. */
const line: Codec<PrintRow & ReplyRow> = {
  read: (json, path) => ({ id: newId(), text: text.read(json ?? undefined, path) }),
  write: (value) => text.write(value.text),
};

const turn = row<TurnEntry>({
  success: flag(true),
  program: text,
  reply: text,
  prints: list(line),
  calls: list(row<CallRow>({ name: text, args: text, result: text, error: text })),
  result: text,
  reason: text,
  message: text,
  hint: text,
  lost: text,
  memory: text,
  functions: list(row<FunctionRow>({ name: text, params: text, doc: text, returns: text })),
});

const [firstStrategy, ...otherStrategies] = strategies.map((entry) => entry.name) as [
  StrategyChoice,
  ...StrategyChoice[],
];

const [firstModel, ...otherModels] = models;

/** A record that is omitted when all its members have their defaults. */
const spared = <T>(item: Codec<T>): Codec<T> => ({
  read: (json, path) => item.read(json ?? {}, path),
  write(value) {
    const written = item.write(value);
    return Object.values(written as object).every((member) => member === undefined) ? undefined : written;
  },
});

/** A text for each of several names. */
function texts<N extends string>(names: readonly N[]): Codec<Readonly<Record<N, string>>> {
  return spared(
    record<Record<N, string>>(
      Object.fromEntries(names.map((name) => [name, text])) as unknown as { [K in N]: Codec<string> },
    ),
  );
}

const chat = record<ChatState>({
  messages: text,
  shape: choice(shapeChoices),
  strategy: choice(historyChoices),
  customStrategy: text,
  clears: flag(false),
  shortens: flag(false),
  concepts: list(row<ConceptRow>({ name: text, description: text })),
  options: texts(chatOptionNames),
  tokenLimit: choice(tokenLimits),
  when: choice(whenChoices),
  provider: choice(providerChoices),
  summaryPrompt: text,
  summaryRole: choice(summaryRoles),
  summarizer: choice(summarizers),
  scripted: text,
  summaries: list(line),
});

const cells = list(record<Cell>({ name: text, text, json: flag(false) }));
const turnsOfPrograms = list(row<TurnRow>({ values: cells }));

const programs = record<ProgramsState>({
  signature: text,
  kind: choice(programKinds),
  adapter: choice(adapterChoices),
  instructions: text,
  descriptions: cells,
  demos: turnsOfPrograms,
  inputs: cells,
  history: turnsOfPrograms,
  strategy: choice(pairStrategies),
  options: texts(programOptionNames),
  replies: list(line),
});

/** A value that may be absent. */
const optional = <T>(item: Codec<T>): Codec<T | null> => ({
  read: (json, path) => (json === undefined ? null : item.read(json, path)),
  write: (value) => (value === null ? undefined : item.write(value)),
});

/** A model of the package's list of prices. */
const modelName: Codec<string> = {
  read(json, path) {
    if (json === undefined) return modelChoices[0];
    if (typeof json !== "string" || knownModel(json) === null) throw new TypeError(`${path} is not a known model`);
    return json;
  },
  write: (value) => (value === modelChoices[0] ? undefined : value),
};

const tokens = record<TokenSettings>({
  counter: choice(counterChoices),
  view: choice(tokenViews),
  model: modelName,
  tint: flag(true),
  ...(Object.fromEntries(amountNames.map((name) => [name, text])) as Record<
    (typeof amountNames)[number],
    Codec<string>
  >),
});

const state = record<State>({
  mission: text,
  systemPrompt: text,
  tools: list(
    row<ToolRow>({
      name: text,
      signature: text,
      description: text,
      parameters: text,
      answer: text,
      delay: text,
      needsApproval: flag(false),
      approvalIf: text,
      answersLater: flag(false),
    }),
  ),
  data: text,
  signature: text,
  fields: list(row<FieldRow>({ path: text, description: text })),
  strategy: choice([firstStrategy, ...otherStrategies]),
  customStrategy: text,
  options: texts(optionNames),
  toolResults: flag(false),
  turns: list(turn),
  waiting: text,
  program: text,
  limits: texts(limitNames),
  model: choice([firstModel.name, ...otherModels.map((entry) => entry.name)]),
  replies: list(line),
  chat: optional(chat),
  tokens: spared(tokens),
  programs: optional(programs),
});

/** Throws when `json` is not a saved state. */
export const fromSaved = (json: unknown): State => state.read(json, "state");

/** Throws when `json` is not a saved state of the Chat tab. */
export const chatFromSaved = (json: SavedChat): ChatState => chat.read(json, "chat");

/** Throws when `json` is not a saved state of the tab of typed calls. */
export const programsFromSaved = (json: SavedPrograms): ProgramsState => programs.read(json, "programs");

/** The saved form of a state as JSON text. Equal states have the same text. */
export const savedText = (value: State): string => JSON.stringify(state.write(value));
