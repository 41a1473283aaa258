import { useEffect } from "preact/hooks";
import type { ReActStep } from "turnfold";
import { reportSentence } from "../../chat/words.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { RUN_KEY } from "../../controls/keys.ts";
import { TextField } from "../../controls/text-field.tsx";
import { focusSoon } from "../../page/focus.ts";
import { counted, formatted } from "../../page/numbers.ts";
import {
  addToHistory,
  CALL_BUTTON,
  type CallResult,
  callObstacle,
  callProgram,
  callResult,
  currentRequests,
  draft,
  question,
  type SentRequest,
} from "../../programs/calling.ts";
import { plainly, shownText } from "../../programs/cells.ts";
import { programField } from "../../programs/fields.ts";
import { shape } from "../../programs/program.ts";
import { running, stop } from "../../running/running.ts";
import { OutcomeBadge, outcomeOf } from "../repl/outcome.tsx";
import { RunPart } from "../repl/run-part.tsx";
import { usageFacts } from "../run/usage-facts.ts";
import { Requests } from "./requests.tsx";

const code = async () => (await import("../../share/programs-code.ts")).programsCode();

/** The button that calls the program, and the result. */
export function Call() {
  const isCalling = currentRequests.value !== null;
  const isOther = running.value !== null && !isCalling;
  const done = callResult.value;
  return (
    <div class="program-call">
      <h2 class="pane-title">Call</h2>
      <div class="run-bar">
        <button
          type="button"
          class={isCalling ? "button" : "button primary"}
          id={CALL_BUTTON}
          aria-disabled={isOther}
          onClick={() => (isCalling ? stop() : void callProgram())}
        >
          <Icon name={isCalling ? "stop" : "play"} />
          {isCalling ? "Stop" : done === null ? "Call" : "Call again"}
        </button>
        <p role="status" class="agent-status">
          {statusOf(currentRequests.value)}
        </p>
        {!isCalling && callObstacle.value === null && (
          <CopyButton text={code} label="Copy as code" caption="Copy as code" />
        )}
      </div>
      <YourReply />
      {currentRequests.value !== null && <Requests list={currentRequests.value} />}
      {done !== null && <Result done={done} />}
    </div>
  );
}

function statusOf(list: readonly SentRequest[] | null): string {
  if (list === null) return "";
  const last = list.at(-1);
  if (last === undefined) return "Asking …";
  const what = nameOf(last);
  if (question.value !== null) return `Request ${last.number}, ${what}, waits for your reply.`;
  return last.reply === "" ? `Asking for ${what} …` : `The reply to request ${last.number} comes in …`;
}

const nameOf = ({ purpose, step, isRepair }: SentRequest): string => {
  if (purpose === "summary") return "a summary of the history";
  const what = step === null ? "the outputs" : `step ${step}`;
  return isRepair ? `${what} once more` : what;
};

const FIELD = programField("your-reply");

/** The field for the user's reply in place of the model. */
function YourReply() {
  const waiting = question.value;
  useEffect(() => {
    if (waiting !== null) focusSoon(FIELD);
  }, [waiting]);
  if (waiting === null) return null;
  const send = (): void => waiting.answer(draft.value);
  return (
    <div class="your-reply">
      <TextField
        id={FIELD}
        label={`Your reply to request ${waiting.request.number}`}
        hint={`${RUN_KEY}+Enter sends it`}
        lines={3}
        code
        value={draft.value}
        onInput={(text) => {
          draft.value = text;
        }}
        onRun={send}
      />
      <div class="run-bar">
        <button type="button" class="button primary" onClick={send}>
          Send
        </button>
      </div>
    </div>
  );
}

function Result({ done }: { readonly done: CallResult }) {
  const { prediction, refusal, requests, notes } = done;
  const outcome = outcomeOf(prediction === null ? (refusal?.code ?? "error") : null);
  return (
    <section class="run program-result" data-outcome={outcome} aria-labelledby="program-result-title">
      <div class="run-head">
        <h3 id="program-result-title">Result</h3>
        <OutcomeBadge of={outcome} success="ok" />
        {factsOf(done).map((fact) => (
          <span key={fact} class="run-fact">
            {fact}
          </span>
        ))}
      </div>
      {refusal !== null && (
        <RunPart name={refusal.code === null ? "error" : <code>{refusal.code}</code>}>
          <p>{refusal.message}</p>
          {refusal.hint !== null && <p class="run-hint">{refusal.hint}</p>}
        </RunPart>
      )}
      {prediction !== null && <Outputs outputs={prediction.outputs} />}
      {prediction?.steps !== undefined && <Steps steps={prediction.steps} />}
      {prediction?.report != null && (
        <RunPart name="history">
          {reportSentence(prediction.report)} {counted(prediction.report.tokens.before, "token")} became{" "}
          {formatted(prediction.report.tokens.after)}.
        </RunPart>
      )}
      <FirstRows
        items={[...(prediction?.warnings ?? []), ...(prediction?.report?.warnings ?? []), ...notes]}
        what="notes"
        as="p"
      >
        {(warning, index) => (
          <RunPart key={index} name="note">
            {warning}
          </RunPart>
        )}
      </FirstRows>
      <RunPart name="requests">
        <Requests list={requests} />
      </RunPart>
      {prediction !== null && (
        <div class="result-actions">
          <CopyButton
            text={() => JSON.stringify(prediction.outputs, plainly, 2)}
            label="Copy outputs as JSON"
            caption="Copy outputs"
          />
          {shape.value?.history != null && (
            <button type="button" class="copy-button" aria-disabled={done.isAdded} onClick={addToHistory}>
              <Icon name={done.isAdded ? "check" : "add"} />
              {done.isAdded ? "In the history" : "Add this call to the history"}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

const Outputs = ({ outputs }: { readonly outputs: Readonly<Record<string, unknown>> }) => (
  <FirstRows items={Object.entries(outputs)} what="outputs" as="p">
    {([name, value]) => (
      <RunPart key={name} name={name} data-output={name}>
        <pre class="run-value">{shownText(value)}</pre>
      </RunPart>
    )}
  </FirstRows>
);

const Steps = ({ steps }: { readonly steps: readonly ReActStep[] }) => (
  <FirstRows items={steps} what="steps" as="p">
    {({ thought, tool, args, result, error }, index) => (
      <RunPart key={index} name={`step ${index + 1}`} data-step={index + 1}>
        <p>{thought}</p>
        <p>
          <code>
            {tool}({shownText(args ?? {})})
          </code>
          {tool !== "finish" && (
            <>
              {" "}
              returned <code class={error === null ? undefined : "run-error"}>{error ?? shownText(result)}</code>
            </>
          )}
        </p>
      </RunPart>
    )}
  </FirstRows>
);

function factsOf({ prediction, requests }: CallResult): string[] {
  const repairs = requests.filter(({ isRepair }) => isRepair).length;
  return [
    `asked ${requests.length === 1 ? "once" : `${requests.length} times`}`,
    ...(repairs === 0 ? [] : [counted(repairs, "repair")]),
    ...usageFacts(prediction?.usage ?? {}),
  ];
}
