import type { Field } from "turnfold";
import { syntaxProblem } from "../chat/json.ts";
import { complaint, type Problem } from "../page/problem.ts";
import type { Cell } from "./state.ts";

/** How a value is edited: as plain text, as a number, as a choice, or as JSON. */
export type Writing = "text" | "number" | "choice" | "json";

export function writingOf({ type, oneOf }: Field): Writing {
  if (oneOf !== undefined || type === "bool") return "choice";
  if (type === "str" || type === ":keyword") return "text";
  return type === "int" || type === "float" ? "number" : "json";
}

/** The values of a choice, as JSON texts. */
export const choicesOf = ({ oneOf = [true, false] }: Field): readonly string[] =>
  oneOf.map((value) => JSON.stringify(value));

/** A text that is not a value of its field. */
export class UnreadableCell extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Parses a typed value. Where JSON is not required, text that is not JSON becomes a string; the package checks the type.
 *
 * @throws {UnreadableCell}
 */
export function cellValue({ text, json }: Cell, writing: Writing): unknown {
  if (writing === "text" && !json) return text;
  // More digits than a JavaScript number can hold.
  if (/^\s*-?\d{16,}\s*$/.test(text)) return BigInt(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (writing === "json" || json) throw new UnreadableCell(complaintOf(text, error));
    return text;
  }
}

/** The problem of an invalid JSON text. For a single line, the line number is omitted. */
function complaintOf(text: string, error: unknown): Problem {
  const problem = syntaxProblem(text, error);
  return text.includes("\n") ? problem : complaint(problem.message);
}

/** The cell of a value; null for a value that JSON omits. */
export function cellOf(name: string, value: unknown, writing: Writing): Cell | null {
  if (value === undefined) return null;
  const isPlain = writing === "text" && typeof value === "string" && value !== "";
  if (isPlain) return { name, text: value, json: false };
  return { name, text: jsonText(value), json: writing === "text" || typeof value === "string" };
}

/** The value as JSON text, on a single line if that is short. */
function jsonText(value: unknown): string {
  const line = JSON.stringify(value, plainly) ?? "null";
  return line.length <= 80 || typeof value !== "object" ? line : (JSON.stringify(value, plainly, 2) ?? "null");
}

/** A replacer for `JSON.stringify` that writes large integers as strings of digits. */
export const plainly = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** A value for display: strings without quotes, other values as JSON. */
export const shownText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "bigint" ? String(value) : jsonText(value);

/** The cells with one of them set to a text, or removed for an empty text. */
export function withCell(cells: readonly Cell[], name: string, text: string): readonly Cell[] {
  const at = cells.findIndex((cell) => cell.name === name);
  const cell = cells[at];
  if (cell === undefined) return text === "" ? cells : [...cells, { name, text, json: false }];
  return text === "" ? cells.toSpliced(at, 1) : cells.with(at, { ...cell, text });
}

export const cellNamed = (cells: readonly Cell[], name: string): Cell | null =>
  cells.find((cell) => cell.name === name) ?? null;
