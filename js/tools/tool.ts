import type { ModelSettings, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { InputsOf } from "../signature/infer.ts";
import type { OnRecord, RunRecord } from "../waiting/run-record.ts";
import type { Answers, Later, WaitingCall } from "../waiting/waiting-call.ts";

/**
 * The function of a tool. Receives an object of arguments and `{ callId, signal, context }`; or positional arguments and these.
 * The signal and the context are undefined when the call has none. `callId` is the same when a call is made again after its process ended: the
 * key by which the outside world recognizes it. It may return what {@link later} gives, to answer later.
 */
// biome-ignore lint/suspicious/noExplicitAny: each tool has its own argument types.
export type ToolFunction = (args: any, ...rest: any[]) => unknown;

/** A tool with its signature and description. */
export interface ToolDefinition {
  /** Such as `(query :string, state ("open" | "paid")?) -> [{id :int}]`. */
  signature?: string | undefined;
  /** One line for the model; line breaks become spaces. */
  description?: string | undefined;
  /** Descriptions of parameters, by their paths, each a line for the model: `{ "filter.since": "the first day" }`. */
  fieldDescriptions?: Record<string, string> | undefined;
  /** Whether a call needs an approval; or a function that decides by the arguments of the call. */
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own argument types.
  needsApproval?: boolean | ((args: any, options: any) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * True when a call may be repeated, because the outside world takes two calls with the same `callId` for one. A call that
   * had begun when its process ended is then made again; otherwise it waits for a decision.
   */
  idempotent?: boolean | undefined;
  /** The function. */
  run: ToolFunction;
}

/** The property that marks agents, across copies of this package. */
export const agentKey: unique symbol = Symbol.for("turnfold.agent");

/**
 * Options of a call of an agent that is a tool.
 *
 * @internal
 */
export interface AgentCallOptions extends Partial<ModelSettings> {
  signal?: AbortSignal;
  /** Gets the tokens of the run, also when it fails. */
  onUsage?: (usage: Usage) => void;
  /** Asked for tools of the agent, if it has no `approve` of its own. */
  approve?: Approve | undefined;
  /** The id of the run: part of the `callId` of its tools. */
  run?: string;
  /** Stores the records of the run. */
  onRecord?: OnRecord;
  /** A run that goes on: its step as JSON or its records so far, and answers to its calls that wait. */
  resume?: {
    readonly step?: string | undefined;
    readonly records?: readonly RunRecord[] | undefined;
    readonly answers: Answers;
  };
}

/**
 * A step of an agent, as far as a chat reads it.
 *
 * @internal
 */
export interface AgentOutcome {
  readonly status: "done" | "failed" | "waiting";
  readonly waiting: readonly WaitingCall[];
  readonly return: unknown;
  readonly fail: { readonly message: string } | null;
}

/** An agent as a tool: the tool has the agent's signature, and a call is a run of the agent. */
export interface AgentTool {
  readonly [agentKey]: {
    readonly signature: string | undefined;
    readonly description: string | undefined;
    /**
     * Runs the agent for a chat or a sandbox, or goes on with a run, until it ends or nothing is left but to wait.
     *
     * @internal
     */
    start(args: unknown, options: AgentCallOptions): Promise<AgentOutcome>;
    /**
     * The calls that wait in a run, from its records.
     *
     * @internal
     */
    waiting(records: readonly RunRecord[]): readonly WaitingCall[];
    /**
     * Checks the arguments of an answer to a call in a run.
     *
     * @throws {TurnfoldError} `validation_error`
     *
     * @internal
     */
    checkArguments(call: WaitingCall, args: unknown): void;
  };
}

/**
 * A tool of the AI SDK, Mastra, OpenAI's Agents SDK or LangChain, accepted unchanged. When its input schema is JSON
 * Schema or can produce it, the parameters are listed with their names and types, and with the descriptions, defaults
 * and ranges in the schema. Arguments are validated by the schema; the function receives its output.
 *
 * A tool that asks for an approval runs only after `approve` has given it. A tool with a member that can't be honoured
 * here, such as a guardrail, is refused.
 */
export interface ForeignTool {
  /** One line for the model. A function, as in version 7, is called with an empty context when the tool is listed. */
  // biome-ignore lint/suspicious/noExplicitAny: its context is the tool's own.
  description?: string | ((options: any) => string) | undefined;
  /** JSON Schema, the result of `jsonSchema()`, or a Standard Schema such as Zod's. */
  inputSchema?: unknown;
  /** The type of the result, in the same forms. It is listed; results are not checked against it. */
  outputSchema?: unknown;
  /** Name of `inputSchema` in the Agents SDK and in older versions of the AI SDK. */
  parameters?: unknown;
  /** Name of `inputSchema` in LangChain. */
  schema?: unknown;
  /** Listed instead of the schemas; for a validator that can't produce JSON Schema. */
  signature?: string | undefined;
  /** Inputs that the model is shown. */
  inputExamples?: readonly { readonly input: unknown }[] | undefined;
  /** Whether a call needs an approval; or a function of the input that decides. */
  // biome-ignore lint/suspicious/noExplicitAny: its parameters are those of the framework.
  needsApproval?: boolean | ((...args: any[]) => boolean | PromiseLike<boolean>) | undefined;
  /** Name of `needsApproval` in Mastra. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  requireApproval?: boolean | ((...args: any[]) => boolean | PromiseLike<boolean>) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the type of its input is the tool's own.
  execute?: ((input: any, options: any) => unknown) | undefined;
  /** Converts the result to what the model of a chat reads. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of its result is the tool's own.
  toModelOutput?: ((output: any) => unknown) | undefined;
}

/** A tool that can be called. One without a signature is listed as `tool/name(...) -> :any`. */
export type Tool =
  | ToolFunction
  | readonly [signature: string, run: ToolFunction]
  | ToolDefinition
  | ForeignTool
  | AgentTool;

/** Tools by name. */
export type Tools = Record<string, Tool>;

/** The tools in options, from which the types of calls are inferred. */
export type GivenTools = Tools | undefined;

/** What the tools are without a type argument. An agent with known tools is assignable to one with any tools. */
// biome-ignore lint/suspicious/noExplicitAny: only any accepts all of them.
export type AnyTools = any;

/**
 * The type of the member `tools` of options. TypeScript types the parameters of the tools' functions by the default of
 * `T` while it infers `T`; by {@link AnyTools} they would have no type, an error in strict code.
 */
export type ToolsOption<T extends GivenTools> = 0 extends 1 & T ? Tools : T;

/**
 * The property of tools that follow a list elsewhere, such as that of a server. Its function brings the object up to
 * date and never throws. The property is not enumerable, so that a copy of such tools no longer follows the list.
 *
 * @internal
 */
export const refreshKey: unique symbol = Symbol.for("turnfold.refreshTools");

/**
 * Tools that follow a list elsewhere.
 *
 * @internal
 */
export interface LiveTools extends Record<string, Tool> {
  readonly [refreshKey]: () => Promise<void>;
}

/** A tool that is only listed: its signature, or its signature and descriptions. */
export type ToolDescription =
  | string
  | {
      signature?: string | undefined;
      description?: string | undefined;
      fieldDescriptions?: Record<string, string> | undefined;
    };

/**
 * The arguments with which a tool is called, by the types that it declares: its signature, the Standard Schema of its
 * input, or the parameter of its function. Those of a tool that declares none are unknown: a program passes a list of
 * them, by position, to a tool without a signature.
 */
export type ArgumentsOf<T> = T extends readonly [infer S extends string, infer F]
  ? ArgumentsBySignature<S, F>
  : T extends { readonly signature: infer S extends string; readonly run: infer F }
    ? ArgumentsBySignature<S, F>
    : T extends { readonly run: infer F }
      ? FirstParameter<F>
      : T extends { readonly inputSchema: StandardSchemaOf<infer O> }
        ? O
        : T extends { readonly parameters: StandardSchemaOf<infer O> }
          ? O
          : T extends { readonly schema: StandardSchemaOf<infer O> }
            ? O
            : T extends { readonly execute?: infer F }
              ? FirstParameter<NonNullable<F>>
              : FirstParameter<T>;

/** A text that is known only at run time declares nothing. */
type ArgumentsBySignature<S extends string, F> = string extends S ? FirstParameter<F> : InputsOf<S>;

interface StandardSchemaOf<O> {
  readonly "~standard": { readonly types?: { readonly output: O } | undefined };
}

/** The first parameter of a function; unknown where it is `any` or missing. */
type FirstParameter<F> = F extends (first: infer A, ...rest: never[]) => unknown
  ? 0 extends 1 & A
    ? unknown
    : A
  : unknown;

/** True if an agent can be one of the tools. */
type HasAgent<T> = [T extends AgentTool ? true : never] extends [never] ? false : true;

/** The calls of the tools with known names. */
type NamedCall<T> = {
  [N in keyof T & string]: Omit<ModelToolCall, "name" | "args"> & { name: N; args: ArgumentsOf<T[N]> };
}[keyof T & string];

/**
 * A call of one of the tools; comparing its `name` narrows the type of its `args`. Where the names of the tools are not
 * known, or an agent is among them, whose own tools may ask too, `args` are unknown.
 */
export type ToolCallOf<T extends Tools> = string extends keyof T
  ? ModelToolCall
  : HasAgent<T[keyof T]> extends true
    ? ModelToolCall
    : [keyof T] extends [never]
      ? ModelToolCall
      : NamedCall<T>;

/**
 * Decides whether a tool runs. Returns true, or a text that the model gets instead of a result; for false the text only
 * says that the call was not approved; {@link later} when somebody else decides, on another day: the call waits. When it
 * throws or returns anything else, the tool does not run and the model gets the error.
 *
 * @param call the call, with the arguments that the tool receives: by their names, or as a list where a program calls a
 * tool without a signature. In the options of an agent or a sandbox their types are inferred from its tools:
 * comparing `call.name` narrows the type of `call.args`. They are unknown for tools that declare no types, where the
 * names of tools are known only at run time, and where an agent is among the tools, because its tools may ask too.
 */
export type Approve<T extends GivenTools = AnyTools> = (
  call: ToolCallOf<NonNullable<T>>,
  context: { signal?: AbortSignal },
) => boolean | string | Later | Promise<boolean | string | Later>;
