import { decodeRecord } from "../boundary/decode.ts";
import { handleRejection, messageOf } from "../boundary/host.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type Breakpoint, isBreakpoint, type Message, type TextMessage } from "../model/message.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import type { Compression, CustomStrategy, RenderOptions } from "./options.ts";
import type { RenderRequest } from "./render-request.ts";
import type { Rendered } from "./rendered.ts";
import { memoryAfter, type Turn } from "./turn.ts";

/**
 * Renders with a strategy of the host. Which items it shows is unknown: all count as shown, and there are no sections.
 *
 * @param memory the definitions as wire JSON; null for those of the last turn that has them.
 * @throws {TurnfoldError} `invalid_strategy` when it throws, or returns anything but messages, alone or with
 * breakpoints.
 */
export function renderCustom(
  request: RenderRequest,
  custom: NonNullable<RenderRequest["custom"]>,
  turns: readonly Turn[],
  memory: string | null,
  turnsLeft: number,
): Rendered {
  const { strategy } = custom;
  const values = memory === null ? memoryAfter(turns) : decodeRecord(JSON.parse(memory));
  const { messages, breakpoints } = callStrategy(
    strategy,
    [...turns],
    values,
    strategyOptions(request, custom.options, turnsLeft),
  );
  const toolCalls = turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0);
  const prints = turns.reduce((sum, turn) => sum + turn.prints.length, 0);
  return {
    messages: messages as TextMessage[],
    stats: {
      enabled: true,
      strategy: strategy.name,
      turnsCompressed: turns.length,
      toolCallsTotal: toolCalls,
      toolCallsShown: toolCalls,
      toolCallsDropped: 0,
      printlnsTotal: prints,
      printlnsShown: prints,
      printlnsDropped: 0,
      errorTurnsCollapsed: 0,
    },
    sections: [],
    dropped: [],
    budget: null,
    breakpoints,
  };
}

type CustomOptions = RenderOptions & { turnsLeft: number; strategyOptions: Record<string, unknown> };

function strategyOptions(
  { given, at, wire: { data } }: RenderRequest,
  strategyOptions: Record<string, unknown>,
  turnsLeft: number,
): CustomOptions {
  // Copies, so that a strategy cannot change the next rendering.
  const options: RenderOptions = { ...given, turnsLeft };
  if (given.tools !== undefined) options.tools = { ...given.tools };
  if (given.fieldDescriptions !== undefined) options.fieldDescriptions = { ...given.fieldDescriptions };
  if (Array.isArray(given.compression)) options.compression = [...given.compression] as unknown as Compression;
  if (at !== undefined) options.at = at;
  if (data !== undefined) options.data = decodeRecord(JSON.parse(data));
  // Not enumerable, so that a strategy can spread the options into a call of toMessages.
  return Object.defineProperty(options, "strategyOptions", { value: { ...strategyOptions } }) as CustomOptions;
}

function callStrategy(
  strategy: CustomStrategy,
  turns: readonly Turn[],
  memory: Readonly<Record<string, Value>>,
  options: CustomOptions,
): MarkedMessages {
  let result: unknown;
  try {
    result = strategy.toMessages(turns, memory, options);
    handleRejection(result);
  } catch (cause) {
    throw strategyError(strategy, `threw: ${messageOf(cause)}`, { cause });
  }
  return wrapReadErrors("invalid_strategy", `the result of the strategy ${JSON.stringify(strategy.name)}`, () =>
    readResult(result, strategy),
  );
}

interface MarkedMessages {
  messages: Message[];
  breakpoints: Breakpoint[];
}

function readResult(result: unknown, strategy: CustomStrategy): MarkedMessages {
  const { messages = result, breakpoints } = Array.isArray(result) ? {} : (Object(result) as Partial<MarkedMessages>);
  const checked = checkMessages(messages, strategy);
  return {
    messages: checked,
    breakpoints: checkBreakpoints(breakpoints ?? likelyBreakpoints(checked), checked, strategy),
  };
}

function checkMessages(result: unknown, strategy: CustomStrategy): Message[] {
  if (!Array.isArray(result)) {
    const promise = typeof (Object(result) as { then?: unknown }).then === "function";
    throw strategyError(strategy, promise ? "returned a promise" : `returned ${describe(result)} instead of messages`);
  }
  if (result.length === 0) throw strategyError(strategy, "returned no messages");
  for (let index = 0; index < result.length; index++) {
    if (!isMessage(result[index])) {
      throw strategyError(strategy, `returned something that is not a message, at ${index}`, { details: { index } });
    }
  }
  return [...(result as Message[])];
}

/** Breakpoints that a request may have. */
const MAX_BREAKPOINTS = 4;

/** Returns the breakpoints in the order of the request, each at most at the end of its text. */
function checkBreakpoints(given: unknown, messages: readonly Message[], strategy: CustomStrategy): Breakpoint[] {
  const list = Array.isArray(given) ? [...(given as unknown[])] : [];
  const isValid = (place: unknown): place is Breakpoint => isBreakpoint(place) && place.message < messages.length;
  if (!Array.isArray(given) || !list.every(isValid) || list.length > MAX_BREAKPOINTS) {
    throw strategyError(strategy, "returned breakpoints that are not at most four { message, offset } of its messages");
  }
  return list
    .map(({ message, offset }) => ({ message, offset: Math.min(offset, endOf(messages[message] as Message)) }))
    .sort((left, right) => left.message - right.message || left.offset - right.offset);
}

/**
 * The breakpoints of messages about which the strategy says nothing: the end of the system messages. Replies among them
 * mean that requests continue each other, so the end of the previous request and that of this one are marked too. Other
 * messages are written anew for each request.
 */
function likelyBreakpoints(messages: readonly Message[]): Breakpoint[] {
  const firstOther = messages.findIndex(({ role }) => role !== "system");
  const lastReply = messages.map(({ role }) => role).lastIndexOf("assistant");
  const ends = [(firstOther < 0 ? messages.length : firstOther) - 1];
  if (lastReply >= 0) ends.push(lastReply - 1, messages.length - 1);
  return [...new Set(ends)]
    .filter((message) => message >= 0)
    .map((message) => ({ message, offset: endOf(messages[message] as Message) }));
}

const endOf = ({ content }: Message): number =>
  typeof content === "string" ? content.length : Number.MAX_SAFE_INTEGER;

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const { role, content } = value as Partial<Message>;
  return typeof role === "string" && (typeof content === "string" || content === null || Array.isArray(content));
}

function strategyError(
  { name }: CustomStrategy,
  problem: string,
  { details, ...extra }: { details?: Record<string, unknown>; cause?: unknown } = {},
): TurnfoldError {
  return new TurnfoldError("invalid_strategy", `the strategy ${JSON.stringify(name)} ${problem}`, {
    details: { strategy: name, ...details },
    hint: "toMessages returns at least one { role, content }, or { messages, breakpoints }, and does not wait for anything",
    ...extra,
  });
}
