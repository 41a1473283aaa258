import type { Context, ModelSettings, RunOptions } from "../agent/run.ts";
import type { Step } from "../agent/step.ts";
import { pathStep } from "../boundary/encode.ts";
import { callWhenReady } from "../boundary/host.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { Usage } from "../model/usage.ts";
import { inputCheck } from "../signature/input-check.ts";
import { schemaAdvice, toolShape } from "../signature/json-schema.ts";
import { describe, isPlain } from "../values/describe.ts";

/**
 * The function of a tool. Receives an object of arguments and `{ signal }`; or positional arguments and `{ signal }`.
 */
// biome-ignore lint/suspicious/noExplicitAny: each tool has its own argument types.
export type ToolFunction = (args: any, ...rest: any[]) => unknown;

/** A tool with its signature and description. */
export interface ToolDefinition {
  /** Such as `(query :string, state ("open" | "paid")?) -> [{id :int}]`. */
  signature?: string;
  /** One line for the model; line breaks become spaces. */
  description?: string;
  /** Descriptions of parameters, by their paths, each a line for the model: `{ "filter.since": "the first day" }`. */
  fieldDescriptions?: Record<string, string> | undefined;
  /** The function. */
  run: ToolFunction;
}

/**
 * A tool of the AI SDK, accepted unchanged. When its input schema is JSON Schema or can produce it, the parameters are
 * listed with their names and types, and with the descriptions, defaults and ranges in the schema. Arguments are
 * validated by the schema; the function receives its output.
 */
export interface ForeignTool {
  /** One line for the model. A function, as in version 7, is called with an empty context when the tool is listed. */
  // biome-ignore lint/suspicious/noExplicitAny: its context is the tool's own.
  description?: string | ((options: any) => string) | undefined;
  /** JSON Schema, the result of `jsonSchema()`, or a Standard Schema such as Zod's. */
  inputSchema?: unknown;
  /** The type of the result, in the same forms. It is listed; results are not checked against it. */
  outputSchema?: unknown;
  /** Older name of `inputSchema`. */
  parameters?: unknown;
  /** Listed instead of the schemas; for a validator that can't produce JSON Schema. */
  signature?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the type of its input is the tool's own.
  execute?: (input: any, options: any) => unknown;
}

/** The property that marks agents, across copies of this package. */
export const agentKey: unique symbol = Symbol.for("turnfold.agent");

/** What a chat gives to an agent that it calls as a tool. */
interface AgentCallOptions extends Partial<ModelSettings> {
  signal?: AbortSignal;
  onUsage?: (usage: Usage) => void;
}

/** An agent as a tool: the tool has the agent's signature, and a call is a run of the agent. */
export interface AgentTool {
  readonly [agentKey]: {
    readonly signature: string | undefined;
    readonly description: string | undefined;
    /**
     * Runs the agent for a chat and resolves to its result. `onUsage` gets the tokens of the run, also when it fails. The
     * other settings are those of the chat, for an agent without its own.
     */
    call(args: unknown, options?: AgentCallOptions): Promise<unknown>;
    /** Runs it as part of another run. */
    run(args: unknown, options: RunOptions, context: Context): Promise<Step>;
  };
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

/**
 * Returns the tools if they follow a list elsewhere.
 *
 * @internal
 */
export function liveTools(tools: Tools): LiveTools | undefined {
  return refreshKey in tools ? (tools as LiveTools) : undefined;
}

/** A tool that is only listed: its signature, or its signature and descriptions. */
export type ToolDescription =
  | string
  | { signature?: string; description?: string; fieldDescriptions?: Record<string, string> | undefined };

/**
 * A tool for the wasm side.
 *
 * @internal
 */
export interface ListedTool {
  name: string;
  signature?: string;
  description?: string;
  fieldDescriptions?: Record<string, string>;
  /** Present for a tool with a schema, by which arguments are checked: the signature only lists and names them. */
  hostChecks?: true;
}

/**
 * Returns the tools as they are listed for a model.
 *
 * @throws {TurnfoldError} `invalid_tool`, with the tool's name in `details.tool`; `invalid_option` for one that can't
 * be read, with its path in `details.path`.
 *
 * @internal
 */
export function listTools(tools: unknown): ListedTool[] {
  if (typeof tools !== "object" || tools === null || !isPlain(tools)) {
    throw new TurnfoldError(
      "invalid_option",
      `tools must be an object of tools by their names, got ${describe(tools)}`,
      {
        details: { option: "tools" },
        hint: '{ search: "(query :string) -> [:string]" }',
      },
    );
  }
  return Object.keys(tools).map((name) => ({
    name,
    ...wrapReadErrors("invalid_option", `tools${pathStep(name)}`, () =>
      describeTool(name, (tools as Record<string, unknown>)[name]),
    ),
  }));
}

function describeTool(name: string, tool: unknown): Omit<ListedTool, "name"> {
  if (typeof tool === "string") return { signature: tool };
  if (typeof tool === "function") return {};
  if (Array.isArray(tool)) return describePair(name, tool);
  if (typeof tool !== "object" || tool === null) throw invalid(name, `is ${describe(tool)}`);
  if (isAgent(tool)) return checkDescription(name, tool[agentKey]);
  if (!isForeignTool(tool)) return checkDescription(name, checkDefinition(name, tool));
  const listed = checkDescription(name, describeForeign(tool));
  return listed.signature === undefined || inputSchemaOf(tool) === undefined ? listed : { ...listed, hostChecks: true };
}

/**
 * True for an agent that is a tool.
 *
 * @internal
 */
export function isAgent(tool: unknown): tool is AgentTool {
  return typeof tool === "object" && tool !== null && agentKey in tool;
}

/**
 * Returns the function of a tool.
 *
 * @param isFit true when its input is already validated.
 * @throws {TurnfoldError} `invalid_tool` for a tool that can only be listed.
 *
 * @internal
 */
export function toolFunction(name: string, tool: unknown, isFit = false): ToolFunction {
  if (typeof tool === "function") return tool as ToolFunction;
  if (isAgent(tool)) return (args, options) => tool[agentKey].call(args, options);
  const { run, execute } = (Array.isArray(tool) ? { run: tool[1] } : Object(tool)) as ToolDefinition & ForeignTool;
  if (typeof run === "function") return (...args) => run.apply(tool, args);
  if (typeof execute === "function") {
    return isFit
      ? (...args) => execute.apply(tool, args as [unknown, unknown])
      : validatedExecute(name, tool as ForeignTool);
  }
  throw invalid(name, "has no function that runs it");
}

/**
 * Returns the function of a tool of the AI SDK. It receives the output of the tool's schema; the call is synchronous if
 * the schema is.
 */
function validatedExecute(name: string, tool: ForeignTool): ToolFunction {
  const run = (input: unknown, options: unknown[]) => tool.execute?.(input, ...(options as [unknown]));
  const check = inputCheck(name, inputSchemaOf(tool), true);
  return (...given) => {
    if (given.length > 2) {
      throw new TurnfoldError("validation_error", `${name} takes one map of arguments, got ${given.length - 1} values`);
    }
    // A call without arguments has only the options. A tool without a signature can recognize it only by that.
    const [args, ...options] = given.length > 1 ? given : [{}, ...given];
    return check === null ? run(args, options) : callWhenReady(check(args), (input) => run(input, options));
  };
}

/**
 * Warnings for tools whose parameters are not listed because their schemas can't produce JSON Schema.
 *
 * @param listed the tools as they are listed.
 *
 * @internal
 */
export function toolWarnings(tools: Tools, listed: readonly ListedTool[]): string[] {
  return listed.flatMap(({ name, signature }) => {
    const tool = tools[name];
    if (signature !== undefined || typeof tool !== "object" || Array.isArray(tool) || isAgent(tool)) return [];
    const advice = schemaAdvice(inputSchemaOf(tool as ForeignTool));
    if (advice === null) return [];
    return [
      `the parameters of ${JSON.stringify(name)} are not listed for the model, because its schema gives no JSON Schema: ${advice}`,
    ];
  });
}

/**
 * The input schema of a tool of the AI SDK.
 *
 * @internal
 */
export function inputSchemaOf({ inputSchema, parameters }: ForeignTool): unknown {
  return inputSchema ?? parameters;
}

function describePair(name: string, tool: readonly unknown[]): Omit<ListedTool, "name"> {
  const [signature, run] = tool;
  if (tool.length !== 2 || typeof signature !== "string" || typeof run !== "function") {
    throw invalid(name, "is an array, but not [signature, function]");
  }
  return { signature };
}

/** Tools of the AI SDK have further members and may be instances of a class. */
function isForeignTool(tool: object): tool is ForeignTool {
  return "inputSchema" in tool || "execute" in tool || ("parameters" in tool && !("run" in tool));
}

/** A tool as given by the host, not checked yet. */
type GivenTool = { readonly [member in keyof ListedTool]?: unknown };

/** The description, for the model, of a tool whose schema can't be listed. */
const UNLISTED_PARAMETERS = "(parameters are not listed: the error of a call that does not fit names them)";

function describeForeign(tool: ForeignTool): GivenTool {
  const { signature } = tool;
  const description = descriptionOf(tool);
  if (signature !== undefined) return { signature, description };
  const input = inputSchemaOf(tool);
  const shape = toolShape(input, tool.outputSchema);
  if (shape !== undefined) return { ...shape, description };
  if (schemaAdvice(input) === null) return { description };
  return {
    description:
      typeof description === "string"
        ? `${description} ${UNLISTED_PARAMETERS}`.trim()
        : (description ?? UNLISTED_PARAMETERS),
  };
}

function descriptionOf({ description }: ForeignTool): unknown {
  if (typeof description !== "function") return description;
  try {
    return description({ context: {} });
  } catch {
    // It needs a context, which only the host's own requests have.
    return undefined;
  }
}

function checkDefinition(name: string, tool: object): GivenTool {
  const members = ["signature", "description", "fieldDescriptions", "run"];
  const unknown = Object.keys(tool).find((key) => !members.includes(key));
  if (unknown !== undefined) throw invalid(name, `has a member that no tool has, ${JSON.stringify(unknown)}`);
  const { run } = tool as { run?: unknown };
  if (run !== undefined && typeof run !== "function") throw invalid(name, `has ${describe(run)} as its run`);
  return tool;
}

function checkDescription(name: string, tool: GivenTool): Omit<ListedTool, "name"> {
  const result: Omit<ListedTool, "name"> = {};
  for (const member of ["signature", "description"] as const) {
    const text = tool[member];
    if (typeof text === "string") result[member] = text;
    else if (text !== undefined) throw invalid(name, `has ${describe(text)} as its ${member}`);
  }
  const { fieldDescriptions } = tool;
  if (fieldDescriptions === undefined) return result;
  if (typeof fieldDescriptions !== "object" || fieldDescriptions === null || !isPlain(fieldDescriptions)) {
    throw invalid(name, `has ${describe(fieldDescriptions)} as its fieldDescriptions`);
  }
  const entries = Object.entries(fieldDescriptions) as [string, unknown][];
  const wrong = entries.find(([, text]) => typeof text !== "string");
  if (wrong !== undefined) throw invalid(name, `has ${describe(wrong[1])} as the description of ${wrong[0]}`);
  if (entries.length > 0 && result.signature === undefined)
    throw invalid(name, "has fieldDescriptions but no signature");
  if (entries.length > 0) result.fieldDescriptions = Object.fromEntries(entries) as Record<string, string>;
  return result;
}

function invalid(name: string, problem: string): TurnfoldError {
  return new TurnfoldError("invalid_tool", `the tool ${JSON.stringify(name)} ${problem}`, {
    details: { tool: name },
    hint: "a tool is a function, a signature, [signature, function], or { signature, description, run }",
  });
}
