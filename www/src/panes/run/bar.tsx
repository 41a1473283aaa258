import { Icon } from "../../controls/icon.tsx";
import { chooseFile } from "../../page/choose-file.ts";
import { problemText } from "../../page/problem.ts";
import { next } from "../../run/agent.ts";
import { loadStep } from "../../run/file.ts";
import { focusOpenCall, type Progress, progress, question, RUN_BUTTON, resume, runAgent } from "../../run/session.ts";
import { tallied, waitingRun } from "../../run/waiting.ts";
import { running, stop } from "../../running/running.ts";
import { state } from "../../states/store.ts";

/** The buttons that start and stop runs, and the progress of the current run. */
export function RunBar() {
  const isRunning = running.value?.what === "agent";
  const isOther = running.value !== null && !isRunning;
  const after = state.value.turns.length + 1;
  const isWaiting = state.value.waiting !== "";
  const toDecide = !isRunning && waitingRun.value.run !== null;
  const { problem } = next.value;
  return (
    <div class="agent-run">
      <div class="run-bar">
        <button
          type="button"
          class={isRunning || toDecide ? "button" : "button primary"}
          id={RUN_BUTTON}
          title={isRunning ? "Ends the run; its turns stay" : "Starts at the first turn and replaces the turns below"}
          aria-disabled={isOther}
          onClick={() => (isRunning ? stop() : void runAgent())}
        >
          <Icon name={isRunning ? "stop" : "play"} />
          {isRunning ? "Stop" : "Run"}
        </button>
        {toDecide && (
          <button
            type="button"
            class="button primary"
            title="Goes to the calls that wait"
            onClick={() => focusOpenCall()}
          >
            Decide
          </button>
        )}
        {!isRunning && after > 1 && (
          <button
            type="button"
            class="button"
            title="Keeps the turns below"
            aria-disabled={isOther}
            onClick={() => void resume(after)}
          >
            {isWaiting ? "Ask again for" : "Resume at"} turn {after}
          </button>
        )}
        <button
          type="button"
          class="button load-step"
          title="A step that was saved as JSON"
          onClick={() => chooseFile((file) => void loadStep(file))}
        >
          Load step
        </button>
      </div>
      <Status />
      {problem !== null && <p class="field-problem">{problemText(problem)}</p>}
      <Stream />
    </div>
  );
}

const Status = () => (
  <p role="status" class="agent-status">
    {statusOf(progress.value)}
  </p>
);

/** The reply as it arrives. It is not announced to screen readers, which can read the finished turn. */
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
  return `Turn ${turn} calls ${tallied(calls.map(({ name }) => name))} …`;
}
