import { TurnfoldError } from "turnfold";

/** Why a field can't be used, and where in its text when that is known: offsets in UTF-16 units, line and column from 1. */
export interface Problem {
  readonly message: string;
  readonly place: {
    readonly start: number;
    readonly end: number;
    readonly line: number;
    readonly column: number;
  } | null;
}

/** Problems by the id of the field that they belong to. */
export type Problems = Map<string, Problem>;

/** The id of a control in the page; a row's own fields carry the row's id. */
export const fieldId = (name: string, row?: { readonly id: number }): string =>
  row === undefined ? name : `${name}-${row.id}`;

/** What `read` gives; when it throws, the problem is noted for `field` and the fallback taken. */
export function attempt<T>(problems: Problems, field: string, fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    problems.set(field, problemOf(error));
    return fallback;
  }
}

export const complaint = (message: string): Problem => ({ message, place: null });

export function problemOf(error: unknown): Problem {
  if (!TurnfoldError.isInstance(error)) return complaint(error instanceof Error ? error.message : String(error));
  const message = error.hint === null ? error.message : `${error.message} (${error.hint})`;
  return { message, place: placeIn(error.details) };
}

/** The option that the package does not take as it is. */
export const refusedOption = (error: unknown): unknown =>
  TurnfoldError.isInstance(error) && error.code === "invalid_option" ? error.details.option : undefined;

/** Where in its text the details of an error say that it is. */
export function placeIn({ start, end, line, column }: Readonly<Record<string, unknown>>): Problem["place"] {
  const known =
    typeof start === "number" && typeof end === "number" && typeof line === "number" && typeof column === "number";
  return known ? { start, end, line, column } : null;
}

export const problemText = ({ message, place }: Problem): string =>
  place === null ? message : `Line ${place.line}, column ${place.column}: ${message}`;
