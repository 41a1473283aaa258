import { TurnfoldError } from "turnfold";
import { messageOf, type Problem, placeIn } from "../page/problem.ts";

/** An error of the package or the page. */
export interface Refusal {
  /** The code of the package's error; null for one of the page. */
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export function refusalOf(error: unknown): Refusal {
  if (!TurnfoldError.isInstance(error)) return { code: null, message: messageOf(error), hint: null, details: {} };
  const { code, message, hint, details } = error;
  // Only the details of the error name the tool.
  const { tool } = details;
  const of = code === "invalid_signature" && typeof tool === "string" ? `the tool ${tool}: ` : "";
  return { code, message: of + message, hint, details };
}

/** The error as one line. */
export const refusalText = ({ code, message, hint }: Refusal): string =>
  `${code === null ? "" : `${code}: `}${message}${hint === null ? "" : ` (${hint})`}`;

/** The range of the text that the package's error names. */
export function placedProblem(refusal: Refusal): Problem {
  const { message, hint, details } = refusal;
  return { message: hint === null ? message : `${message} (${hint})`, place: placeIn(details) };
}
