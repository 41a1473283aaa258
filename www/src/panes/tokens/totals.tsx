import type { ComponentChildren } from "preact";
import { formatted } from "../../page/numbers.ts";
import type { RenderedMessage } from "../../turns/render.ts";
import { sectionTotals } from "../../turns/sections.ts";

interface TotalProps {
  readonly label: string;
  readonly tokens: number;
  readonly kind: "folded" | "plain";
  /** Whether the token counts are estimates. */
  readonly isEstimate: boolean;
  /** The bar. */
  readonly children: ComponentChildren;
}

export const Total = ({ label, tokens, kind, isEstimate, children }: TotalProps) => (
  <div class="total" data-kind={kind}>
    <span class="total-name">{label}</span>
    <span class="total-track" aria-hidden="true">
      {children}
    </span>
    <span class="total-tokens">
      {isEstimate && "about "}
      <strong>{formatted(tokens)}</strong> tokens
    </span>
  </div>
);

interface TotalBarProps {
  readonly messages: readonly RenderedMessage[];
  readonly tokens: number;
  readonly largest: number;
}

/** The total as a bar, in the colours of the sections. */
export const TotalBar = ({ messages, tokens, largest }: TotalBarProps) => (
  <span class="total-bar section-bar" style={{ width: `${(100 * tokens) / largest}%` }}>
    {sectionTotals(messages).map(([kind, sum]) => (
      <span key={kind} data-kind={kind} style={{ flexGrow: sum }} />
    ))}
  </span>
);
