import type {
  ChatOptionName,
  HistoryChoice,
  ProviderChoice,
  ShapeChoice,
  Summarizer,
  SummaryRole,
  TokenLimit,
  WhenChoice,
} from "./state.ts";

interface Entry<N extends string> {
  readonly name: N;
  readonly label: string;
  readonly hint?: string;
}

export const shapes: readonly Entry<ShapeChoice>[] = [
  { name: "detect", label: "Detect" },
  { name: "openai", label: "OpenAI", hint: "Messages of chat completions" },
  { name: "openai-responses", label: "Responses", hint: "Items of OpenAI’s Responses API, or a request or response" },
  { name: "anthropic", label: "Anthropic", hint: "A list, or an object with system and messages" },
  { name: "gemini", label: "Gemini", hint: "A list of contents, or a request with contents and systemInstruction" },
  { name: "ai-sdk", label: "AI SDK", hint: "ModelMessage of the AI SDK" },
  { name: "own", label: "Turnfold", hint: "Messages of a Conversation, or one that was saved" },
];

interface StrategyEntry extends Entry<HistoryChoice> {
  readonly summary: string;
  /** The options that it takes. */
  readonly options?: readonly ChatOptionName[];
}

export const historyStrategies: readonly StrategyEntry[] = [
  {
    name: "lastNMessages",
    label: "Keep the last messages",
    summary: "The last messages stay word for word; all before them become one summary.",
    options: ["n"],
  },
  {
    name: "wholeHistory",
    label: "One summary",
    summary:
      "Everything becomes one summary, except system messages, pinned messages, and messages that wait for an answer.",
  },
  {
    name: "chunked",
    label: "A summary per group",
    summary: "Consecutive groups of messages become a summary each.",
    options: ["size"],
  },
  {
    name: "fromTimestamp",
    label: "Keep since a time",
    summary: "Everything from a time on stays word for word; all before it becomes one summary.",
    options: ["time"],
  },
  {
    name: "wholeHistoryMultipleSystemMessages",
    label: "A summary between system messages",
    summary: "Everything between two system messages becomes one summary.",
  },
  {
    name: "retrieveFacts",
    label: "Facts only",
    summary: "Facts about each concept replace the messages; one request to the model for each concept.",
  },
  {
    name: "clearToolResults",
    label: "Clear old tool results",
    summary: "Old tool results are replaced by a short note; no model is needed.",
    options: ["keep", "exclude", "clearInputs", "atLeast", "names"],
  },
  {
    name: "digest",
    label: "Digest",
    summary: "Each old round of tool calls becomes one line with the names in it; no model is needed.",
    options: ["keep", "atLeast", "names", "head"],
  },
  { name: "none", label: "No strategy", summary: "No strategy: only limits leave messages out." },
  {
    name: "custom",
    label: "Your own",
    summary: "Your function decides which messages are kept, summarised or dropped.",
  },
];

export const strategyEntry = (name: HistoryChoice): StrategyEntry =>
  historyStrategies.find((entry) => entry.name === name) as StrategyEntry;

/** The label of a strategy or a limit; an unknown name as it is. */
export const labelOf = (name: string): string =>
  historyStrategies.find((entry) => entry.name === name)?.label ?? chatOptions[name as ChatOptionName]?.label ?? name;

interface OptionEntry extends Omit<Entry<ChatOptionName>, "name"> {
  /** The default, shown in the empty field. */
  readonly fallback: string;
}

/** The page's defaults for options without a default in the package. */
export const optionDefaults = { n: "20", size: "10", keep: "3" } as const;

export const chatOptions: Readonly<Record<ChatOptionName, OptionEntry>> = {
  n: { label: "Messages kept", fallback: optionDefaults.n, hint: "Newest messages that stay (n)" },
  size: { label: "Group size", fallback: optionDefaults.size, hint: "Messages of a group (size)" },
  time: { label: "Time", fallback: "2026-03-02T10:30:00Z" },
  keep: { label: "Results kept", fallback: optionDefaults.keep, hint: "Newest tool results that stay (keep)" },
  exclude: {
    label: "Tools kept",
    fallback: "none",
    hint: "Names of tools whose results stay, separated by commas (exclude)",
  },
  clearInputs: {
    label: "Arguments of",
    fallback: "none",
    hint: "Names of tools whose arguments are cleared too, separated by commas; * for all (clearInputs)",
  },
  atLeast: { label: "Saved at least", fallback: "0", hint: "Fewest tokens that each batch saves (atLeast)" },
  names: {
    label: "Names listed",
    fallback: "0",
    hint: "Paths, addresses and identifiers to list from the cut text (names)",
  },
  head: { label: "Result chars", fallback: "80", hint: "Characters of a result that a line shows (head)" },
  maxTokens: { label: "Tokens sent", fallback: "none", hint: "Tokens that may be sent (maxTokens)" },
  share: { label: "Share", fallback: "0.7", hint: "Share of the window (fraction)" },
  window: { label: "Window", fallback: "128000", hint: "The model’s context window, in tokens" },
  reserveTokens: {
    label: "Kept for reply",
    fallback: "0",
    hint: "Tokens of them kept free for the reply (reserveTokens)",
  },
  maxHistorySize: { label: "Messages sent", fallback: "none", hint: "Messages that may be sent (maxHistorySize)" },
  minMessages: { label: "Fewest messages", fallback: "10", hint: "No strategy runs with fewer messages (minMessages)" },
  keepAtLeast: { label: "Always kept", fallback: "2", hint: "Fewest messages that a strategy leaves (keepAtLeast)" },
  summaryMaxTokens: {
    label: "Tokens a request",
    fallback: "none",
    hint: "A longer request for a summary is split (summaryMaxTokens)",
  },
  summaryNames: {
    label: "Names below it",
    fallback: "0",
    hint: "Names and values that a summary leaves out, listed below it (summaryNames)",
  },
  patience: {
    label: "Patience",
    fallback: "1",
    hint: "Folds once not folding has cost this many times the price of a fold (patience)",
  },
};

/** Other labels and defaults of options with the same name in `digest`. */
const ofDigest: Readonly<Partial<Record<ChatOptionName, Partial<OptionEntry>>>> = {
  keep: { label: "Rounds kept", fallback: "1", hint: "Newest rounds of tool calls that stay (keep)" },
  atLeast: { fallback: "2000" },
  names: { fallback: "200" },
};

/** The entry of an option for a strategy. */
export const optionOf = (name: ChatOptionName, strategy: HistoryChoice): OptionEntry => ({
  ...chatOptions[name],
  ...(strategy === "digest" ? ofDigest[name] : {}),
});

export const tokenLimitEntries: readonly Entry<TokenLimit>[] = [
  { name: "number", label: "a number of tokens" },
  { name: "share", label: "a share of the window" },
];

export const whenEntries: readonly Entry<WhenChoice>[] = [
  {
    name: "default",
    label: "default",
    hint: "A digest when it pays; others when a limit is exceeded, and always when there is none",
  },
  { name: "always", label: "always" },
  { name: "overLimit", label: "over a limit", hint: "Only when a limit is exceeded (overLimit)" },
  {
    name: "worthIt",
    label: "when it pays",
    hint: "When it costs less than leaving the history as it is, at the prices of the page (worthIt)",
  },
];

export const providerEntries: readonly Entry<ProviderChoice>[] = [
  { name: "openai", label: "OpenAI" },
  { name: "anthropic", label: "Anthropic" },
  { name: "gemini", label: "Gemini" },
];

export const summaryRoleEntries: readonly Entry<SummaryRole>[] = [
  { name: "user", label: "user" },
  { name: "assistant", label: "assistant" },
];

export const summarizerEntries: readonly (Entry<Summarizer> & { readonly summary: string })[] = [
  { name: "scripted", label: "Scripted", summary: "Each request gets the same text, as if a model had written it." },
  { name: "typed", label: "You", summary: "You write each summary; the request for a model is shown beside it." },
  {
    name: "endpoint",
    label: "Endpoint",
    summary: "This page sends requests directly to a server with OpenAI’s chat completions API.",
  },
];
