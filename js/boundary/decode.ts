import { TurnfoldError } from "../errors.ts";
import { Float, Fn, Keyword, Ref, type Value } from "../values/values.ts";

/**
 * Decodes parsed wire JSON. The value is built in place out of `json`, which must not be used again, and is read-only.
 */
export function decode(json: unknown): Value {
  if (typeof json !== "object" || json === null) return json as Value;
  if (Array.isArray(json)) return decodeItems(json);
  const keys = Object.keys(json);
  const [first] = keys;
  if (keys.length === 1 && first !== undefined && first.startsWith("$")) {
    return decodeTagged(first, (json as Record<string, unknown>)[first]);
  }
  return decodeMembers(json as Record<string, unknown>, keys);
}

/**
 * Decodes parsed wire JSON to plain JavaScript: keywords become their names, maps whose keys are keywords and strings
 * become plain objects, floats become numbers. The value is built in place out of `json`.
 */
export function decodePlain(json: unknown): Value {
  if (typeof json !== "object" || json === null) return json as Value;
  if (Array.isArray(json)) {
    for (let index = 0; index < json.length; index++) json[index] = decodePlain(json[index]);
    return json as Value;
  }
  const keys = Object.keys(json);
  const [first] = keys;
  if (keys.length === 1 && first !== undefined && first.startsWith("$")) {
    return decodePlainTagged(first, (json as Record<string, unknown>)[first]);
  }
  for (const key of keys) (json as Record<string, unknown>)[key] = decodePlain((json as Record<string, unknown>)[key]);
  return json as Value;
}

function decodePlainTagged(tag: string, json: unknown): Value {
  switch (tag) {
    case "$keyword":
      return json as string;
    case "$float":
      return Number(json);
    case "$date":
      return new Date(json as number);
    case "$day":
      return json as string;
    case "$set":
      return new Set(decodePlain(json) as readonly Value[]);
    case "$map": {
      const pairs = (json as [unknown, unknown][]).map(
        ([key, value]) => [decodePlain(key), decodePlain(value)] as const,
      );
      if (!pairs.every(([key]) => typeof key === "string")) return new Map(pairs);
      const object: Record<string, Value> = {};
      for (const [key, value] of pairs) defineMember(object, key as string, value);
      return object;
    }
    default:
      return decodeTagged(tag, json);
  }
}

/** Defines a property, so that `__proto__` is a key like any other. */
function defineMember(object: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Decodes JSON of values by name to plain JavaScript, such as the inputs of a run. */
export function decodeData(json: string): Record<string, unknown> {
  const data = decodePlain(JSON.parse(json));
  return data instanceof Map ? Object.fromEntries(data) : (data as Record<string, unknown>);
}

/** Decodes values by name, such as a memory; names that can't be keywords are encoded as keys of a `$map`. */
export function decodeRecord(json: unknown): Readonly<Record<string, Value>> {
  const names = decode(json);
  if (!(names instanceof Map)) return names as Readonly<Record<string, Value>>;
  const named = Array.from(names as ReadonlyMap<string | Keyword, Value>, ([key, value]) => {
    return [typeof key === "string" ? key : key.name, value] as const;
  });
  return Object.freeze(Object.fromEntries(named));
}

// An own `__proto__`, which JSON.parse makes, shadows the inherited setter: assigning to it is harmless.
function decodeMembers(json: Record<string, unknown>, keys: readonly string[]): Readonly<Record<string, Value>> {
  for (const key of keys) json[key] = decode(json[key]);
  return Object.freeze(json) as Readonly<Record<string, Value>>;
}

function decodeItems(json: unknown[]): readonly Value[] {
  for (let index = 0; index < json.length; index++) json[index] = decode(json[index]);
  return Object.freeze(json) as readonly Value[];
}

function decodeTagged(tag: string, json: unknown): Value {
  switch (tag) {
    case "$keyword":
      return new Keyword(json as string);
    case "$float":
      return decodeFloat(Number(json));
    case "$int":
      return decodeInteger(json);
    case "$date":
      return readOnly(new Date(json as number), DATE_GUARDS);
    case "$set":
      return readOnly(new Set(decodeItems(json as unknown[])), SET_GUARDS);
    case "$map":
      return readOnly(new Map(decodeItems(json as unknown[]) as readonly [Value, Value][]), MAP_GUARDS);
    case "$fn":
      return decodeFn(json as ConstructorParameters<typeof Fn>[0] & { captured?: unknown });
    case "$builtin":
      return new Fn({ name: json as string });
    case "$var":
      return new Ref("var", json as string);
    case "$regex":
      return new Ref("regex", json as string);
    case "$day":
      return new Ref("date", json as string);
    default:
      throw new TurnfoldError("invalid_json", `the value has the tag ${tag}, which there is not`);
  }
}

function decodeFn({ captured, ...init }: ConstructorParameters<typeof Fn>[0] & { captured?: unknown }): Fn {
  return captured === undefined ? new Fn(init) : new Fn(init, JSON.stringify(captured));
}

/** `BigInt` also reads blanks, hexadecimal digits, and an empty text as 0. */
function decodeInteger(json: unknown): bigint {
  if (typeof json === "string" && /^[+-]?\d+$/.test(json)) return BigInt(json);
  throw new TurnfoldError("invalid_json", "`$int` must hold decimal digits");
}

/** Only a number that looks like an integer needs the class `Float`. */
function decodeFloat(value: number): number | Float {
  return Number.isSafeInteger(value) ? new Float(value) : value;
}

/** Makes a Set, a Map or a Date read-only: freezing does not affect their contents, so their mutating methods throw. */
function readOnly<T extends object>(value: T, guards: PropertyDescriptorMap): T {
  return Object.freeze(Object.defineProperties(value, guards));
}

function throwingMethods(methods: readonly string[]): PropertyDescriptorMap {
  const guard = {
    value(): never {
      throw new TurnfoldError("read_only", "values of Turnfold can't be changed", {
        hint: "copy it first: new Set(value), new Map(value), new Date(value)",
      });
    },
  };
  return Object.fromEntries(methods.map((method) => [method, guard]));
}

const SET_GUARDS = throwingMethods(["add", "delete", "clear"]);
const MAP_GUARDS = throwingMethods(["set", "delete", "clear"]);
const DATE_GUARDS = throwingMethods(
  Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith("set")),
);
