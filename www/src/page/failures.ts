import { showProblem } from "../states/store.ts";
import { messageOf } from "./problem.ts";

/** Says which error nothing else on the page has handled. */
export function showFailures(): void {
  addEventListener("error", ({ error }) => {
    // Reports of the browser itself, such as one about sizes that changed again, have no error.
    if (error instanceof Error) say(error);
  });
  addEventListener("unhandledrejection", ({ reason }) => say(reason));
}

const say = (error: unknown): void =>
  showProblem(`Something on this page failed: ${messageOf(error)}. Your work is still here; “Share” downloads it.`);
