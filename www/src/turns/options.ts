import type { Limits, StrategyName } from "turnfold";

/** The strategies of the package, "none" for an uncompressed history, and "custom" for the one that the user writes. */
export type StrategyChoice = StrategyName | "none" | "custom";

export interface StrategyEntry {
  readonly name: StrategyChoice;
  readonly label: string;
  readonly summary: string;
}

export const strategies: readonly StrategyEntry[] = [
  {
    name: "single-user-coalesced",
    label: "One message",
    summary: "All turns fold into one USER message with the definitions, calls and prints.",
  },
  {
    name: "journal",
    label: "Journal",
    summary: "The last folded state, then what each turn added; folds again when that saves more than it costs.",
  },
  {
    name: "rolling-window",
    label: "Rolling window",
    summary: "The last turns stay word for word; everything older folds into the first USER message.",
  },
  {
    name: "per-turn-summary",
    label: "A summary per turn",
    summary: "Every turn stays a pair of messages: its program, then its definitions, calls, prints and error.",
  },
  {
    name: "aggressive",
    label: "Token budget",
    summary: "One USER message whose changing part is cut to a token budget.",
  },
  { name: "none", label: "No strategy", summary: "No folding: each reply unchanged, followed by its feedback." },
  { name: "custom", label: "Your own", summary: "The messages that your function returns." },
];

/** The label of a strategy; an unknown name as it is. */
export const labelOf = (name: string): string => strategies.find((entry) => entry.name === name)?.label ?? name;

export type OptionName =
  | "printlnLimit"
  | "toolCallLimit"
  | "sampleLimit"
  | "samplePrintableLimit"
  | "sampleNames"
  | "printLength"
  | "keep"
  | "budget"
  | "patience"
  | "maxTurns"
  | "turnsLeft";

export interface OptionEntry {
  readonly name: OptionName;
  readonly label: string;
  /** The default, shown in the empty field. */
  readonly fallback: string;
  readonly hint: string;
  /** The strategies that have this option, with their defaults. Absent for an option of all strategies. */
  readonly strategies?: Readonly<Partial<Record<StrategyChoice, string>>>;
  /** Whether the number may have a fraction. */
  readonly isDecimal?: boolean;
}

/** The limits, which are shown with the strategy. */
export const limits: readonly OptionEntry[] = [
  {
    name: "keep",
    label: "Turns kept",
    fallback: "2",
    hint: "Newest turns that stay word for word",
    strategies: { "rolling-window": "2", journal: "1" },
  },
  {
    name: "budget",
    label: "Token budget",
    fallback: "1000",
    hint: "Tokens that the changing part may take",
    strategies: { aggressive: "1000" },
  },
  {
    name: "patience",
    label: "Patience",
    fallback: "1",
    hint: "Folds once not folding has cost this many times the price of a fold",
    strategies: { journal: "1" },
    isDecimal: true,
  },
  { name: "printlnLimit", label: "Prints", fallback: "15", hint: "Newest println calls shown" },
  { name: "toolCallLimit", label: "Tool calls", fallback: "20", hint: "Newest tool calls shown" },
  { name: "sampleLimit", label: "Sample items", fallback: "3", hint: "Items of a collection shown in a sample" },
  {
    name: "samplePrintableLimit",
    label: "Sample chars",
    fallback: "80",
    hint: "Characters of a string shown in a sample",
  },
  {
    name: "sampleNames",
    label: "Names",
    fallback: "0",
    hint: "Paths, addresses and identifiers to list from the part that a sample cuts",
  },
  { name: "printLength", label: "Print chars", fallback: "2000", hint: "Characters of one print shown" },
];

/** The limits that a strategy has, with its defaults. */
export const limitsOf = (strategy: StrategyChoice): readonly OptionEntry[] =>
  limits.flatMap((entry) => {
    const own = entry.strategies?.[strategy];
    if (entry.strategies !== undefined && own === undefined) return [];
    return [own === undefined ? entry : { ...entry, fallback: own }];
  });

/** The options for numbers of turns, which are shown with the mission. */
export const turnCounts: readonly OptionEntry[] = [
  { name: "maxTurns", label: "Turns allowed", fallback: "5", hint: "Turns that the agent may take in all" },
  {
    name: "turnsLeft",
    label: "Turns left",
    fallback: "counted",
    hint: "Turns remaining; empty: turns allowed minus the turns so far",
  },
];

export const optionNames: readonly OptionName[] = [...limits, ...turnCounts].map((entry) => entry.name);

export type LimitName = keyof Limits;

/** The limits of one run of a program. */
export const runLimits: readonly (Omit<OptionEntry, "name" | "strategies"> & { readonly name: LimitName })[] = [
  { name: "fuel", label: "Fuel", fallback: "20000000", hint: "Units of fuel that a program may take" },
  { name: "timeoutMs", label: "Time, ms", fallback: "5000", hint: "The program’s own time, without its tools" },
  { name: "loopIterations", label: "Loop rounds", fallback: "10000", hint: "Rounds of one loop" },
  { name: "depth", label: "Call depth", fallback: "10000", hint: "Nested calls" },
  { name: "heapBytes", label: "Heap, bytes", fallback: "64000000", hint: "Bytes of all its values at any one time" },
  { name: "collectionSize", label: "Collection", fallback: "1000000", hint: "Elements of one collection" },
  { name: "prints", label: "Prints", fallback: "1000", hint: "Calls of println" },
  { name: "printLength", label: "Print chars", fallback: "2000", hint: "Characters kept of one print" },
  { name: "toolCalls", label: "Tool calls", fallback: "1000", hint: "Calls of tools" },
];

export const limitNames: readonly LimitName[] = runLimits.map((entry) => entry.name);
