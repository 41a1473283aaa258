export interface CustomHistoryStrategy {
  /** Shown in errors and reports. */
  name: string;
  /** Puts the index of every message into exactly one list. It is pure, and waits for nothing. */
  plan(messages: readonly ChatMessage[], context: Context): CustomPlan;
}

export interface Context {
  /** The tokens of each message. */
  tokens: readonly number[];
}

/** A call and its results stay together; system messages, pinned ones and calls without a result stay in keep. */
export interface CustomPlan {
  keep: number[];
  /** Each group becomes one summary. */
  summarize?: Group[] | undefined;
  /** Removed without a summary. */
  drop?: number[] | undefined;
}

export interface Group {
  covers: number[];
  /** What the model is asked for; without it, the prompt of the page. */
  prompt?: string | undefined;
}

export interface ChatMessage {
  /** "system", "user", "assistant" or "tool". */
  role: string;
  /** A text, or parts such as { type: "image", … }. */
  content: string | readonly object[] | null;
  toolCalls?: ToolCall[];
  /** Of a result: the id of its call. */
  toolCallId?: string;
  /** Of a result: the tool failed. */
  isError?: boolean;
  /** Never summarized or dropped. */
  pinned?: boolean;
  timestamp?: number | string | Date;
}

export interface ToolCall {
  id: string;
  name: string;
  args: unknown;
}
