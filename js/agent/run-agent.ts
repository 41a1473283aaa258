import { checkSignal, withOwnSignal } from "../boundary/abort.ts";
import { currentTime, Stopwatch } from "../boundary/clock.ts";
import { decodeData, decodePlain } from "../boundary/decode.ts";
import { encode, encodeRecord } from "../boundary/encode.ts";
import { handleRejection, messageOf, unlessAborted } from "../boundary/host.ts";
import { anyOption, functionOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import { callModel, checkLLM, type LLM, type ModelSettings } from "../model/model.ts";
import { type Limits, maxTextLength } from "../sandbox/limits.ts";
import { errorReply, resultReply, type ToolRequest } from "../sandbox/session.ts";
import { checkApprove } from "../tools/approval.ts";
import { agentKey, refreshKey } from "../tools/tool.ts";
import { type CallableTool, callableTool, callFromProgram, isAgent } from "../tools/tools.ts";
import type { Rendered } from "../turns/rendered.ts";
import type { Turn } from "../turns/turn.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { type CheckedAgent, missionText, requestOf, withCurrentTools } from "./agent.ts";
import type { ReplyOutcome, ReplySource, ToolOutcome } from "./reply-source.ts";
import { NO_PRIOR_TURNS, type PriorTurns, Run, type RunParts, stepOf, unsentStats, usesHostFunction } from "./run.ts";
import type { Context, NestedAgent, RunEvent, RunOptions } from "./run-options.ts";
import { type FinishedStep, isStep, partsOf } from "./step.ts";

/** Counts the turns, including those of nested agents. */
function totalTurns(turns: readonly Turn[]): number {
  const nested = turns.flatMap(({ toolCalls }) => toolCalls.map(({ step }) => (step ? totalTurns(step.turns) : 0)));
  return nested.reduce((sum, each) => sum + each, turns.length);
}

/**
 * Wraps a listener: an error that it throws or rejects with is written to the console once and does not end the run.
 * After `close` it receives nothing.
 */
function eventListener(onEvent: RunOptions["onEvent"]): { notify: (event: RunEvent) => void; close: () => void } {
  let open = onEvent !== undefined;
  let hasReported = false;
  const report = (error: unknown) => {
    if (!hasReported) console.error("turnfold: onEvent failed, and the run goes on:", error);
    hasReported = true;
  };
  const notify = (event: RunEvent): void => {
    if (!open) return;
    try {
      handleRejection((onEvent as (event: RunEvent) => unknown)(event), report);
    } catch (error) {
      report(error);
    }
  };
  return {
    notify,
    close: () => {
      open = false;
    },
  };
}

/**
 * Runs an agent.
 *
 * @throws {TurnfoldError} `missing_llm`, `invalid_option`, `missing_placeholder`; `invalid_value`, `cyclic_value` or
 * `nesting_too_deep` for the data, with the path.
 *
 * @internal
 */
export async function runAgent(
  own: CheckedAgent,
  options: RunOptions,
  context: Context = rootContext(own),
  past: PriorTurns & { program?: string | undefined } = NO_PRIOR_TURNS,
): Promise<FinishedStep> {
  const given = checkRunOptions(options);
  if (own.live !== undefined) await unlessAborted(own.live[refreshKey](), given.signal);
  const agent: CheckedAgent = {
    ...withCurrentTools(own),
    compression: own.compression ?? context.compression,
    limits: own.limits ?? context.limits,
    isolate: own.isolate ?? context.isolate,
    llm: given.llm ?? own.llm ?? context.llm,
    retry: own.retry ?? context.retry,
    approve: given.approve ?? own.approve ?? context.approve,
  };
  const { notify, close } = eventListener(given.onEvent);
  const emit = (event: RunEvent): void => {
    notify(context.path.length === 0 ? event : { agent: context.path, ...event });
  };
  context.budget.left -= totalTurns(past.turns);
  const { llm } = agent;
  if (llm === undefined) {
    throw new TurnfoldError("missing_llm", "there is no model to ask", {
      hint: "give llm to the agent or to run(): llm: async ({ messages }) => text",
    });
  }
  const source = new LiveSource(
    agent,
    llm,
    { ...given, onEvent: notify },
    {
      ...context,
      llm,
      retry: agent.retry,
      approve: agent.approve,
      compression: agent.compression,
      limits: agent.limits,
      isolate: agent.isolate,
    },
  );
  const inputs = encodeRunInputs(given.data, agent.limits);
  const runParts = { agent, source, past, signal: given.signal, emit };
  if (typeof inputs === "object") {
    const failed = failedBeforeStart(
      { ...runParts, request: requestOf(agent, String(agent.mission), context.systemPrompt) },
      inputs,
    );
    emit({ type: "done", step: failed });
    close();
    return failed;
  }
  const { mission, warnings } = missionText(agent, decodeData(inputs));
  const request = requestOf(agent, mission, context.systemPrompt);
  try {
    return await new Run({ ...runParts, request, data: inputs, warnings }).run(past.program);
  } finally {
    // Tools of an aborted run may still be running.
    close();
  }
}

/**
 * Returns the initial context of a run, which its nested agents inherit.
 *
 * @param inherited the settings of a chat that has the agent as a tool.
 *
 * @internal
 */
export function rootContext(agent: CheckedAgent, inherited: Partial<ModelSettings> = {}): Context {
  return {
    depth: 0,
    maxDepth: agent.maxDepth,
    budget: { left: agent.turnBudget, of: agent.turnBudget },
    llm: inherited.llm,
    retry: inherited.retry,
    compression: undefined,
    limits: undefined,
    isolate: undefined,
    systemPrompt: undefined,
    approve: undefined,
    onUnapproved: () => {},
    path: [],
  };
}

/** Names of these options in other libraries. */
const RENAMED = { context: "data", inputs: "data", debug: "onEvent", trace: "onEvent", input: "data" };

/** @throws {TurnfoldError} `invalid_option` */
export function checkRunOptions(options: unknown): RunOptions {
  const checks = {
    llm: checkLLM,
    data: anyOption(),
    onEvent: functionOption(),
    signal: checkSignal,
    approve: checkApprove,
  } satisfies OptionChecks<RunOptions>;
  return readOptions("the options of run()", options, checks, RENAMED);
}

/** Returns JSON of the inputs, or the failure of the step that should provide them. */
function encodeRunInputs(
  data: RunOptions["data"],
  limits: Limits | undefined,
): string | { reason: string; message: string } {
  if (!isStep(data)) return encodeRecord(data ?? {}, "data", maxTextLength(limits));
  const { ok, fail, returned } = partsOf(data);
  if (!ok) {
    return { reason: "chained_failure", message: `the step before failed: ${fail?.message ?? "for no known reason"}` };
  }
  const value = decodePlain(JSON.parse(returned));
  if (
    typeof value === "object" &&
    value !== null &&
    (value instanceof Map || Object.getPrototypeOf(value) === Object.prototype)
  ) {
    return returned;
  }
  const message = `the step before returned ${describe(value)}, and inputs are a map of names`;
  return { reason: "chained_failure", message };
}

/** The step of a run that can't start. */
function failedBeforeStart(
  { agent, request, source }: Pick<RunParts, "agent" | "request" | "source">,
  { reason, message }: { reason: string; message: string },
): FinishedStep {
  const compression = unsentStats(request, []);
  return stepOf(request, {
    ok: false,
    returned: "null",
    fail: { reason, message, details: "null" },
    turns: [],
    data: "{}",
    sent: usesHostFunction(agent.compression) ? [] : null,
    warnings: [],
    usage: { turns: 0, durationMs: source.elapsed(), toolCalls: 0, compression },
    log: [],
  });
}

/** Replies from the model and the tools. */
class LiveSource implements ReplySource {
  private readonly time = new Stopwatch();
  private readonly agent: CheckedAgent;
  private readonly llm: LLM;
  private readonly options: RunOptions;
  private readonly context: Context;
  private readonly tools = new Map<string, CallableTool>();

  constructor(agent: CheckedAgent, llm: LLM, options: RunOptions, context: Context) {
    this.agent = agent;
    this.llm = llm;
    this.options = options;
    this.context = context;
    for (const { name } of agent.listed) this.tools.set(name, callableTool(name, agent.tools[name]));
  }

  requestTime(): number {
    return currentTime();
  }

  endBefore(): null {
    return null;
  }

  continuesAfter(): boolean {
    return false;
  }

  async reply(
    turn: number,
    { messages, breakpoints }: Rendered,
    onText: (text: string) => void,
  ): Promise<ReplyOutcome | null> {
    const { budget } = this.context;
    if (budget.left <= 0) {
      const message = `the ${budget.of} turns that all agents of this run had together are spent`;
      return { reason: "turn_budget_exhausted", message };
    }
    budget.left--;
    const { signal } = this.options;
    try {
      const request = {
        messages,
        breakpoints,
        purpose: "turn" as const,
        turn,
        ...(signal === undefined ? {} : { signal }),
      };
      const answer = await callModel(this.llm, request, this.agent.retry, onText);
      return answer && { content: answer.content, usage: answer.usage, at: currentTime() };
    } catch (error) {
      return { reason: "llm_error", message: messageOf(error) };
    }
  }

  async call({ id, tool }: ToolRequest, args: Value, turn: number): Promise<ToolOutcome> {
    const time = new Stopwatch();
    const { signal } = this.options;
    try {
      const nested = this.agent.tools[tool];
      if (isAgent(nested)) return await this.runNested(id, tool, nested[agentKey] as NestedAgent, args, time);
      const { approve, onUnapproved } = this.context;
      const result = await withOwnSignal(signal, (own) =>
        callFromProgram(this.tools.get(tool) as CallableTool, {
          name: tool,
          id: `${turn}.${id}`,
          args,
          signal: own,
          approve,
          onUnapproved,
        }),
      );
      return { reply: resultReply(id, result, time, maxTextLength(this.agent.limits)) };
    } catch (error) {
      return { reply: errorReply(id, error, time) };
    }
  }

  elapsed(): number {
    return this.time.elapsed;
  }

  private async runNested(
    id: number,
    name: string,
    agent: NestedAgent,
    args: Value,
    time: Stopwatch,
  ): Promise<ToolOutcome> {
    const { context, options } = this;
    if (context.depth >= context.maxDepth) {
      throw new Error(`agents may run ${context.maxDepth} deep inside each other, and this one would be deeper`);
    }
    if (Array.isArray(args)) throw new Error("an agent takes its inputs by their names");
    const { data: _, llm: __, approve: ___, ...others } = options;
    const step = await agent.run(args, others, {
      ...context,
      systemPrompt: this.agent.systemPrompt ?? context.systemPrompt,
      depth: context.depth + 1,
      path: [...context.path, name],
    });
    const { returned, fail } = partsOf(step);
    const outcome = step.ok ? { result: returned } : { error: fail?.message ?? "it failed" };
    const reply = { id, ...outcome, durationMs: time.elapsed, step: encode(step) };
    return { reply, nested: step.usage };
  }
}
