export interface CustomStrategy {
  /** Shown in errors and reports. */
  name: string;
  /** Returns the messages that ask for the next turn. It is pure, and waits for nothing. */
  toMessages(turns: readonly Turn[], memory: Readonly<Record<string, unknown>>, options: Options): Message[] | Request;
}

/** Messages with at most four places up to which the next request repeats them: the provider caches them up to there. */
export interface Request {
  messages: Message[];
  breakpoints?: { message: number; offset: number }[];
}

export interface Message {
  /** "system", "user" or "assistant". */
  role: string;
  content: string;
  [extra: string]: unknown;
}

export interface Turn {
  /** From 1. */
  readonly number: number;
  /** False for a turn that ended in an error, or whose reply held no program. */
  readonly success: boolean;
  /** The model's reply, unchanged. */
  readonly rawResponse: string;
  /** Null when the reply held none. */
  readonly program: string | null;
  /** The value of the program; of a failed turn { reason, message }. */
  readonly result: unknown;
  /** What the program printed. */
  readonly prints: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  /** Docstrings by the names that they describe. */
  readonly docs: Readonly<Record<string, string>>;
  /** All definitions after this turn, by name. */
  readonly memory: Readonly<Record<string, unknown>>;
  /** The names that this turn defined. */
  readonly defined: readonly string[];
}

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: string | null;
}

/** Can be passed on: toMessages(turns, memory, { ...options, compression: true }). */
export interface Options {
  mission: string;
  /** The SYSTEM message; without it, the built-in one. */
  systemPrompt?: string | undefined;
  /** Tools by name. */
  tools?: object | undefined;
  /** What programs read as data/name. */
  data?: Record<string, unknown> | undefined;
  /** Of the mission: (query :string) -> {total :float}. */
  signature?: string | undefined;
  maxTurns?: number | undefined;
  turnsLeft: number;
  /** { prices } of the page, for a journal: compression: ["journal", options.strategyOptions]. */
  strategyOptions: Record<string, unknown>;
  /** Most recent prints to show. */
  printlnLimit?: number | undefined;
  /** Most recent calls to show. */
  toolCallLimit?: number | undefined;
  /** Items of a collection in a sample. */
  sampleLimit?: number | undefined;
  /** Characters of a print. */
  printLength?: number | undefined;
}

/** The built-in strategies: compression is false, true, "journal", ["rolling-window", { keep: 2 }], … */
export declare function toMessages(
  turns: readonly Turn[],
  memory: Readonly<Record<string, unknown>> | null,
  options: object,
): Required<Request>;
