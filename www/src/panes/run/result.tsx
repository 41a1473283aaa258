import { useMemo } from "preact/hooks";
import { formatTrace, type Step } from "turnfold";
import { toClojure } from "turnfold/lisp";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Deferred } from "../../controls/deferred.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { counted } from "../../counted.ts";
import { saveStep } from "../../run/file.ts";
import { ended } from "../../run/session.ts";
import { OutcomeBadge, outcomeOf } from "../repl/outcome.tsx";
import { RunPart } from "../repl/run-part.tsx";

const SHOWN = { limit: 50, printableLimit: 2000 };

/** The result of the last run. */
export function Result() {
  const last = ended.value;
  return last === null ? null : <ResultBox step={last.step} notes={last.notes} />;
}

function ResultBox({ step, notes }: { readonly step: Step; readonly notes: readonly string[] }) {
  const { ok, fail } = step;
  const trace = useMemo(() => formatTrace(step, { usage: true, raw: true }), [step]);
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
      <div class="result-actions">
        <CopyButton text={trace} label="Copy trace" caption="Copy trace" />
        <button type="button" class="copy-button" onClick={() => saveStep(step)}>
          <Icon name="down" />
          Save step
        </button>
      </div>
    </section>
  );
}

const loadTimeline = async () => (await import("./timeline.tsx")).Timeline;

function facts({ usage }: Step): string[] {
  const { turns, toolCalls, durationMs, inputTokens, outputTokens, cacheReadTokens } = usage;
  const cached = cacheReadTokens ? `, ${cacheReadTokens.toLocaleString("en")} of them cached` : "";
  const tokens = [
    ...(inputTokens === undefined ? [] : [`${counted(inputTokens, "token")} in${cached}`]),
    ...(outputTokens === undefined ? [] : [`${counted(outputTokens, "token")} out`]),
  ];
  const time = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  return [counted(turns, "turn"), counted(toolCalls, "call"), ...tokens, time];
}
