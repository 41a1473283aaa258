import { callWhenReady, messageOf } from "../boundary/host.ts";
import { describe, isPlain } from "../values/describe.ts";
import { withNumbers } from "../values/exact-json.ts";
import { suspended, type Waits } from "../waiting/waiting-call.ts";
import { asksForApproval } from "./approval.ts";
import type { AgentCallOptions, Approve, ForeignTool } from "./tool.ts";
import {
  AGENTS_SDK_MEMBERS,
  AI_SDK_MEMBERS,
  LANGCHAIN_MEMBERS,
  MASTRA_MEMBERS,
  type Refusal,
  type ToolMembers,
} from "./tool-members.ts";

/**
 * What a tool is called with in addition to its input.
 *
 * @internal
 */
export interface ToolContext {
  /** The id of the call. */
  readonly id: string;
  /** The id of the call for the outside world. */
  readonly callId?: string | undefined;
  /** The messages of the chat; none in programs. */
  readonly messages: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  /** What the host passes to each tool: what its framework gives tools. */
  readonly context?: unknown;
  /** Asked by agents that run as tools. */
  readonly approve: Approve | undefined;
  /** What the tool was given after it suspended itself, one for each time; undefined where it can't be resumed. */
  readonly resumes?: readonly unknown[] | undefined;
  /** What is known of the agent that the tool is. */
  readonly resumed?: AgentCallOptions["resume"] | undefined;
}

type HostFunction = (...args: unknown[]) => unknown;

/** How tools of a framework are recognized and called. */
interface Framework {
  readonly members: ToolMembers;
  /** True if the function of a tool validates its input, which must not be converted before. */
  readonly validates: boolean;
  owns(tool: object): boolean;
  /** Returns the function that runs the tool, or undefined. */
  runner(tool: object): ((input: unknown, call: ToolContext) => unknown) | undefined;
}

function member(tool: object, name: string): unknown {
  return (tool as Record<string, unknown>)[name];
}

function method(tool: object, name: string): HostFunction | undefined {
  const found = member(tool, name);
  return typeof found === "function" ? (...args) => found.apply(tool, args) : undefined;
}

/** What the framework gave the call of the program, and the id under which the tool knows its own call. */
function hostOf({ id, callId = id, context }: ToolContext): { host: Record<string, unknown>; toolCallId: string } {
  return { host: Object(context) as Record<string, unknown>, toolCallId: context === undefined ? id : callId };
}

const signalsOf = ({ signal }: ToolContext): object => (signal === undefined ? {} : { signal, abortSignal: signal });

/** Returns the last value of a tool that reports intermediate results; any other result as it is. */
async function lastOf(results: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const result of results) last = result;
  return last;
}

const AI_SDK: Framework = {
  members: AI_SDK_MEMBERS,
  validates: false,
  owns: () => true,
  runner(tool) {
    const execute = method(tool, "execute");
    return (
      execute &&
      ((input, call) => {
        const { host, toolCallId } = hostOf(call);
        const given = { messages: call.messages, context: {}, ...host, toolCallId };
        const result = execute(input, { ...given, ...signalsOf(call) });
        return typeof result === "object" && result !== null && Symbol.asyncIterator in result
          ? lastOf(result as AsyncIterable<unknown>)
          : result;
      })
    );
  },
};

/** The mark of tools of Mastra, across copies of it. */
const MASTRA_TOOL = Symbol.for("mastra.core.tool.Tool");

const MASTRA: Framework = {
  members: MASTRA_MEMBERS,
  validates: true,
  owns: (tool) => MASTRA_TOOL in tool || "requireApproval" in tool || "needsApprovalFn" in tool,
  runner(tool) {
    const execute = method(tool, "execute");
    return (
      execute &&
      ((input, call) => {
        const { host, toolCallId } = hostOf(call);
        const { resumes } = call;
        let suspension: Waits | undefined;
        const suspend = async (info: unknown) => {
          if (resumes === undefined) throw new Error("it suspended itself, and nobody can resume it here");
          suspension = suspended(info);
        };
        const own = { suspend, resumeData: resumes?.at(-1) };
        const agent = host.agent === undefined ? {} : { agent: { ...(host.agent as object), toolCallId, ...own } };
        const given = { messages: call.messages, ...host, toolCallId, ...own, ...agent };
        return callWhenReady(execute(input, { ...given, ...signalsOf(call) }), (result) => {
          if (suspension !== undefined) return suspension;
          // Mastra returns the errors of its validation.
          const { error, validationErrors, message } = Object(result) as Record<string, unknown>;
          if (error === true && validationErrors !== undefined) throw new Error(String(message));
          return result;
        });
      })
    );
  },
};

/** The context of a run of the Agents SDK; where there is none, what stands for it. */
const runContext = ({ context }: ToolContext): object =>
  typeof context === "object" && context !== null ? context : { context: {} };

const AGENTS_SDK: Framework = {
  members: AGENTS_SDK_MEMBERS,
  validates: true,
  owns: (tool) => member(tool, "type") === "function" && typeof member(tool, "invoke") === "function",
  runner(tool) {
    const invoke = method(tool, "invoke");
    const isEnabled = method(tool, "isEnabled");
    return (
      invoke &&
      (async (input, call) => {
        if (isEnabled !== undefined && (await isEnabled(runContext(call))) !== true)
          throw new Error("it is not enabled");
        const json = JSON.stringify(input);
        const about = {
          type: "function_call",
          callId: hostOf(call).toolCallId,
          name: member(tool, "name"),
          status: "completed",
        };
        const given = { toolCall: { ...about, arguments: json }, ...signalsOf(call) };
        const result = await invoke(runContext(call), json, given);
        // What an agent of the SDK returns when one of its own calls needs an approval; only such tools have events.
        if (result === "" && typeof member(tool, "on") === "function") {
          throw new Error(
            "it returned nothing; if its own tools ask for approvals, only a run of its own can get them",
          );
        }
        return result;
      })
    );
  },
};

/** What `interrupt` of LangGraph reads: how often a node has called it, and the answers. */
const SCRATCHPAD = "__pregel_scratchpad";

/**
 * Calls a tool of LangChain. The `interrupt` of LangGraph in it gets the answers of the call, not those of the node in which the program
 * runs; without one, the call waits.
 */
async function unlessInterrupted(call: ToolContext, run: (config: object) => unknown): Promise<unknown> {
  const { resumes } = call;
  const { host } = hostOf(call);
  const graph = Object(host.configurable) as Record<string, unknown>;
  const own =
    resumes === undefined || graph[SCRATCHPAD] === undefined
      ? {}
      : {
          configurable: {
            ...graph,
            [SCRATCHPAD]: {
              ...(graph[SCRATCHPAD] as object),
              interruptCounter: -1,
              resume: [...resumes],
              nullResume: undefined,
              consumeNullResume: () => undefined,
            },
            __pregel_send: () => {},
          },
        };
  try {
    return await run({ ...host, ...own, ...signalsOf(call) });
  } catch (error) {
    const { name, interrupts } = Object(error) as { name?: unknown; interrupts?: unknown };
    if (name !== "GraphInterrupt" || !Array.isArray(interrupts)) throw error;
    if (resumes === undefined) throw new Error("it interrupts its graph, and nobody can resume it here");
    return suspended((interrupts[0] as { value?: unknown } | undefined)?.value);
  }
}

const LANGCHAIN: Framework = {
  members: LANGCHAIN_MEMBERS,
  validates: true,
  owns: (tool) => typeof member(tool, "invoke") === "function" && "schema" in tool,
  runner(tool) {
    const invoke = method(tool, "invoke");
    return (
      invoke &&
      ((input, call) =>
        callWhenReady(
          unlessInterrupted(call, (config) => invoke(input, config)),
          (result) => {
            const {
              lc_direct_tool_output: isDirect,
              tool_call_id,
              status,
              content,
            } = Object(result) as {
              [member: string]: unknown;
            };
            if (isDirect !== true) return result;
            if (tool_call_id === undefined) throw new Error("its result changes a graph, and there is none here");
            if (status === "error") throw new Error(messageOf(content));
            return content;
          },
        ))
    );
  },
};

function frameworkOf(tool: object): Framework {
  // Each one recognizes its tools only among those that the ones before it do not.
  return [MASTRA, AGENTS_SDK, LANGCHAIN, AI_SDK].find(({ owns }) => owns(tool)) as Framework;
}

/**
 * True for a tool of a framework; tools of Turnfold have a function `run`. Tools may be instances of a class.
 *
 * @internal
 */
export function isForeignTool(tool: object): tool is ForeignTool {
  return (
    ["inputSchema", "execute", "invoke", "type"].some((name) => name in tool) ||
    ("parameters" in tool && !("run" in tool))
  );
}

/**
 * The input schema of a tool of a framework.
 *
 * @internal
 */
export function inputSchemaOf(tool: ForeignTool): unknown {
  return tool.inputSchema ?? tool.parameters ?? tool.schema;
}

/**
 * A tool of a framework that can be called.
 *
 * @internal
 */
export interface CallableForeignTool {
  /** @param given the input as it was before `input` was validated. */
  run(given: unknown, input: unknown, call: ToolContext): unknown;
  asks(input: unknown, call: ToolContext): boolean | Promise<boolean>;
  /** Returns what the model reads: an output of the AI SDK; undefined for the result itself. */
  modelOutput(input: unknown, result: unknown, call: ToolContext): unknown;
}

/**
 * Returns the functions of a tool of a framework, or why it is refused.
 *
 * @internal
 */
export function callableForeignTool(name: string, tool: ForeignTool): CallableForeignTool | Refusal {
  const { members, validates, runner } = frameworkOf(tool);
  for (const [each, use] of Object.entries(members)) {
    const refusal = typeof use === "function" ? use(member(tool, each), tool) : null;
    if (refusal !== null) return refusal;
  }
  const run = runner(tool);
  if (run === undefined) return withoutFunction(member(tool, "type"));
  return {
    run: (given, input, call) => run(validates ? withNumbers(given) : input, call),
    asks: (input, call) =>
      asksForApproval(name, tool, (each, policy) =>
        members === AGENTS_SDK_MEMBERS
          ? policy.call(tool, runContext(call), input, hostOf(call).toolCallId)
          : policy.call(tool, input, policyContext(each, call)),
      ),
    modelOutput: (input, output, call) => {
      const convert = method(tool, "toModelOutput");
      if (convert === undefined) return undefined;
      return convert(members === MASTRA_MEMBERS ? output : { toolCallId: call.id, input, output });
    },
  };
}

function policyContext(member: string, call: ToolContext): object {
  const { host, toolCallId } = hostOf(call);
  if (member !== "needsApproval") return { requestContext: {}, ...host };
  return { messages: call.messages, context: {}, ...host, toolCallId };
}

function withoutFunction(type: unknown): Refusal {
  return type === undefined || type === "function" || type === "dynamic"
    ? { problem: "has no function that runs it", hint: "give it `execute`" }
    : {
        problem: `is a tool of type ${describe(type)}, which only its provider or framework runs`,
        hint: "offer it in the model callback",
      };
}

/**
 * Returns the members of a tool that its framework does not have in the versions that are known, and whose meaning is
 * therefore unknown. Instances of the host's own classes may have any members.
 *
 * @internal
 */
export function unknownMembers(tool: ForeignTool): string[] {
  const { members } = frameworkOf(tool);
  if (!isPlain(tool) && !(MASTRA_TOOL in tool)) return [];
  return Object.keys(tool).filter((name) => !Object.hasOwn(members, name) && member(tool, name) !== undefined);
}
