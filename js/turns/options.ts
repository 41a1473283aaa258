import { encodeRecord } from "../boundary/encode.ts";
import { copyMembers, invalidOption, plainCopy } from "../boundary/options.ts";
import { wrapReadErrors } from "../errors.ts";
import { type ListedTool, listTools, type ToolDescription, type Tools } from "../sandbox/tools.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import { isPlain } from "../values/describe.ts";
import { type CoalescedOptions, type Compression, type CustomStrategy, readCompression } from "./compression.ts";

/** Options of rendering. Limits can be given here or in the options of the strategy, which take precedence. */
export interface RenderOptions extends CoalescedOptions {
  /** The task of the agent: the first part of the USER message. */
  mission: string;
  /** The SYSTEM message. Default the built-in one. */
  systemPrompt?: string | undefined;
  /** Tools, called by programs as `tool/name`. */
  tools?: Tools | Record<string, ToolDescription> | undefined;
  /** Values that programs read as `data/name`. Copied: later changes take effect only when it is passed again. */
  data?: Record<string, unknown> | undefined;
  /** Such as `(query :string) -> {total :float}`; its return type becomes the section of expected output. */
  signature?: string | undefined;
  /** Descriptions of fields of the expected output, by their paths: `{ "items.price": "in euros" }`. */
  fieldDescriptions?: Record<string, string> | undefined;
  /** Maximum number of turns. Default 5. Turns left are `maxTurns` minus the number of turns; 1 disables compression. */
  maxTurns?: number | undefined;
  /** Overrides the number of turns left. */
  turnsLeft?: number | undefined;
  /**
   * Time at which the request is sent, in milliseconds since 1970, like {@link Turn.at}: with both, a strategy with
   * prices finds out whether the provider's cache has expired.
   */
  at?: number | undefined;
  /** Default `true`, the default strategy. */
  compression?: Compression | undefined;
}

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
  tools?: ListedTool[];
  [option: string]: unknown;
}

/**
 * Reads the options of a host.
 *
 * @param before the result of the last call, which is returned when the options are unchanged: that is faster.
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_strategy`, `invalid_counter`, and for the data the
 * errors of `encode`.
 *
 * @internal
 */
export function readOptions(options: RenderOptions, before?: RenderRequest): RenderRequest {
  const { data, at, ...given } = copyMembers(options, "the options", '{ mission: "…" } is the least');
  const json = encodeData(data);
  if (before !== undefined && json === before.wire.data && hasSameOptions(given, before.given))
    return before.at === at ? before : { ...before, at: checkTime(at) };
  return makeRequest(given, at, json, null);
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

/**
 * True when the options are known to be unchanged. False where that would take long to find out: an object among them
 * may have been changed in place.
 */
function hasSameOptions(given: Record<string, unknown>, before: RenderRequest["given"]): boolean {
  const names = Object.keys(given);
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => {
      const [now, then] = [given[name], before[name as keyof typeof before] as unknown];
      const isObject = name === "tools" || name === "fieldDescriptions";
      return Object.hasOwn(before, name) && (isObject ? sameMembers(name, now, then) : sameScalar(now, then));
    })
  );
}

/** True when both are absent, or plain objects with the same members, none of which is an object. */
function sameMembers(option: string, now: unknown, then: unknown): boolean {
  if (now === undefined || then === undefined) return now === then;
  return wrapReadErrors("invalid_option", option, () => {
    if (typeof now !== "object" || now === null || !isPlain(now)) return false;
    const [members, known] = [now as Record<string, unknown>, then as Record<string, unknown>];
    const names = Object.keys(members);
    return (
      names.length === Object.keys(known).length &&
      names.every((name) => Object.hasOwn(known, name) && sameScalar(members[name], known[name]))
    );
  });
}

function sameScalar(now: unknown, then: unknown): boolean {
  return (typeof now !== "object" || now === null) && Object.is(now, then);
}

function encodeData(data: unknown): string | undefined {
  return data === undefined ? undefined : encodeRecord(data, "data");
}

function checkTime(at: unknown): number | undefined {
  if (at === undefined || (Number.isFinite(at) && (at as number) >= 0)) return at as number | undefined;
  throw invalidOption("at", "a number of milliseconds since 1970", at);
}

/** @param listed the tools as listed before; null to list them now. */
function makeRequest(
  given: Record<string, unknown>,
  at: unknown,
  data: string | undefined,
  listed: ListedTool[] | null | undefined,
): RenderRequest {
  const { tools, compression, ...plain } = given;
  // Absent means on.
  const { setting, custom, options, counter } = readCompression(compression === undefined ? true : compression);
  const copy = plainCopy(plain, "the options", "") as Record<string, unknown>;
  const wire: WireOptions = { ...copy, compression: setting };
  if (data !== undefined) wire.data = data;
  if (tools !== undefined) wire.tools = listed ?? wrapReadErrors("invalid_option", "tools", () => listTools(tools));
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
  return a.counter === b.counter && (a.wire === b.wire || isSameValue(a.wire, b.wire));
}

/** Equality of plain data. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && isSameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
