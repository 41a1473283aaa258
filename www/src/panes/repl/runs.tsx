import { VirtualList } from "../../controls/virtual-list.tsx";
import { focusSoon } from "../../page/focus.ts";
import { formatted } from "../../page/numbers.ts";
import { problemText } from "../../page/problem.ts";
import { type Run, runs } from "../../running/repl.ts";
import { edit } from "../../states/store.ts";
import { OutcomeBadge, outcomeOf } from "./outcome.tsx";
import { RunPart } from "./run-part.tsx";

/** The runs, the newest first. */
export function Runs() {
  return (
    <>
      <h2 class="pane-title runs-title">
        Runs <span class="count">{runs.value.length}</span>
      </h2>
      {runs.value.length === 0 ? (
        <p class="empty">Nothing has run yet: write a program, and press Run.</p>
      ) : (
        <ol class="runs" aria-label="Runs">
          {runs.value.map((run) => (
            <RunCard key={run.number} run={run} />
          ))}
        </ol>
      )}
    </>
  );
}

const endings = { return: "return", fail: "fail" } as const;

function RunCard({ run }: { readonly run: Run }) {
  const outcome = outcomeOf(run.error?.kind ?? (run.signal === "fail" ? "fail" : null));
  return (
    <li class="run" data-outcome={outcome}>
      <div class="run-head">
        <h3>Run {run.number}</h3>
        <OutcomeBadge of={outcome} success="ok" />
        {run.signal !== null && <span class="run-fact">ended by {endings[run.signal]}</span>}
        <span class="run-fact">{formatted(run.fuel)} fuel</span>
        <span class="run-fact">{milliseconds(run.milliseconds)}</span>
        <button
          type="button"
          class="link"
          aria-label={`Edit the program of run ${run.number}`}
          onClick={() => {
            edit({ program: run.program });
            focusSoon("program");
          }}
        >
          Edit
        </button>
      </div>
      <pre class="run-program">{run.program}</pre>
      <Prints run={run} />
      <Calls run={run} />
      {run.error === null ? (
        <RunPart name="Value">
          <pre class="run-value">{run.value}</pre>
        </RunPart>
      ) : (
        <RunPart name="Error">
          <p>
            <code>{run.error.kind}</code> {problemText(run.error)}
          </p>
          {run.error.hint !== null && <p class="run-hint">Hint: {run.error.hint}</p>}
        </RunPart>
      )}
    </li>
  );
}

const Prints = ({ run }: { readonly run: Run }) =>
  run.prints.length === 0 ? null : (
    <RunPart name={`Prints ${run.prints.length}`}>
      <pre>{run.prints.join("\n")}</pre>
    </RunPart>
  );

const Calls = ({ run }: { readonly run: Run }) =>
  run.calls.length === 0 ? null : (
    <RunPart name={`Calls ${run.calls.length}`}>
      <VirtualList name={`calls of run ${run.number}`} items={run.calls} rowHeight={20} gap={0} class="run-calls">
        {(call, index, row) => (
          <li {...row} key={index}>
            <code>
              <span class="code-namespace">tool/{call.name}</span> {call.args}
            </code>{" "}
            {call.error === null ? <code>→ {call.result}</code> : <span class="run-error">{call.error}</span>}{" "}
            {call.durationMs !== null && <span class="run-fact">{milliseconds(call.durationMs)}</span>}
          </li>
        )}
      </VirtualList>
    </RunPart>
  );

const milliseconds = (duration: number): string => `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`;
