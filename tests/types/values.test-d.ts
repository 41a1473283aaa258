import {
  Float,
  Fn,
  float,
  fn,
  Keyword,
  keyword,
  Ref,
  readClojure,
  toClojure,
  type typeOf,
  type Value,
} from "turnfold/lisp";
import { expectTrue, type Same } from "./expect.ts";

const name = keyword("name");
expectTrue<Same<typeof name, Keyword>>();
expectTrue<Same<typeof name.name, string>>();
expectTrue<Same<ReturnType<typeof float>, Float>>();
expectTrue<Same<ReturnType<typeof fn>, Fn>>();
expectTrue<Same<Fn["doc"], string | null>>();
expectTrue<Same<Fn["builtin"], boolean>>();
expectTrue<Same<Ref["kind"], "var" | "regex" | "date">>();
fn({ params: "a b" });
fn({});

expectTrue<Same<ReturnType<typeof readClojure>, Value>>();
expectTrue<Same<ReturnType<typeof typeOf>, string>>();
const clojure: { text: string; truncated: boolean } = toClojure({ anything: [1n] }, { limit: 3, filterHidden: true });
const values: Value[] = [
  null,
  true,
  1,
  1n,
  "x",
  new Date(0),
  name,
  float(3),
  fn({}),
  [1],
  new Set([1]),
  new Map([[1, "x"]]),
];
const nested: Value = { list: [{ deep: new Set<Value>([name]) }] };

export function narrowed(value: Value): string {
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Keyword) return value.name;
  if (value instanceof Float) return value.value.toFixed(1);
  if (value instanceof Fn) return value.params;
  if (value instanceof Ref) return value.text;
  if (value instanceof Date) return value.toISOString();
  return clojure.text;
}

// @ts-expect-error a keyword's name can't be changed
name.name = "other";
// @ts-expect-error a name is a string
keyword(5);
// @ts-expect-error parameters are one string
fn({ params: ["a"] });
// @ts-expect-error the option is called limit
toClojure(1, { limits: 3 });
// @ts-expect-error a function is not a value
const wrong: Value = () => 1;
// @ts-expect-error the result is read-only
(readClojure("[1]") as readonly Value[]).push(2);

export { nested, values, wrong };
