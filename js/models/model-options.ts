import { invalidOption, membersOf } from "../boundary/options.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import type { LLMRequest } from "../model/model.ts";

/** What the callbacks for models take beside the parameters of the provider's requests. */
export interface ModelOptions {
  /** The model, as the provider names it. */
  model: string;
  /** Whether the reply is streamed. Default true. */
  stream?: boolean | undefined;
  /** Further parameters of each request, in the provider's names: `temperature`, `reasoning_effort`, `max_tokens`. */
  [parameter: string]: unknown;
}

/**
 * Options of a callback: its own ones, and the parameters of requests.
 *
 * @param own names of options that are no parameters.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkModelOptions(
  given: unknown,
  own: readonly string[],
): {
  stream: boolean;
  cache: CacheMarks | undefined;
  parameters: Record<string, unknown>;
  own: Record<string, unknown>;
} {
  const { stream = true, cache, ...rest } = membersOf(given, "the options", 'write { model: "…" }');
  if (typeof rest.model !== "string" || rest.model === "") {
    throw invalidOption("model", "the name of a model", rest.model, 'write { model: "…" }');
  }
  if (typeof stream !== "boolean") throw invalidOption("stream", "true or false", stream);
  for (const name of ["messages", "input", "tools", "signal"]) {
    if (rest[name] !== undefined) {
      throw invalidOption(name, "left to each request", rest[name], "messages and tools are those of the agent");
    }
  }
  const isOwn = (name: string) => own.includes(name);
  const some = (wanted: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([name, value]) => isOwn(name) === wanted && value !== undefined));
  return { stream, cache: cache as CacheMarks | undefined, parameters: some(false), own: some(true) };
}

/**
 * The places of a request that are marked for a provider's cache: those that the request names, unless the options do.
 *
 * @internal
 */
export function marksOf(cache: CacheMarks | undefined, { breakpoints }: LLMRequest): { cache?: CacheMarks } {
  if (cache === undefined) return {};
  return { cache: breakpoints === undefined || cache.at !== undefined ? cache : { ...cache, at: breakpoints } };
}

/**
 * The options of a client's request.
 *
 * @internal
 */
export function sendOptions({ signal }: LLMRequest): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
