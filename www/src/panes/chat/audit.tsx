import type { Audit, StrategyAudit } from "turnfold/audit";
import { Group } from "../../controls/group.tsx";
import { audited } from "../../import/audited.ts";
import { counted, formatted, money, percent } from "../../page/numbers.ts";

/** What the opened recording cost, and would have cost with strategies: the figures of `turnfold audit`. */
export function AuditView() {
  const { audit, problem } = audited.value ?? { audit: null, problem: null };
  const summary = problem ?? (audit === null ? "computing …" : `${billedOf(audit)}, ${recommendedIn(audit)}`);
  return (
    <Group id="audit" title="What was billed" summary={summary}>
      {audit !== null && <Figures {...audit} />}
    </Group>
  );
}

const billedOf = ({ billed: { dollars }, source }: Audit): string =>
  `${dollars === null ? "no price known," : money(dollars)} ${source === "recorded" ? "billed" : source === "mixed" ? "partly estimated" : "estimated"}`;

const recommendedIn = ({ recommendation: { code } }: Audit): string => `recommended: ${code ?? "change nothing"}`;

function Figures(audit: Audit) {
  const { billed, fit, strategies, recommendation, assumptions, unit } = audit;
  const { fresh, read, written, output, requests } = billed;
  return (
    <>
      <p>
        <strong>{billedOf(audit)}</strong>: {counted(requests, "request")}, {formatted(fresh + read + written)} tokens
        of input ({formatted(read)} read from the cache, {formatted(written)} written to it), {formatted(output)} of
        output.
        {fit.within5 !== null &&
          ` Computed from the messages, ${percent(fit.within5, 1)} of the requests are within 5 % of the recorded input.`}
      </p>
      <table class="strategy-table">
        <caption class="visually-hidden">The same requests with strategies</caption>
        <thead>
          <tr>
            <th scope="col">Options</th>
            <th scope="col">Tokens</th>
            <th scope="col">{unit === "dollars" ? "Cost" : "Cost in tokens"}</th>
            <th scope="col">Change</th>
            <th scope="col">Names missing</th>
          </tr>
        </thead>
        <tbody>
          {strategies.map((row) => (
            <Row key={row.code} {...row} isDollars={unit === "dollars"} isChosen={row.code === recommendation.code} />
          ))}
        </tbody>
      </table>
      <p>
        <strong>{recommendation.code ?? "Change nothing"}</strong>: {recommendation.reason}.
      </p>
      <ul class="field-hint">
        {assumptions.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

interface RowProps extends StrategyAudit {
  readonly isDollars: boolean;
  readonly isChosen: boolean;
}

function Row({ code, tokens, cost, share, interval, names, hasSummaries, isDollars, isChosen }: RowProps) {
  const signed = (ratio: number): string => {
    const change = Math.round(100 * (ratio - 1));
    return `${change === 0 ? "" : change > 0 ? "+" : "−"}${Math.abs(change)} %`;
  };
  return (
    <tr data-chosen={isChosen || undefined}>
      <th scope="row">
        <code>{code}</code>
      </th>
      <td>{formatted(tokens)}</td>
      <td>{isDollars ? money(cost) : formatted(Math.round(cost))}</td>
      <td title={code === "none" ? "" : `95 % interval: ${signed(interval[0])} to ${signed(interval[1])}`}>
        {code === "none" ? "" : signed(share)}
      </td>
      <td>
        {hasSummaries && "≤ "}
        {formatted(names.missing)} of {formatted(names.of)}
      </td>
    </tr>
  );
}
