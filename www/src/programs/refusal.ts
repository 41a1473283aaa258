import { TurnfoldError } from "turnfold";
import { type Problem, placeIn } from "../problem.ts";

/** What the package does not take, with its code. */
export interface Refusal {
  /** Null for what the page found out itself. */
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export function refusalOf(error: unknown): Refusal {
  if (!TurnfoldError.isInstance(error))
    return { code: null, message: error instanceof Error ? error.message : String(error), hint: null, details: {} };
  const { code, message, hint, details } = error;
  // Of a tool's signature the package says which tool it is in the details alone.
  const { tool } = details;
  const of = code === "invalid_signature" && typeof tool === "string" ? `the tool ${tool}: ` : "";
  return { code, message: of + message, hint, details };
}

/** In a line, for a field. */
export const refusalText = ({ code, message, hint }: Refusal): string =>
  `${code === null ? "" : `${code}: `}${message}${hint === null ? "" : ` (${hint})`}`;

/** Where the package says that a text is wrong. */
export function placedProblem(refusal: Refusal): Problem {
  const { message, hint, details } = refusal;
  return { message: hint === null ? message : `${message} (${hint})`, place: placeIn(details) };
}
