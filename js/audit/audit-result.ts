import type { RecordingFormat } from "../recordings/reading/formats.ts";
import type { RecordedChat } from "../recordings/reading/recorded-chat.ts";

/** The result of {@link audit}: plain data, which JSON can express. */
export interface Audit {
  format: RecordingFormat;
  /** Whether the tokens are those of the recorded usage: of all requests, of none, or of some. */
  source: "recorded" | "estimated" | "mixed";
  /** What was assumed where the recording does not say it, as sentences. */
  assumptions: string[];
  /** What was billed: dollars from recorded usage at the prices of the day, or the dollars that the recording names. */
  billed: BilledTotals;
  /** The same by model, the most expensive first. */
  models: ModelBill[];
  /** Models whose price is not known. Their requests are in no figure in dollars. */
  unpriced: string[];
  /** What a proxy saved that sent shorter histories than the app; null for a recording without. */
  proxy: ProxySaving | null;
  /** How well the computed tokens and dollars of the requests agree with the recorded ones. */
  fit: AuditFit;
  chats: AuditedChat[];
  /** All requests, chat by chat in the order of their replies. */
  requests: AuditedRequest[];
  /** Whether `cost` is dollars; without a known price it is input tokens, each part at its usual price. */
  unit: "dollars" | "tokens";
  /** What would have been with each strategy; the first one, `none`, is what was, and what it would have been without a proxy. */
  strategies: StrategyAudit[];
  recommendation: Recommendation;
  /** What `arrival: "lossless"` writes shorter, by kind, the most tokens first. */
  arrival: ArrivalKind[];
  /** What fills the requests: by tool, the most tokens first. */
  tools: WindowShare[];
  /** The same by file that calls name, at most 100. */
  files: WindowShare[];
}

/** Tokens and dollars that were billed. */
export interface BilledTotals {
  requests: number;
  /** Input that was neither read from the cache nor written to it. */
  fresh: number;
  read: number;
  written: number;
  /** The part of `written` that the cache keeps for an hour. */
  writtenForHour: number;
  output: number;
  /** The part of `output` that is reasoning; null when no request has it. */
  reasoning: number | null;
  /** Dollars of the requests whose price is known; null when there is none. */
  dollars: number | null;
}

/** What a proxy saved: the recorded requests against the same ones with the histories that the app sent. */
export interface ProxySaving {
  /** Requests that it sent with a shorter history. */
  requests: number;
  /** Tokens of input that were not sent. */
  tokens: number;
  /** What they would have cost, with the writing of shorter histories to the cache subtracted, in the unit of the costs. */
  saved: number;
}

/** What was billed for a model; null for requests without one. */
export interface ModelBill extends BilledTotals {
  model: string | null;
}

/** The errors of the computed input of requests with recorded usage. */
export interface AuditFit {
  /** Requests with recorded usage. */
  requests: number;
  /** The share of them whose computed input is within 5 % of the recorded input; null without any. */
  within5: number | null;
  /** Quantiles of the error, computed by recorded input less 1: of its amount at 50 %, 90 %, 95 % and 99 %. */
  errors: { p50: number; p90: number; p95: number; p99: number } | null;
  /** Tokens of a provider for each estimated token, by model. */
  factors: { model: string | null; factor: number; requests: number; within5: number }[];
  /** Dollars that the rules of the cache give for the same requests, by the dollars that were billed; null without dollars. */
  dollarRatio: number | null;
}

/** A chat of the recording. */
export interface AuditedChat extends Pick<RecordedChat, "kind" | "title"> {
  messages: number;
  requests: number;
  /** The model of most of its requests. */
  model: string | null;
  /** Tokens in each request that are not in its messages, such as the system prompt and the tools; the median. */
  unknown: number;
  dollars: number | null;
}

/** Tokens of a request by what they are, as the provider counts. */
export interface RequestParts {
  /** The system messages of the recording. */
  system: number;
  /** What is not in the recording: the system prompt, the tools. */
  unknown: number;
  questions: number;
  /** The model's texts and reasoning. */
  answers: number;
  calls: number;
  results: number;
}

/** A request, as it was sent. */
export interface AuditedRequest {
  /** The index of its chat. */
  chat: number;
  /** The number of the chat's messages that were sent. */
  messages: number;
  id: string | null;
  model: string | null;
  /** Milliseconds since 1970. */
  at: number | null;
  /** True for the first request after the history was compacted. */
  isCompacted: boolean;
  /** True when the usage was recorded. Otherwise its members are computed by the rules of the cache. */
  isRecorded: boolean;
  fresh: number;
  read: number;
  written: number;
  output: number;
  dollars: number | null;
  /** All tokens of input that were computed from the messages; the recorded ones are the sum of `fresh`, `read` and `written`. */
  computed: number;
  /** The tokens of the input by what they are. */
  parts: RequestParts;
}

/** What the recorded requests would have been with a strategy. */
export interface StrategyAudit {
  /** The members of the options to paste, such as `compressionStrategy: digest(), when: "worthIt"`; `none` for the first one. */
  code: string;
  /** Tokens of input of all requests. */
  tokens: number;
  read: number;
  written: number;
  fresh: number;
  output: number;
  /** What all requests and summaries cost, in `unit`. That of `none` is what was billed, and the others are relative to it. */
  cost: number;
  /** The cost relative to `none`, with its 95 % interval: a bootstrap over stretches of the requests. */
  share: number;
  interval: [number, number];
  /** The cost when each request that lacks a name is followed by one that fetches the smallest messages with it. */
  costWithForgetting: number;
  /** Requests for summaries. */
  summaries: number;
  /** Requests that are larger than the window of their model. */
  overWindow: number;
  /** Names that later requests use from 2,000 tokens back or more, and how many of them would have been missing. */
  names: { missing: number; of: number; interval: [number, number] | null };
  /** True when summaries are part of it: they are taken to contain no names, so that `names.missing` is an upper bound. */
  hasSummaries: boolean;
  /** The most expensive losses, at most ten. */
  losses: AuditedLoss[];
  /** The tokens of input and the cost of each request, in the order of {@link Audit.requests}. */
  requests: { tokens: number[]; cost: number[] };
}

/** Names that a request would have lacked. */
export interface AuditedLoss {
  /** The index of the request in {@link Audit.requests}. */
  request: number;
  names: string[];
  /** The indexes of the smallest earlier messages of its chat that have them, and their tokens. */
  messages: number[];
  tokens: number;
}

/** The strategy to choose, or none. */
export interface Recommendation {
  /** The code of a strategy; null when nothing should be changed. */
  code: string | null;
  /** A sentence. */
  reason: string;
  /** What it saves, in the unit of the costs. */
  saved: number;
}

/** Results of a kind that can be sent shorter. */
export interface ArrivalKind {
  kind: "repeated" | "records" | "searches" | "terminal" | "numbers" | "lines";
  /** Results that are shorter. */
  results: number;
  /** Tokens that they are shorter by, once. */
  tokens: number;
  /** The same in all requests that sent them. */
  sent: number;
  /** The saving, in the unit of the costs. */
  cost: number;
}

/** What the messages of a tool or of a file take up in the requests. */
export interface WindowShare {
  name: string;
  calls: number;
  /** Tokens of its calls and results, once. */
  tokens: number;
  /** The same in all requests that sent them. */
  sent: number;
  /** The share of the input of all requests. */
  share: number;
}
