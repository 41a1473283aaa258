import type { Step } from "turnfold";
import { toClojure } from "turnfold/lisp";
import { Deferred } from "../../controls/deferred.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { showSide } from "../../controls/sides.tsx";
import { counted } from "../../page/numbers.ts";
import { comparison } from "../../page/view.ts";
import { backToDecision, branch, ended } from "../../run/session.ts";
import { OutcomeBadge, outcomeOf } from "../repl/outcome.tsx";
import { RunPart } from "../repl/run-part.tsx";
import { StepActions } from "./step-actions.tsx";
import { usageFacts } from "./usage-facts.ts";

const SHOWN = { limit: 50, printableLimit: 2000 };

/** The result of the last run. */
export function Result() {
  const last = ended.value;
  return last === null ? null : <ResultBox step={last.step} notes={last.notes} />;
}

function ResultBox({ step, notes }: { readonly step: Step; readonly notes: readonly string[] }) {
  const { ok, fail } = step;
  const warnings = [...step.warnings, ...notes];
  const outcome = outcomeOf(fail?.reason ?? null);
  return (
    <section class="run result" data-outcome={outcome} aria-labelledby="result-title">
      <div class="run-head">
        <h2 id="result-title">Result</h2>
        <OutcomeBadge of={outcome} success="returned" />
        {facts(step).map((fact) => (
          <span key={fact} class="run-fact">
            {fact}
          </span>
        ))}
      </div>
      {ok ? (
        <RunPart heading="h3" name="Value">
          <pre class="run-value">{toClojure(step.return, SHOWN).text}</pre>
        </RunPart>
      ) : (
        <RunPart heading="h3" name="Reason">
          <p>
            <code>{fail?.reason}</code> {fail?.message}
          </p>
          {fail?.reason === "max_turns_exceeded" && (
            <p class="run-hint">Allow more turns under “Output and turns”, then resume.</p>
          )}
          {fail?.details !== undefined && <pre>{toClojure(fail.details, SHOWN).text}</pre>}
        </RunPart>
      )}
      {warnings.length > 0 && (
        <RunPart heading="h3" name={`Warnings ${warnings.length}`}>
          <ul>
            <FirstRows items={warnings} what="warnings" as="li">
              {(warning, index) => <li key={index}>{warning}</li>}
            </FirstRows>
          </ul>
        </RunPart>
      )}
      {step.turns.some(({ at }) => at !== undefined) && (
        <Deferred load={loadTimeline} props={{ step }} what="The times of the run" />
      )}
      <StepActions step={step}>
        <BranchActions />
      </StepActions>
    </section>
  );
}

/** What can be done after a decision: make another one, and compare both. */
function BranchActions() {
  const now = branch.value;
  if (now === null) return null;
  return (
    <>
      <button type="button" class="copy-button" title="Shows the run as it waited" onClick={backToDecision}>
        <Icon name="undo" />
        Back to the decision
      </button>
      {now.other !== undefined && (
        <button
          type="button"
          class="copy-button"
          aria-pressed={comparison.value.with === "decision"}
          onClick={() => {
            comparison.value = { with: comparison.value.with === "decision" ? "nothing" : "decision" };
            showSide("messages");
          }}
        >
          <Icon name="duplicate" />
          Compare with “{now.other.said}”
        </button>
      )}
    </>
  );
}

const loadTimeline = async () => (await import("./timeline.tsx")).Timeline;

const facts = ({ usage }: Step): readonly string[] => [
  counted(usage.turns, "turn"),
  counted(usage.toolCalls, "call"),
  ...usageFacts(usage),
];
