import { state } from "../../store.ts";
import { cachedTokens, type Placed, priceOf, priceOfRun } from "../../tokens/price.ts";
import { type Amounts, amountsOf } from "../../tokens/settings.ts";
import type { Point } from "../../tokens/timeline.ts";
import { formatted, money } from "../../tokens/words.ts";
import { AmountFields } from "./amounts.tsx";
import type { ViewProps } from "./views.tsx";

/** The prices of the next call and the whole run. */
export function PriceView({ frame: { stats }, timeline }: ViewProps) {
  const amounts = amountsOf(state.value.tokens);
  return (
    <>
      <AmountFields names={["inputPrice", "cachedPrice", "writePrice", "outputPrice", "replyTokens", "cacheMinimum"]} />
      <p class="view-note">Prices are those of a million tokens, in any currency.</p>
      {amounts.inputPrice === null ? (
        <p class="view-note">Set the price of the input to see what the next call and the whole run cost.</p>
      ) : timeline === null ? (
        <p class="view-note">Counting the turns before …</p>
      ) : (
        <Prices points={timeline.points} stale={timeline.stale} strategy={stats.strategy} amounts={amounts} />
      )}
    </>
  );
}

interface PricesProps {
  readonly points: readonly Point[];
  readonly stale: boolean;
  readonly strategy: string | null;
  readonly amounts: Amounts;
}

function Prices({ points, stale, strategy, amounts }: PricesProps) {
  const last = points.at(-1);
  if (last === undefined) return null;
  const calls = last.turns + 1;
  const sampled = points.length < calls;
  const rows = [
    { name: strategy ?? "none", of: "folded", cache: true },
    { name: strategy ?? "none", of: "folded", cache: false },
    { name: "none", of: "plain", cache: true },
    { name: "none", of: "plain", cache: false },
  ] as const;
  const { tokens } = last.folded;
  const cached = cachedTokens(last.folded, amounts);
  return (
    <>
      <table class="prices" data-stale={stale || undefined}>
        <caption class="visually-hidden">Prices</caption>
        <thead>
          <tr>
            <th scope="col">Strategy</th>
            <th scope="col">Next call</th>
            <th scope="col">
              {sampled ? "About all " : calls === 1 ? "The " : "All "}
              {formatted(calls)} {calls === 1 ? "call" : "calls"}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(({ of }) => strategy !== null || of === "folded")
            .map(({ name, of, cache }) => (
              <tr key={`${of} ${cache}`}>
                <th scope="row">
                  <span class="price-strategy">{name}</span>, {cache ? "cache reused" : "no cache"}
                </th>
                <td>{money(priceOf(last[of], amounts, cache) ?? 0)}</td>
                <td>{money(priceOfRun(placed(points, of), amounts, cache) ?? 0)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      <p class="view-note">
        The next call sends {formatted(tokens)} tokens, {formatted(cached)} of them cached, and is taken to get{" "}
        {formatted(amounts.replyTokens)} back. A call reuses what its messages begin with as those of the call before
        did, and puts the rest into the cache, if that is at least {formatted(amounts.cacheMinimum)} tokens.
        {sampled &&
          ` Of ${formatted(calls)} calls ${formatted(points.length)} are counted, and those between them estimated.`}
      </p>
    </>
  );
}

const placed = (points: readonly Point[], of: "folded" | "plain"): Placed[] =>
  points.map((point) => ({ turns: point.turns, ...point[of] }));
