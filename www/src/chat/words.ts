import type { Fate, HistoryReport, Plan } from "turnfold";
import { counted, formatted, money, withSeparators } from "../page/numbers.ts";
import { chatOptions, labelOf } from "./options.ts";

/** The most ranges that are listed. */
const MAX_RANGES = 12;

/** Message numbers from 1 as ranges: “2–4, 8”. Many ranges become the first and the last number: “among 2–412”. */
export function ranges(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const number = (index: number): string => formatted(index + 1);
  const range = ([from, to]: [number, number]): string =>
    from === to ? number(from) : `${number(from)}–${number(to)}`;
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return "";
  return runs.length > MAX_RANGES ? `among ${range([first[0], last[1]])}` : runs.map(range).join(", ");
}

export const messagesAt = (indexes: readonly number[]): string =>
  `${indexes.length === 1 ? "message" : "messages"} ${ranges(indexes)}`;

/** Strategies and limits in a list of names: “Digest” and the limit “Tokens sent”. */
const quoted = (names: string): string =>
  names
    .split(", ")
    .map((name) => `${name in chatOptions ? "the limit " : ""}“${labelOf(name)}”`)
    .join(" and ");

/** The reasons to keep a message. The other reasons are names of strategies and limits. */
const keptReasons: Readonly<Record<string, string>> = {
  system: "system message",
  pinned: "pinned",
  pending: "waits for an answer",
};

/** The reason for a message's fate; empty without one. */
export function reasonText({ fate, reason }: Fate): string {
  if (reason === null) return "";
  if (fate === "kept") return keptReasons[reason] ?? labelOf(reason);
  return `by ${quoted(reason)}`;
}

export const fateNames: Readonly<Record<Fate["fate"], string>> = {
  kept: "kept",
  summarized: "summarised",
  dropped: "dropped",
  stubbed: "cleared",
};

const endings: Readonly<Record<Plan["outcome"] | HistoryReport["outcome"], string>> = {
  unchanged: "Nothing changes",
  skipped: "No strategy runs",
  summarize: "Summaries are needed",
  ready: "Ready without a model",
  applied: "Done",
  trimmed: "Only a limit applied",
};

/** A plan as a sentence. */
export function planSentence({ outcome, reason, requests, messages }: Plan): string {
  const start = outcome === "summarize" ? `${counted(requests.length, "request")} for summaries` : endings[outcome];
  if (outcome === "unchanged" || outcome === "skipped") {
    const why = reasonOf(reason) ?? (outcome === "unchanged" ? "no strategy or limit applies" : "");
    return `${start}${why === "" ? "" : `: ${why}`}.`;
  }
  return `${start}: ${fateList(messages)}.`;
}

/** Why the plan does nothing. “0 messages” would be wrong to a reader who sees system messages. */
function reasonOf(reason: string | null): string | null {
  if (reason?.startsWith("the history has 0 messages;") === true)
    return "there are only system messages, which always stay";
  // The costs in the reason are in the unit of the prices, which is for a million tokens.
  if (reason?.startsWith("it is not worth it yet:") === true)
    return reason.replace(/\d+(?:\.\d+)?/g, (cost) => money(Number(cost) / 1_000_000));
  return reason?.replace(/\d+/g, withSeparators) ?? null;
}

/** “38 summarised (messages 2–39), 22 kept”. */
function fateList(fates: readonly Fate[]): string {
  const by = Map.groupBy(fates, ({ fate }) => fate);
  return (["summarized", "stubbed", "dropped", "kept"] as const)
    .flatMap((fate) => {
      const group = by.get(fate);
      if (group === undefined) return [];
      const where = fate === "kept" ? "" : ` (${messagesAt(group.map(({ index }) => index))})`;
      return [`${formatted(group.length)} ${fateNames[fate]}${where}`];
    })
    .join(", ");
}

/** The result of applying a plan as a sentence. */
export function reportSentence({ outcome, strategy, reason, inserted }: HistoryReport): string {
  const by = strategy === null ? "" : ` ${quoted(strategy)}`;
  switch (outcome) {
    case "applied":
      return `Applied${by}: ${inserted === 0 ? "no summary" : counted(inserted, "summary").replace("summarys", "summaries")} inserted.`;
    case "trimmed":
      return `Trimmed by a limit${reason === null ? "" : `: ${reason}`}.`;
    default:
      return `${endings[outcome]}${reason === null ? "" : `: ${reasonOf(reason)}`}.`;
  }
}

export const change = (before: number, after: number): string => {
  if (before === 0) return "±0 %";
  const percent = Math.round((100 * (after - before)) / before);
  return `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${Math.abs(percent)} %`;
};
