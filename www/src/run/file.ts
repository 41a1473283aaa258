import { batch } from "@preact/signals";
import { Step } from "turnfold";
import { problemOf } from "../page/problem.ts";
import { saveAs } from "../page/save.ts";
import { type TabName, tab } from "../page/tab.ts";
import { edit, loadLater, replace, showProblem, state } from "../states/store.ts";
import { stateOfStep } from "./saved-step.ts";
import { showStep } from "./session.ts";
import { entriesOf } from "./turn-entries.ts";

const FILE = "turnfold-step.json";

/** Downloads the step as a file. */
export const saveStep = (step: Step): void =>
  saveAs(FILE, new Blob([JSON.stringify(step, null, 1)], { type: "application/json" }));

/** Shows a saved step on a tab, as if it had just run. It can be undone. */
export async function loadStep(file: Blob & { readonly name: string }, on: TabName = tab.value): Promise<void> {
  try {
    await loadLater(
      async () => Step.fromJSON(await file.text()),
      (step) => show(step, file.name, on),
    );
  } catch (error) {
    showProblem(`${file.name} can’t be loaded: ${problemOf(error).message}`);
  }
}

function show(step: Step, name: string, on: TabName): void {
  batch(() => {
    const loaded = stateOfStep(step, state.value);
    replace(loaded, null, `Loaded the step of ${name}.`, loaded.waiting === "" ? on : "run");
    showStep(step);
  });
  edit({ turns: entriesOf(step) });
}
