import type { RecordedUsage } from "../recordings/reading/recorded-chat.ts";
import { groupBy } from "../values/group-by.ts";
import type { MeasuredChat, MeasuredRequest } from "./measured-chat.ts";

/** How a model's provider counts messages. */
interface ModelScale {
  /** Its tokens for each estimated token. */
  factor: number;
  /** The tokens that it adds to each call with its result. */
  perCall: number;
}

/** How the provider counts a request. */
export interface RequestScale extends ModelScale {
  /** Tokens that are in no message of the recording; negative where messages of the recording were not sent. */
  fixed: number;
}

/** The input of a recorded usage. */
export const inputOf = ({ fresh, read, written }: Pick<RecordedUsage, "fresh" | "read" | "written">): number =>
  fresh + read + written;

/** The computed tokens of the messages of a request, as it was sent: without what a proxy left out. */
export function messageTokens(request: MeasuredRequest, { factor, perCall }: ModelScale): number {
  const { estimated, calls } = sentOf(request);
  return factor * estimated + perCall * calls;
}

/** The estimated tokens and the calls of what was sent; calls that a proxy left out are taken to have as many tokens as others. */
function sentOf({ estimated, calls, omitted = 0 }: MeasuredRequest): { estimated: number; calls: number } {
  const share = estimated === 0 ? 1 : Math.max(0, 1 - omitted / estimated);
  return { estimated: share * estimated, calls: share * calls };
}

/**
 * Fits the scale of each request to the recorded usage of a recording.
 *
 * `factor` and `perCall` are properties of a model and of its provider's format. They are fitted to the growths from one request
 * of a chat to the next, in which the tokens that are in no message cancel. These are the median of what remains of the
 * requests of a chat; where it changes by more than {@link MIN_STEP} and stays changed, such as with other tools, the requests
 * from there on have a median of their own.
 *
 * @returns by chat and request; `fixed: 0`, `factor: 1` and `perCall: 0` without any usage.
 */
export function fitUsage(chats: readonly MeasuredChat[]): RequestScale[][] {
  const models = scalesByModel(chats);
  const known = [...models.values()];
  const common: ModelScale = {
    factor: medianOf(known.map(({ factor }) => [factor, 1])) ?? 1,
    perCall: medianOf(known.map(({ perCall }) => [perCall, 1])) ?? 0,
  };
  const scaleOf = ({ model = "" }: MeasuredRequest) => models.get(model) ?? common;
  const fixed = chats.map(({ requests }) => {
    const rests = requests.flatMap((request, index) => {
      const input = recordedInput(request);
      return input === null ? [] : [{ index, input, rest: input - messageTokens(request, scaleOf(request)) }];
    });
    return fixedTokens(rests, requests.length);
  });
  return chats.map(({ kind, requests }, index) => {
    const own = fixed[index] as number[];
    const isAgent = kind === "agent";
    // A chat without usage has the tokens of the others of its kind.
    const others = () =>
      medianOf(
        chats
          .flatMap(({ kind }, at) => ((kind === "agent") === isAgent ? (fixed[at] ?? []) : []))
          .map((each) => [each, 1]),
      );
    const missing = own.length === 0 ? (others() ?? 0) : 0;
    return requests.map((request, at) => ({ ...scaleOf(request), fixed: Math.round(own[at] ?? missing) }));
  });
}

/** The recorded input of a request; null for none. */
function recordedInput({ usage }: MeasuredRequest): number | null {
  const input = usage === undefined ? 0 : inputOf(usage);
  return input > 0 ? input : null;
}

/** Tokens and calls that a request has more than the one before. */
interface Growth {
  estimated: number;
  recorded: number;
  calls: number;
}

/** Growths of which other factors follow were not by messages alone. */
const [MIN_FACTOR, MAX_FACTOR] = [0.5, 3];

/** The weights of a factor of 1 and of no tokens for a call, in estimated tokens and in calls, until more is known. */
const [FACTOR_WEIGHT, CALL_WEIGHT] = [1000, 5];

/** Factor and tokens of calls depend on each other: each is fitted with the last value of the other. */
const FIT_ROUNDS = 4;

/** Smaller growths say nothing about the factor: they are mostly the tokens around messages. */
const MIN_GROWTH = 200;

function scalesByModel(chats: readonly MeasuredChat[]): Map<string, ModelScale> {
  const growths: (Growth & { model: string })[] = [];
  for (const { requests } of chats) {
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (before === undefined || before.model !== request.model) continue;
      const [from, to] = [recordedInput(before), recordedInput(request)];
      if (from === null || to === null) continue;
      const [earlier, later] = [sentOf(before), sentOf(request)];
      const estimated = later.estimated - earlier.estimated;
      const growth = { estimated, recorded: to - from, calls: later.calls - earlier.calls };
      if (estimated <= 0 || growth.recorded <= 0) continue;
      growths.push({ model: request.model ?? "", ...growth });
    }
  }
  return new Map(
    Array.from(
      groupBy(growths, ({ model }) => model),
      ([model, list]) => [model, modelScale(list)],
    ),
  );
}

function modelScale(growths: readonly Growth[]): ModelScale {
  const large = growths.filter(
    ({ estimated, recorded }) =>
      estimated > MIN_GROWTH && recorded > MIN_FACTOR * estimated && recorded < MAX_FACTOR * estimated,
  );
  const calling = growths.filter(({ calls }) => calls > 0);
  let [factor, perCall] = [1, 0];
  for (let round = 0; round < FIT_ROUNDS; round++) {
    const factors = large.map(
      ({ estimated, recorded, calls }) => [(recorded - perCall * calls) / estimated, estimated] as const,
    );
    factor = medianOf([...factors, [1, FACTOR_WEIGHT]]) as number;
    const rests = calling.map(
      ({ estimated, recorded, calls }) => [(recorded - factor * estimated) / calls, calls] as const,
    );
    perCall = Math.max(0, medianOf([...rests, [0, CALL_WEIGHT]]) as number);
  }
  return { factor, perCall };
}

/** The least change of the tokens in no message that counts as one: in tokens, and as a share of the request. */
const MIN_STEP = { tokens: 1500, share: 0.03 };

/** How many requests on both sides of a change are compared. */
const STEP_REACH = 8;

/** What remains of a request's input without its messages. */
interface Rest {
  index: number;
  input: number;
  rest: number;
}

/** The fixed tokens of each of `count` requests; empty without a rest. */
function fixedTokens(rests: readonly Rest[], count: number): number[] {
  if (rests.length === 0) return [];
  const middle = (from: number, to: number) =>
    medianOf(rests.slice(Math.max(0, from), to).map(({ rest }) => [rest, 1])) as number;
  const starts = [0];
  for (let at = 1; at < rests.length; at++) {
    const { input, rest } = rests[at] as Rest;
    const least = Math.max(MIN_STEP.tokens, MIN_STEP.share * input);
    if (Math.abs(rest - (rests[at - 1] as Rest).rest) < least) continue;
    const before = middle(Math.max(starts.at(-1) as number, at - STEP_REACH), at);
    if (Math.abs(middle(at, at + STEP_REACH) - before) >= least) starts.push(at);
  }
  const levels = starts.map((start, number) => middle(start, starts[number + 1] ?? rests.length));
  let level = 0;
  return Array.from({ length: count }, (_, index) => {
    const next = starts[level + 1];
    if (next !== undefined && index >= (rests[next] as Rest).index) level++;
    return levels[level] as number;
  });
}

/** The median of values with weights; null without any. */
function medianOf(values: readonly (readonly [value: number, weight: number])[]): number | null {
  const sorted = [...values].sort(([left], [right]) => left - right);
  const half = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  let sum = 0;
  for (const [value, weight] of sorted) {
    sum += weight;
    if (sum >= half) return value;
  }
  return null;
}
