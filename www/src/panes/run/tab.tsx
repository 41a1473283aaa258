import { useComputed } from "@preact/signals";
import { Choices } from "../../controls/choices.tsx";
import { Sides } from "../../controls/sides.tsx";
import { next, nextAt, nextWith } from "../../run/agent.ts";
import { models } from "../../run/models.ts";
import { progress, resume } from "../../run/session.ts";
import { running } from "../../running/running.ts";
import { edit, state } from "../../store.ts";
import { shownOf } from "../../view.ts";
import { Brief } from "../turns/brief.tsx";
import { FrameView } from "../turns/output.tsx";
import type { Forking } from "../turns/turn.tsx";
import { Turns } from "../turns/turns.tsx";
import { Answer } from "./answer.tsx";
import { RunBar } from "./bar.tsx";
import { EndpointFields } from "./endpoint-fields.tsx";
import { Result } from "./result.tsx";
import { Script } from "./script.tsx";

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
        <Turns forking={forking} />
        <Brief part="run" />
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

function NextMessage() {
  const { turn, turns, frame, stale } = next.value;
  const isWaiting = useComputed(() => progress.value?.phase === "asking").value;
  const isRunning = useComputed(() => running.value?.what === "agent").value;
  const shown = shownOf(turns.length);
  return (
    <FrameView
      frame={frame}
      stale={stale}
      frames={{ count: turns.length, at: nextAt, with: nextWith, original: null }}
      isLive={isRunning}
      title={
        <h2 class="pane-title next-title">
          {shown < turns.length
            ? `Request of turn ${shown + 1}`
            : `${isWaiting ? "Current" : "Next"} request: turn ${turn}`}
        </h2>
      }
    />
  );
}
