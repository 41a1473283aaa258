// What a person writes for a call that waits: other arguments, or its result.

import { readClojure, type Value } from "turnfold/lisp";
import { keysOf, nodeAt, problemAt, rangesIn, syntaxProblem } from "../chat/json.ts";
import { type Problem, problemOf } from "../page/problem.ts";
import { readableText } from "../running/print.ts";

/** A text that is read as a value, or why it can't be. */
export type Written = { readonly value: Value; readonly problem: null } | { readonly problem: Problem };

/** The JSON text of a value, if that is all there is to it; null for a value with a type that JSON does not have. */
function jsonOf(value: Value): string | null {
  try {
    const text = JSON.stringify(value, null, 2);
    return readableText(JSON.parse(text) as Value) === readableText(value) ? text : null;
  } catch {
    return null;
  }
}

/** The text of a value for an editor, and its language. */
export function editable(value: Value): { readonly text: string; readonly language: "json" | "clojure" } {
  const json = jsonOf(value);
  return json === null ? { text: readableText(value), language: "clojure" } : { text: json, language: "json" };
}

/** Reads a text in one of the languages of `editable`. */
export function readWritten(text: string, language: "json" | "clojure"): Written {
  try {
    return { value: language === "json" ? (JSON.parse(text) as Value) : readClojure(text), problem: null };
  } catch (error) {
    return { problem: language === "json" ? syntaxProblem(text, error) : problemOf(error) };
  }
}

/** A refusal of arguments, at the place of the first one that it names: “euros: expected int, got string”. */
export function argumentProblem(text: string, language: "json" | "clojure", refused: Problem): Problem {
  const message = refused.message.replace(/^the arguments for \S+ \(\S+\): /, "");
  const [path = ""] = /^[^\s:]+(?=: )/.exec(message) ?? [];
  if (language !== "json") return { ...refused, message };
  const { start, end } = nodeAt(rangesIn(text), keysOf(`args.${path}`));
  return problemAt(text, message, start, end);
}
