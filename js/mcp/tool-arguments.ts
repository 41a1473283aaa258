import { messageOf } from "../boundary/host.ts";
import { bigIntToJson } from "../chat/safe-integers.ts";
import { type ObjectSchema, readSchema } from "../signature/object-schema.ts";
import { setMember } from "../values/deep-copy.ts";
import { describe } from "../values/describe.ts";
import { Fn, Ref } from "../values/values.ts";

/** A Standard Schema that converts the arguments to JSON and checks them. */
interface ArgumentsSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "turnfold";
    readonly validate: (given: unknown) => Promise<{ value: unknown } | { issues: { message: string }[] }>;
    readonly jsonSchema: { readonly input: () => unknown; readonly output: () => unknown };
  };
}

/** Makes the schema of a tool's arguments. When the JSON Schema can't be read, only the server checks them. */
export function argumentsSchema(schema: Readonly<Record<string, unknown>>): ArgumentsSchema {
  let fit: ObjectSchema["fit"] | undefined;
  const problemsOf = async (args: unknown): Promise<readonly string[]> => {
    try {
      fit ??= readSchema(schema).fit;
      const fitted = await fit(args);
      return "problems" in fitted ? fitted.problems : [];
    } catch {
      // The schema is invalid, or a reference in it has no target.
      return [];
    }
  };
  return {
    "~standard": {
      version: 1,
      vendor: "turnfold",
      async validate(given) {
        const problems: string[] = [];
        const value = toJsonData(given, "", problems);
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          problems.push(`arguments are given by their names, got ${describe(given)}`);
        } else if (problems.length === 0) problems.push(...(await problemsOf(value)));
        return problems.length === 0 ? { value } : { issues: problems.map((message) => ({ message })) };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/**
 * Converts a value of a program to JSON data: sets become arrays, maps objects, dates texts, integers beyond 2^53 texts
 * of their digits.
 *
 * @param problems receives a message for each value that JSON can't express, with its path.
 */
function toJsonData(value: unknown, path: string, problems: string[]): unknown {
  const refuse = (what: string) => {
    problems.push(`${path || "it"}: ${what} can't be sent`);
    return null;
  };
  const at = (key: string | number) => (path === "" ? String(key) : `${path}/${key}`);
  if (typeof value === "bigint") return bigIntToJson(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : refuse(String(value));
  if (typeof value === "function" || typeof value === "symbol") return refuse(describe(value));
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Fn || (value instanceof Ref && value.kind !== "date")) return refuse("a function");
  if (Array.isArray(value) || value instanceof Set) {
    return Array.from(value, (item, index) => toJsonData(item, at(index), problems));
  }
  const object: Record<string, unknown> = {};
  if (value instanceof Map) {
    for (const [key, item] of value as Map<unknown, unknown>) {
      const name = typeof key === "object" ? keyName(key) : String(key);
      setMember(object, name, toJsonData(item, at(name), problems));
    }
    return object;
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") {
    try {
      return toJsonData(toJSON.call(value), path, problems);
    } catch (error) {
      return refuse(messageOf(error));
    }
  }
  for (const [key, item] of Object.entries(value)) setMember(object, key, toJsonData(item, at(key), problems));
  return object;
}

/** Returns the name of a keyword; other keys that are objects are written as JSON. */
function keyName(key: object | null): string {
  const json: unknown = JSON.parse(JSON.stringify(key) ?? "null");
  return typeof json === "string" ? json : JSON.stringify(json);
}
