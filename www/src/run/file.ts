import { batch } from "@preact/signals";
import { Step } from "turnfold";
import { remember } from "../history.ts";
import { problemOf } from "../problem.ts";
import { edit, notice, outcome, replace, state } from "../store.ts";
import { stateOfStep } from "./saved-step.ts";
import { entryOf, showStep } from "./session.ts";

const FILE = "turnfold-step.json";

/** Gives the step to the browser as a file. */
export function saveStep(step: Step): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(step, null, 1)], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: FILE }).click();
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Shows a saved step as if it had just run; what the page had before can be had back. */
export async function loadStep(file: Blob & { readonly name: string }): Promise<void> {
  try {
    const step = Step.fromJSON(await file.text());
    batch(() => {
      replace(stateOfStep(step, state.value), null, `Loaded the step of ${file.name}.`);
      showStep(step);
    });
    let before = outcome.value.turns.memory;
    const turns = step.turns.map((turn) => {
      const entry = entryOf(turn);
      remember(entry, turn, before);
      before = turn.memory;
      return entry;
    });
    edit({ turns });
  } catch (error) {
    notice.value = {
      tone: "problem",
      text: `${file.name} can’t be loaded: ${problemOf(error).message}`,
      undo: null,
    };
  }
}
