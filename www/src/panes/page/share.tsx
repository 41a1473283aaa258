import "../../style/sharing.css";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Action, byHand, copyLongLink, longLink, perform, shareActions } from "../../share/actions.ts";
import { askAgain, openFindings } from "../../share/review.ts";
import { Review, WORDS } from "./share-review.tsx";

/** The menu with the actions that share the state. It first asks about texts that the user may not want to share. */
export function Share({ close }: { readonly close: () => void }) {
  const outcome = useSignal({ isDone: true, text: "" });
  useEffect(
    () => () => {
      byHand.value = null;
      longLink.value = null;
    },
    [],
  );
  const run = async (action: Action): Promise<void> => {
    outcome.value = { isDone: true, text: "" };
    outcome.value = await perform(action);
    // The dialog returns the focus to the button when it is closed.
    if (action.id === "card" && outcome.value.isDone) close();
  };
  const open = openFindings();
  const asks = useSignal(false);
  const reviews = open.length > 0 || asks.value;
  // The pressed button is replaced; the focus moves to its replacement.
  const before = useRef(reviews);
  useLayoutEffect(() => {
    if (before.current === reviews) return;
    before.current = reviews;
    document.getElementById(reviews ? WORDS : buttonId("link"))?.focus();
  }, [reviews]);
  return (
    <>
      {reviews && (
        <Review
          found={open}
          done={() => {
            asks.value = false;
          }}
        />
      )}
      <ul class="popover-list">
        {(reviews ? shareActions.filter(({ id }) => id === "upload") : shareActions).map((action) => (
          <Item key={action.id} action={action} run={run} />
        ))}
        {!reviews && (
          <Item
            action={blanking}
            run={async () => {
              askAgain();
              asks.value = true;
            }}
          />
        )}
      </ul>
      <p role="status" class="popover-said" data-done={outcome.value.isDone}>
        {outcome.value.text}
      </p>
      {longLink.value !== null && (
        <ul class="popover-list">
          <Item action={copyLongLink} run={run} />
        </ul>
      )}
      {byHand.value !== null && <ByHand text={byHand.value} />}
    </>
  );
}

const buttonId = (action: string): string => `share-do-${action}`;

const blanking: Action = {
  id: "blank",
  label: "Blank names or words",
  hint: "Replace them by placeholders before you share",
  run: async () => "",
};

const Item = ({ action, run }: { readonly action: Action; readonly run: (action: Action) => Promise<void> }) => (
  <li>
    <button
      type="button"
      id={buttonId(action.id)}
      class="popover-item"
      aria-describedby={`share-${action.id}`}
      onClick={() => void run(action)}
    >
      {action.label}
    </button>
    <span class="field-hint" id={`share-${action.id}`}>
      {action.hint}
    </span>
  </li>
);

function ByHand({ text }: { readonly text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [text]);
  return <textarea ref={field} class="input code" rows={4} readOnly aria-label="Copy this by hand" value={text} />;
}
