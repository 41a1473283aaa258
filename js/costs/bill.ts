import { checkMembers, copyMembers, plainCopy } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { type ChatMessage, OWN_MEMBERS } from "../chat/chat-message.ts";
import { countMessages, countText } from "../chat/count-messages.ts";
import { jsonText } from "../chat/message-json.ts";
import { isCall, partsOf } from "../chat/tool-pairs.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type Breakpoint, isBreakpoint, type Message } from "../model/message.ts";
import { type Prices, priceList } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { describe } from "../values/describe.ts";
import { type CachedPrefix, PromptCache, type RequestPiece } from "./prompt-cache.ts";

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
  const meter = new BillMeter(prices, new TokenCounts(counter));
  for (const request of list) meter.add(request);
  return meter.bill();
}

/**
 * What a recording says of a request beside its messages.
 *
 * @internal
 */
export interface RecordedFacts {
  /** The tokens at the beginning of the request that are in no message, such as those of tools. */
  fixed: number;
  /** The provider's tokens for each token of the counter. */
  factor: number;
  /** Whether the cache had the messages of the request before. By default the times say it. */
  isWarm: boolean | undefined;
  /** The tokens that were read from the cache: of the fixed ones, as many are in it. */
  read: number;
}

const NO_FACTS: RecordedFacts = { fixed: 0, factor: 1, isWarm: undefined, read: 0 };

/**
 * Bills requests one after the other, so that the caller has to hold none of them. A request takes time in proportion to
 * the messages that the previous one did not begin with.
 *
 * @internal
 */
export class BillMeter {
  private readonly prices: object;
  private readonly cache: PromptCache;
  private readonly sizes: TokenCounts;
  private readonly counted: RequestSize[] = [];
  private readonly continued: RequestSize[] = [];
  /** The messages of the last request. */
  private messages: readonly Message[] = [];
  /** The pieces of the last request: the first `wholes` of them are a whole message each. */
  private readonly pieces: MeasuredPiece[] = [];
  private wholes = 0;
  /** The tokens before each of these pieces, and those of all. */
  private readonly ends = [0];
  /** The marks of the last request, when it came with breakpoints. */
  private ownMarks: readonly number[] | null = null;
  private facts = NO_FACTS;
  private readonly addedTo: (message: ChatMessage) => number;

  /**
   * @param sizes the counts, which several meters may share.
   * @param addedTo tokens that a message has for the provider and not for the counter.
   */
  constructor(prices: Prices, sizes: TokenCounts, addedTo: (message: ChatMessage) => number = () => 0) {
    this.addedTo = addedTo;
    this.prices = wrapReadErrors("invalid_option", "prices", () => plainCopy(priceList(prices), "prices")) as object;
    const cache = call("core", (wasm) => wasm.checkPrices(this.prices));
    this.cache = new PromptCache(cache as ConstructorParameters<typeof PromptCache>[0]);
    this.sizes = sizes;
  }

  add(request: BilledRequest | readonly Message[] | string, facts = NO_FACTS): void {
    const index = this.counted.length;
    this.facts = facts;
    const size = wrapReadErrors(
      "invalid_argument",
      () => `requests[${index}]`,
      () => this.measure(readRequest(request, index)),
    );
    this.counted.push(size);
  }

  /**
   * Bills another request, sent immediately after the last one, with its messages and `more`. The cache does not store
   * it, so the bills of other requests stay the same.
   *
   * @param output the number of tokens of the output
   */
  addContinued(more: readonly Message[], output: number): void {
    const { pieces, ends } = this;
    const count = pieces.length;
    for (const message of more) this.addPiece(this.sizes.pieceOfMessage(message));
    const marks = this.ownMarks ?? [...new Set([1, pieces.length - 1, pieces.length])].filter((mark) => mark > 0);
    const known = this.cache.peek({ pieces, marks, shared: count, at: undefined });
    this.continued.push(this.sizeOf(known, marks, output));
    pieces.length = count;
    ends.length = count + 1;
  }

  /** Releases what no later request can read from the cache. */
  forgetExpired(): void {
    this.cache.forgetExpired();
  }

  bill(): Bill {
    const parts = this.billed(this.counted);
    const uncached = this.counted.map((size) => ({ ...size, known: 0, marked: 0 }));
    const neverCached = { ...this.prices, minimum: Number.POSITIVE_INFINITY };
    const total = sumOf(parts);
    const input = total.read + total.written + total.fresh;
    return {
      ...total,
      known: input === 0 ? 0 : total.read / input,
      uncachedCost: costOf(this.billed(uncached, neverCached)),
      requests: parts,
    };
  }

  /** The cost of the requests that {@link addContinued} added. */
  get continuedCost(): number {
    return costOf(this.billed(this.continued));
  }

  private billed(requests: readonly RequestSize[], prices = this.prices): BillParts[] {
    return call("core", (wasm) => wasm.billRequests(prices, requests)) as BillParts[];
  }

  private measure({ messages, at, output = 0, breakpoints }: BilledRequest): RequestSize {
    const list = typeof messages === "string" ? [{ role: "", content: messages }] : messages;
    const offsets = offsetsByMessage(list, breakpoints);
    const shared = this.keepShared(list, offsets);
    const marks: number[] = [];
    for (let index = shared; index < list.length; index++) {
      const own = offsets.get(index) ?? [];
      const parts = this.sizes.piecesOf(list[index] as Message, own);
      for (const { piece, isMarked } of parts) {
        this.addPiece(piece);
        if (isMarked) marks.push(this.pieces.length);
      }
      if (parts.length === 1 && this.wholes === index) this.wholes++;
    }
    for (const index of [...offsets.keys()].filter((index) => index < shared).sort((left, right) => right - left)) {
      marks.unshift(index + 1);
    }
    this.messages = list;
    this.ownMarks = breakpoints === undefined ? null : marks;
    const { isWarm } = this.facts;
    // A request without a time immediately follows the one before.
    const sent = this.cache.send({ pieces: this.pieces, marks, shared, at: isWarm === true ? undefined : at });
    const known = isWarm === false ? { pieces: 0, units: 0 } : sent;
    return this.sizeOf(known, marks, typeof output === "string" ? this.sizes.ofText(output) : Math.round(output));
  }

  /** Keeps the pieces of the messages with which the last request began too, and returns their number. */
  private keepShared(list: readonly Message[], offsets: ReadonlyMap<number, readonly number[]>): number {
    let shared = 0;
    while (shared < this.wholes && shared < list.length && list[shared] === this.messages[shared]) {
      // A breakpoint within its text divides a message.
      if (offsets.get(shared)?.some((offset) => offset !== Number.POSITIVE_INFINITY)) break;
      shared++;
    }
    this.pieces.length = shared;
    this.ends.length = shared + 1;
    this.wholes = shared;
    return shared;
  }

  private addPiece(piece: MeasuredPiece): void {
    this.pieces.push(piece);
    const added = piece.message === null ? 0 : this.addedTo(piece.message);
    this.ends.push((this.ends.at(-1) as number) + this.sizes.ofPiece(piece) + added);
  }

  private sizeOf(known: CachedPrefix, marks: readonly number[], output: number): RequestSize {
    const { text = null } = this.pieces[known.pieces] ?? {};
    const { fixed, factor, isWarm, read } = this.facts;
    const scaled = (tokens: number) => (factor === 1 && fixed === 0 ? tokens : Math.round(fixed + factor * tokens));
    const input = scaled(this.ends.at(-1) as number);
    const ofText = text === null ? 0 : this.sizes.ofText(text.slice(0, known.units));
    const messages = (this.ends[known.pieces] as number) + ofText;
    // What is before the messages is known as long as they are, and where the recording says so.
    const isFixedKnown = messages > 0 || (isWarm !== false && this.cache.followsWarm);
    return {
      known: isFixedKnown ? Math.min(input, scaled(messages)) : Math.min(fixed, read),
      marked: scaled(this.ends[marks.at(-1) ?? 0] as number),
      input,
      output,
    };
  }
}

/** @internal */
export function callCount(message: ChatMessage): number {
  return (message.toolCalls?.length ?? 0) + partsOf(message).filter(isCall).length;
}

/** @internal */
export function sumOf(parts: readonly BillParts[]): BillParts {
  const total = { read: 0, written: 0, fresh: 0, output: 0, cost: 0 };
  for (const part of parts) for (const name of BILL_PARTS) total[name] += part[name];
  return total;
}

const costOf = (parts: readonly BillParts[]): number => sumOf(parts).cost;

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

/** Returns the offsets of the breakpoints in each marked message. */
function offsetsByMessage(
  list: readonly Message[],
  breakpoints: readonly Breakpoint[] | undefined,
): Map<number, number[]> {
  const offsets = new Map<number, number[]>();
  const ends = [0, list.length - 2, list.length - 1].filter((index) => index >= 0);
  const given = breakpoints ?? ends.map((message) => ({ message, offset: Number.POSITIVE_INFINITY }));
  for (const { message, offset } of given) offsets.set(message, [...(offsets.get(message) ?? []), offset]);
  return offsets;
}

/** A message, or a part of its text, whose tokens can be counted. */
interface MeasuredPiece extends RequestPiece {
  /** The message; null for a part that continues one, and for a request that is one text. */
  readonly message: Message | null;
}

/**
 * The tokens of texts and messages, each counted once.
 *
 * @internal
 */
export class TokenCounts {
  private readonly counter: TokenCounter;
  private readonly ofPieces = new Map<string, number>();
  private readonly ofTexts = new Map<string, number>();
  /** The pieces that are whole messages, cached because requests share most of them. */
  private readonly wholes = new WeakMap<Message, MeasuredPiece>();

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** Returns the piece for a whole message. */
  pieceOfMessage(message: Message): MeasuredPiece {
    let piece = this.wholes.get(message);
    if (piece === undefined) {
      piece = messagePiece(message);
      this.wholes.set(message, piece);
    }
    return piece;
  }

  /** Returns the pieces of a message, which is divided at breakpoints in its text. */
  piecesOf(message: Message, offsets: readonly number[]): { piece: MeasuredPiece; isMarked: boolean }[] {
    const isMarked = offsets.length > 0;
    const whole = () => [{ piece: this.pieceOfMessage(message), isMarked }];
    if (!isMarked) return whole();
    const { role, content, ...others } = sentMembers(message);
    if (typeof content !== "string" || Object.keys(others).length > 0) return whole();
    if (offsets.every((offset) => offset >= content.length)) return whole();
    const pieces: { piece: MeasuredPiece; isMarked: boolean }[] = [];
    const ends = new Set([...offsets.map((offset) => Math.min(offset, content.length)), content.length]);
    let start = 0;
    for (const end of [...ends].sort((left, right) => left - right)) {
      const text = content.slice(start, end);
      if (text === "" && start > 0) continue;
      const isFirst = start === 0;
      const isMarked = offsets.some((offset) => Math.min(offset, content.length) === end);
      const piece = {
        key: `${isFirst ? role : ""}\n${text}`,
        text,
        message: isFirst && role !== "" ? { role, content: text } : null,
      };
      pieces.push({ piece, isMarked });
      start = end;
    }
    return pieces;
  }

  ofPiece({ key, text, message }: MeasuredPiece): number {
    return getOrCount(this.ofPieces, key, () => {
      if (message === null) return this.ofText(text as string);
      return countMessages([message], { counter: this.counter }).messages[0] as number;
    });
  }

  /** Releases the texts. They are counted again where they are needed. */
  clear(): void {
    this.ofPieces.clear();
    this.ofTexts.clear();
  }

  ofText(text: string): number {
    return getOrCount(this.ofTexts, text, () => countText(text, this.counter));
  }
}

function messagePiece(message: Message): MeasuredPiece {
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
