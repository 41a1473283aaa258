import type { Plan } from "turnfold";
import { counts, type Group, groupOf, groups, planned, source } from "../../chat/plan.ts";
import { result } from "../../chat/summaries.ts";
import { change, messagesAt, planSentence } from "../../chat/words.ts";
import { Announcer } from "../../controls/announcer.tsx";
import { Icon } from "../../controls/icon.tsx";
import { problemText } from "../../problem.ts";

/** The plan, as a sentence and as a bar. */
export function PlanView() {
  const { plan, problems, refusal } = planned.value;
  const { conversation } = source.value;
  return (
    <>
      {conversation === null && <p class="empty">There are no messages yet: paste some, or open an example.</p>}
      {(refusal !== null || problems.size > 0) && (
        <div class="problems">
          <p>
            <Icon name="alert" />
            There is no plan.
          </p>
          <ul>
            <li>{refusal === null ? "Mend what is marked above." : problemText(refusal)}</li>
          </ul>
        </div>
      )}
      {plan !== null && <PlanBox plan={plan} />}
      <Announcer text={plan === null ? "" : spoken(plan)} />
    </>
  );
}

function PlanBox({ plan }: { readonly plan: Plan }) {
  const report = result.value.managed?.report ?? null;
  const { before, after } = report === null ? plan.tokens : report.tokens;
  const largest = Math.max(before, after, 1);
  return (
    <div class="chat-plan">
      <h2 class="pane-title">Plan</h2>
      <p class="plan-sentence">{planSentence(plan)}</p>
      <div class="totals">
        <div class="total">
          <span class="total-name">before</span>
          <Strip />
          <span class="total-tokens">
            <strong>{before.toLocaleString("en")}</strong> tokens
          </span>
        </div>
        <div class="total" data-kind="folded">
          <span class="total-name">{report === null ? "after, about" : "after"}</span>
          <span class="total-track" aria-hidden="true">
            <span class="total-bar" style={{ width: `${(100 * after) / largest}%` }} />
          </span>
          <span class="total-tokens">
            <strong>{after.toLocaleString("en")}</strong> tokens{" "}
            <span class="plan-change">{change(before, after)}</span>
          </span>
        </div>
      </div>
      <GroupList list={groups.value} />
      <Warnings list={plan.warnings} />
    </div>
  );
}

/** All messages as a bar: the width is the number of tokens, the colour the fate. */
function Strip() {
  const fates = planned.value.plan?.messages ?? [];
  return (
    <span class="total-track strip" aria-hidden="true">
      {counts.value.each.map((size, index) => {
        const group = groupOf.value.get(index)?.number;
        return (
          <span
            key={index}
            data-fate={fates[index]?.fate}
            data-group={group === undefined ? undefined : ((group - 1) % 6) + 1}
            style={{ flexGrow: size }}
            title={`Message ${index + 1}: ${size} tokens`}
          />
        );
      })}
    </span>
  );
}

const GroupList = ({ list }: { readonly list: readonly Group[] }) =>
  list.length === 0 ? null : (
    <ul class="group-list" aria-label="Messages that are summarised together">
      {list.map(({ number, covers, requests }) => (
        <li key={number} data-group={((number - 1) % 6) + 1}>
          <span class="group-mark">{number}</span> {messagesAt(covers)}
          {requests.length > 1 && `, asked ${requests.length} times`}
        </li>
      ))}
    </ul>
  );

export const Warnings = ({ list }: { readonly list: readonly string[] }) =>
  list.length === 0 ? null : (
    <ul class="chat-warnings" aria-label="Warnings">
      {list.map((warning, index) => (
        <li key={index}>
          <Icon name="alert" />
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  );

/** The plan as a sentence for screen readers. */
function spoken(plan: Plan): string {
  const { before, after } = plan.tokens;
  return `${planSentence(plan)} ${before} tokens become about ${after}.`;
}
