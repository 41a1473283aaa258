import { Fragment } from "preact";
import type { Plan } from "turnfold";
import { labelOf } from "../../chat/options.ts";
import {
  amounts,
  counts,
  type Group,
  groups,
  largestSummary,
  planned,
  type Run,
  runs,
  source,
} from "../../chat/plan.ts";
import { chat, editChat } from "../../chat/store.ts";
import { sizes } from "../../chat/summaries.ts";
import { change, messagesAt, planSentence } from "../../chat/words.ts";
import { Announcer } from "../../controls/announcer.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { VirtualList } from "../../controls/virtual-list.tsx";
import { audited } from "../../import/audited.ts";
import { formatted, rough } from "../../page/numbers.ts";
import { problemText } from "../../page/problem.ts";
import { state } from "../../states/store.ts";
import { modelOf } from "../../tokens/models.ts";
import { SUMMARY_REPLY } from "../tokens/figure.tsx";

/** The plan, as a sentence and as a bar. */
export function PlanView() {
  const { plan, problems, refusal } = planned.value;
  const { conversation } = source.value;
  const isEmpty = conversation === null || conversation.messages.length === 0;
  return (
    <>
      {isEmpty && <p class="empty">There are no messages yet: paste some, or open an example.</p>}
      {(refusal !== null || problems.size > 0) && (
        <div class="problems">
          <p>
            <Icon name="alert" />
            {plan === null ? "There is no plan." : "This is the last plan that worked."}
          </p>
          <ul>
            <li>{refusal === null ? "Correct the marked fields above." : problemText(refusal)}</li>
          </ul>
        </div>
      )}
      {plan !== null && !isEmpty && <PlanBox plan={plan} />}
      <Announcer text={plan === null || isEmpty ? "" : spoken(plan)} />
    </>
  );
}

function PlanBox({ plan }: { readonly plan: Plan }) {
  const size = sizes.value;
  if (size === null) return null;
  const { before, after, isRough } = size;
  const scale = audited.value?.scale ?? null;
  const largest = Math.max(before, after, 1);
  return (
    <div class="chat-plan">
      <h2 class="pane-title">Plan</h2>
      <p class="plan-sentence">{planSentence(plan)}</p>
      <TooLarge />
      <div class="totals">
        <div class="total">
          <span class="total-name">before</span>
          <Strip width={before / largest} />
          <span class="total-tokens">
            about <strong>{formatted(before)}</strong> tokens
          </span>
        </div>
        <div class="total" data-kind="folded">
          <span class="total-name">after</span>
          <span class="total-track" aria-hidden="true">
            <span class="total-bar" style={{ width: `${(100 * after) / largest}%` }} />
          </span>
          <span class="total-tokens">
            about <strong>{isRough ? rough(after) : formatted(after)}</strong> tokens{" "}
            <span class="plan-change">{change(before, after)}</span>
          </span>
        </div>
      </div>
      {isRough && (
        <p class="view-note">
          No model has written the summaries yet: tokens and costs assume 15 % of what each replaces, less of long ones,
          at most 2,000 tokens.
        </p>
      )}
      {scale !== null && scale.fixed >= 1 && (
        <p class="view-note">
          Each request of the recording had about {rough(scale.fixed)} tokens more, which are not in its messages: the
          system prompt and the tools.
        </p>
      )}
      <GroupList list={groups.value} />
      <Warnings list={plan.warnings} />
    </div>
  );
}

/** The warning about a request for a summary that exceeds the model's window, with actions. */
function TooLarge() {
  const { model } = state.value.tokens;
  const { window } = amounts.value;
  if (largestSummary.value + SUMMARY_REPLY <= window) return null;
  const pieces = Math.max(1000, Math.floor((0.75 * window) / 1000) * 1000);
  return (
    <div class="problems plan-too-large" role="alert">
      <p>
        <Icon name="alert" />
        This plan can’t work with {modelOf(model).label}: a request for a summary has about{" "}
        {rough(largestSummary.value)} tokens, and the model takes {formatted(window)}.
      </p>
      <ul>
        <li>
          <button
            type="button"
            class="link"
            onClick={() => editChat({ options: { ...chat.value.options, summaryMaxTokens: String(pieces) } })}
          >
            Split it into parts of {formatted(pieces)} tokens
          </button>
        </li>
        <li>
          or choose{" "}
          {(["chunked", "clearToolResults", "digest"] as const).map((strategy, index) => (
            <Fragment key={strategy}>
              {index > 0 && (index === 2 ? " or " : ", ")}
              <button type="button" class="link" onClick={() => editChat({ strategy })}>
                {labelOf(strategy)}
              </button>
            </Fragment>
          ))}
        </li>
        <li>or choose a model with a larger window above.</li>
      </ul>
    </div>
  );
}

/** The most parts of a bar: more parts would be thinner than a pixel. */
const MAX_PARTS = 800;

/** The runs to draw. A run that is too thin to be seen is merged with the next ones. */
function drawn(runs: readonly Run[], total: number): readonly Run[] {
  if (runs.length <= MAX_PARTS) return runs;
  const parts: Run[] = [];
  for (const run of runs) {
    const last = parts.at(-1);
    if (last === undefined || last.tokens >= total / MAX_PARTS) parts.push(run);
    else parts[parts.length - 1] = { ...last, last: run.last, tokens: last.tokens + run.tokens };
  }
  return parts;
}

/** All messages as a bar: the width is the number of tokens, the colour the fate. */
function Strip({ width }: { readonly width: number }) {
  const total = Math.max(
    1,
    counts.value.each.reduce((sum, size) => sum + size, 0),
  );
  let start = 0;
  return (
    <span class="total-track strip" aria-hidden="true">
      <svg
        viewBox={`0 0 ${total} 1`}
        preserveAspectRatio="none"
        style={{ width: `${100 * width}%` }}
        role="presentation"
      >
        {drawn(runs.value, total).map(({ first, last, tokens, fate, group }) => {
          const x = start;
          start += tokens;
          return (
            <rect
              key={first}
              x={x}
              width={tokens}
              height="1"
              data-fate={fate}
              data-group={group === undefined ? undefined : ((group - 1) % 6) + 1}
            >
              <title>
                {`${first === last ? "Message" : "Messages"} ${first === last ? "" : `${formatted(first + 1)}–`}${formatted(last + 1)}: ${formatted(tokens)} tokens`}
              </title>
            </rect>
          );
        })}
      </svg>
    </span>
  );
}

const GroupList = ({ list }: { readonly list: readonly Group[] }) =>
  list.length === 0 ? null : (
    <VirtualList
      name="groups"
      items={list}
      rowHeight={21}
      gap={4}
      class="group-list"
      label="Messages that are summarised together"
    >
      {({ number, covers, requests }, _, row) => (
        <li {...row} key={number} data-group={((number - 1) % 6) + 1}>
          <span class="group-mark">{formatted(number)}</span> {messagesAt(covers)}
          {requests.length > 1 && `, asked ${formatted(requests.length)} times`}
        </li>
      )}
    </VirtualList>
  );

export const Warnings = ({ list }: { readonly list: readonly string[] }) =>
  list.length === 0 ? null : (
    <ul class="chat-warnings" aria-label="Warnings">
      <FirstRows items={list} what="warnings" as="li">
        {(warning, index) => (
          <li key={index}>
            <Icon name="alert" />
            <span>{warning}</span>
          </li>
        )}
      </FirstRows>
    </ul>
  );

/** The plan as a sentence for screen readers. */
function spoken(plan: Plan): string {
  const { before, after, isRough } = sizes.value ?? { ...plan.tokens, isRough: false };
  return `${planSentence(plan)} About ${formatted(before)} tokens become about ${isRough ? rough(after) : formatted(after)}.`;
}
