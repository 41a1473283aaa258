import {
  type Compression,
  Conversation,
  type PriceList,
  Step,
  type TokenCounter,
  TurnfoldError,
  toMessages,
} from "turnfold";
import { type BilledRequest, type BillParts, compareCosts, estimate, type StrategyCost } from "turnfold/audit";
import { type ChatMessage, countMessages, planHistory } from "turnfold/chat";
import { type ChatParameters, expectedTokens, largestRequest, requestParameters } from "../chat/calls.ts";
import { RequestTable, type SavedRequests } from "../custom/requests.ts";
import type { CounterChoice } from "./settings.ts";

/** A run, and the strategies to compare: plain data, which can be sent to a worker. */
export type CostJob = {
  /** The prices; null for counting tokens only. */
  readonly prices: PriceList | null;
  readonly counter: CounterChoice;
} & (
  | {
      readonly kind: "turns";
      /** A saved step. */
      readonly step: unknown;
      /** A custom strategy is given as its requests. */
      readonly strategies: readonly (readonly [name: string, compression: Compression | SavedRequests])[];
    }
  | {
      readonly kind: "chat";
      /** A saved conversation. */
      readonly conversation: unknown;
      readonly strategies: readonly (readonly [name: string, parameters: ChatParameters])[];
    }
);

/** The cost of a run with a strategy, computed by `compareCosts`. */
export interface CostRow {
  readonly name: string;
  /** Tokens of the next request. */
  readonly tokens: number;
  /** Whether the request has summaries that no model has written yet, with an assumed length. */
  readonly isRough: boolean;
  /** Tokens of the largest request for a summary; 0 without such requests. */
  readonly largestSummary: number;
  /** The cost of the whole run; null without prices. */
  readonly cost: number | null;
  /** The share of its input that is read from the cache. */
  readonly known: number;
  /** The number of requests for summaries in the run. */
  readonly summaries: number;
  /** The requests of the run; empty without prices. */
  readonly requests: readonly CostRequest[];
  /** Why there are no numbers; empty otherwise. */
  readonly problem: string;
}

export const messageKinds = ["system", "user", "assistant", "tool", "summary"] as const;
export type MessageKind = (typeof messageKinds)[number];

/** A request of a run, with the bill of the requests for summaries before it. */
export interface CostRequest extends BillParts {
  /** Whether it begins with less than three quarters of the request before it. */
  readonly isRewritten: boolean;
  /** The tokens of its messages by their kinds. */
  readonly kinds: Readonly<Partial<Record<MessageKind, number>>>;
}

/** Yields the rows of a job in the order of its strategies. */
export function* costRows(job: CostJob, counter?: TokenCounter): Generator<CostRow, void> {
  const rowOf = job.kind === "turns" ? turnsRow(job, counter) : chatRow(job);
  for (const index of job.strategies.keys()) {
    const name = job.strategies[index]?.[0] ?? "";
    try {
      yield { name, problem: "", ...rowOf(index) };
    } catch (error) {
      if (!TurnfoldError.isInstance(error)) throw error;
      const nothing = {
        tokens: 0,
        isRough: false,
        largestSummary: 0,
        cost: null,
        known: 0,
        summaries: 0,
        requests: [],
      };
      yield { name, ...nothing, problem: error.message };
    }
  }
}

type Numbers = Omit<CostRow, "name" | "problem">;

function turnsRow(
  { step: saved, strategies, prices }: Extract<CostJob, { kind: "turns" }>,
  counter?: TokenCounter,
): (index: number) => Numbers {
  const step = Step.fromJSON(saved);
  const by = counter === undefined ? {} : { counter };
  return (index) => {
    const [, given] = strategies[index] as (typeof strategies)[number];
    const compression = isRequests(given) ? new RequestTable(given) : given;
    const { messages } = toMessages(step.turns, null, { ...step.request, compression });
    const { count } = counter ?? estimate;
    const tokens = messages.reduce((sum, { content }) => sum + count(content), 0);
    return {
      tokens,
      isRough: false,
      largestSummary: 0,
      ...(prices === null || step.turns.length === 0
        ? NO_COST
        : costOf(
            (onRequest) => compareCosts(step, { prices, strategies: { it: compression }, onRequest, ...by }),
            count,
          )),
    };
  };
}

function chatRow({ conversation: saved, strategies, prices }: Extract<CostJob, { kind: "chat" }>) {
  const conversation = Conversation.fromJSON(saved);
  const isAnswered = conversation.messages.some(({ role }) => role === "assistant");
  return (index: number): Numbers => {
    const [, given] = strategies[index] as (typeof strategies)[number];
    const parameters = requestParameters(given);
    const plan = planHistory(conversation, parameters);
    return {
      tokens: expectedTokens(plan).after,
      isRough: plan.requests.length > 0,
      largestSummary: largestRequest(plan),
      ...(prices === null || !isAnswered
        ? NO_COST
        : costOf((onRequest) => compareCosts(conversation, { prices, strategies: { it: parameters }, onRequest }))),
    };
  };
}

const isRequests = (given: Compression | SavedRequests): given is SavedRequests => "texts" in Object(given);

const NO_COST = { cost: null, known: 0, summaries: 0, requests: [] };

type OnRequest = (strategy: string, request: BilledRequest) => void;

/** The numbers of a comparison. Prices are for a million tokens. */
function costOf(
  compare: (onRequest: OnRequest) => { readonly strategies: readonly StrategyCost[] },
  count?: TokenCounter["count"],
): Pick<CostRow, "cost" | "known" | "summaries" | "requests"> {
  const measured = new RequestParts(count);
  const seen: Pick<CostRequest, "isRewritten" | "kinds">[] = [];
  const { strategies } = compare((_, { messages }) => seen.push(measured.next(messages as readonly ChatMessage[])));
  const [{ cost, known, summaries, requests }] = strategies as [StrategyCost];
  return {
    cost: cost / 1_000_000,
    known,
    summaries,
    requests: requests.map((request, index) => ({
      ...request,
      cost: request.cost / 1_000_000,
      ...(seen[index] as (typeof seen)[number]),
    })),
  };
}

/** The share of a request with which the next one begins, if it is not rewritten. */
const REPEATED = 0.75;

/** Measures the requests of a run, one after the other. A message that requests share is counted once. */
class RequestParts {
  readonly #sizes = new WeakMap<ChatMessage, number>();
  readonly #count: TokenCounter["count"] | undefined;
  #before: readonly ChatMessage[] = [];

  /** @param count counts the text of a message; by default the whole message is counted. */
  constructor(count?: TokenCounter["count"]) {
    this.#count = count;
  }

  next(messages: readonly ChatMessage[]): Pick<CostRequest, "isRewritten" | "kinds"> {
    const before = this.#before;
    this.#before = messages;
    const same = before.findIndex((message, index) => !isSame(message, messages[index]));
    const shared = before.slice(0, same < 0 ? before.length : same);
    const [old, now] = [before[shared.length], messages[shared.length]];
    const begun =
      old === undefined || now === undefined ? 0 : this.#sizeOf(old) * commonShare(old.content, now.content);
    const kinds: Partial<Record<MessageKind, number>> = {};
    for (const message of messages) {
      const kind = kindOf(message);
      kinds[kind] = (kinds[kind] ?? 0) + this.#sizeOf(message);
    }
    return { isRewritten: this.#sum(shared) + begun < REPEATED * this.#sum(before), kinds };
  }

  #sum(messages: readonly ChatMessage[]): number {
    return messages.reduce((sum, message) => sum + this.#sizeOf(message), 0);
  }

  #sizeOf(message: ChatMessage): number {
    let size = this.#sizes.get(message);
    if (size === undefined) {
      size = this.#count?.(String(message.content)) ?? countMessages([message]).messages[0] ?? 0;
      this.#sizes.set(message, size);
    }
    return size;
  }
}

function kindOf({ role, content, toolCallId, summary }: ChatMessage): MessageKind {
  if (summary !== undefined) return "summary";
  const isResult = Array.isArray(content) && content.some((part) => part?.type === "tool-result");
  if (role === "tool" || toolCallId !== undefined || isResult) return "tool";
  return role === "assistant" || role === "user" ? (role as "assistant" | "user") : "system";
}

const isSame = (one: ChatMessage, other: ChatMessage | undefined): boolean =>
  one === other || (one.role === other?.role && typeof one.content === "string" && one.content === other.content);

/** The share of a text with which another one begins too. */
function commonShare(text: ChatMessage["content"], other: ChatMessage["content"]): number {
  if (typeof text !== "string" || typeof other !== "string" || text === "") return 0;
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  return same / text.length;
}
