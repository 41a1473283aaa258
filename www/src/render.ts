import {
  type Compression,
  type Rendered,
  type RenderOptions,
  type RenderStats,
  type SectionKind,
  type TokenCounter,
  toMessages,
} from "turnfold";
import { History, readNamed } from "./history.ts";
import { limits, type OptionName, optionNames, type StrategyChoice, turnCounts } from "./options.ts";
import { attempt, complaint, fieldId, type Problem, type Problems, problemOf, refusedOption } from "./problem.ts";
import { dropsOf, messagesOf } from "./sections.ts";
import type { State, ToolRow, TurnEntry } from "./state.ts";
import { type Asked, askedBy } from "./tokens/asked.ts";
import { Counts } from "./tokens/counts.ts";
import type { TurnList } from "./turn-list.ts";

/** A stretch of a section that came from the same turns. */
export interface Stretch {
  readonly text: string;
  /** Places in the history, from 1; none for what no turn made. */
  readonly turns: readonly number[];
}

/** A stretch of a message that is of one kind, whichever turns it came from. */
export interface Section {
  readonly kind: SectionKind;
  readonly text: string;
  /** The sections of a message have its tokens together. */
  readonly tokens: number;
  /** End to end. Where the text allows it they begin where a line begins. */
  readonly stretches: readonly Stretch[];
}

export interface RenderedMessage {
  readonly role: string;
  readonly content: string;
  readonly tokens: number;
  readonly sections: readonly Section[];
}

/** Something that the model does not see. */
export type Drop = Rendered["dropped"][number];

/** Everything that is shown on the right. */
export interface Frame {
  readonly messages: readonly RenderedMessage[];
  readonly tokens: number;
  /** What the same history takes when nothing is folded. */
  readonly plainTokens: number;
  readonly stats: RenderStats;
  readonly dropped: readonly Drop[];
  readonly budget: Rendered["budget"];
  /** What all tokens here were counted with. */
  readonly counter: TokenCounter;
  /** What the turns before were asked with; null where nobody knows. */
  readonly asked: Asked | null;
}

export interface Outcome {
  readonly problems: ReadonlyMap<string, Problem>;
  /** The turns that fields with a problem belong to. */
  readonly owners: ReadonlyMap<string, TurnEntry>;
  /** The data as it was read; empty where it can't be. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The turns that can be read. */
  readonly turns: TurnList;
  /** What the messages are rendered from; null where a problem stands in the way. */
  readonly options: RenderOptions | null;
  /** A refusal that belongs to no field. */
  readonly refusal: Problem | null;
  /** Null where a problem stands in the way. */
  readonly frame: Frame | null;
}

/** Gives the frame of a state. It has no say in the result what was rendered before: that only spares reading it again. */
export function createRenderer(): (state: State, counter: TokenCounter) => Outcome {
  const history = new History();
  const cache = new TokenCache();
  const readData = rememberingLast(readNamed);
  const sameOptions = rememberingEqual<RenderOptions>();

  return (state, counter) => {
    const problems: Problems = new Map();
    const owners = new Map<string, TurnEntry>();
    const turns = history.turns(state.turns, problems, owners);
    const data = attempt<Outcome["data"]>(problems, "data", {}, () => readData(state.data));
    const options = optionsOf(state, data, problems);
    const read = { owners, data, turns };
    if (problems.size > 0) return { ...read, problems, options: null, refusal: null, frame: null };
    try {
      const all = turns.after(turns.length, options);
      const rendered = toMessages(all, null, options);
      const plain = state.strategy === "none" ? rendered : toMessages(all, null, { ...options, compression: false });
      const frame = cache.frame(rendered, plain, { counter, asked: askedBy(turns, sameOptions(options)) });
      return { ...read, problems, options, refusal: null, frame };
    } catch (error) {
      const problem = problemOf(error);
      const option = optionNames.find((name) => name === refusedOption(error));
      const none = { ...read, options: null, frame: null };
      if (option === undefined) return { ...none, problems, refusal: problem };
      return { ...none, problems: new Map([[fieldId(option), problem]]), refusal: null };
    }
  };
}

/** What messages are rendered from; what stands in the way is noted by field. */
export function optionsOf(state: State, data: Outcome["data"], problems: Problems): RenderOptions {
  const number = (name: OptionName): number | undefined => {
    const text = state.options[name].trim();
    if (text === "") return undefined;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    problems.set(fieldId(name), complaint("Write a whole number, or nothing for the default"));
    return undefined;
  };
  const given: Given = (names) =>
    Object.fromEntries(names.map((name) => [name, number(name)]).filter(([, value]) => value !== undefined));
  const everywhere = [...limits.filter((entry) => entry.strategy === undefined), ...turnCounts].map(
    (entry) => entry.name,
  );
  const signature = state.signature.trim();
  if (signature !== "") attempt(problems, "signature", null, () => accepts({ mission: "", signature }));
  return {
    mission: state.mission,
    ...(state.systemPrompt === "" ? {} : { systemPrompt: state.systemPrompt }),
    tools: toolsOf(state.tools, problems),
    data,
    ...(signature === "" ? {} : { signature }),
    fieldDescriptions: Object.fromEntries(
      state.fields.filter((row) => row.path.trim() !== "").map((row) => [row.path.trim(), row.description]),
    ),
    compression: compressionOf(state.strategy, given),
    ...given(everywhere),
    toolResults: state.toolResults,
  };
}

type Given = (names: readonly OptionName[]) => Partial<Record<OptionName, number>>;

function compressionOf(strategy: StrategyChoice, given: Given): Compression {
  switch (strategy) {
    case "none":
      return false;
    case "rolling-window":
      return [strategy, given(["keep"])];
    case "aggressive":
      return [strategy, given(["budget"])];
    default:
      return strategy;
  }
}

function toolsOf(
  rows: readonly ToolRow[],
  problems: Problems,
): Record<string, { signature?: string; description?: string }> {
  const tools: Record<string, { signature?: string; description?: string }> = {};
  for (const row of rows) {
    const name = row.name.trim();
    if (name === "") continue;
    if (Object.hasOwn(tools, name)) problems.set(fieldId("tool", row), complaint("Another tool has this name"));
    const problem = refusalOf(row);
    if (problem !== null) problems.set(fieldId("tool-signature", row), problem);
    tools[name] = toolOf(row);
  }
  return tools;
}

const toolOf = ({ signature, description }: ToolRow): { signature?: string; description?: string } => ({
  ...(signature.trim() === "" ? {} : { signature: signature.trim() }),
  ...(description === "" ? {} : { description }),
});

const refusals = new WeakMap<ToolRow, { readonly problem: Problem | null }>();

/** Each tool is shown to the package alone, so that a refusal belongs to one row. */
function refusalOf(row: ToolRow): Problem | null {
  let known = refusals.get(row);
  if (known === undefined) {
    const problems: Problems = new Map();
    attempt(problems, "tool", null, () => accepts({ mission: "", tools: { [row.name.trim()]: toolOf(row) } }));
    known = { problem: problems.get("tool") ?? null };
    refusals.set(row, known);
  }
  return known.problem;
}

function accepts(options: RenderOptions): null {
  toMessages([], null, options);
  return null;
}

function rememberingLast<A, R>(compute: (argument: A) => R): (argument: A) => R {
  let last: { readonly argument: A; readonly result: R } | null = null;
  return (argument) => {
    if (last === null || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}

/** The object that was given last, when it says the same: as JSON, beside the data, which have to be the same object. */
function rememberingEqual<T extends RenderOptions>(): (options: T) => T {
  let last: { readonly options: T; readonly text: string } | null = null;
  return (options) => {
    const { data: _, ...rest } = options;
    const text = JSON.stringify(rest);
    if (last === null || last.options.data !== options.data || last.text !== text) last = { options, text };
    return last.options;
  };
}

interface FrameContext {
  readonly counter: TokenCounter;
  readonly asked: Asked | null;
}

/**
 * Makes frames, and remembers the token counts of the last one and what it showed: of a long history only what changed is
 * counted, and only that is drawn again.
 */
export class TokenCache {
  readonly #counts = new Counts();
  #messages: readonly RenderedMessage[] = [];
  #dropped: readonly Drop[] = [];

  frame(rendered: Rendered, plain: Rendered, { counter, asked }: FrameContext): Frame {
    this.#counts.begin(counter);
    this.#messages = messagesOf(rendered, this.#messages, (text) => this.#counts.of(text));
    this.#dropped = dropsOf(rendered, this.#dropped);
    return {
      messages: this.#messages,
      tokens: this.#messages.reduce((sum, message) => sum + message.tokens, 0),
      plainTokens: plain.messages.reduce((sum, message) => sum + this.#counts.of(message.content), 0),
      stats: rendered.stats,
      dropped: this.#dropped,
      budget: rendered.budget,
      counter,
      asked,
    };
  }
}
