import { encodeRecord } from "../boundary/encode.ts";
import { membersOf, plainCopy } from "../boundary/options.ts";
import { reading } from "../errors.ts";
import { type ListedTool, listTools, type ToolDescription, type Tools } from "../sandbox/tools.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import { isPlain } from "../values/describe.ts";
import { type CoalescedOptions, type Compression, type CustomStrategy, readCompression } from "./compression.ts";

/** What messages are rendered from, beside the turns. Limits stand here, or beside the strategy's name, which wins. */
export interface RenderOptions extends CoalescedOptions {
  /** What the agent is to do; the beginning of the USER message. */
  mission: string;
  /** The SYSTEM message; the built-in one when absent. */
  systemPrompt?: string;
  /** What programs can call as `tool/name`. */
  tools?: Tools | Record<string, ToolDescription>;
  /** What programs can read as `data/name`. Copied: later changes show only when it is given again. */
  data?: Record<string, unknown>;
  /** Such as `(query :string) -> {total :float}`; its return type becomes the section of expected output. */
  signature?: string;
  /** Descriptions of fields of the expected output, by their paths: `{ "items.price": "in euros" }`. */
  fieldDescriptions?: Record<string, string>;
  /** 5. Turns left are `maxTurns` less the number of turns; 1 never compresses. */
  maxTurns?: number;
  /** In place of that difference. */
  turnsLeft?: number;
  /** `true`, the default strategy, when absent. */
  compression?: Compression;
}

/**
 * Options checked as far as the host's functions have a part in them, and copied: nothing that the host changes later
 * reaches them. The wasm checks the rest.
 *
 * @internal
 */
export interface Request {
  /** The host's own, copied as far as they are read, without the data. */
  readonly given: Omit<RenderOptions, "data">;
  /** The options for the wasm. */
  readonly wire: WireOptions;
  /** The host's own counter, when the strategy asks for one. */
  readonly counter: TokenCounter | null;
  /** The host's own strategy, when it is the one to render with. */
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
 * Reads what a host gave as options.
 *
 * @param before what was read the last time; given back when the options still say the same, which is quicker to tell.
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_strategy`, `invalid_counter`, and for the data what
 * `encode` throws.
 *
 * @internal
 */
export function readOptions(options: RenderOptions, before?: Request): Request {
  const { data, ...given } = membersOf(options, "the options", '{ mission: "…" } is the least');
  const json = encodeData(data);
  if (before !== undefined && json === before.wire.data && isUnchanged(given, before.given)) return before;
  return requestOf(given, json, null);
}

/**
 * The same with some options changed; what is not among the changes stays as it was when it was given.
 *
 * @internal
 */
export function changeOptions(before: Request, changes: Partial<RenderOptions>): Request {
  const changed = membersOf(changes, "the options");
  const { data, ...given }: Record<string, unknown> = { ...before.given, ...changed };
  const json = Object.hasOwn(changed, "data") ? encodeData(data) : before.wire.data;
  return requestOf(given, json, Object.hasOwn(changed, "tools") ? null : before.wire.tools);
}

/** False also where it would take long to tell: an object among the options may have been changed in place. */
function isUnchanged(given: Record<string, unknown>, before: Request["given"]): boolean {
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

/** True when both are absent, or plain objects whose members are the same, and no objects. */
function sameMembers(option: string, now: unknown, then: unknown): boolean {
  if (now === undefined || then === undefined) return now === then;
  return reading("invalid_option", option, () => {
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

/** @param listed the tools as they were listed before; null when they are to be listed now. */
function requestOf(
  given: Record<string, unknown>,
  data: string | undefined,
  listed: ListedTool[] | null | undefined,
): Request {
  const { tools, compression, ...plain } = given;
  // Absent, it is on.
  const { setting, custom, options, counter } = readCompression(compression === undefined ? true : compression);
  const copy = plainCopy(plain, "the options", "") as Record<string, unknown>;
  const wire: WireOptions = { ...copy, compression: setting };
  if (data !== undefined) wire.data = data;
  if (tools !== undefined) wire.tools = listed ?? reading("invalid_option", "tools", () => listTools(tools));
  const own: Record<string, unknown> = { ...given };
  if (Array.isArray(compression)) own.compression = [custom ?? (compression as unknown[])[0], options];
  if (tools !== undefined) own.tools = { ...(tools as object) };
  if (copy.fieldDescriptions !== undefined) own.fieldDescriptions = copy.fieldDescriptions;
  return {
    given: own as unknown as Request["given"],
    wire,
    counter,
    custom: custom !== null && given.maxTurns !== 1 ? { strategy: custom, options } : null,
  };
}

/**
 * True when the wasm side would render the same.
 *
 * @internal
 */
export function sameRequest(a: Request, b: Request): boolean {
  return a === b || (a.counter === b.counter && same(a.wire, b.wire));
}

/** Equality of plain data. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
