import { copyMembers, flagOption, invalidOption } from "../boundary/options.ts";
import { type CacheMarks, checkMarks } from "../formats/cache-marks.ts";
import type { PlainObject } from "../formats/data.ts";
import { checkMemberNames, type FormatOptions } from "../formats/format.ts";
import type { LLMRequest } from "../model/model.ts";

/** Options of the callbacks for models, in addition to the parameters of the provider's requests. */
export interface ModelOptions {
  /** The model, as the provider names it. */
  model: string;
  /** Whether the reply is streamed. Default true. */
  stream?: boolean | undefined;
  /**
   * Names of members of messages, parts and calls that are sent although the provider's format does not have them, such
   * as `reasoning_content`.
   */
  members?: readonly string[] | undefined;
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
export function checkModelOptions(
  given: unknown,
  defaultCache?: CacheMarks,
): {
  stream: boolean;
  format: FormatOptions;
  parameters: Record<string, unknown>;
} {
  const { stream, cache = defaultCache, members, ...rest } = copyMembers(given, "the options", 'write { model: "…" }');
  if (typeof rest.model !== "string" || rest.model === "") {
    throw invalidOption("model", "the name of a model", rest.model, 'write { model: "…" }');
  }
  const streams = flagOption(true)(stream, "stream");
  for (const name of ["messages", "input", "tools", "signal"]) {
    if (rest[name] !== undefined) {
      throw invalidOption(name, "left to each request", rest[name], "messages and tools are those of the agent");
    }
  }
  const format = checkFormatOptions(cache, members);
  const parameters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { stream: streams, format, parameters };
}

/**
 * Returns how messages are written. Null for `cache` turns the marks off.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkFormatOptions(cache: unknown, members: unknown): FormatOptions {
  const named = { members: checkMemberNames(members) };
  if (cache === undefined || cache === null) return named;
  checkMarks(cache);
  return { ...named, cache };
}

/**
 * Returns how the messages of a request are written: the marks for the provider's cache are at the places of the
 * options if they have any, otherwise at those of the request.
 *
 * @internal
 */
export function formatOptions(format: FormatOptions, { breakpoints }: LLMRequest): FormatOptions {
  const { cache } = format;
  if (cache === undefined || breakpoints === undefined || cache.at !== undefined) return format;
  return { ...format, cache: { ...cache, at: breakpoints } };
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
