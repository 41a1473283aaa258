import { Step } from "../agent/step.ts";

/** Reads a saved step. `turnfold/chat` uses `no-saved-steps.ts` instead, because it can't render turns. */
export const readStep = (saved: object): Step => Step.fromJSON(saved);
