import type { Usage } from "../model/usage.ts";
import type { ToolReply, ToolRequest, TrackedCall } from "../sandbox/program-record.ts";
import type { Rendered, RenderStats } from "../turns/rendered.ts";
import type { Turn } from "../turns/turn.ts";
import type { Value } from "../values/values.ts";
import type { Waits } from "../waiting/waiting-call.ts";
import type { ResumedAgent } from "./run-options.ts";
import type { LogEntry } from "./step.ts";

/**
 * A model's reply; or the reason why the run ends; or a recorded turn that the host ended, which can't be run again.
 */
export type ReplyOutcome =
  | { content: string; usage: Usage; at: number }
  | { reason: string; message: string; entry?: LogEntry | undefined }
  | { turn: Turn; entry: LogEntry; end: { reason: string; message: string } | null };

/** The result of a tool, and the usage of a nested agent. */
export interface ToolOutcome {
  reply: ToolReply;
  /** The arguments with which a recorded call was made in place of the requested ones. */
  edited?: TrackedCall["edited"];
  nested?: Usage & { toolCalls: number };
}

/** How a call is made. */
export interface HowToCall {
  readonly isApproved: boolean;
  /** Called, and awaited, before the tool. */
  readonly begin: () => Promise<void>;
  /** What is known of the agent that the tool is. */
  readonly resumed: ResumedAgent | undefined;
}

/**
 * The source of replies: the model and the tools, or a recording.
 *
 * @internal
 */
export interface ReplySource {
  /** Time at which the request of a turn is sent, in milliseconds since 1970; undefined when unknown. */
  requestTime(turn: number): number | undefined;
  /**
   * The end of a recorded run that was aborted before the request for this turn; null when there was one.
   *
   * @param stats statistics of the last request; null when there was none.
   */
  endBefore(turn: number, stats: RenderStats | null): { reason: string; message: string } | null;
  /** Resolves to null when the run was aborted. */
  reply(turn: number, rendered: Rendered, onText: (text: string) => void): Promise<ReplyOutcome | null>;
  /** True when a recorded run was forked after this turn, so that it went on although the turn may have ended it. */
  continuesAfter(turn: number): boolean;
  /** @param args the arguments as plain JavaScript. */
  call(request: ToolRequest, args: Value, turn: number, how: HowToCall): Promise<ToolOutcome | Waits>;
  /** True for a tool whose call can be made again when it may have run. */
  isIdempotent(tool: string): boolean;
  /** Milliseconds since the start of the run. */
  elapsed(): number;
}
