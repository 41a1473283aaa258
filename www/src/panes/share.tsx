import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { byHand, perform, shareActions } from "../share/actions.ts";

/** The menu with the actions that share the state. */
export function Share() {
  const outcome = useSignal({ isDone: true, text: "" });
  useEffect(
    () => () => {
      byHand.value = null;
    },
    [],
  );
  return (
    <>
      <ul class="popover-list">
        {shareActions.map((action) => (
          <li key={action.id}>
            <button
              type="button"
              class="popover-item"
              aria-describedby={`share-${action.id}`}
              onClick={async () => {
                outcome.value = { isDone: true, text: "" };
                outcome.value = await perform(action);
              }}
            >
              {action.label}
            </button>
            <span class="field-hint" id={`share-${action.id}`}>
              {action.hint}
            </span>
          </li>
        ))}
      </ul>
      <p role="status" class="popover-said" data-done={outcome.value.isDone}>
        {outcome.value.text}
      </p>
      {byHand.value !== null && <ByHand text={byHand.value} />}
    </>
  );
}

function ByHand({ text }: { readonly text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [text]);
  return <textarea ref={field} class="input code" rows={4} readOnly aria-label="To be copied by hand" value={text} />;
}
