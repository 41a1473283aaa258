import { useEffect } from "preact/hooks";
import { complete } from "turnfold/lisp";
import { useChecked } from "../../controls/checking.ts";
import { CodeField } from "../../controls/code-field.tsx";
import { RUN_KEY } from "../../controls/keys.ts";
import { focusSoon } from "../../page/focus.ts";
import { live } from "../../run/agent.ts";
import { programIn } from "../../run/reply.ts";
import { draft, question } from "../../run/session.ts";
import { useKnownNames } from "../turns/known-names.ts";

const FIELD = "your-reply";

/** The field for the user's reply in place of the model. */
export function Answer() {
  const waiting = question.value;
  const names = useKnownNames(() => Object.keys(live.value?.turns.at(-1)?.memory ?? {}));
  const program = programIn(draft.value);
  const problems = useChecked(program?.text ?? "", names);
  useEffect(() => {
    if (waiting !== null) focusSoon(FIELD);
  }, [waiting]);
  if (waiting === null) return <p class="empty">Press Run: the first message then waits here for your reply.</p>;
  const send = (): void => waiting.answer(draft.value);
  return (
    <div class="program answer-field">
      <CodeField
        key={waiting.turn}
        id={FIELD}
        label={`Your reply to turn ${waiting.turn}`}
        fullLabel={`Your reply to turn ${waiting.turn}`}
        hint={`${RUN_KEY}+Enter sends it, Ctrl+Space completes`}
        placeholder="(return 1), or words with a program in a ```clojure fence"
        value={draft.value}
        problems={problems}
        onInput={(text) => {
          draft.value = text;
        }}
        complete={(text, offset) => {
          const inner = programIn(text);
          const isIn = inner !== null && inner.start <= offset && offset <= inner.end;
          return isIn ? complete(inner.text, offset, names) : [];
        }}
        onRun={send}
        isOfPage={false}
      />
      <div class="run-bar">
        <button type="button" class="button primary" onClick={send}>
          Send
        </button>
      </div>
    </div>
  );
}
