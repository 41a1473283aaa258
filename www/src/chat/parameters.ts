import { type RequestParameters, TurnfoldError } from "turnfold";
import { attempt, complaint, fieldId, type Problem, type Problems } from "../page/problem.ts";
import { type Amounts, pricesOf } from "../tokens/settings.ts";
import { type ChatParameters, madeBy, requestParameters, type StrategyCall } from "./calls.ts";
import { optionDefaults } from "./options.ts";
import type { ChatOptionName, ChatState, HistoryChoice } from "./state.ts";

/** The id of the field of an option. */
export const optionField = (name: ChatOptionName | "strategy" | "when" | "concepts" | "summaryPrompt"): string =>
  fieldId(`chat-${name}`);

const settingNames = [
  "strategy",
  "customStrategy",
  "clears",
  "shortens",
  "concepts",
  "options",
  "tokenLimit",
  "when",
  "provider",
  "summaryPrompt",
  "summaryRole",
] as const satisfies readonly (keyof ChatState)[];

/** The settings that the parameters depend on. Other settings of the tab do not change a plan. */
export type Settings = Pick<ChatState, (typeof settingNames)[number]>;

export const settingsOf = (chat: ChatState): Settings =>
  Object.fromEntries(settingNames.map((name) => [name, chat[name]])) as unknown as Settings;

export interface Parameters {
  readonly given: ChatParameters;
  /** The parameters for the package; null with a problem. */
  readonly parameters: RequestParameters | null;
  /** The problems by the ids of fields. */
  readonly problems: ReadonlyMap<string, Problem>;
}

/** The options that the package gets as they are. */
const wholeOptions = [
  "reserveTokens",
  "maxHistorySize",
  "minMessages",
  "keepAtLeast",
  "summaryMaxTokens",
  "summaryNames",
] as const;

const WHOLE = /^\d{1,9}$/;
const DECIMAL = /^\d{1,6}(?:\.\d{1,6})?$/;

/** @param amounts the amounts of the page; their prices decide whether a strategy is worth its cost. */
export function parametersOf(settings: Settings, amounts: Amounts): Parameters {
  const problems: Problems = new Map();
  const typed = (name: ChatOptionName, pattern: RegExp, wanted: string): number | undefined => {
    const text = settings.options[name].trim();
    if (pattern.test(text)) return Number(text);
    if (text !== "") problems.set(optionField(name), complaint(`Write ${wanted}, or nothing for the default`));
    return undefined;
  };
  const whole: Whole = (name) => typed(name, WHOLE, "a whole number");
  const strategies = strategiesOf(settings, whole, problems);
  const { when, provider, summaryRole, summaryPrompt } = settings;
  const isWorthIt = weighs(settings);
  const members = {
    when: when === "default" ? undefined : when,
    patience: isWorthIt ? typed("patience", DECIMAL, "a number such as 0.5") : undefined,
    prices: isWorthIt ? pricesOf(amounts) : undefined,
    maxTokens: settings.tokenLimit === "number" ? whole("maxTokens") : shareOf(settings, whole, problems),
    ...Object.fromEntries(wholeOptions.map((name) => [name, whole(name)])),
    arrival: settings.shortens ? ("lossless" as const) : undefined,
    summaryPrompt: summaryPrompt.trim() === "" ? undefined : summaryPrompt,
    provider,
    summaryRole,
  };
  const others = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const given = { strategies, others };
  return { given, parameters: problems.size > 0 ? null : requestParameters(given), problems };
}

/** Whether the strategy runs only when that is worth its price. */
export const weighs = ({ strategy, when }: Settings): boolean =>
  when === "worthIt" || (when === "default" && strategy === "digest");

/** Whether old results can be cleared before the strategy runs. The other strategies clear results themselves. */
export const canClearFirst = (strategy: HistoryChoice): boolean =>
  strategy !== "none" && strategy !== "clearToolResults" && strategy !== "digest";

type Whole = (name: ChatOptionName) => number | undefined;

function strategiesOf(settings: Settings, whole: Whole, problems: Problems): StrategyCall[] {
  const { strategy, clears } = settings;
  const number = (name: "n" | "size"): number => whole(name) ?? Number(optionDefaults[name]);
  /** The entered options by their names in the package. */
  const given = (...names: readonly ("keep" | "atLeast" | "names" | "head")[]): object =>
    Object.fromEntries(names.map((name) => [name, whole(name)]).filter(([, value]) => value !== undefined));
  /** The entered names of tools; undefined for none. */
  const tools = (name: "exclude" | "clearInputs"): readonly string[] | undefined => {
    const names = settings.options[name].split(",").map((each) => each.trim());
    const given = names.filter((each) => each !== "");
    return given.length === 0 ? undefined : given;
  };
  const call = (
    field: ChatOptionName | "concepts" | "strategy",
    name: StrategyCall["name"],
    args: () => readonly unknown[],
  ): StrategyCall[] =>
    attempt<StrategyCall[]>(problems, optionField(field), [], () => {
      const made = { name, args: args() };
      madeBy(made);
      return [made];
    });
  const clearing = (): StrategyCall[] =>
    call("keep", "clearToolResults", () => {
      const [exclude, inputs] = [tools("exclude"), tools("clearInputs")];
      const clearInputs = inputs?.includes("*") ? true : inputs;
      return [
        {
          keep: Number(optionDefaults.keep),
          ...given("keep"),
          ...(exclude && { exclude }),
          ...(clearInputs && { clearInputs }),
          ...given("atLeast", "names"),
        },
      ];
    });
  const first = clears && canClearFirst(strategy) ? clearing() : [];
  switch (strategy) {
    case "none":
      return [];
    case "clearToolResults":
      return clearing();
    case "digest":
      return call("strategy", strategy, () => [given("keep", "atLeast", "names", "head")]);
    case "lastNMessages":
      return [...first, ...call("n", strategy, () => [number("n")])];
    case "chunked":
      return [...first, ...call("size", strategy, () => [number("size")])];
    case "fromTimestamp":
      return [...first, ...call("time", strategy, () => [timeIn(settings.options.time)])];
    case "custom":
      return [...first, ...call("strategy", strategy, () => [settings.customStrategy])];
    case "retrieveFacts":
      return [...first, ...call("concepts", strategy, () => [namedConcepts(settings)])];
    default:
      return [...first, ...call("strategy", strategy, () => [])];
  }
}

function namedConcepts({ concepts }: Settings): { name: string; description: string }[] {
  const named = concepts.filter(({ name }) => name.trim() !== "");
  if (named.length === 0) throw new TypeError("Name at least one concept to gather facts about");
  return named.map(({ name, description }) => ({ name: name.trim(), description: description.trim() }));
}

function timeIn(text: string): number | string {
  const time = text.trim();
  if (time === "") throw new TypeError("Write a time, such as 2026-03-02T10:30:00Z");
  return /^\d{9,}$/.test(time) ? Number(time) : time;
}

function shareOf({ options }: Settings, whole: Whole, problems: Problems): RequestParameters["maxTokens"] {
  const window = whole("window");
  const text = options.share.trim();
  if (text === "" && window === undefined) return undefined;
  const fraction = Number(text);
  if (!(text !== "" && fraction > 0 && fraction <= 1)) {
    problems.set(optionField("share"), complaint("Write a share above 0, and at most 1, such as 0.7"));
    return undefined;
  }
  if (window === undefined) {
    if (!problems.has(optionField("window")))
      problems.set(optionField("window"), complaint("Write how many tokens the model takes, such as 128000"));
    return undefined;
  }
  return { fraction, window };
}

/** The id of the field that causes an error of the package; null for an error without a field. */
export function refusedField(error: unknown, settings: Settings): string | null {
  if (!TurnfoldError.isInstance(error)) return null;
  const { code, details } = error;
  if (code === "missing_timestamp") return optionField("time");
  const name = details.option ?? details.limit;
  if (name === "compressionStrategy") return optionField("strategy");
  if (name === "maxTokens") return optionField(settings.tokenLimit === "number" ? "maxTokens" : "share");
  const field = ([...wholeOptions, "patience", "when"] as const).find((each) => each === name);
  return field === undefined ? null : optionField(field);
}
