import type { Message } from "../model/message.ts";
import type { LLM, ModelSettings } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { ApprovalMembers } from "../tools/approval.ts";
import type { AgentTool, AnyTools, Approve, agentKey, GivenTools } from "../tools/tool.ts";
import type { Compression } from "../turns/options.ts";
import type { RenderStats } from "../turns/rendered.ts";
import type { Turn } from "../turns/turn.ts";
import type { Value } from "../values/values.ts";
import type { Recorder } from "../waiting/recorder.ts";
import type { OnRecord, RunRecord } from "../waiting/run-record.ts";
import type { AnswerSource, Answers } from "../waiting/waiting-call.ts";
import type { SystemPrompt } from "./agent.ts";
import type { FinishedStep, Step } from "./step.ts";

/** Options of one run. `I` is the type of the inputs, `T` that of the tools. */
export interface RunOptions<I = Record<string, unknown>, T extends GivenTools = AnyTools> {
  /** The model, instead of the agent's. */
  llm?: LLM | undefined;
  /** The inputs, which programs read as `data/name`; or a step whose result is the input. */
  data?: I | Step<unknown> | undefined;
  /** Asked for approvals, instead of the agent's `approve`. */
  approve?: Approve<T> | undefined;
  /** Aborts the run: the step has the reason `aborted` and the turns so far. */
  signal?: AbortSignal | undefined;
  /** Receives all events in order. An error that it throws is written to the console and does not change the run. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /**
   * Stores each record of what happens, in order, before it has an effect that can't be taken back: enough for
   * {@link SubAgent.resume} after a crash at any point. The run waits for it.
   */
  onRecord?: OnRecord | undefined;
}

/** Options of {@link SubAgent.resume}. */
export interface ResumeOptions<T extends GivenTools = AnyTools, I = Record<string, unknown>> extends RunOptions<I, T> {
  /** The inputs of a run that begins, with an empty list of records. A run that goes on has its own. */
  data?: I | Step<unknown> | undefined;
  /** By the ids of {@link Step.waiting}. What is not answered goes on waiting. */
  answers?: AnswerSource | undefined;
}

/** A tool call of a program, with the id that `approve` gets. The two events of a call have the same object. */
export interface RunCall {
  id: string;
  name: string;
  args: Value;
}

/** An event of a run. `agent` is the path of tools to a nested agent, outermost first. */
export type RunEvent = { readonly agent?: readonly string[] } & (
  | { type: "messages"; turn: number; messages: Message[]; stats: RenderStats }
  | { type: "text"; turn: number; text: string }
  | { type: "reply"; turn: number; content: string; usage: Usage }
  | { type: "tool-call"; turn: number; call: RunCall }
  | { type: "tool-result"; turn: number; call: RunCall; durationMs: number; result: Value; error?: undefined }
  | { type: "tool-result"; turn: number; call: RunCall; durationMs: number; error: string; cause?: unknown }
  | { type: "turn"; turn: Turn }
  | { type: "warning"; message: string }
  /** The last event of a run that ends. */
  | { type: "done"; step: FinishedStep }
  /** The last event of a run in which nothing is left but to wait. */
  | { type: "waiting"; step: FinishedStep }
);

/**
 * The settings and limits that a nested agent inherits.
 *
 * @internal
 */
export interface Context extends ModelSettings {
  readonly depth: number;
  readonly maxDepth: number;
  /** Shared by all agents of a run. */
  readonly budget: { left: number; readonly of: number };
  readonly compression: Compression | undefined;
  readonly limits: Limits | undefined;
  readonly isolate: boolean | undefined;
  readonly systemPrompt: SystemPrompt | undefined;
  readonly approve: Approve | undefined;
  readonly recorder: Recorder;
  /** Part of the `callId` of tools. */
  readonly run: string;
  readonly path: readonly string[];
}

/**
 * What an agent is as the tool of another run.
 *
 * @internal
 */
export type NestedAgent = AgentTool[typeof agentKey] & {
  readonly needsApproval: ApprovalMembers["needsApproval"];
  /** @param resumed what is known of a run that began. */
  run(args: unknown, options: RunOptions, context: Context, resumed?: ResumedAgent): Promise<FinishedStep>;
};

/**
 * A nested agent that goes on: its step as JSON, or its records.
 *
 * @internal
 */
export interface ResumedAgent {
  readonly step?: string | undefined;
  readonly records?: readonly RunRecord[] | undefined;
  readonly answers: Answers;
}
