import { Icon } from "../../controls/icon.tsx";

/** How a run ended. One that the user stopped has not failed. */
export type Outcome = "success" | "failure" | "stopped";

/** The outcome of a run. `why` is the code or kind of the error; null for a success. */
export const outcomeOf = (why: string | null): Outcome =>
  why === null ? "success" : why === "aborted" ? "stopped" : "failure";

const ICONS = { success: "check", failure: "remove", stopped: "stop" } as const;

/** A badge with the outcome of a run. `success` is the word for a success. */
export const OutcomeBadge = ({ of, success }: { readonly of: Outcome; readonly success: string }) => (
  <span class="badge" data-outcome={of}>
    <Icon name={ICONS[of]} />
    {of === "success" ? success : of === "failure" ? "failed" : "stopped"}
  </span>
);
