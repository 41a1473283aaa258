import { messageOf } from "../../boundary/host.ts";
import { TurnfoldError } from "../../errors.ts";
import type { AroundToolCall } from "../../program-tool/inner-calls.ts";
import type { ProgramContext, ProgramInput, ProgramTool } from "../../program-tool/program-tool.ts";
import type { Value } from "../../values/values.ts";
import { type Answers, isLater, type WaitingCall, type WaitReason, Waits } from "../../waiting/waiting-call.ts";
import { askedTogether, readAnswers } from "../shared/decisions.ts";
import { denied, outerId, plainJson } from "../shared/waiting-calls.ts";

/** What a tool suspends itself with while calls of its program wait. */
export interface MastraProgramSuspension {
  waiting: {
    /** By which an answer can name the call. */
    id: string;
    tool: string;
    args: unknown;
    reason: WaitReason;
    info: Value;
  }[];
  /** What was wrong with the answer before. */
  problem?: string;
}

/** A span of Mastra's observability, as far as it is used. */
export interface MastraSpan {
  createChildSpan(options: { type: never; name: string; input: unknown }): {
    end(options: { output?: unknown }): void;
    error(options: { error: Error }): void;
  };
}

/** The members that are read of what Mastra gives the function of a tool. */
export interface MastraToolContext {
  readonly agent?: MastraCaller | undefined;
  readonly workflow?: (MastraCaller & { readonly runId?: string | undefined }) | undefined;
  readonly requestContext?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly tracingContext?: { readonly currentSpan?: MastraSpan | undefined } | undefined;
}

/** The agent or the workflow that calls a tool. */
export interface MastraCaller {
  readonly toolCallId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly suspend?: ((payload: MastraProgramSuspension) => Promise<unknown>) | undefined;
  readonly resumeData?: unknown;
  readonly suspendPayload?: unknown;
}

/** Options of Mastra's `createTool`. */
export interface MastraToolOptions {
  id: string;
  description: string;
  inputSchema: ProgramTool["inputSchema"];
  suspendSchema: MastraSchema;
  resumeSchema: MastraSchema;
  execute: (input: ProgramInput, context: MastraToolContext) => Promise<string | undefined>;
}

/** JSON Schema of an object. */
export interface MastraSchema {
  type: "object";
  properties: Record<string, { type: "array" | "boolean" | "string" | "object"; description?: string }>;
  required?: string[];
}

/**
 * The options of Mastra's `createTool` for a tool that runs programs. The conversation is the thread; without one, definitions stay
 * while the call of the agent goes on.
 *
 * A program whose calls wait suspends the tool with them. It goes on with the data of the resumption: `{ approved, reason }` for all,
 * which `approveToolCall` and `declineToolCall` give, or answers by the ids of the calls. No tool that has answered runs again.
 *
 * @example
 * ```ts
 * import { createTool } from "@mastra/core/tools";
 * const run_program = createTool(programToolOptions(programTool({ search, refund })));
 * const agent = new Agent({ id: "clerk", name: "Clerk", instructions, model, tools: { run_program } });
 * ```
 */
export function programToolOptions(program: ProgramTool): MastraToolOptions {
  const { name: id, description, inputSchema } = program;
  return {
    id,
    description,
    inputSchema,
    suspendSchema: { type: "object", properties: { waiting: { type: "array" } }, required: ["waiting"] },
    resumeSchema: {
      type: "object",
      properties: {
        approved: { type: "boolean", description: "The decision on all calls that wait." },
        reason: { type: "string", description: "Why they are denied." },
      },
    },
    execute: async (input, given) => {
      const caller: MastraCaller = given.agent ?? given.workflow ?? {};
      const context = contextOf(given, caller);
      let outcome = await program.run(input, context);
      let problem: string | undefined;
      if (outcome.status === "waiting" && caller.resumeData !== undefined && caller.resumeData !== null) {
        const answers = answersOf(caller, context.toolCallId, outcome.waiting);
        try {
          if (typeof answers === "string") problem = answers;
          else outcome = await program.run(input, context, answers);
        } catch (error) {
          if (!TurnfoldError.isInstance(error) || error.code !== "invalid_answer") throw error;
          problem = messageOf(error);
        }
      }
      const { status, text, waiting } = outcome;
      if (status === "failed") throw new TurnfoldError("program_failed", text);
      if (status === "done" || caller.suspend === undefined) return text;
      await caller.suspend(suspensionOf(waiting, context.toolCallId, problem));
      return undefined;
    },
  };
}

interface OwnContext extends ProgramContext {
  readonly toolCallId: string;
}

function contextOf(given: MastraToolContext, caller: MastraCaller): OwnContext {
  const { requestContext, abortSignal, tracingContext, agent, workflow } = given;
  const { threadId = workflow?.runId, resumeData } = caller;
  const { toolCallId = `workflow/${workflow?.runId ?? ""}` } = caller;
  // The data is for the program, not for its tools.
  const own = <T extends object | undefined>(each: T): T =>
    each && { ...each, resumeData: undefined, suspendPayload: undefined };
  const isResumed = resumeData !== undefined && resumeData !== null;
  return {
    toolCallId,
    abortSignal,
    conversation: threadId ?? requestContext,
    mayRepeat: true,
    ...(isResumed ? { decisions: new Map([[toolCallId, true]]) } : {}),
    aroundCall: inToolSpans(tracingContext?.currentSpan),
    forTools: { ...own(given), ...(agent && { agent: own(agent) }), ...(workflow && { workflow: own(workflow) }) },
  };
}

/** @returns the answers, or what is wrong. */
function answersOf(
  { resumeData, suspendPayload }: MastraCaller,
  toolCallId: string,
  waiting: readonly WaitingCall[],
): Answers | string {
  const { waiting: asked = [] } = Object(suspendPayload) as Partial<MastraProgramSuspension>;
  const ids = new Set(asked.map(({ id }) => id));
  // After a crash, the program may wait for other calls than those that were asked about.
  const open = askedTogether(waiting.filter((call) => ids.has(outerId(call, toolCallId))));
  if (open.length === 0) return "the program waits for other calls";
  const { approved, reason } = Object(resumeData) as { approved?: unknown; reason?: unknown };
  const isQuestion = open[0]?.reason === "suspended";
  if (typeof approved !== "boolean" || isQuestion) return readAnswers(resumeData, toolCallId, open);
  return readAnswers(approved || denied(reason), toolCallId, open);
}

function suspensionOf(
  waiting: readonly WaitingCall[],
  toolCallId: string,
  problem: string | undefined,
): MastraProgramSuspension {
  return {
    waiting: waiting.map((call) => {
      const { tool, args, reason, info } = call;
      return { id: outerId(call, toolCallId), tool, args: plainJson(args), reason, info };
    }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function inToolSpans(parent: MastraSpan | undefined): AroundToolCall | undefined {
  if (parent === undefined) return undefined;
  return async ({ name, args }, run) => {
    const span = parent.createChildSpan({ type: "tool_call" as never, name: `tool: '${name}'`, input: args });
    try {
      const output = await run();
      span.end(isLater(output) || output instanceof Waits ? {} : { output });
      return output;
    } catch (error) {
      span.error({ error: error instanceof Error ? error : new Error(messageOf(error)) });
      throw error;
    }
  };
}
