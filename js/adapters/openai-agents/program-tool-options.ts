import { messageOf } from "../../boundary/host.ts";
import { checkMembers, copyMembers, functionOption } from "../../boundary/options.ts";
import type { AroundToolCall } from "../../program-tool/inner-calls.ts";
import type { ProgramTool } from "../../program-tool/program-tool.ts";

/** What is read of the context of a run of the SDK. */
export interface AgentsRunContext {
  toJSON(): { readonly approvals: Readonly<Record<string, AgentsApprovals>> };
}

/** The decisions on the calls of a tool: for all of them, or the ids of those that were decided. */
export interface AgentsApprovals {
  readonly approved: boolean | readonly string[];
  readonly rejected: boolean | readonly string[];
}

/** The members of the details of a call that are read. */
export interface AgentsCallDetails {
  readonly toolCall?: { readonly callId: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The SDK's function `withFunctionSpan`. */
export type WithFunctionSpan = (
  run: (span: { readonly spanData: { output: string } }) => Promise<unknown>,
  options: { data: { name: string; input?: string } },
) => Promise<unknown>;

/** Options of {@link programToolOptions}. */
export interface AgentsProgramOptions {
  /** The SDK's function of that name: makes a span of each call that a program makes. */
  withFunctionSpan?: WithFunctionSpan | undefined;
  /** Whether the spans have arguments and results. Default true, as in the SDK's own option. */
  traceIncludeSensitiveData?: boolean | undefined;
}

/** Options of the SDK's `tool`. */
export interface AgentsToolOptions {
  name: string;
  description: string;
  parameters: ProgramTool["inputSchema"];
  strict: true;
  needsApproval: boolean | ((runContext: AgentsRunContext, input: unknown, callId?: string) => Promise<boolean>);
  execute: (input: unknown, runContext?: AgentsRunContext, details?: AgentsCallDetails) => Promise<string>;
  errorFunction: (runContext: AgentsRunContext, error: unknown) => string;
}

/**
 * The options of the SDK's `tool` for a tool that runs programs. A program whose calls wait is an interruption of the run.
 *
 * Definitions stay while the run goes on, also after an approval in another process. For a conversation of several runs, give
 * `programTool` the option `conversation`, which gets the context of the run.
 *
 * @example
 * ```ts
 * import { Agent, tool } from "@openai/agents";
 * const run_program = tool(programToolOptions(programTool({ search, refund })));
 * const agent = new Agent({ name: "clerk", tools: [run_program] });
 * ```
 * @throws {TurnfoldError} `invalid_option`
 */
export function programToolOptions(program: ProgramTool, options: AgentsProgramOptions = {}): AgentsToolOptions {
  const known = ["withFunctionSpan", "traceIncludeSensitiveData"];
  const given = checkMembers("the options", copyMembers(options, "the options"), known);
  const { traceIncludeSensitiveData = true } = given;
  const withFunctionSpan = functionOption<WithFunctionSpan>()(given.withFunctionSpan, "withFunctionSpan");
  const { name, description, inputSchema: parameters, needsApproval } = program;
  const aroundCall = withFunctionSpan && inFunctionSpans(withFunctionSpan, traceIncludeSensitiveData === true);
  const contextOf = (runContext: AgentsRunContext | undefined, callId: string | undefined, signal?: AbortSignal) => ({
    toolCallId: callId,
    abortSignal: signal,
    aroundCall,
    ...(runContext === undefined ? {} : runOf(runContext, name)),
  });
  return {
    name,
    description,
    parameters,
    strict: true,
    needsApproval:
      needsApproval === undefined
        ? false
        : (runContext, input, callId) => needsApproval(input as { program: string }, contextOf(runContext, callId)),
    execute: (input, runContext, { toolCall, signal } = {}) =>
      program.execute(input as { program: string }, contextOf(runContext, toolCall?.callId, signal)),
    errorFunction: (_, error) => messageOf(error),
  };
}

/** What a run knows of the tool's calls. */
function runOf(runContext: AgentsRunContext, toolName: string) {
  const { approved = [], rejected = [] } = runContext.toJSON().approvals[toolName] ?? {};
  const decided = (ids: boolean | readonly string[], isApproved: boolean) =>
    typeof ids === "boolean" ? [] : ids.map((id) => [id, isApproved] as const);
  return {
    conversation: runContext,
    forTools: runContext,
    decisions: new Map([...decided(approved, true), ...decided(rejected, false)]),
    approvesAll: approved === true,
  };
}

function inFunctionSpans(withFunctionSpan: WithFunctionSpan, hasContent: boolean): AroundToolCall {
  return ({ name, args }, run) =>
    withFunctionSpan(
      async ({ spanData }) => {
        const result = await run();
        if (hasContent) spanData.output = textOf(result);
        return result;
      },
      { data: { name, ...(hasContent ? { input: textOf(args) } : {}) } },
    );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
