import { useMemo } from "preact/hooks";
import type { Compression } from "turnfold";
import { ran } from "../../custom/ran.ts";
import { RequestTable, type SavedRequests } from "../../custom/requests.ts";
import { comparable, outcome, state } from "../../states/store.ts";
import type { CostJob } from "../../tokens/cost-rows.ts";
import { savedRun } from "../../tokens/saved-run.ts";
import { amountsOf } from "../../tokens/settings.ts";
import { optionsWith } from "../../turns/frames.ts";
import type { Frame } from "../../turns/render.ts";
import type { Figure } from "./figure.tsx";
import { useCosts } from "./use-costs.ts";

/** The tokens and costs of a history of turns. With `compares`, the costs of all strategies are computed. */
export function useTurnsFigure(frame: Frame, compares: boolean): Figure {
  const { requestHistory, counter, stats, tokens, plainTokens } = frame;
  const chosen = stats.strategy ?? "none";
  const { prices } = amountsOf(state.value.tokens);
  const pricesText = JSON.stringify(prices);
  const { counter: choice } = state.value.tokens;
  const compared = useMemo(
    () => (compares ? comparedWith(chosen) : [["none", false] as const]),
    [compares, chosen, compares ? outcome.value.options : null, comparable.value, ran.value],
  );
  const make = (): CostJob => {
    const { turns, options } = requestHistory as NonNullable<typeof requestHistory>;
    const own = plain(options.compression ?? false);
    const others = compared.filter(([name]) => name !== chosen);
    return {
      kind: "turns",
      step: savedRun({ turns, options }),
      strategies: [[chosen, own], ...others],
      prices,
      counter: counter.method === "estimate" || choice === "estimate" ? "estimate" : choice,
    };
  };
  const calls = requestHistory?.turns.length ?? 0;
  const costs = useCosts(requestHistory === null ? null : make, calls, [requestHistory, counter, pricesText, compared]);
  return {
    before: plainTokens,
    after: tokens,
    isEstimate: counter.method === "estimate",
    calls,
    plain: costs.rows.get("none"),
    folded: costs.rows.get(chosen),
    costs,
  };
}

/** All strategies except the chosen one, with the limits on the page. “none” comes first: the figure compares with it. */
function comparedWith(chosen: string): readonly (readonly [string, Compression | SavedRequests])[] {
  const names = comparable.value
    .map(({ name }) => name)
    .toSorted((a, b) => Number(b === "none") - Number(a === "none"));
  return names.flatMap((name) => {
    const options = name === chosen ? null : optionsWith(name);
    return options === null || (options.compression instanceof RequestTable && !options.compression.isWhole)
      ? []
      : [[name, plain(options.compression ?? false)] as const];
  });
}

/** A strategy as data that a worker can read. */
const plain = (compression: Compression): Compression | SavedRequests =>
  compression instanceof RequestTable ? compression.saved : compression;
