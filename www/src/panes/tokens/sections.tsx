import type { SectionKind } from "turnfold";
import { formatted, percent } from "../../page/numbers.ts";
import type { Frame } from "../../turns/render.ts";
import { sectionTotals } from "../../turns/sections.ts";
import { sectionNames } from "../turns/section-names.ts";

/** The tokens of all messages by kind of section. */
export function SectionsView({ frame: { messages, tokens, counter } }: { readonly frame: Frame }) {
  // Separators come last.
  const totals = sectionTotals(messages).sort(([a], [b]) => Number(a === "separator") - Number(b === "separator"));
  const largest = Math.max(1, ...totals.map(([, sum]) => sum));
  return (
    <table class="section-totals">
      <caption>
        Tokens by section, counted by {counter.name}. The tokens that a provider adds around each message are not
        included.
      </caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Section</th>
          <th scope="col">Bar</th>
          <th scope="col">Tokens</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {totals.map(([kind, sum]) => (
          <tr key={kind} data-kind={kind}>
            <th scope="row">{nameOf(kind)}</th>
            <td class="section-total-track">
              <span style={{ width: `${(100 * sum) / largest}%` }} />
            </td>
            <td>{formatted(sum)}</td>
            <td>{percent(sum, tokens)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">together</th>
          <td />
          <td>{formatted(tokens)}</td>
          <td>{percent(tokens, tokens)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const nameOf = (kind: SectionKind | "message"): string =>
  kind === "separator" ? "between them" : kind === "message" ? "whole messages" : sectionNames[kind];
