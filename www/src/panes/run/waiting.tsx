import "./waiting.css";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Answer, WaitingCall } from "turnfold";
import { toClojure } from "turnfold/lisp";
import { Choices } from "../../controls/choices.tsx";
import { CodeField } from "../../controls/code-field.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { focusSoon } from "../../page/focus.ts";
import { type Problem, problemOf, problemText } from "../../page/problem.ts";
import { argumentProblem, editable, readWritten } from "../../run/hand.ts";
import { answerCalls, focusOpenCall } from "../../run/session.ts";
import { isBehindEdits, openCallId, tallied, type WaitingRun, waitingRun } from "../../run/waiting.ts";
import { isFunctionText } from "../../running/answers.ts";
import { readLiteral } from "../../running/literal.ts";
import { running } from "../../running/running.ts";
import { state } from "../../states/store.ts";
import { StepActions } from "./step-actions.tsx";

const SHOWN = { limit: 50, printableLimit: 2000 };

const WHY: Readonly<Record<WaitingCall["reason"], string>> = {
  approval: "asks before it runs",
  later: "answers later",
  interrupted: "was interrupted",
  suspended: "waits for what it asked for",
};

/** The turn that waits, with its calls and what can be decided about them. */
export function WaitingTurn() {
  const { run, problem } = waitingRun.value;
  if (problem !== null) return <p class="field-problem">The run that waits can’t be read: {problemText(problem)}</p>;
  return run && <Card run={run} />;
}

function Card({ run }: { readonly run: WaitingRun }) {
  const { step, turn, program, answered } = run;
  const { waiting } = step;
  const isRunning = running.value !== null;
  const approvable = waiting.filter(({ reason }) => reason !== "later");
  const answerAll = (calls: readonly WaitingCall[], answer: boolean): void =>
    void answerCalls(Object.fromEntries(calls.map(({ id }) => [id, answer])));
  return (
    <section class="turn waiting-turn" aria-labelledby="waiting-title" data-open>
      <div class="turn-head">
        <h3 id="waiting-title">
          <span class="turn-number">Turn {turn}</span>
          <span class="badge" data-outcome="waiting">
            <Icon name="stop" />
            {isRunning ? "goes on" : "waits"}
          </span>
        </h3>
      </div>
      <pre class="waiting-program">{program}</pre>
      {answered.length > 0 && <p class="waiting-note">Done: {tallied(answered)}.</p>}
      {isBehindEdits.value && (
        <p class="waiting-note">The turns above were edited since. The run goes on with its own, which replace them.</p>
      )}
      <ol class="open-calls" aria-label={`Calls of turn ${turn} that wait`}>
        <FirstRows items={waiting} what="calls" as="li">
          {(call) => <OpenCall key={call.id} call={call} isRunning={isRunning} />}
        </FirstRows>
      </ol>
      {waiting.length > 1 && (
        <div class="run-bar">
          {approvable.length > 1 && (
            <button type="button" class="button" aria-disabled={isRunning} onClick={() => answerAll(approvable, true)}>
              Approve all {approvable.length}
            </button>
          )}
          <button type="button" class="button" aria-disabled={isRunning} onClick={() => answerAll(waiting, false)}>
            Deny all {waiting.length}
          </button>
        </div>
      )}
      <StepActions step={step} />
    </section>
  );
}

type Form = "deny" | "edit" | "answer";

interface OpenCallProps {
  readonly call: WaitingCall;
  readonly isRunning: boolean;
}

function OpenCall({ call, isRunning }: OpenCallProps) {
  const form = useSignal<Form | null>(null);
  const id = openCallId(call);
  const { tool, reason, info, path } = call;
  const isLater = reason === "later" || reason === "suspended";
  const toggle = (name: Form, label: string) => (
    <button
      type="button"
      class={isLater && name === "answer" ? "button primary" : "button"}
      aria-expanded={form.value === name}
      aria-controls={`${id}-form`}
      aria-label={`${label}: ${tool}`}
      aria-disabled={isRunning}
      onClick={() => {
        if (isRunning) return;
        form.value = form.value === name ? null : name;
        if (form.value !== null) focusSoon(`${id}-${name}`);
      }}
    >
      {label}
    </button>
  );
  const answer = (given: Answer): Promise<Problem | null> => answerCalls({ [call.id]: given });
  return (
    <li class="open-call">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out as a row, and has the focus when the run begins to wait. */}
      <div id={id} role="group" tabIndex={-1} aria-label={`${tool} ${WHY[reason]}`}>
        <CallLine call={call} />
        {path.length > 0 && <p class="waiting-note">In the agent {path.join(" › ")}</p>}
        {info !== null && <p class="waiting-note">It says: {toClojure(info, SHOWN).text}</p>}
        <div class="run-bar">
          {!isLater && (
            <button
              type="button"
              class="button primary"
              aria-label={`${APPROVE[reason]}: ${tool}`}
              aria-disabled={isRunning}
              onClick={() => void answer(true)}
            >
              {APPROVE[reason]}
            </button>
          )}
          {isLater && toggle("answer", "Answer")}
          {toggle("deny", "Deny")}
          {!isLater && toggle("edit", "Edit arguments")}
          {!isLater && toggle("answer", "Answer by hand")}
        </div>
        <div id={`${id}-form`}>
          {form.value === "deny" && <Denial id={id} call={call} answer={answer} />}
          {form.value === "edit" && <Edit id={id} call={call} answer={answer} />}
          {form.value === "answer" && <ByHand id={id} call={call} answer={answer} />}
        </div>
      </div>
    </li>
  );
}

const APPROVE = { approval: "Approve", interrupted: "Run again", later: "", suspended: "" } as const;

/** The tool and the arguments of a call, and why it waits. */
const CallLine = ({ call: { tool, args, reason } }: { readonly call: WaitingCall }) => (
  <p class="open-call-line">
    <code>
      <span class="code-namespace">tool/{tool}</span> {toClojure(args, SHOWN).text}
    </code>{" "}
    <span class="badge badge-later">{WHY[reason]}</span>
  </p>
);

interface FormProps {
  readonly id: string;
  readonly call: WaitingCall;
  readonly answer: (given: Answer) => Promise<Problem | null>;
}

interface HandFormProps {
  readonly label: string;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

const HandForm = ({ label, onSubmit, children }: HandFormProps) => (
  <form
    class="open-call-form"
    onSubmit={(event) => {
      event.preventDefault();
      if (running.value === null) onSubmit();
    }}
  >
    {children}
    <button type="submit" class="button">
      {label}
    </button>
  </form>
);

function Denial({ id, call, answer }: FormProps) {
  const [reason, setReason] = useState("");
  return (
    <HandForm label="Deny the call" onSubmit={() => void answer(reason.trim() === "" ? false : reason)}>
      <TextField
        id={`${id}-deny`}
        label="Reason"
        fullLabel={`Reason to deny ${call.tool}`}
        hint="the model reads it; may be empty"
        value={reason}
        onInput={setReason}
      />
    </HandForm>
  );
}

function Edit({ id, call, answer }: FormProps) {
  const [{ text, language }] = useState(() => editable(call.args));
  const [written, write] = useState(text);
  const [problems, setProblems] = useState(NONE);
  const send = async (): Promise<void> => {
    const read = readWritten(written, language);
    const refused = read.problem ?? (await answer({ args: read.value as Record<string, unknown> }));
    if (refused === null) return;
    setProblems([read.problem ?? argumentProblem(written, language, refused)]);
    focusSoon(`${id}-edit`);
  };
  return (
    <HandForm label="Approve with these" onSubmit={() => void send()}>
      <CodeField
        id={`${id}-edit`}
        label="Arguments"
        fullLabel={`Arguments of ${call.tool}`}
        language={language}
        value={written}
        problems={problems}
        onInput={(next) => {
          write(next);
          setProblems(NONE);
        }}
        onRun={() => void send()}
        isOfPage={false}
      />
    </HandForm>
  );
}

const NONE: readonly Problem[] = [];

const outcomes = [
  { name: "result", label: "Result" },
  { name: "error", label: "Error" },
] as const;

function ByHand({ id, call, answer }: FormProps) {
  const [kind, setKind] = useState<"result" | "error">("result");
  const [text, write] = useState(() => scriptedAnswer(call.tool));
  const [problems, setProblems] = useState(NONE);
  const send = async (): Promise<void> => {
    try {
      await answer(kind === "error" ? { error: text } : { result: readLiteral(text) });
    } catch (error) {
      setProblems([problemOf(error)]);
      focusSoon(`${id}-answer`);
    }
  };
  const shared = {
    id: `${id}-answer`,
    label: kind === "error" ? "Error" : "Result",
    fullLabel: `${kind === "error" ? "Error" : "Result"} of ${call.tool}`,
    value: text,
    onInput: (next: string) => {
      write(next);
      setProblems(NONE);
    },
    onRun: () => void send(),
  };
  return (
    <HandForm label="Answer the call" onSubmit={() => void send()}>
      <Choices
        name={`${id}-kind`}
        legend={`What ${call.tool} gives`}
        options={outcomes}
        value={kind}
        onChange={setKind}
      />
      {kind === "error" ? (
        <TextField {...shared} hint="as if the tool had failed" />
      ) : (
        <CodeField {...shared} hint="a value in Clojure text or JSON" problems={problems} isOfPage={false} />
      )}
    </HandForm>
  );
}

/** The answer of the tool on the page, if it is a value. */
function scriptedAnswer(tool: string): string {
  const { answer = "" } = state.value.tools.find(({ name }) => name.trim() === tool) ?? {};
  return isFunctionText(answer.trim()) ? "" : answer;
}

/** The calls that wait, beside the messages of their turn. */
export function WaitingNote() {
  const { run } = waitingRun.value;
  if (run === null || running.value !== null) return null;
  return (
    <section class="waiting-turn waiting-beside" aria-label="Calls that wait">
      <ul class="open-calls">
        <FirstRows items={run.step.waiting} what="calls" as="li">
          {(call) => (
            <li key={call.id} class="open-call">
              <CallLine call={call} />
              <button
                type="button"
                class="link"
                aria-label={`Decide about ${call.tool}`}
                onClick={() => focusOpenCall(call)}
              >
                Decide
              </button>
            </li>
          )}
        </FirstRows>
      </ul>
    </section>
  );
}
