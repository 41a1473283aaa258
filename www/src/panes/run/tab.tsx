import { useComputed } from "@preact/signals";
import { toClojure } from "turnfold/lisp";
import { Choices } from "../../controls/choices.tsx";
import { Sides } from "../../controls/sides.tsx";
import { shownOf } from "../../page/view.ts";
import { next, nextAt, nextWith } from "../../run/agent.ts";
import { models } from "../../run/models.ts";
import { type Branch, branch, progress, resume } from "../../run/session.ts";
import { running } from "../../running/running.ts";
import { edit, state } from "../../states/store.ts";
import { Brief } from "../turns/brief.tsx";
import { FrameView } from "../turns/output.tsx";
import type { Forking } from "../turns/turn.tsx";
import { Turns } from "../turns/turns.tsx";
import { Answer } from "./answer.tsx";
import { RunBar } from "./bar.tsx";
import { EndpointFields } from "./endpoint-fields.tsx";
import { Result } from "./result.tsx";
import { Script } from "./script.tsx";
import { WaitingFields } from "./tool-fields.tsx";
import { WaitingNote, WaitingTurn } from "./waiting.tsx";

const forking: Forking = {
  again: (turn) => void resume(turn),
  withProgram: (turn, program) => void resume(turn, program),
};

/** The Run tab: the model, the progress and result of a run, and the next request. */
export const RunTab = () => (
  <Sides
    left="Agent"
    history={
      <>
        <Model />
        <RunBar />
        <Result />
        <Turns forking={forking} unfinished={state.value.waiting !== "" && <WaitingTurn />} />
        <Brief part="run" toolFields={WaitingFields} />
      </>
    }
    messages={<NextMessage />}
  />
);

function Model() {
  const { model } = state.value;
  const isRunning = running.value?.what === "agent";
  const chosen = models.find((entry) => entry.name === model);
  return (
    <section class="model" aria-labelledby="model-title">
      <h2 id="model-title" class="visually-hidden">
        Model
      </h2>
      <Choices
        name="model"
        legend="Model"
        options={models}
        value={model}
        disabled={isRunning}
        onChange={(name) => edit({ model: name })}
      />
      <p class="strategy-summary">{chosen?.summary}</p>
      {model === "scripted" && <Script />}
      {model === "you" && <Answer />}
      {model === "endpoint" && <EndpointFields />}
    </section>
  );
}

/** A decision with the end of the run after it. */
function sayingOf({ said, step: { ok, return: value, fail } }: Branch): string {
  const end = ok ? `returned ${toClojure(value, SHORT).text}` : `ended with ${fail?.reason}`;
  return `${said}: ${end}`;
}

const SHORT = { limit: 5, printableLimit: 80 };

function NextMessage() {
  const { turn, turns, frame, stale } = next.value;
  const isAsking = useComputed(() => progress.value?.phase === "asking").value;
  const isRunning = useComputed(() => running.value?.what === "agent").value;
  const shown = shownOf(turns.length);
  const other = branch.value?.other;
  const isWaiting = state.value.waiting !== "" && !isRunning;
  const latest = isWaiting
    ? `Turn ${turn} waits: its request`
    : `${isAsking ? "Current" : "Next"} request: turn ${turn}`;
  return (
    <FrameView
      frame={frame}
      stale={stale}
      frames={{
        count: turns.length,
        at: nextAt,
        with: nextWith,
        original: null,
        ...(other && { decision: { said: sayingOf(other), at: (count) => nextAt(count, other.step.turns) } }),
      }}
      isLive={isRunning}
      title={
        <>
          <h2 class="pane-title next-title">{shown < turns.length ? `Request of turn ${shown + 1}` : latest}</h2>
          {shown === turns.length && <WaitingNote />}
        </>
      }
    />
  );
}
