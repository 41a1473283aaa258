import { TurnfoldError } from "turnfold";

/** An error of a field, with its range in the text if known: offsets in UTF-16 units, line and column from 1. */
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

/** The id of a control in the page. Ids of fields in a row end with the id of the row. */
export const fieldId = (name: string, row?: { readonly id: number }): string =>
  row === undefined ? name : `${name}-${row.id}`;

/** Returns the result of `read`. When it throws, adds the problem for `field` and returns the fallback. */
export function attempt<T>(problems: Problems, field: string, fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    problems.set(field, problemOf(error));
    return fallback;
  }
}

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the result of `read`, or the fallback for an error of the package. Other errors are faults of the page, and thrown. */
export function unlessRefused<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return fallback;
    throw error;
  }
}

/** The value of a JSON text; undefined for another text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const complaint = (message: string): Problem => ({ message, place: null });

export function problemOf(error: unknown): Problem {
  if (!TurnfoldError.isInstance(error)) return complaint(messageOf(error));
  const message = error.hint === null ? error.message : `${error.message} (${error.hint})`;
  return { message, place: placeIn(error.details) };
}

/** The name of the option that an error of the package rejects; undefined for other errors. */
export const refusedOption = (error: unknown): unknown =>
  TurnfoldError.isInstance(error) && error.code === "invalid_option" ? error.details.option : undefined;

/** The range in the text that the details of an error name. */
export function placeIn({ start, end, line, column }: Readonly<Record<string, unknown>>): Problem["place"] {
  const known =
    typeof start === "number" && typeof end === "number" && typeof line === "number" && typeof column === "number";
  return known ? { start, end, line, column } : null;
}

export const problemText = ({ message, place }: Problem): string =>
  place === null ? message : `Line ${place.line}, column ${place.column}: ${message}`;
