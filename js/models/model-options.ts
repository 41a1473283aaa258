import { copyMembers, invalidOption } from "../boundary/options.ts";
import { type CacheMarks, checkMarks } from "../formats/cache-marks.ts";
import type { PlainObject } from "../formats/data.ts";
import type { LLMRequest } from "../model/model.ts";

/** Options of the callbacks for models, in addition to the parameters of the provider's requests. */
export interface ModelOptions {
  /** The model, as the provider names it. */
  model: string;
  /** Whether the reply is streamed. Default true. */
  stream?: boolean | undefined;
  /** Further parameters of each request, in the provider's names: `temperature`, `reasoning_effort`, `max_tokens`. */
  [parameter: string]: unknown;
}

/**
 * Separates the options of a callback from the parameters of its requests, which are all other members.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkModelOptions(given: unknown): {
  stream: boolean;
  cache: CacheMarks | undefined;
  parameters: Record<string, unknown>;
} {
  const { stream = true, cache, ...rest } = copyMembers(given, "the options", 'write { model: "…" }');
  if (typeof rest.model !== "string" || rest.model === "") {
    throw invalidOption("model", "the name of a model", rest.model, 'write { model: "…" }');
  }
  if (typeof stream !== "boolean") throw invalidOption("stream", "true or false", stream);
  for (const name of ["messages", "input", "tools", "signal"]) {
    if (rest[name] !== undefined) {
      throw invalidOption(name, "left to each request", rest[name], "messages and tools are those of the agent");
    }
  }
  if (cache !== undefined && cache !== null) checkMarks(cache);
  const parameters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { stream, cache: cache as CacheMarks | undefined, parameters };
}

/**
 * Returns the places of a request to mark for a provider's cache: those of the options if they have any, otherwise
 * those of the request.
 *
 * @internal
 */
export function cacheOptions(cache: CacheMarks | undefined, { breakpoints }: LLMRequest): { cache?: CacheMarks } {
  // Null turns the marks off.
  if (cache === undefined || cache === null) return {};
  return { cache: breakpoints === undefined || cache.at !== undefined ? cache : { ...cache, at: breakpoints } };
}

/** Parameters that providers refuse in requests without tools, such as those for summaries. */
const TOOL_PARAMETERS = new Set(["tool_choice", "parallel_tool_calls"]);

/**
 * Returns the parameters of a request, with its tools.
 *
 * @param none how the provider says that no tool may be called.
 *
 * @internal
 */
export function withTools(
  parameters: PlainObject,
  { tools = [], toolChoice }: LLMRequest,
  toolOf: (tool: NonNullable<LLMRequest["tools"]>[number]) => PlainObject,
  none: unknown = "none",
): PlainObject {
  if (tools.length > 0) {
    return { ...parameters, tools: tools.map(toolOf), ...(toolChoice === "none" ? { tool_choice: none } : {}) };
  }
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !TOOL_PARAMETERS.has(name)));
}
