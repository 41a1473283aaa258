import { useRef } from "preact/hooks";
import { Icon } from "../../controls/icon.tsx";
import { problemText } from "../../problem.ts";
import { setup } from "../../run/agent.ts";
import { loadStep } from "../../run/file.ts";
import { goOn, type Progress, progress, question, runAgent } from "../../run/session.ts";
import { running, stop } from "../../running.ts";
import { state } from "../../store.ts";

/** What begins and ends runs, and what the one under way does. */
export function RunBar() {
  const isRunning = running.value?.what === "agent";
  const next = state.value.turns.length + 1;
  const { problem } = setup.value;
  return (
    <div class="agent-run">
      <div class="run-bar">
        {isRunning ? (
          <button type="button" class="button" onClick={stop}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="button primary"
            title="From the first turn, in place of the turns below"
            aria-disabled={running.value !== null}
            onClick={() => void runAgent()}
          >
            <Icon name="play" />
            Run
          </button>
        )}
        {!isRunning && next > 1 && (
          <button
            type="button"
            class="button"
            title="Keeps the turns below"
            aria-disabled={running.value !== null}
            onClick={() => void goOn(next)}
          >
            Go on at turn {next}
          </button>
        )}
        <LoadButton />
      </div>
      <p role="status" class="agent-status">
        {statusOf(progress.value)}
      </p>
      {problem !== null && <p class="field-problem">{problemText(problem)}</p>}
      <Stream />
    </div>
  );
}

/** The reply as it comes. It is not read out: the turn that it becomes can be. */
function Stream() {
  const { text = "", phase } = progress.value ?? {};
  if (text === "" || state.value.model !== "endpoint") return null;
  return (
    <pre class="stream" data-phase={phase}>
      {text}
    </pre>
  );
}

function statusOf(now: Progress | null): string {
  if (now === null) return "";
  const { turn, phase, text, calls } = now;
  if (question.value !== null) return `Turn ${turn} waits for your reply.`;
  if (phase === "asking") return text === "" ? `Asking for turn ${turn} …` : `The reply to turn ${turn} comes in …`;
  if (calls.length === 0) return `The program of turn ${turn} runs …`;
  const names = [...Map.groupBy(calls, ({ name }) => name)];
  const listed = names.map(([name, group]) => (group.length === 1 ? name : `${name} (${group.length} times)`));
  return `Turn ${turn} calls ${listed.join(", ")} …`;
}

function LoadButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="button load-step"
        title="A step that was saved as JSON"
        onClick={() => input.current?.click()}
      >
        Load step
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void loadStep(file);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
