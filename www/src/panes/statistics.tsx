import type { RenderStats } from "turnfold";
import type { Frame } from "../render.ts";

/** The totals of a frame: tokens against the plain history, and what was shown of it. */
export function Statistics({ frame }: { readonly frame: Frame }) {
  const { tokens, plainTokens, stats, messages, budget } = frame;
  const largest = Math.max(tokens, plainTokens, 1);
  return (
    <section class="statistics" aria-label="Statistics">
      <div class="totals">
        <Total label={stats.strategy ?? "none"} tokens={tokens} largest={largest} kind="folded" />
        {stats.enabled && <Total label="none" tokens={plainTokens} largest={largest} kind="plain" />}
      </div>
      <dl class="facts">
        <Fact name="messages" value={String(messages.length)} />
        {stats.enabled && plainTokens > 0 && <Fact name="against none" value={percent(tokens / plainTokens - 1)} />}
        {stats.enabled && <Fact name="turns folded" value={String(stats.turnsCompressed)} />}
        <Fact name="calls shown" value={share(stats.toolCallsShown, stats.toolCallsTotal)} />
        <Fact name="prints shown" value={share(stats.printlnsShown, stats.printlnsTotal)} />
        <Fact name="errors folded" value={String(stats.errorTurnsCollapsed)} />
        {budget !== null && <Fact name="budget used" value={`${counted(budget.used)} of ${counted(budget.budget)}`} />}
      </dl>
      {budget?.fits === false && (
        <p class="over-budget">What must not be left out is larger than the budget, so it is sent all the same.</p>
      )}
    </section>
  );
}

interface TotalProps {
  readonly label: string;
  readonly tokens: number;
  readonly largest: number;
  readonly kind: "folded" | "plain";
}

const Total = ({ label, tokens, largest, kind }: TotalProps) => (
  <div class="total" data-kind={kind}>
    <span class="total-name">{label}</span>
    <span class="total-track" aria-hidden="true">
      <span class="total-bar" style={{ width: `${(100 * tokens) / largest}%` }} />
    </span>
    <span class="total-tokens">
      <strong>{counted(tokens)}</strong> tokens
    </span>
  </div>
);

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const counted = (tokens: number): string => tokens.toLocaleString("en");

const share = (shown: number, total: number): string => (shown === total ? String(total) : `${shown} of ${total}`);

const percent = (change: number): string =>
  `${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(Math.round(change * 100))} %`;

/** The same in a sentence, for those who hear the page. */
export function spoken({ messages, tokens, dropped }: Frame, stats: RenderStats): string {
  const left = dropped.length === 0 ? "nothing left out" : `${dropped.length} left out`;
  return `${stats.strategy ?? "Not folded"}: ${messages.length} messages, about ${tokens} tokens, ${left}.`;
}
