import { Fn, readClojure, toClojure, type Value } from "turnfold/lisp";
import { unlessRefused } from "../page/problem.ts";

const WIDE = 90;

/** Clojure text that can be read back. A value without such a text, like a collection with a function, becomes a string. */
export function readableText(value: Value): string {
  const { text } = toClojure(value);
  const canBeRead = unlessRefused(() => {
    readClojure(text);
    return true;
  }, false);
  if (!canBeRead) return toClojure(text).text;
  if (text.length <= WIDE || !Array.isArray(value)) return text;
  return `[${value.map((each) => readableText(each as Value)).join("\n  ")}]`;
}

/** Clojure text of a memory without its functions, one line for each name. */
export function memoryText(memory: Readonly<Record<string, Value>>): string {
  const lines = Object.entries(memory)
    .filter(([, value]) => !(value instanceof Fn))
    .map(([name, value]) => {
      const text = readableText(value);
      return `:${name}${text.includes("\n") ? "\n" : " "}${text}`;
    });
  return lines.length === 0 ? "" : `{${lines.join("\n ")}}`;
}
