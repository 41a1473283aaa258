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
import { planHistory } from "turnfold/chat";
import { type ChatParameters, expectedTokens, largestRequest, requestParameters } from "../chat/calls.ts";
import { RequestTable, type SavedRequests } from "../custom/requests.ts";
import { partsOfChats, partsOfTexts, type RequestParts } from "./request-parts.ts";
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
      /** How the provider counts the requests of a recording; null for another chat. */
      readonly scale: { readonly fixed: number; readonly factor: number } | null;
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

/** A request of a run, with the bill of the requests for summaries before it. */
export interface CostRequest extends BillParts, RequestParts {}

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
            partsOfTexts(),
          )),
    };
  };
}

function chatRow({ conversation: saved, strategies, prices, scale }: Extract<CostJob, { kind: "chat" }>) {
  const conversation = Conversation.fromJSON(saved);
  const by = scale === null ? {} : { scale };
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
        : costOf(
            (onRequest) => compareCosts(conversation, { prices, strategies: { it: parameters }, onRequest, ...by }),
            partsOfChats(),
          )),
    };
  };
}

const isRequests = (given: Compression | SavedRequests): given is SavedRequests => "texts" in Object(given);

const NO_COST = { cost: null, known: 0, summaries: 0, requests: [] };

type OnRequest = (strategy: string, request: BilledRequest) => void;

/** The numbers of a comparison, with what `look` finds in each request. Prices are for a million tokens. */
function costOf(
  compare: (onRequest: OnRequest) => { readonly strategies: readonly StrategyCost[] },
  look: (messages: BilledRequest["messages"]) => RequestParts,
): Pick<CostRow, "cost" | "known" | "summaries" | "requests"> {
  const seen: RequestParts[] = [];
  const { strategies } = compare((_, { messages }) => seen.push(look(messages)));
  const [{ cost, known, summaries, requests }] = strategies as [StrategyCost];
  return {
    cost: cost / 1_000_000,
    known,
    summaries,
    requests: requests.map((request, index) => ({
      ...request,
      cost: request.cost / 1_000_000,
      ...(seen[index] as RequestParts),
    })),
  };
}
