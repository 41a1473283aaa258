import {
  type Compression,
  type Rendered,
  type RenderOptions,
  type RenderStats,
  type SectionKind,
  type TokenCounter,
  type ToolDescription,
  toMessages,
} from "turnfold";
import { customOf, hasNotRun } from "../custom/ran.ts";
import { RequestTable } from "../custom/requests.ts";
import { attempt, complaint, fieldId, type Problem, type Problems, problemOf, refusedOption } from "../page/problem.ts";
import { cachingLast } from "../page/reuse.ts";
import { fieldDescriptionsOf } from "../running/tool-parameters.ts";
import type { State, ToolRow, TurnEntry } from "../states/state.ts";
import { Counts } from "../tokens/counts.ts";
import { type RequestHistory, requestHistoryOf } from "../tokens/request-history.ts";
import { amountsOf, pricesOf } from "../tokens/settings.ts";
import { History, readNamed } from "./history.ts";
import { HistoryRenderer } from "./history-renderer.ts";
import { limits, type OptionName, optionNames, turnCounts } from "./options.ts";
import { dropsOf, messagesOf } from "./sections.ts";
import type { TurnList, TurnsAfter } from "./turn-list.ts";

/** A part of a section whose text comes from the same turns. */
export interface Segment {
  readonly text: string;
  /** Turn numbers, from 1; empty for text that comes from no turn. */
  readonly turns: readonly number[];
}

/** A part of a message of one kind, from any turns. */
export interface Section {
  readonly kind: SectionKind;
  readonly text: string;
  /** The tokens of the section. The counts of a message's sections add up to that of the message. */
  readonly tokens: number;
  /** The segments, which cover the whole text. They begin at the start of a line where possible. */
  readonly segments: readonly Segment[];
}

export interface RenderedMessage {
  readonly role: string;
  readonly content: string;
  readonly tokens: number;
  readonly sections: readonly Section[];
}

/** An omitted item. */
export type Drop = Rendered["dropped"][number];

/** The content of the right side. */
export interface Frame {
  readonly messages: readonly RenderedMessage[];
  readonly tokens: number;
  /** Tokens of the same history without compression. */
  readonly plainTokens: number;
  readonly stats: RenderStats;
  readonly dropped: readonly Drop[];
  readonly budget: Rendered["budget"];
  readonly breakpoints: Rendered["breakpoints"];
  /** The counter that made all token counts. */
  readonly counter: TokenCounter;
  /** The requests of the earlier turns; null if unknown. */
  readonly requestHistory: RequestHistory | null;
}

export interface Outcome {
  readonly problems: ReadonlyMap<string, Problem>;
  /** The turns with a problem, by the ids of their fields with one. */
  readonly owners: ReadonlyMap<string, TurnEntry>;
  /** The parsed data; empty when their text can't be read. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The turns that can be read. */
  readonly turns: TurnList;
  /** The options of the rendering; null when there is a problem. */
  readonly options: RenderOptions | null;
  /** An error without a field. */
  readonly refusal: Problem | null;
  /** The frame; null when there is a problem. */
  readonly frame: Frame | null;
}

/** Makes frames of one history. A frame similar to the previous one costs little. */
export class FrameMaker {
  readonly #folded = new HistoryRenderer();
  readonly #plain = new HistoryRenderer();
  readonly #cache = new TokenCache();

  /** The frame after the first `count` turns. */
  frame(turns: TurnsAfter, count: number, options: RenderOptions, more: FrameContext): Frame {
    const rendered = this.#folded.render(turns, count, options);
    const plain =
      options.compression === false ? rendered : this.#plain.render(turns, count, { ...options, compression: false });
    return this.#cache.frame(rendered, plain, more);
  }
}

/** Returns a function that renders a state. Earlier calls make it faster and do not change its results. */
export function createRenderer(): (state: State, counter: TokenCounter) => Outcome {
  const history = new History();
  const maker = new FrameMaker();
  const readData = cachingLast(readAccepted);
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
      const known = sameOptions(options);
      const { compression } = known;
      const isKnown = !(compression instanceof RequestTable) || compression.isWhole;
      const requestHistory = isKnown ? requestHistoryOf(turns, known) : null;
      const frame = maker.frame(turns, turns.length, known, { counter, requestHistory });
      return { ...read, problems, options, refusal: null, frame };
    } catch (error) {
      if (hasNotRun(error)) return { ...read, problems, options, refusal: null, frame: null };
      const problem = problemOf(error);
      const option = optionNames.find((name) => name === refusedOption(error));
      const none = { ...read, options: null, frame: null };
      if (option === undefined) return { ...none, problems, refusal: problem };
      return { ...none, problems: new Map([[fieldId(option), problem]]), refusal: null };
    }
  };
}

/** The options of the rendering. Adds problems by field. */
export function optionsOf(state: State, data: Outcome["data"], problems: Problems): RenderOptions {
  const number = (name: OptionName): number | undefined => {
    const text = state.options[name].trim();
    if (text === "") return undefined;
    const isDecimal = limits.some((entry) => entry.name === name && entry.isDecimal === true);
    if ((isDecimal ? /^\d{1,6}(?:\.\d{1,6})?$/ : /^\d{1,9}$/).test(text)) return Number(text);
    const wanted = isDecimal ? "a number such as 0.5" : "a whole number";
    problems.set(fieldId(name), complaint(`Write ${wanted}, or nothing for the default`));
    return undefined;
  };
  const given: Given = (names) =>
    Object.fromEntries(names.map((name) => [name, number(name)]).filter(([, value]) => value !== undefined));
  const everywhere = [...limits.filter((entry) => entry.strategies === undefined), ...turnCounts].map(
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
    compression: compressionOf(state, given, problems),
    ...given(everywhere),
    toolResults: state.toolResults,
  };
}

type Given = (names: readonly OptionName[]) => Partial<Record<OptionName, number>>;

function compressionOf(state: State, given: Given, problems: Problems): Compression {
  const { strategy, tokens } = state;
  switch (strategy) {
    case "none":
      return false;
    case "custom":
      return customOf(state, problems);
    case "rolling-window":
      return [strategy, given(["keep"])];
    case "aggressive":
      return [strategy, given(["budget"])];
    case "journal":
      return [strategy, { prices: pricesOf(amountsOf(tokens)), ...given(["keep", "patience"]) }];
    default:
      return strategy;
  }
}

function toolsOf(rows: readonly ToolRow[], problems: Problems): Record<string, Exclude<ToolDescription, string>> {
  const tools: Record<string, Exclude<ToolDescription, string>> = {};
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

const toolOf = ({ signature, description, parameters }: ToolRow): Exclude<ToolDescription, string> => ({
  ...(signature.trim() === "" ? {} : { signature: signature.trim() }),
  ...(description === "" ? {} : { description }),
  ...fieldDescriptionsOf(parameters),
});

const refusals = new WeakMap<ToolRow, { readonly problem: Problem | null }>();

/** The problem of a tool. The package checks each tool separately, so that an error can be shown at its row. */
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

/** Parses the data. The package checks their names separately, so that an error can be shown at this field. */
function readAccepted(text: string): Outcome["data"] {
  const data = readNamed(text);
  accepts({ mission: "", data });
  return data;
}

function accepts(options: RenderOptions): null {
  toMessages([], null, options);
  return null;
}

/** Makes a function that returns its last argument again for equal options: `data` is compared by identity, the rest as JSON. */
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
  readonly requestHistory: RequestHistory | null;
}

/** Makes frames. Reuses the token counts and objects of the last frame, so that only changes are counted and rendered. */
export class TokenCache {
  readonly #counts = new Counts();
  #messages: readonly RenderedMessage[] = [];
  #dropped: readonly Drop[] = [];

  frame(rendered: Rendered, plain: Rendered, { counter, requestHistory }: FrameContext): Frame {
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
      breakpoints: rendered.breakpoints,
      counter,
      requestHistory,
    };
  }
}
