import { counted } from "../../page/numbers.ts";
import { read, shape } from "../../programs/program.ts";
import { programs } from "../../programs/store.ts";
import { addHistoryInput } from "./signature.tsx";
import { TurnCards } from "./turn-list.tsx";
import { TurnsAsJson } from "./turns-json.tsx";

/** Earlier turns of the same signature. */
export function HistoryEditor() {
  const { history } = programs.value;
  const field = shape.value?.history ?? null;
  return (
    <section class="program-history" aria-labelledby="program-history-title">
      <h2 class="pane-title" id="program-history-title">
        History
        {field !== null && <span class="count">{counted(history.length, "turn")}</span>}
      </h2>
      {field === null ? (
        <p class="empty">
          No input accepts a history.{" "}
          {read.value.signature !== null && (
            <button type="button" class="link" onClick={addHistoryInput}>
              Add one
            </button>
          )}
          {history.length > 0 &&
            ` ${counted(history.length, "turn")} ${history.length === 1 ? "waits" : "wait"} for it.`}
        </p>
      ) : (
        <>
          <TurnCards list="history" />
          <TurnsAsJson list="history" />
        </>
      )}
    </section>
  );
}
