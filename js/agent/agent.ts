import { handleRejection } from "../boundary/host.ts";
import {
  anyOption,
  countOption,
  flagOption,
  invalidOption,
  type OptionChecks,
  plainCopy,
  readOptions,
  textOption,
} from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { checkLLM, type LLM } from "../model/model.ts";
import { checkRetry, type Retry } from "../model/retry.ts";
import { attainableLimits, type Limits } from "../sandbox/limits.ts";
import { mayBeAbsent, parseSignature } from "../signature/signature.ts";
import { checkApprove, checkPolicy } from "../tools/approval.ts";
import type { Approve, GivenTools, LiveTools, ToolDefinition, Tools, ToolsOption } from "../tools/tool.ts";
import {
  type CallableTool,
  callableTools,
  describedTools,
  type ListedTool,
  listTools,
  liveTools,
  toolWarnings,
} from "../tools/tools.ts";
import { type CompressionSetting, readCompression } from "../turns/compression.ts";
import type { Compression, RenderOptions } from "../turns/options.ts";
import { toMessages } from "../turns/to-messages.ts";
import { isPlain } from "../values/describe.ts";
import { Template } from "./template.ts";

/**
 * A system prompt: the whole text, a function of the built-in one, or changes to it. `languageSpec` and `outputFormat`
 * replace those parts; `prefix` and `suffix` are added before and after the text.
 */
export type SystemPrompt =
  | string
  | ((text: string) => string)
  | {
      prefix?: string | undefined;
      suffix?: string | undefined;
      languageSpec?: string | undefined;
      outputFormat?: string | undefined;
    };

/**
 * How values are checked against the signature of an agent: `enabled` refuses values that do not match, `strict` also
 * extra fields, `warn` accepts them with a warning, `disabled` does not check.
 */
export type Validation = "enabled" | "strict" | "warn" | "disabled";

/** Options of {@link SubAgent}. */
export interface SubAgentOptions<
  S extends string = string,
  V extends Validation = Validation,
  T extends GivenTools = GivenTools,
> {
  /** The task of the agent. A {@link Template} names inputs; a string is used unchanged. */
  mission: string | Template;
  /**
   * Such as `(category :string) -> {total :float}`: inputs are checked before the first turn, results at the end. The types of
   * `data` and of {@link Step.return} are inferred from it. The notation of typed calls works too, `category -> total: float`.
   */
  signature?: S | undefined;
  /**
   * Tools, called by programs as `(tool/name …)`. An agent can be a tool. They are copied, except the object of {@link mcpTools},
   * which is read again at the start of each run.
   */
  tools?: ToolsOption<T>;
  /** Maximum tokens of the list of tools ({@link RenderOptions.toolBudget}). Default none. */
  toolBudget?: number | undefined;
  /**
   * Asked before each call of a tool that asks for an approval (`needsApproval`, `requireApproval`), also of nested agents
   * without an `approve`. A call that is denied fails, with the text in its error. Without it, such a call waits
   * ({@link Step.waiting}). Can be given to `run` instead.
   */
  approve?: Approve<T> | undefined;
  /** Where this agent is a tool: whether a call needs an approval, or a function of the inputs that decides. */
  needsApproval?: ToolDefinition["needsApproval"];
  /** Maximum number of turns. Default 5. */
  maxTurns?: number | undefined;
  /** Default false: the model sees its replies and their results. */
  compression?: Compression | undefined;
  systemPrompt?: SystemPrompt | undefined;
  /** Limits of each program. */
  limits?: Limits | undefined;
  /**
   * Runs the programs of each run in a WebAssembly instance of their own, with a memory of its own: a program that exhausts
   * the memory, or crashes the instance, disturbs nothing else. Default that of the agent that has this one as a tool, or
   * false.
   */
  isolate?: boolean | undefined;
  /** The model; can be given to `run` instead. */
  llm?: LLM | undefined;
  /** Retries when a call of the model fails. Default those of the agent that has this one as a tool, or one attempt. */
  retry?: Retry | undefined;
  /** Description for models that have this agent as a tool. */
  description?: string | undefined;
  /** Descriptions of fields of the expected output, by their paths: `{ "items.price": "in euros" }`. */
  fieldDescriptions?: Record<string, string> | undefined;
  /** Default `enabled`. With `warn` and `disabled` the result may be any value and is typed as such. */
  validation?: V | undefined;
  /** Maximum nesting of agents. Default 3. */
  maxDepth?: number | undefined;
  /** Maximum number of turns of this agent and all nested agents together. Default 20, or `maxTurns` if that is more. */
  turnBudget?: number | undefined;
}

/**
 * Checked options of an agent.
 *
 * @internal
 */
export interface CheckedAgent {
  mission: Template | string;
  signature: string | undefined;
  /** True for the path of an input, or of a member of one, that may be absent. */
  isOptional: (path: readonly string[]) => boolean;
  tools: Tools;
  callable: ReadonlyMap<string, CallableTool>;
  /** The tools as given, when they follow a list elsewhere. */
  live: LiveTools | undefined;
  listed: readonly ListedTool[];
  toolBudget: number | undefined;
  /** Warnings about the tools. */
  warnings: readonly string[];
  approve: Approve | undefined;
  needsApproval: ToolDefinition["needsApproval"];
  maxTurns: number;
  compression: Compression | undefined;
  systemPrompt: SystemPrompt | undefined;
  limits: Limits | undefined;
  isolate: boolean | undefined;
  llm: LLM | undefined;
  retry: Retry | undefined;
  description: string | undefined;
  fieldDescriptions: Record<string, string> | undefined;
  validation: SubAgentOptions["validation"];
  maxDepth: number;
  turnBudget: number;
}

/** Names of these options in other libraries. */
const RENAMED = {
  prompt: "mission",
  max_turns: "maxTurns",
  compress_history: "compression",
  compressHistory: "compression",
  system: "systemPrompt",
  system_prompt: "systemPrompt",
  data: "an option of run()",
  signal: "an option of run()",
  trace: "what formatTrace(step) shows",
  debug: "what formatTrace(step) shows, or onEvent of run()",
};

const MAX_DEPTH = 3;
const TURN_BUDGET = 20;
/** Options as the wasm side returns them after checking. */
interface WireAgent {
  maxTurns: number;
  inputs: { name: string; optional: boolean }[];
}

/**
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`, `invalid_template`,
 * `unknown_placeholder`, `unknown_strategy`, `invalid_strategy`, `invalid_counter`.
 *
 * @internal
 */
export function checkAgent(options: unknown): CheckedAgent {
  return wrapReadErrors("invalid_option", "the options of the agent", () => {
    const given = readOptions(
      "the options of an agent",
      options,
      {
        mission: checkMission,
        signature: anyOption(),
        tools: anyOption(),
        toolBudget: countOption(undefined, 0),
        maxTurns: anyOption(),
        validation: anyOption(),
        limits: anyOption(),
        compression: anyOption(),
        fieldDescriptions: anyOption(),
        approve: checkApprove,
        needsApproval: checkPolicy,
        systemPrompt: checkSystemPrompt,
        isolate: flagOption(undefined),
        llm: checkLLM,
        retry: checkRetry,
        description: textOption,
        maxDepth: countOption(MAX_DEPTH, 1),
        turnBudget: countOption(undefined, 1),
      } satisfies OptionChecks<SubAgentOptions>,
      RENAMED,
    );
    const { tools = {} } = given as { tools?: Tools };
    const { signature, maxTurns: turns, validation, limits } = given;
    const plain = plainCopy({ signature, maxTurns: turns, validation, limits }, "the options of an agent", "") as Pick<
      SubAgentOptions,
      "signature" | "validation" | "limits"
    >;
    const { limits: kept, warnings } = attainableLimits(plain.limits);
    const { maxTurns, inputs } = call("language", (wasm) => wasm.checkAgent(plain)) as WireAgent;
    const listed = listTools(tools);
    const agent: CheckedAgent = {
      ...given,
      signature: plain.signature,
      isOptional: optionalPaths(plain.signature, inputs),
      tools: { ...tools },
      callable: callableTools(tools, listed),
      live: liveTools(tools),
      listed,
      warnings: [...toolWarnings(tools, listed), ...warnings],
      maxTurns,
      limits: kept,
      validation: plain.validation,
      turnBudget: given.turnBudget ?? Math.max(TURN_BUDGET, maxTurns),
    };
    if (agent.signature !== undefined) {
      checkPlaceholders(
        given.mission,
        inputs.map(({ name }) => name),
      );
    }
    // Rendering checks names, numbers and signatures. A strategy of the host is not called before there are the mission
    // and the data of a run.
    const setting = readCompression(agent.compression ?? false);
    const request = requestOf(agent, String(given.mission), undefined, setting);
    toMessages([], null, setting.custom === null ? request : { ...request, compression: false });
    return agent;
  });
}

function checkMission(mission: unknown): string | Template {
  if (typeof mission === "string" || mission instanceof Template) return mission;
  throw invalidOption("mission", "a text or a template", mission, "say what the agent is to do");
}

/** Returns a function that is true for the paths of the signature's inputs that may be absent. */
function optionalPaths(signature: string | undefined, inputs: WireAgent["inputs"]): CheckedAgent["isOptional"] {
  if (signature === undefined) return () => false;
  const optional = new Set(inputs.filter((input) => input.optional).map(({ name }) => name));
  // Computed for the first name without a value.
  let schema: Record<string, unknown> | undefined;
  return (path) => {
    if (optional.has(path[0] as string)) return true;
    schema ??= parseSignature(signature).jsonSchema("input");
    return path.length > 1 && mayBeAbsent(schema, path);
  };
}

/**
 * Returns the agent with its current tools.
 *
 * @throws {TurnfoldError} `invalid_tool` for one that the host added to them.
 *
 * @internal
 */
export function withCurrentTools(agent: CheckedAgent): CheckedAgent {
  if (agent.live === undefined) return agent;
  const tools = { ...agent.live };
  const listed = listTools(tools);
  return { ...agent, tools, listed, callable: callableTools(tools, listed) };
}

/**
 * Returns the options from which the messages of a run are rendered.
 *
 * @internal
 */
export function requestOf(
  agent: CheckedAgent,
  mission: string,
  systemPrompt: SystemPrompt | undefined,
  setting = readCompression(agent.compression ?? false),
): RenderOptions {
  const { signature, fieldDescriptions, maxTurns } = agent;
  const request: RenderOptions = {
    mission,
    systemPrompt: promptText(agent.systemPrompt ?? systemPrompt, maxTurns, setting),
    maxTurns,
    compression: agent.compression ?? false,
  };
  if (agent.listed.length > 0) request.tools = describedTools(agent.listed);
  if (agent.toolBudget !== undefined) request.toolBudget = agent.toolBudget;
  if (signature !== undefined) request.signature = signature;
  if (fieldDescriptions !== undefined) request.fieldDescriptions = fieldDescriptions;
  return request;
}

/** Refuses placeholders of a mission that are not inputs of the signature. */
function checkPlaceholders(mission: string | Template, inputs: readonly string[]): void {
  if (!(mission instanceof Template)) return;
  const unknown = mission.placeholders.filter((name) => !inputs.includes(name.split(".", 1)[0] as string));
  if (unknown.length === 0) return;
  throw new TurnfoldError("unknown_placeholder", `the mission names ${unknown.join(", ")}, which is no input`, {
    details: { names: unknown, inputs },
    hint: inputs.length === 0 ? "the signature has no inputs" : `the inputs are ${inputs.join(", ")}`,
  });
}

/**
 * Returns the expanded mission, and warnings about it and the tools.
 *
 * @internal
 */
export function missionText(
  agent: CheckedAgent,
  inputs: Record<string, unknown>,
): { mission: string; warnings: readonly string[] } {
  const { mission } = agent;
  const { warnings } = agent;
  if (mission instanceof Template) return { mission: mission.fill(inputs, agent.isOptional), warnings };
  const tag = /\{\{\s*[\w.-]+\s*\}\}/.exec(mission)?.[0];
  if (tag === undefined) return { mission, warnings };
  return {
    mission,
    warnings: [`the mission has ${tag} in it, but is a string: write T\`…\` to make a template of it`, ...warnings],
  };
}

function promptText(
  prompt: SystemPrompt | undefined,
  maxTurns: number,
  { setting, custom }: CompressionSetting,
): string {
  if (typeof prompt === "string") return prompt;
  const parts = typeof prompt === "object" ? prompt : {};
  const shown = custom === null ? setting : true;
  const text = call("language", (wasm) => wasm.systemPrompt(maxTurns, shown, parts.languageSpec, parts.outputFormat));
  if (typeof prompt === "function") {
    const changed: unknown = prompt(text);
    if (typeof changed === "string") return changed;
    handleRejection(changed);
    throw invalidOption("systemPrompt", "a function that gives a text", changed);
  }
  return [parts.prefix, text, parts.suffix].filter((part) => part !== undefined && part !== "").join("\n\n");
}

function checkSystemPrompt(prompt: unknown): SystemPrompt | undefined {
  if (prompt === undefined || typeof prompt === "string" || typeof prompt === "function") {
    return prompt as SystemPrompt | undefined;
  }
  if (typeof prompt !== "object" || prompt === null || !isPlain(prompt)) {
    throw invalidOption("systemPrompt", "a text, a function or an object of parts", prompt);
  }
  const checks = {
    prefix: textOption,
    suffix: textOption,
    languageSpec: textOption,
    outputFormat: textOption,
  } satisfies OptionChecks<Extract<SystemPrompt, object>>;
  return readOptions("the parts of a system prompt", prompt, checks, {}, "systemPrompt.");
}
