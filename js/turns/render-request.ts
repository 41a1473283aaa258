import { encodeRecord } from "../boundary/encode.ts";
import { copyMembers, invalidOption, plainCopy } from "../boundary/options.ts";
import { wrapReadErrors } from "../errors.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import { listTools, toolsJson } from "../tools/tools.ts";
import { isDeepEqual } from "../values/deep-equal.ts";
import { readCompression } from "./compression.ts";
import type { CustomStrategy, RenderOptions } from "./options.ts";

/**
 * Copied options, which later changes by the host do not affect. Only the host's functions are checked here; the wasm
 * side checks the rest.
 *
 * @internal
 */
export interface RenderRequest {
  /** A copy of the host's options without the data and the time. */
  readonly given: Omit<RenderOptions, "data" | "at">;
  /** The options for the wasm. */
  readonly wire: WireOptions;
  /** When the request is sent. */
  readonly at: number | undefined;
  /** The host's counter, if the strategy uses one. */
  readonly counter: TokenCounter | null;
  /** The host's strategy, if it is to render. */
  readonly custom: { strategy: CustomStrategy; options: Record<string, unknown> } | null;
}

/** A copy that the wasm reads. */
interface WireOptions {
  /** JSON. */
  data?: string;
  /** JSON. */
  tools?: string;
  [option: string]: unknown;
}

/**
 * Reads the options of a host.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_strategy`, `invalid_counter`, and for the data the
 * errors of `encode`.
 *
 * @internal
 */
export function readOptions(options: RenderOptions): RenderRequest {
  const { data, at, ...given } = copyMembers(options, "the options", '{ mission: "…" } is the least');
  return makeRequest(given, at, encodeData(data), null);
}

/**
 * Changes some options; the others keep their values.
 *
 * @internal
 */
export function changeOptions(before: RenderRequest, changes: Partial<RenderOptions>): RenderRequest {
  const changed = copyMembers(changes, "the options");
  const { data, at, ...given }: Record<string, unknown> = { ...before.given, at: before.at, ...changed };
  const json = Object.hasOwn(changed, "data") ? encodeData(data) : before.wire.data;
  return makeRequest(given, at, json, Object.hasOwn(changed, "tools") ? null : before.wire.tools);
}

function encodeData(data: unknown): string | undefined {
  return data === undefined ? undefined : encodeRecord(data, "data");
}

function checkTime(at: unknown): number | undefined {
  if (at === undefined || (Number.isFinite(at) && (at as number) >= 0)) return at as number | undefined;
  throw invalidOption("at", "a number of milliseconds since 1970", at);
}

/** @param known JSON of the tools; null to list them now. */
function makeRequest(
  given: Record<string, unknown>,
  at: unknown,
  data: string | undefined,
  known: string | null | undefined,
): RenderRequest {
  const { tools, compression, ...plain } = given;
  // Absent means on.
  const { setting, custom, options, counter } = readCompression(compression === undefined ? true : compression);
  const copy = plainCopy(plain, "the options", "") as Record<string, unknown>;
  const wire: WireOptions = { ...copy, compression: setting };
  if (data !== undefined) wire.data = data;
  if (tools !== undefined) {
    wire.tools = known ?? toolsJson(wrapReadErrors("invalid_option", "tools", () => listTools(tools)));
  }
  const own: Record<string, unknown> = { ...given };
  if (Array.isArray(compression)) own.compression = [custom ?? (compression as unknown[])[0], options];
  if (tools !== undefined) own.tools = { ...(tools as object) };
  if (copy.fieldDescriptions !== undefined) own.fieldDescriptions = copy.fieldDescriptions;
  return {
    given: own as unknown as RenderRequest["given"],
    wire,
    at: checkTime(at),
    counter,
    custom: custom !== null && given.maxTurns !== 1 ? { strategy: custom, options } : null,
  };
}

/**
 * True when the wasm side would render the same at the same time.
 *
 * @internal
 */
export function sameRequest(a: RenderRequest, b: RenderRequest): boolean {
  return a.counter === b.counter && isDeepEqual(a.wire, b.wire);
}
