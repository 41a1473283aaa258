import type { Audit, StrategyAudit } from "turnfold/audit";
import { settingsOf } from "../../chat/parameters.ts";
import { amounts } from "../../chat/plan.ts";
import { chat, editChat } from "../../chat/store.ts";
import { Group } from "../../controls/group.tsx";
import { audited } from "../../import/audited.ts";
import { codeOf, pickedBy } from "../../import/recorded.ts";
import { changeOf, NAMES_MISSING, shortCode, titleOf } from "../../page/audit-words.ts";
import { counted, formatted, money, percent } from "../../page/numbers.ts";
import { state } from "../../states/store.ts";
import { modelOf } from "../../tokens/models.ts";
import { SOURCES } from "../tokens/figure.tsx";

/** What the opened recording cost, and would have cost with strategies: the figures of `turnfold audit`. */
export function AuditView() {
  const { audit = null, problem = null, prices = null } = audited.value ?? {};
  const summary = problem ?? (audit === null ? "computing …" : `${billedOf(audit)}, ${recommendedIn(audit)}`);
  return (
    <Group id="audit" title={audit === null ? "What was billed" : titleOf(audit)} summary={summary}>
      {audit !== null && <Figures audit={audit} isAtPrices={prices !== null} />}
    </Group>
  );
}

const billedOf = ({ billed: { dollars }, source }: Audit): string =>
  `${dollars === null ? "no price known," : money(dollars)} ${SOURCES[source]}`;

const recommendedIn = ({ recommendation: { code } }: Audit): string => `recommended: ${code ?? "change nothing"}`;

function Figures({ audit, isAtPrices }: { readonly audit: Audit; readonly isAtPrices: boolean }) {
  const { model } = state.value.tokens;
  const chosen = codeOf(settingsOf(chat.value), audit, amounts.value);
  const { billed, fit, strategies, recommendation, assumptions, unit } = audit;
  const needsNames = strategies.some(({ names }) => names.of > 0);
  const { fresh, read, written, output, requests } = billed;
  return (
    <>
      <p>
        <strong>{billedOf(audit)}</strong>: {counted(requests, "request")}
        {audit.chats.length > 1 && ` of ${counted(audit.chats.length, "chat")}`}, {formatted(fresh + read + written)}{" "}
        tokens of input ({formatted(read)} read from the cache, {formatted(written)} written to it), {formatted(output)}{" "}
        of output.
        {isAtPrices && ` At the prices of ${modelOf(model).label}, as chosen above.`}
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
            {needsNames && <th scope="col">Names missing</th>}
          </tr>
        </thead>
        <tbody>
          {strategies.map((row) => (
            <Row
              key={row.code}
              {...row}
              isDollars={unit === "dollars"}
              needsNames={needsNames}
              isRecommended={row.code === recommendation.code}
              isChosen={row.code === chosen}
            />
          ))}
        </tbody>
      </table>
      <p>
        <strong>{recommendation.code ?? "Change nothing"}</strong>: {recommendation.reason}.
      </p>
      <ul class="field-hint">
        {needsNames && <li>{NAMES_MISSING}</li>}
        {assumptions.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

interface RowProps extends StrategyAudit {
  readonly isDollars: boolean;
  /** Whether later requests use names from far back. */
  readonly needsNames: boolean;
  readonly isRecommended: boolean;
  readonly isChosen: boolean;
}

function Row({
  code,
  tokens,
  cost,
  share,
  interval,
  names,
  hasSummaries,
  isDollars,
  needsNames,
  isRecommended,
  isChosen,
}: RowProps) {
  return (
    <tr data-chosen={isRecommended || undefined}>
      <th scope="row">
        <button
          type="button"
          class="link"
          aria-pressed={isChosen}
          title={code}
          onClick={() => editChat(pickedBy(code))}
        >
          <code>{shortCode(code)}</code>
        </button>
      </th>
      <td>{formatted(Math.round(tokens))}</td>
      <td>{isDollars ? money(cost) : formatted(Math.round(cost))}</td>
      <td title={code === "none" ? "" : `95 % interval: ${changeOf(interval[0])} to ${changeOf(interval[1])}`}>
        {code === "none" ? "" : changeOf(share)}
      </td>
      {needsNames && (
        <td>
          {hasSummaries && "≤ "}
          {formatted(names.missing)} of {formatted(names.of)}
        </td>
      )}
    </tr>
  );
}
