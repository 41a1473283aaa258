import { type Problem, problemOf } from "../problem.ts";
import { JsonProblem, lineAt, placesIn } from "./json.ts";

/** The problem of a text that is not JSON. `error` is that of `JSON.parse`. */
export function syntaxProblem(text: string, error: unknown): Problem {
  try {
    placesIn(text);
  } catch (found) {
    if (found instanceof JsonProblem) return problemAt(text, found.message, found.start, found.end);
  }
  return problemOf(error);
}

export function problemAt(text: string, message: string, start: number, end: number): Problem {
  return { message, place: { start, end, ...lineAt(text, start) } };
}
