import { checkMembers, copyMembers, plainCopy } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { isBreakpoint } from "../chat/breakpoints.ts";
import { OWN_MEMBERS } from "../chat/chat-message.ts";
import { countMessages, countText } from "../chat/count-messages.ts";
import { jsonText } from "../chat/message-json.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type Prices, priceList } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { Breakpoint, Message } from "../turns/message.ts";
import { describe } from "../values/describe.ts";
import { PromptCache, type RequestPiece } from "./prompt-cache.ts";

/** A request as it was sent. */
export interface BilledRequest {
  /** The messages, or the whole input as one text. */
  messages: readonly Message[] | string;
  /** Time at which it was sent, in milliseconds. Default: immediately after the previous request. */
  at?: number | undefined;
  /** The model's output: a text, or a number of tokens. Default 0. */
  output?: string | number | undefined;
  /**
   * Places at which the request is marked for caches that compare at breakpoints: offsets in UTF-16 units of a
   * message's content. By default the ends of the first message and of the last two.
   */
  breakpoints?: readonly Breakpoint[] | undefined;
}

/** Tokens of input and output, and their cost. The input is the sum of `read`, `written` and `fresh`. */
export interface BillParts {
  /** Input that was read from the cache. */
  read: number;
  /** Input that was written to the cache. */
  written: number;
  /** The rest of the input. */
  fresh: number;
  output: number;
  /** In the unit of the prices. */
  cost: number;
}

/** The bill of a sequence of requests. */
export interface Bill extends BillParts {
  /** The share of the input that was read from the cache. */
  known: number;
  /** What the requests would cost without a cache. */
  uncachedCost: number;
  /** The bill of each request. */
  requests: BillParts[];
}

/** Options of {@link bill}. */
export interface BillOptions {
  /** Default {@link estimate}. */
  counter?: TokenCounter | undefined;
}

/**
 * Computes what a sequence of requests costs with a provider that reads the common beginning of requests from its
 * cache: in steps from a minimum on, or up to marked places, until the cache expires.
 *
 * A provider's own counts differ by a few per cent, and its cache may expire earlier than documented.
 *
 * @param prices the prices. Default those of {@link PriceList}.
 * @example
 * ```ts
 * const requests = step.turns.map(({ rawResponse, at }, index) => {
 *   return { messages: step.messagesAt(index + 1), output: rawResponse, ...(at === undefined ? {} : { at }) };
 * });
 * const { cost, known } = bill(requests, "anthropic");
 * ```
 * @throws {TurnfoldError} `invalid_option`, with the path in `details.option`, such as `prices.cacheRead`;
 * `invalid_argument` for an invalid request, with its index; `invalid_message`, `invalid_counter`.
 */
export function bill(
  requests: readonly (BilledRequest | readonly Message[] | string)[],
  prices: Prices = {},
  options: BillOptions = {},
): Bill {
  const { counter: givenCounter } = checkMembers("the options", copyMembers(options, "the options"), ["counter"]);
  const counter = checkCounter(givenCounter ?? estimate);
  const list = wrapReadErrors("invalid_argument", "requests", () => (Array.isArray(requests) ? [...requests] : null));
  if (list === null) {
    throw new TurnfoldError("invalid_argument", `requests must be an array, got ${describe(requests)}`, {
      hint: "[{ messages, at, output }]; the messages alone or a text will do",
    });
  }
  const meter = new BillMeter(prices, counter);
  for (const request of list) meter.add(request);
  return meter.bill();
}

/**
 * Bills requests one after the other, so that the caller has to hold none of them.
 *
 * @internal
 */
export class BillMeter {
  private readonly prices: object;
  private readonly cache: PromptCache;
  private readonly sizes: TokenCounts;
  private readonly counted: RequestSize[] = [];

  /** @param other a meter with the same counter, whose counts are used too. */
  constructor(prices: Prices, counter: TokenCounter, other?: BillMeter) {
    this.prices = wrapReadErrors("invalid_option", "prices", () => plainCopy(priceList(prices), "prices")) as object;
    const cache = call("core", (wasm) => wasm.checkPrices(this.prices));
    this.cache = new PromptCache(cache as ConstructorParameters<typeof PromptCache>[0]);
    this.sizes = other?.sizes ?? new TokenCounts(counter);
  }

  add(request: BilledRequest | readonly Message[] | string): void {
    const index = this.counted.length;
    const size = wrapReadErrors(
      "invalid_argument",
      () => `requests[${index}]`,
      () => measureRequest(readRequest(request, index), this.cache, this.sizes),
    );
    this.counted.push(size);
  }

  bill(): Bill {
    const billed = (requests: readonly RequestSize[], by: unknown) =>
      call("core", (wasm) => wasm.billRequests(by, requests)) as BillParts[];
    const parts = billed(this.counted, this.prices);
    const uncached = this.counted.map((size) => ({ ...size, known: 0, marked: 0 }));
    const neverCached = { ...this.prices, minimum: Number.POSITIVE_INFINITY };
    const total = { read: 0, written: 0, fresh: 0, output: 0, cost: 0 };
    for (const part of parts) for (const name of BILL_PARTS) total[name] += part[name];
    const input = total.read + total.written + total.fresh;
    return {
      ...total,
      known: input === 0 ? 0 : total.read / input,
      uncachedCost: billed(uncached, neverCached).reduce((sum, { cost }) => sum + cost, 0),
      requests: parts,
    };
  }
}

const BILL_PARTS = ["read", "written", "fresh", "output", "cost"] as const;

/** A request in tokens. */
interface RequestSize {
  known: number;
  marked: number;
  input: number;
  output: number;
}

/** The largest number of tokens that the wasm reads. */
const MAX_TOKENS = 2 ** 32 - 1;

function readRequest(given: unknown, index: number): BilledRequest {
  if (typeof given !== "string" && (typeof given !== "object" || given === null)) {
    throw new TurnfoldError("invalid_argument", `requests[${index}] must be an object, got ${describe(given)}`, {
      details: { index },
      hint: "{ messages, at, output }; the messages alone or a text will do",
    });
  }
  const request =
    typeof given === "string" || Array.isArray(given)
      ? { messages: given as BilledRequest["messages"] }
      : (copyMembers(given, `requests[${index}]`) as unknown as BilledRequest);
  const { messages, at, output = 0, breakpoints } = request;
  const invalidMember = (name: string, expected: string, got: unknown) =>
    new TurnfoldError("invalid_argument", `requests[${index}].${name} must be ${expected}, got ${describe(got)}`, {
      details: { index, path: name },
    });
  if (typeof messages !== "string" && !Array.isArray(messages)) {
    throw invalidMember("messages", "an array of messages, or a text", messages);
  }
  const isObject = (message: unknown) => typeof message === "object" && message !== null;
  const wrong = typeof messages === "string" ? -1 : messages.findIndex((message) => !isObject(message));
  if (wrong >= 0) throw invalidMember(`messages[${wrong}]`, "a message", messages[wrong]);
  if (at !== undefined && !Number.isFinite(at)) throw invalidMember("at", "a number of milliseconds", at);
  if (typeof output !== "string" && !(Number.isFinite(output) && output >= 0 && output <= MAX_TOKENS)) {
    throw invalidMember("output", `a text, or a number of tokens from 0 to ${MAX_TOKENS}`, output);
  }
  if (breakpoints !== undefined && !(Array.isArray(breakpoints) && breakpoints.every(isBreakpoint))) {
    throw invalidMember("breakpoints", "a list of { message, offset }", breakpoints);
  }
  return request;
}

function measureRequest(
  { messages, at, output = 0, breakpoints }: BilledRequest,
  cache: PromptCache,
  sizes: TokenCounts,
): RequestSize {
  const list = typeof messages === "string" ? [{ role: "", content: messages }] : [...messages];
  const pieces = splitAtBreakpoints(list, breakpoints ?? defaultBreakpoints(list), sizes);
  const tokens = pieces.map((piece) => sizes.ofPiece(piece));
  const sum = (count: number) => tokens.slice(0, count).reduce((total, size) => total + size, 0);
  const known = cache.send(pieces, at);
  const { text = null } = pieces[known.pieces] ?? {};
  const input = sum(pieces.length);
  return {
    known: Math.min(input, sum(known.pieces) + (text === null ? 0 : sizes.ofText(text.slice(0, known.units)))),
    marked: sum(pieces.reduce((end, { isMarked }, index) => (isMarked ? index + 1 : end), 0)),
    input,
    output: typeof output === "string" ? sizes.ofText(output) : Math.round(output),
  };
}

function defaultBreakpoints(messages: readonly Message[]): Breakpoint[] {
  const marked = [...new Set([0, messages.length - 2, messages.length - 1])].filter((index) => index >= 0);
  return marked.map((message) => ({ message, offset: Number.POSITIVE_INFINITY }));
}

/** A message, or a part of its text, whose tokens can be counted. */
interface MeasuredPiece extends RequestPiece {
  /** The message; null for a part that continues one, and for a request that is one text. */
  readonly message: Message | null;
}

/** Returns the messages in order; those with breakpoints in their text are divided there. */
function splitAtBreakpoints(
  messages: readonly Message[],
  breakpoints: readonly Breakpoint[],
  sizes: TokenCounts,
): MeasuredPiece[] {
  const pieces: MeasuredPiece[] = [];
  const markedMessages = new Set(breakpoints.map(({ message }) => message));
  for (const [index, message] of messages.entries()) {
    if (!markedMessages.has(index)) {
      pieces.push(sizes.pieceOfMessage(message, false));
      continue;
    }
    const own = breakpoints.filter((breakpoint) => breakpoint.message === index).map(({ offset }) => offset);
    const { role, content, ...others } = sentMembers(message);
    const isWhole = typeof content !== "string" || own.every((offset) => offset >= content.length);
    if (isWhole || Object.keys(others).length > 0) {
      pieces.push(sizes.pieceOfMessage(message, true));
      continue;
    }
    const ends = [...new Set([...own.map((offset) => Math.min(offset, content.length)), content.length])];
    let start = 0;
    for (const end of ends.sort((left, right) => left - right)) {
      const text = content.slice(start, end);
      if (text === "" && start > 0) continue;
      const isFirst = start === 0;
      const isMarked = own.some((offset) => Math.min(offset, content.length) === end);
      pieces.push({
        key: `${isFirst ? role : ""}\n${text}`,
        text,
        isMarked,
        message: isFirst && role !== "" ? { role, content: text } : null,
      });
      start = end;
    }
  }
  return pieces;
}

/** The tokens of texts and messages, each counted once. */
class TokenCounts {
  private readonly counter: TokenCounter;
  private readonly ofPieces = new Map<string, number>();
  private readonly ofTexts = new Map<string, number>();
  /** The pieces that are whole messages, cached because requests share most of them. */
  private readonly marked = new WeakMap<Message, MeasuredPiece>();
  private readonly unmarked = new WeakMap<Message, MeasuredPiece>();

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** Returns the piece for a whole message. */
  pieceOfMessage(message: Message, isMarked: boolean): MeasuredPiece {
    const wholes = isMarked ? this.marked : this.unmarked;
    let piece = wholes.get(message);
    if (piece === undefined) {
      const other = (isMarked ? this.unmarked : this.marked).get(message);
      piece = { ...(other ?? messagePiece(message)), isMarked };
      wholes.set(message, piece);
    }
    return piece;
  }

  ofPiece({ key, text, message }: MeasuredPiece): number {
    return getOrCount(this.ofPieces, key, () => {
      if (message === null) return this.ofText(text as string);
      return countMessages([message], { counter: this.counter }).messages[0] as number;
    });
  }

  ofText(text: string): number {
    return getOrCount(this.ofTexts, text, () => countText(text, this.counter));
  }
}

function messagePiece(message: Message): Omit<MeasuredPiece, "isMarked"> {
  const sent = sentMembers(message);
  const { role, content, ...others } = sent;
  const isText = typeof content === "string" && Object.keys(others).length === 0;
  if (!isText) return { key: jsonText(sent) as string, text: null, message };
  return { key: `${role}\n${content}`, text: content, message: role === "" ? null : message };
}

/**
 * Returns the members of a message that a provider gets. `omitMembers` of the formats would do it, and bring 2 kB into the
 * playground's first load.
 */
function sentMembers(message: Message): Message {
  const members = Object.entries(message).filter(([name]) => !OWN_MEMBERS.includes(name));
  return Object.fromEntries(members) as Message;
}

function getOrCount(known: Map<string, number>, key: string, count: () => number): number {
  let tokens = known.get(key);
  if (tokens === undefined) {
    tokens = count();
    known.set(key, tokens);
  }
  return tokens;
}
