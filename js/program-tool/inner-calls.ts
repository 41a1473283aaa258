import type { Value } from "../values/values.ts";

/** A call that a program makes. */
export interface InnerToolCall {
  /** The id of the call of the program, a slash and its own: `call_1/0`. */
  readonly id: string;
  /** The id of the call of the program. */
  readonly parentId: string;
  readonly name: string;
  readonly args: Value;
}

/** A call that a program made, and its result or the message of its error. */
export interface InnerToolResult extends Pick<InnerToolCall, "id" | "parentId" | "name"> {
  readonly result: Value;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Runs a call that a program makes: `run` calls the tool. */
export type AroundToolCall = (call: InnerToolCall, run: () => Promise<unknown>) => unknown;
