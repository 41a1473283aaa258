import { Step } from "../agent/step.ts";

/** Reads a saved step. `turnfold/chat` has `no-saved-steps.ts` instead: what a step's model saw is rendered from its turns. */
export const readStep = (saved: object): Step => Step.fromJSON(saved);
