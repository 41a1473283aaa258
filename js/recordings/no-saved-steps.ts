import type { Step } from "../agent/step.ts";
import { TurnfoldError } from "../errors.ts";

/** @throws {TurnfoldError} `invalid_recording` */
export function readStep(): Step {
  throw new TurnfoldError("invalid_recording", "the recording is a saved step, which turnfold/chat can't read", {
    details: { format: "turnfold" },
    hint: 'import { readConversation } from "turnfold"',
  });
}
