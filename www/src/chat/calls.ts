import {
  applyPlan,
  type CustomHistoryStrategy,
  chunked,
  clearToolResults,
  digest,
  estimate,
  fromTimestamp,
  type HistoryStrategy,
  lastNMessages,
  type Plan,
  type RequestParameters,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";

/** Makes the custom strategy of a text: of the results in the sandbox on the page, and of its functions in the sandbox. */
export const customHistory: { make(source: string): CustomHistoryStrategy } = {
  make() {
    throw new TypeError("Your own strategy is not loaded yet");
  },
};

const makers = {
  chunked,
  clearToolResults,
  custom: (source: string) => customHistory.make(source),
  digest,
  fromTimestamp,
  lastNMessages,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
};

/** A call of one of the package’s functions that create strategies. */
export interface StrategyCall {
  readonly name: keyof typeof makers;
  readonly args: readonly unknown[];
}

/** Request parameters as plain data, which can be sent to a worker and written as code. */
export interface ChatParameters {
  readonly strategies: readonly StrategyCall[];
  readonly others: Omit<RequestParameters, "compressionStrategy" | "counter">;
}

/** The text of the custom strategy; undefined without one. */
export const customSource = ({ strategies }: ChatParameters): string | undefined =>
  strategies.find(({ name }) => name === "custom")?.args[0] as string | undefined;

/**
 * Creates the strategy of a call.
 *
 * @throws {TurnfoldError} `invalid_option` for arguments that the package rejects.
 */
export const madeBy = ({ name, args }: StrategyCall): HistoryStrategy =>
  (makers[name] as (...args: readonly unknown[]) => HistoryStrategy)(...args);

export const requestParameters = ({ strategies, others }: ChatParameters): RequestParameters =>
  strategies.length === 0 ? others : { compressionStrategy: strategies.map(madeBy), ...others };

/**
 * The tokens before and after the plan is applied. Summaries that no model has written count with the length that the plan
 * expects, as in `compareCosts`, so that tokens and costs are those of the same messages.
 */
export function expectedTokens(plan: Plan): { readonly before: number; readonly after: number } {
  if (plan.requests.length === 0) return plan.tokens;
  const texts = plan.requests.map(({ expectedTokens }) => "of ".repeat(expectedTokens));
  return applyPlan(plan, texts).report.tokens;
}

/** The tokens of the largest request for a summary; 0 without requests. */
export const largestRequest = (plan: Plan): number =>
  plan.requests.reduce((max, { messages }) => {
    const tokens = messages.reduce((sum, { content }) => sum + estimate.count(String(content)), 0);
    return Math.max(max, tokens);
  }, 0);
