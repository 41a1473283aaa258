import { encode, pathStep } from "../boundary/encode.ts";
import { callWhenReady } from "../boundary/host.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { inputCheck } from "../signature/input-check.ts";
import { schemaAdvice, toolShape } from "../signature/json-schema.ts";
import { coerceArguments, problemsText, readToolSignature } from "../signature/signature.ts";
import { describe, isPlain } from "../values/describe.ts";
import { type WaitingCall, waitingAgent } from "../waiting/waiting-call.ts";
import { type ApprovalContext, type ApprovalMembers, asksForApproval, isPolicy, runApproved } from "./approval.ts";
import {
  callableForeignTool,
  inputSchemaOf,
  isForeignTool,
  type ToolContext,
  unknownMembers,
} from "./foreign-tools.ts";
import {
  type AgentTool,
  agentKey,
  type ForeignTool,
  type LiveTools,
  refreshKey,
  type ToolDefinition,
  type ToolDescription,
  type ToolFunction,
  type Tools,
} from "./tool.ts";

/**
 * Returns the tools if they follow a list elsewhere.
 *
 * @internal
 */
export function liveTools(tools: Tools): LiveTools | undefined {
  return refreshKey in tools ? (tools as LiveTools) : undefined;
}

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

/** The tools that {@link describedTools} describes. */
const listings = new WeakMap<object, readonly ListedTool[]>();

/**
 * Returns descriptions of listed tools, which {@link listTools} need not list again.
 *
 * @internal
 */
export function describedTools(listed: readonly ListedTool[]): Record<string, ToolDescription> {
  const tools = Object.fromEntries(listed.map(({ name, hostChecks: _, ...description }) => [name, description]));
  listings.set(Object.freeze(tools), listed);
  return tools;
}

const wireOf = new WeakMap<readonly ListedTool[], string>();

/**
 * Returns listed tools as JSON for the wasm side.
 *
 * @internal
 */
export function toolsJson(listed: readonly ListedTool[]): string {
  let json = wireOf.get(listed);
  if (json === undefined) {
    json = encode(
      listed.map(({ name, signature, description, fieldDescriptions = {}, hostChecks = false }) => [
        name,
        signature ?? null,
        description ?? null,
        Object.entries(fieldDescriptions),
        hostChecks,
      ]),
      "tools",
    );
    wireOf.set(listed, json);
  }
  return json;
}

/**
 * Returns the tools as they are listed for a model.
 *
 * @throws {TurnfoldError} `invalid_tool`, with the tool's name in `details.tool`; `invalid_option` for one that can't
 * be read, with its path in `details.path`.
 *
 * @internal
 */
export function listTools(tools: unknown): readonly ListedTool[] {
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
  const known = listings.get(tools);
  if (known !== undefined) return known;
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
 * True for a tool whose calls may ask for approvals.
 *
 * @internal
 */
export function asksSometimes(tool: unknown): boolean {
  const { needsApproval, requireApproval, needsApprovalFn } = Object(tool) as ApprovalMembers;
  return isAgent(tool) || [needsApproval, requireApproval, needsApprovalFn].some(Boolean);
}

/**
 * False for a tool of {@link asksSometimes} whose only policy takes no arguments and says that it does not ask: each tool of the
 * Agents SDK has a policy.
 *
 * @internal
 */
export async function mayAsk(tool: unknown): Promise<boolean> {
  const { needsApproval, requireApproval, needsApprovalFn } = Object(tool) as ApprovalMembers;
  const isOnly = !isAgent(tool) && !requireApproval && !needsApprovalFn;
  if (!isOnly || typeof needsApproval !== "function" || needsApproval.length > 0) return true;
  try {
    return ((await needsApproval.call(tool)) as unknown) !== false;
  } catch {
    return true;
  }
}

/**
 * A tool that can be called.
 *
 * @internal
 */
export interface CallableTool {
  /** Validates the input of a tool of a framework and returns the output of its schema; null for other tools. */
  readonly check: ((input: unknown) => unknown) | null;
  /** True when a call that may have run can be made again. */
  readonly isIdempotent: boolean;
  /** Whether the tool asks for an approval of a call; synchronous unless a function of it is not. */
  asks(input: unknown, call: ToolContext): boolean | Promise<boolean>;
  /**
   * Runs the tool without asking.
   *
   * @param args the arguments by position, as they were before they were validated by the tool's schema.
   * @param input the validated input.
   * @param options the last parameter of a function of this package.
   */
  run(args: readonly unknown[], input: unknown, call: ToolContext, options: object): unknown;
  /** Returns what the model reads: an output of the AI SDK; undefined for the result itself. */
  modelOutput(input: unknown, result: unknown, call: ToolContext): unknown;
}

/**
 * Returns the functions of a tool.
 *
 * @throws {TurnfoldError} `invalid_tool` for a tool that can only be listed, and for one that can't be run as its
 * framework runs it.
 *
 * @internal
 */
export function callableTool(name: string, tool: unknown): CallableTool {
  if (typeof tool === "object" && tool !== null && !Array.isArray(tool) && !isAgent(tool) && isForeignTool(tool)) {
    const foreign = callableForeignTool(name, tool);
    if ("problem" in foreign) throw invalid(name, foreign.problem, foreign.hint);
    return {
      check: inputCheck(name, inputSchemaOf(tool), true) ?? ((input) => input),
      isIdempotent: false,
      asks: foreign.asks,
      run: ([given = {}], input, call) => foreign.run(given, input, call),
      modelOutput: foreign.modelOutput,
    };
  }
  const run = ownFunction(name, tool);
  return {
    check: null,
    isIdempotent: (Object(tool) as ToolDefinition).idempotent === true,
    asks: (input, { id: toolCallId, messages }) =>
      typeof tool === "object"
        ? asksForApproval(name, (isAgent(tool) ? tool[agentKey] : tool) as ToolDefinition, (_, policy) =>
            policy(input, { toolCallId, messages }),
          )
        : false,
    run: (args, _, context, options) => {
      if (!isAgent(tool)) return run(...(args as [unknown]), options);
      return runAgent(tool, args[0], context, options);
    },
    modelOutput: () => undefined,
  };
}

/**
 * Returns the functions of all tools by their names.
 *
 * @throws {TurnfoldError} as {@link callableTool}
 *
 * @internal
 */
export function callableTools(tools: Tools, listed: readonly ListedTool[]): ReadonlyMap<string, CallableTool> {
  return new Map(listed.map(({ name }) => [name, callableTool(name, tools[name])]));
}

/** Runs an agent as a tool of a program, or goes on with it. */
async function runAgent(
  tool: AgentTool,
  args: unknown,
  { approve, callId, resumed }: ToolContext,
  options: object,
): Promise<unknown> {
  const step = await tool[agentKey].start(args, {
    ...options,
    approve,
    ...(callId === undefined ? {} : { run: callId }),
    ...(resumed === undefined ? {} : { resume: resumed }),
  });
  if (step.status === "waiting") return waitingAgent(step.waiting, JSON.stringify(step));
  if (step.status === "done") return step.return;
  throw new Error(step.fail?.message);
}

/** Returns the function of a tool of this package; none of an agent. */
function ownFunction(name: string, tool: unknown): ToolFunction {
  if (typeof tool === "function") return tool as ToolFunction;
  const { run } = (Array.isArray(tool) ? { run: tool[1] } : Object(tool)) as ToolDefinition;
  if (typeof run === "function") return (...args) => run.apply(tool, args);
  if (isAgent(tool)) return () => {};
  throw invalid(name, "has no function that runs it");
}

/**
 * A call of a tool by a program.
 *
 * @internal
 */
export interface ProgramToolCall extends Omit<ToolContext, "messages">, ApprovalContext {
  readonly name: string;
  /** The arguments by name, or a list of them by position. */
  readonly args: unknown;
  readonly around?: AroundTool | undefined;
}

/**
 * Runs a call of a tool within something of the host, such as a span: `run` calls the tool.
 *
 * @internal
 */
export type AroundTool = (call: { id: string; name: string; args: unknown }, run: () => Promise<unknown>) => unknown;

/**
 * Calls a tool from a program: validates the input, asks for an approval if the tool needs one, and runs it. The call is
 * synchronous if all of these are.
 *
 * @internal
 */
export function callFromProgram(tool: CallableTool, call: ProgramToolCall): unknown {
  const { name, id, callId = id, args: given, signal, context: host, around } = call;
  const args = Array.isArray(given) ? (given as unknown[]) : [given];
  if (tool.check !== null && args.length > 1) {
    throw new TurnfoldError("validation_error", `${name} takes one map of arguments, got ${args.length} values`);
  }
  const context = { ...call, messages: [] };
  const run = (input: unknown) =>
    runApproved(
      { id, name, args: input },
      call,
      () => tool.asks(input, context),
      () => {
        const options = {
          callId,
          ...(signal === undefined ? {} : { signal }),
          ...(host === undefined ? {} : { context: host }),
        };
        const result = () => tool.run(args, input, context, options);
        return around === undefined ? result() : around({ id: callId, name, args: input }, async () => result());
      },
    );
  return tool.check === null ? run(given) : callWhenReady(tool.check(args[0] ?? {}), run);
}

/**
 * Checks arguments that an answer gives a tool, or one of an agent among the tools. Those of a tool with a schema are checked when it is called.
 *
 * @throws {TurnfoldError} `validation_error`
 *
 * @internal
 */
export function requireFittingArguments(
  listed: readonly ListedTool[],
  tools: Tools,
  call: WaitingCall,
  args: unknown,
): void {
  const { tool: name, path } = call;
  const [outer, ...inner] = path;
  if (outer !== undefined) {
    const agent = tools[outer];
    if (isAgent(agent)) agent[agentKey].checkArguments({ ...call, path: inner }, args);
    return;
  }
  const { signature, hostChecks } = listed.find((each) => each.name === name) ?? {};
  if (signature === undefined || hostChecks) return;
  const fit = coerceArguments(readToolSignature(name, signature), args);
  if ("problems" in fit) throw new TurnfoldError("validation_error", problemsText(fit.problems));
}

/**
 * Warnings for tools whose parameters are not listed because their schemas can't produce JSON Schema, and for tools with
 * members that no known version of their framework has.
 *
 * @param listed the tools as they are listed.
 *
 * @internal
 */
export function toolWarnings(tools: Tools, listed: readonly ListedTool[]): string[] {
  return listed.flatMap(({ name, signature }) => {
    const tool = tools[name];
    if (typeof tool !== "object" || Array.isArray(tool) || isAgent(tool) || !isForeignTool(tool)) return [];
    const advice = signature === undefined ? schemaAdvice(inputSchemaOf(tool)) : null;
    const unknown = unknownMembers(tool).map((member) => JSON.stringify(member));
    return [
      ...(advice === null
        ? []
        : [
            `the parameters of ${JSON.stringify(name)} are not listed for the model, because its schema gives no JSON Schema: ${advice}`,
          ]),
      ...(unknown.length === 0
        ? []
        : [
            `the tool ${JSON.stringify(name)} has members whose meaning is unknown, which are ignored: ${unknown.join(", ")}`,
          ]),
    ];
  });
}

function describePair(name: string, tool: readonly unknown[]): Omit<ListedTool, "name"> {
  const [signature, run] = tool;
  if (tool.length !== 2 || typeof signature !== "string" || typeof run !== "function") {
    throw invalid(name, "is an array, but not [signature, function]");
  }
  return { signature };
}

/** A tool as given by the host, not checked yet. */
type GivenTool = { readonly [member in keyof ListedTool]?: unknown };

/** The description, for the model, of a tool whose schema can't be listed. */
const UNLISTED_PARAMETERS = "(parameters are not listed: the error of a call that does not fit names them)";

function describeForeign(tool: ForeignTool): GivenTool {
  const { signature } = tool;
  const description = withExamples(descriptionOf(tool), tool.inputExamples);
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

/** Adds examples of the input, as JSON, to a description. */
function withExamples(description: unknown, examples: unknown): unknown {
  if (!Array.isArray(examples) || examples.length === 0) return description;
  if (description !== undefined && typeof description !== "string") return description;
  try {
    const inputs = examples.map((example) => JSON.stringify((example as { input: unknown }).input));
    return `${description ?? ""} Examples of its input: ${inputs.join(" · ")}`.trim();
  } catch {
    // They can't be written as JSON.
    return description;
  }
}

function checkDefinition(name: string, tool: object): GivenTool {
  const members = ["signature", "description", "fieldDescriptions", "needsApproval", "idempotent", "run"];
  const unknown = Object.keys(tool).find((key) => !members.includes(key));
  if (unknown !== undefined) throw invalid(name, `has a member that no tool has, ${JSON.stringify(unknown)}`);
  const { run, needsApproval, idempotent } = tool as Partial<Record<"run" | "needsApproval" | "idempotent", unknown>>;
  if (run !== undefined && typeof run !== "function") throw invalid(name, `has ${describe(run)} as its run`);
  if (!isPolicy(needsApproval)) throw invalid(name, `has ${describe(needsApproval)} as its needsApproval`);
  if (idempotent !== undefined && typeof idempotent !== "boolean") {
    throw invalid(name, `has ${describe(idempotent)} as its idempotent`);
  }
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

function invalid(name: string, problem: string, hint: string = TOOL_FORMS): TurnfoldError {
  return new TurnfoldError("invalid_tool", `the tool ${JSON.stringify(name)} ${problem}`, {
    details: { tool: name },
    hint,
  });
}

const TOOL_FORMS = "a tool is a function, a signature, [signature, function], or { signature, description, run }";
