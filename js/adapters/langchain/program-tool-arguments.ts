import { messageOf } from "../../boundary/host.ts";
import { checkMembers, copyMembers, functionOption } from "../../boundary/options.ts";
import { Queues } from "../../boundary/queues.ts";
import { TurnfoldError } from "../../errors.ts";
import type { ProgramContext, ProgramInput, ProgramOutcome, ProgramTool } from "../../program-tool/program-tool.ts";
import type { Value } from "../../values/values.ts";
import type { Answers, WaitingCall } from "../../waiting/waiting-call.ts";
import { askedTogether, readAnswers } from "../shared/decisions.ts";
import { outerId, plainJson, question } from "../shared/waiting-calls.ts";
import { type LangGraphStore, langGraphStore } from "./program-store.ts";

/** The members that are read of what LangChain and LangGraph give the function of a tool. */
export interface LangChainToolConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  readonly state?: unknown;
  readonly store?: unknown;
}

/** What a program asks: the request of LangChain's `humanInTheLoopMiddleware`, or calls that wait for their results. */
export interface ProgramQuestion {
  readonly actionRequests: readonly {
    /** By which an answer can name the call. */
    readonly id: string;
    readonly name: string;
    readonly args: unknown;
    readonly description: string;
  }[];
  readonly reviewConfigs: readonly {
    readonly actionName: string;
    readonly allowedDecisions: readonly ("approve" | "edit" | "reject")[];
  }[];
  /** What {@link later} was given, by the ids of the calls; only where they wait for their results. */
  readonly info?: Readonly<Record<string, Value>>;
  /** What was wrong with the answer before. */
  readonly problem?: string;
}

/** Options of {@link programToolArguments}. */
export interface LangChainProgramOptions {
  /**
   * LangGraph's function of that name: a program that waits interrupts the graph. Without it, its result says what it waits for.
   */
  interrupt?: ((question: ProgramQuestion | Value) => unknown) | undefined;
}

/** The arguments of LangChain's `tool`. */
export type LangChainToolArguments = [
  run: (input: ProgramInput, config: LangChainToolConfig) => Promise<string>,
  fields: {
    name: string;
    description: string;
    schema: {
      type: "object";
      properties: { program: { type: "string"; description: string } };
      required: ["program"];
      additionalProperties: false;
    };
  },
];

/**
 * The arguments of LangChain's `tool` for a tool that runs programs. The conversation is the thread, or the messages of the
 * state where there is none.
 *
 * With LangGraph's `interrupt`, a program whose calls wait interrupts the graph with the request of LangChain's
 * `humanInTheLoopMiddleware`, and goes on with what `Command({ resume })` gives: `{ decisions }`; true, false or a reason for all;
 * or answers by the ids of the calls. A tool that calls `interrupt` itself asks what it gives, and gets the answer. No tool that has
 * answered runs again. What programs leave is kept in the store of the graph, unless `programTool` has one.
 *
 * @example
 * ```ts
 * import { interrupt } from "@langchain/langgraph";
 * import { createAgent, tool } from "langchain";
 * const run_program = tool(...programToolArguments(programTool({ search, refund }), { interrupt }));
 * const agent = createAgent({ model, tools: [run_program], checkpointer });
 * ```
 * @throws {TurnfoldError} `invalid_option`
 */
export function programToolArguments(
  program: ProgramTool,
  options: LangChainProgramOptions = {},
): LangChainToolArguments {
  const given = checkMembers("the options", copyMembers(options, "the options"), ["interrupt"]);
  const interrupt = functionOption<(question: ProgramQuestion | Value) => unknown>()(given.interrupt, "interrupt");
  const { name, description, inputSchema } = program;
  // Calls of one thread ask one after the other, so that each gets the answers to its own questions.
  const threads = new Queues<string | object>();
  const run = async (input: ProgramInput, config: LangChainToolConfig): Promise<string> => {
    const context = contextOf(config);
    const { status, text } = await threads.run(context.conversation ?? {}, () =>
      interrupt === undefined
        ? program.run(input, context)
        : runAsking(ofGraph(program, config), input, context, interrupt),
    );
    if (status === "failed") throw new TurnfoldError("program_failed", text);
    return text;
  };
  return [run, { name, description, schema: { ...inputSchema } }];
}

/** Runs a program, and asks what it waits for. LangGraph runs this again from its beginning for each answer. */
async function runAsking(
  program: ProgramTool,
  input: ProgramInput,
  context: ThreadContext,
  interrupt: (question: ProgramQuestion | Value) => unknown,
): Promise<ProgramOutcome> {
  let outcome = await program.run(input, context);
  let problem: string | undefined;
  const { toolCallId = "" } = context;
  const ask = (asked: readonly WaitingCall[]) => interrupt(questionOf(asked, toolCallId, problem));
  // LangGraph gives answers by the order of the questions: those that the program has had come first.
  let { rounds } = outcome;
  for (let round = 0; round < rounds; round++) ask(askedTogether(outcome.waiting));
  while (outcome.status === "waiting") {
    const asked = askedTogether(outcome.waiting);
    const answers = readAnswers(ask(asked), toolCallId, asked);
    rounds++;
    const next = typeof answers === "string" ? answers : await goOn(program, input, { ...context, rounds }, answers);
    if (typeof next === "string") problem = next;
    else [outcome, problem] = [next, undefined];
  }
  return outcome;
}

/** @returns the outcome, or what is wrong with the answers. */
async function goOn(
  program: ProgramTool,
  input: ProgramInput,
  context: ProgramContext,
  answers: Answers,
): Promise<ProgramOutcome | string> {
  try {
    return await program.run(input, context, answers);
  } catch (error) {
    if (TurnfoldError.isInstance(error) && error.code === "invalid_answer") return messageOf(error);
    throw error;
  }
}

/** What is asked: by a tool that calls `interrupt` itself, what it gave. */
function questionOf(
  asked: readonly WaitingCall[],
  toolCallId: string,
  problem: string | undefined,
): ProgramQuestion | Value {
  const [only] = asked;
  if (only?.reason === "suspended") return only.info;
  const id = (call: WaitingCall) => outerId(call, toolCallId);
  const results = asked.filter(({ reason }) => reason === "later");
  const allowedDecisions = results.length > 0 ? (["reject"] as const) : (["approve", "edit", "reject"] as const);
  return {
    actionRequests: asked.map((call) => ({
      id: id(call),
      name: call.tool,
      args: plainJson(call.args),
      description: question(call),
    })),
    reviewConfigs: [...new Set(asked.map(({ tool }) => tool))].map((actionName) => ({ actionName, allowedDecisions })),
    ...(results.length === 0 ? {} : { info: Object.fromEntries(results.map((call) => [id(call), call.info])) }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The tool with the store of the graph, unless it has one: it outlives the process as the checkpoints do. */
function ofGraph(program: ProgramTool, { store }: LangChainToolConfig): ProgramTool {
  // The store of a run is a queue before the one that the host gave, and stops with the run, also while a program is being aborted.
  const { store: behind = store } = Object(store) as { store?: unknown };
  return isStore(behind) ? program.withStore(langGraphStore(behind)) : program;
}

function isStore(given: unknown): given is LangGraphStore {
  const { get, put, delete: remove } = Object(given) as Partial<LangGraphStore>;
  return [get, put, remove].every((method) => typeof method === "function");
}

interface ThreadContext extends ProgramContext {
  readonly conversation: string | undefined;
}

function contextOf(config: LangChainToolConfig): ThreadContext {
  // Inner tools have names, runs and calls of their own.
  const { configurable = {}, signal, toolCall, toolCallId = toolCall?.id, state, ...forTools } = config;
  const { runId: _id, runName: _name, ...host } = forTools as Record<string, unknown>;
  const { thread_id: thread, checkpoint_ns: place, __pregel_scratchpad: scratchpad } = configurable;
  const messages = messagesBefore(toolCallId, state);
  const { resume = [], nullResume } = Object(scratchpad) as { resume?: readonly unknown[]; nullResume?: unknown };
  const isResumed = resume.length > 0 || nullResume !== undefined;
  return {
    toolCallId,
    abortSignal: signal,
    conversation: thread === undefined ? undefined : [String(thread), ...graphsOf(place)].join("/"),
    messages,
    mayRepeat: true,
    ...(isResumed && toolCallId !== undefined ? { decisions: new Map([[toolCallId, true]]) } : {}),
    forTools: { ...host, configurable, state },
  };
}

/** The graphs in which a node is, by their names: `researcher` of `researcher:a1|tools:b2`. */
function graphsOf(place: unknown): string[] {
  const nodes = typeof place === "string" ? place.split("|") : [];
  return nodes.slice(0, -1).map((node) => node.split(":", 1)[0] as string);
}

/** The messages before the reply that makes the call, the same list for all calls of a reply. */
function messagesBefore(toolCallId: string | undefined, state: unknown): readonly unknown[] | undefined {
  const { messages } = Object(state) as { messages?: unknown };
  if (!Array.isArray(messages)) return undefined;
  const makes = ({ tool_calls: calls }: { tool_calls?: unknown }) =>
    Array.isArray(calls) && calls.some((call: { id?: unknown }) => call.id === toolCallId);
  const at = messages.findIndex((message) => makes(Object(message) as object));
  if (at < 0) return messages;
  const reply = messages[at] as object;
  const before = known.get(reply) ?? messages.slice(0, at);
  known.set(reply, before);
  return before;
}

const known = new WeakMap<object, readonly unknown[]>();
