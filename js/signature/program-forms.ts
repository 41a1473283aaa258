// The forms in which a schema may accept the arguments of a program: programs have values that JSON lacks, name keys in
// their own spelling, and write nil for what is absent.

import { setMember } from "../values/deep-copy.ts";
import { isPlain } from "../values/describe.ts";
import type { Schema } from "./schema-facts.ts";

/**
 * Returns the forms of the arguments of a program, in the order in which they are tried: as they are, for a validator,
 * which may accept sets and dates; as JSON data; and without the optional parameters that are nil. In all of them a key
 * that the schema does not know has the spelling of the property that it names in another case convention
 * (`max-items`, `max_items`, `maxItems`), unless the schema has something to say about unknown keys.
 *
 * @param schema the JSON Schema of the arguments; undefined when there is none.
 *
 * @internal
 */
export function programForms(given: unknown, schema: Schema | undefined, hasValidator: boolean): unknown[] {
  const plain = jsonForm(given);
  const forms = hasValidator && plain !== given ? [given, plain] : [plain];
  const spelled = forms.map((form) => spelledForm(form, schema));
  const present = withoutNil(spelled.at(-1), schema);
  return present === spelled.at(-1) ? spelled : [...spelled, present];
}

/** Sets as arrays, dates as texts, maps with any keys as objects. The same value when it has none of them. */
function jsonForm(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
  if (value instanceof Set) return Array.from(value, jsonForm);
  if (Array.isArray(value)) return sameOr(value, value.map(jsonForm));
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value, ([key, item]) => [String(key), jsonForm(item)]));
  return isObject(value) ? withMembers(value, (key, item) => [key, jsonForm(item)]) : value;
}

function spelledForm(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) {
    return sameOr(
      value,
      value.map((item) => spelledForm(item, schema.items)),
    );
  }
  const { properties, additionalProperties = false, patternProperties, unevaluatedProperties } = schema;
  if (!isObject(value) || !isObject(properties)) return value;
  const isClosed = additionalProperties === false && patternProperties === undefined;
  const names = isClosed && unevaluatedProperties === undefined ? Object.keys(properties) : [];
  const absent = names.filter((name) => !Object.hasOwn(value, name));
  return withMembers(value, (key, item) => {
    const isKnown = Object.hasOwn(properties, key);
    const named = isKnown ? [] : absent.filter((name) => folded(name) === folded(key));
    const name = named.length === 1 ? (named[0] as string) : key;
    if (name !== key) absent.splice(absent.indexOf(name), 1);
    return [name, Object.hasOwn(properties, name) ? spelledForm(item, properties[name]) : item];
  });
}

/** The form that the spellings of a name in all case conventions share; the `_` that begins a hidden name is kept. */
function folded(name: string): string {
  const [hidden = ""] = /^_*/.exec(name) ?? [];
  return hidden + name.slice(hidden.length).replaceAll(/[-_]/g, "").toLowerCase();
}

function withoutNil(value: unknown, schema: Schema | undefined): unknown {
  const properties = schema?.properties;
  if (!isObject(value) || !isObject(properties)) return value;
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  const isAbsent = (key: string) => value[key] === null && Object.hasOwn(properties, key) && !required.includes(key);
  const kept = Object.entries(value).filter(([key]) => !isAbsent(key));
  return kept.length === Object.keys(value).length ? value : Object.fromEntries(kept);
}

function withMembers(value: Schema, change: (key: string, item: unknown) => [string, unknown]): Schema {
  const changed: Record<string, unknown> = {};
  let isSame = true;
  for (const [key, item] of Object.entries(value)) {
    const [name, member] = change(key, item);
    if (name !== key || !Object.is(member, item)) isSame = false;
    setMember(changed, name, member);
  }
  return isSame ? value : changed;
}

function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => Object.is(item, before[index])) ? before : after;
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && isPlain(value);
}
