import {
  type CoalescedOptions,
  type Compression,
  type CustomStrategy,
  counterOf,
  readCompression,
  wireOptions,
} from "./compression.ts";
import { describe, isPlain } from "../values/describe.ts";
import { encode, encodeRecord } from "../boundary/encode.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { estimate, type TokenCounter } from "../tokens/tokens.ts";
import { type ListedTool, listTools, type ToolDescription, type Tools } from "../sandbox/tools.ts";

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
  /** 5. Turns left are `maxTurns` less the number of turns [MSG-006]; 1 never compresses. */
  maxTurns?: number;
  /** In place of that difference. */
  turnsLeft?: number;
  /** `true`, the default strategy, when absent. */
  compression?: Compression;
}

/** Every option with its type; those "apart" go to the wasm in ways of their own. */
const OPTIONS: Record<keyof RenderOptions, "string" | "number" | "boolean" | "apart"> = {
  mission: "string",
  systemPrompt: "string",
  tools: "apart",
  data: "apart",
  signature: "string",
  fieldDescriptions: "apart",
  maxTurns: "number",
  turnsLeft: "number",
  compression: "apart",
  printlnLimit: "number",
  toolCallLimit: "number",
  sampleLimit: "number",
  samplePrintableLimit: "number",
  printLength: "number",
  toolResults: "boolean",
};

const KNOWN = Object.keys(OPTIONS) as readonly (keyof RenderOptions)[];

/**
 * The options as the wasm takes them.
 *
 * @internal
 */
export interface WireOptions {
  mission: string;
  tools?: ListedTool[];
  fieldDescriptions?: Record<string, string>;
  strategy: null | { name: string; options: Record<string, unknown> };
  counter: "estimate" | "host";
  [option: string]: unknown;
}

/**
 * Options checked and copied: nothing that the host changes later reaches them.
 *
 * @internal
 */
export interface Request {
  /** The host's own, copied as far as they are read, without the data. */
  readonly given: Omit<RenderOptions, "data">;
  readonly wire: WireOptions;
  /** Wire JSON of the data; empty when there are none. */
  readonly data: string;
  /** The host's own counter, when the strategy asks for one. */
  readonly counter: TokenCounter | null;
  /** The host's own strategy, when it is the one to render with. */
  readonly custom: { strategy: CustomStrategy; options: Record<string, unknown> } | null;
}

/**
 * Reads what a host gave as options.
 *
 * @param before what was read the last time; given back when the options still say the same, which is quicker to tell.
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_strategy`, `invalid_counter`, and for the data what
 * `encode` throws. What is a matter of names, numbers and signatures, the wasm checks.
 *
 * @internal
 */
export function readOptions(options: RenderOptions, before?: Request): Request {
  return reading("invalid_option", "the options", () => {
    if (before !== undefined && isUnchanged(options, before)) return before;
    const { data, ...given } = known(options);
    return read(given, encodeData(data), null);
  });
}

/**
 * The same with some options changed; what is not among the changes stays as it was when it was given.
 *
 * @internal
 */
export function changeOptions(before: Request, changes: Partial<RenderOptions>): Request {
  return reading("invalid_option", "the options", () => {
    const { data, ...given } = known({ ...before.given, ...known(changes) });
    const kept = (name: keyof RenderOptions) => !Object.hasOwn(changes, name);
    return read(given, kept("data") ? before.data : encodeData(data), kept("tools") ? before.wire.tools : null);
  });
}

/** False also where it would take long to tell: an object among the options may have been changed in place. */
function isUnchanged(options: RenderOptions, { given, data }: Request): boolean {
  if (typeof options !== "object" || options === null) return false;
  const { data: now, tools, fieldDescriptions } = options;
  const names = Object.keys(options).filter((name) => name !== "data");
  return (
    names.length === Object.keys(given).length &&
    names.every((name) =>
      name === "tools" || name === "fieldDescriptions" ? Object.hasOwn(given, name) : sameMember(options, given, name),
    ) &&
    sameMembers(tools, given.tools) &&
    sameMembers(fieldDescriptions, given.fieldDescriptions) &&
    encodeData(now) === data
  );
}

/** True when both are absent, or plain objects whose members are the same, and no objects. */
function sameMembers(a: object | undefined, b: object | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (typeof a !== "object" || a === null || !isPlain(a)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameMember(a, b, name));
}

function sameMember(a: object, b: object, name: string): boolean {
  const value = (a as Record<string, unknown>)[name];
  return (
    (typeof value !== "object" || value === null) &&
    Object.hasOwn(b, name) &&
    Object.is(value, (b as Record<string, unknown>)[name])
  );
}

function encodeData(data: unknown): string {
  return data === undefined ? "" : encodeRecord(data, "data");
}

function known<O extends object>(options: O): O {
  if (typeof options !== "object" || options === null) {
    throw new TurnfoldError("invalid_option", `the options must be an object, got ${describe(options)}`, {
      details: { known: KNOWN },
      hint: '{ mission: "…" } is the least',
    });
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(OPTIONS, name)) {
      throw new TurnfoldError("invalid_option", `there is no option ${JSON.stringify(name)}`, {
        details: { option: name, known: KNOWN },
        hint: `the options are ${KNOWN.join(", ")}`,
      });
    }
  }
  return options;
}

/** @param listed the tools as they were listed before; null when they are to be listed now. */
function read(given: Omit<RenderOptions, "data">, data: string, listed: ListedTool[] | null | undefined): Request {
  if (given.mission === undefined) throw invalid("mission", "is missing", "say what the agent is to do");
  const setting = given.compression === undefined ? true : given.compression;
  const compression = reading("invalid_option", "compression", () => readCompression(setting));
  const { strategy } = compression;
  const counter = counterOf(compression);
  const host = counter !== null && counter !== estimate;
  const wire: WireOptions = {
    mission: given.mission,
    ...plain(given),
    strategy:
      typeof strategy === "string" ? { name: strategy, options: wireOptions(strategy, compression.options) } : null,
    counter: host ? "host" : "estimate",
  };
  const copy = { ...given };
  if (Array.isArray(given.compression)) copy.compression = [strategy, compression.options] as unknown as Compression;
  if (given.tools !== undefined) {
    wire.tools = listed ?? reading("invalid_option", "tools", () => listTools(given.tools));
    copy.tools = { ...given.tools };
  }
  if (given.fieldDescriptions !== undefined) {
    copy.fieldDescriptions = wire.fieldDescriptions = descriptions(given.fieldDescriptions);
  }
  const custom = typeof strategy === "object" && strategy !== null && given.maxTurns !== 1;
  return {
    given: copy,
    wire,
    data,
    counter: host ? counter : null,
    custom: custom ? { strategy, options: compression.options } : null,
  };
}

/**
 * True when the wasm side would be told the same.
 *
 * @internal
 */
export function sameRequest(a: Request, b: Request): boolean {
  return a === b || (a.counter === b.counter && a.data === b.data && same(a.wire, b.wire));
}

/** The options that go to the wasm as they are. */
function plain(given: Omit<RenderOptions, "data">): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, way] of Object.entries(OPTIONS)) {
    const value: unknown = given[name as keyof typeof given];
    if (way === "apart" || value === undefined) continue;
    if (typeof value !== way) throw invalid(name, `must be a ${way}, got ${describe(value)}`);
    plain[name] = value;
  }
  return plain;
}

function descriptions(given: unknown): Record<string, string> {
  encodeRecord(given, "fieldDescriptions");
  const copy = { ...(given as Record<string, unknown>) };
  for (const [path, text] of Object.entries(copy)) {
    if (typeof text !== "string") {
      throw invalid("fieldDescriptions", `must hold strings, got ${describe(text)} for ${encode(path)}`);
    }
  }
  return copy as Record<string, string>;
}

function invalid(option: string, problem: string, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_option", `the option ${option} ${problem}`, { details: { option }, hint });
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
