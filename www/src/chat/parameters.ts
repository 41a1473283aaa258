import {
  chunked,
  clearToolResults,
  fromTimestamp,
  type HistoryStrategy,
  lastNMessages,
  type RequestParameters,
  retrieveFacts,
  TurnfoldError,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold";
import { attempt, complaint, fieldId, type Problem, type Problems } from "../problem.ts";
import { optionDefaults } from "./options.ts";
import type { ChatOptionName, ChatState } from "./state.ts";

/** The id of the field of an option. */
export const optionField = (name: ChatOptionName | "strategy" | "when" | "concepts" | "summaryPrompt"): string =>
  fieldId(`chat-${name}`);

const settingNames = [
  "strategy",
  "clears",
  "concepts",
  "options",
  "tokenLimit",
  "when",
  "provider",
  "summaryPrompt",
  "summaryRole",
] as const satisfies readonly (keyof ChatState)[];

/** The settings that the parameters depend on. Nothing else of the tab changes a plan. */
export type Settings = Pick<ChatState, (typeof settingNames)[number]>;

export const settingsOf = (chat: ChatState): Settings =>
  Object.fromEntries(settingNames.map((name) => [name, chat[name]])) as unknown as Settings;

export interface Parameters {
  readonly parameters: RequestParameters;
  /** By the ids of fields. */
  readonly problems: ReadonlyMap<string, Problem>;
}

const WHOLE = /^\d{1,9}$/;

export function parametersOf(settings: Settings): Parameters {
  const problems: Problems = new Map();
  const whole = (name: ChatOptionName): number | undefined => {
    const text = settings.options[name].trim();
    if (WHOLE.test(text)) return Number(text);
    if (text !== "") problems.set(optionField(name), complaint("Write a whole number, or nothing for the default"));
    return undefined;
  };
  const strategies = strategiesOf(settings, whole, problems);
  const { when, provider, summaryRole, summaryPrompt } = settings;
  const given = {
    compressionStrategy: strategies.length === 0 ? undefined : strategies,
    when: when === "default" ? undefined : when,
    maxTokens: settings.tokenLimit === "number" ? whole("maxTokens") : shareOf(settings, whole, problems),
    reserveTokens: whole("reserveTokens"),
    maxHistorySize: whole("maxHistorySize"),
    minMessages: whole("minMessages"),
    keepAtLeast: whole("keepAtLeast"),
    summaryMaxTokens: whole("summaryMaxTokens"),
    summaryPrompt: summaryPrompt.trim() === "" ? undefined : summaryPrompt,
    provider,
    summaryRole,
  };
  const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { parameters, problems };
}

type Whole = (name: ChatOptionName) => number | undefined;

function strategiesOf(settings: Settings, whole: Whole, problems: Problems): HistoryStrategy[] {
  const { strategy, clears } = settings;
  const number = (name: "n" | "size" | "keep"): number => whole(name) ?? Number(optionDefaults[name]);
  const made = (name: ChatOptionName | "concepts", make: () => HistoryStrategy): HistoryStrategy[] => {
    const one = attempt(problems, optionField(name), null, make);
    return one === null ? [] : [one];
  };
  const clearing = (): HistoryStrategy[] => made("keep", () => clearToolResults({ keep: number("keep") }));
  const first = clears && strategy !== "none" && strategy !== "clearToolResults" ? clearing() : [];
  switch (strategy) {
    case "none":
      return [];
    case "wholeHistory":
      return [...first, wholeHistory()];
    case "lastNMessages":
      return [...first, ...made("n", () => lastNMessages(number("n")))];
    case "chunked":
      return [...first, ...made("size", () => chunked(number("size")))];
    case "fromTimestamp":
      return [...first, ...made("time", () => fromTimestamp(timeIn(settings.options.time)))];
    case "wholeHistoryMultipleSystemMessages":
      return [...first, wholeHistoryMultipleSystemMessages()];
    case "retrieveFacts":
      return [...first, ...made("concepts", () => retrieveFacts(namedConcepts(settings)))];
    case "clearToolResults":
      return clearing();
  }
}

function namedConcepts({ concepts }: Settings): { name: string; description: string }[] {
  const named = concepts.filter(({ name }) => name.trim() !== "");
  if (named.length === 0) throw new TypeError("Name what facts are to be gathered about");
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

/** The field that an error of the package belongs to; null for none. */
export function refusedField(error: unknown, settings: Settings): string | null {
  if (!TurnfoldError.isInstance(error)) return null;
  const { code, details } = error;
  if (code === "missing_timestamp") return optionField("time");
  const name = details.option ?? details.limit;
  if (name === "compressionStrategy") return optionField("strategy");
  if (name === "maxTokens") return optionField(settings.tokenLimit === "number" ? "maxTokens" : "share");
  const known = ["reserveTokens", "maxHistorySize", "minMessages", "keepAtLeast", "summaryMaxTokens", "when"] as const;
  const field = known.find((each) => each === name);
  return field === undefined ? null : optionField(field);
}
