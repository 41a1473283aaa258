// Converts a JSON Schema to a grammar in llama.cpp's notation (GBNF), which the model's reply must follow.
//
// Keywords that a grammar can't express are refused. For simplicity, the grammar admits less than the schema does: properties come in
// the schema's order and none is omitted, white space is as `JSON.stringify` with a space behind commas and colons writes it, and
// numbers have no exponents. It admits more in one place: `oneOf` is read as `anyOf`.

import { RequestProblem } from "./request-problem.mjs";

/** Keywords that do not restrict values. */
const NOTES = ["title", "description", "default", "examples", "$schema", "$id", "$comment", "deprecated", "$defs"];
NOTES.push("definitions", "readOnly", "writeOnly");

/** Keywords that restrict values of a type; the grammar implements all of them. */
const KEYWORDS = {
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "prefixItems", "minItems", "maxItems"],
  string: ["minLength", "maxLength"],
  integer: ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"],
  number: [],
  boolean: [],
  null: [],
};

/** The most repetitions that llama.cpp's grammars take. */
const MAX_REPETITIONS = 1000;

/** Digits with which every integer is safe. */
const INTEGER = '"-"? ("0" | [1-9] [0-9]{0,14})';

const RULES = {
  char: '[^"\\\\\\x00-\\x1F\\x7F] | "\\\\" ["\\\\/bfnrt]',
  string: '"\\"" char* "\\""',
  integer: INTEGER,
  number: `${INTEGER} ("." [0-9]{1,12})?`,
  boolean: '"true" | "false"',
  null: '"null"',
  any: "string | number | boolean | null | anys | map",
  anys: '"[" (any (", " any)*)? "]"',
  member: 'string ": " any',
  map: '"{" (member (", " member)*)? "}"',
};

/**
 * Returns the grammar of the JSON texts of a schema.
 *
 * @param {unknown} schema
 * @returns {string}
 * @throws {RequestProblem} for a schema with other keywords.
 */
export function jsonGrammar(schema) {
  const writer = new Writer(schema);
  const root = writer.value(schema, "schema");
  const rules = { root, ...writer.rules, ...RULES };
  return Object.entries(rules)
    .map(([name, body]) => `${name} ::= ${body}`)
    .join("\n");
}

const literal = (text) => JSON.stringify(text);
const literalOf = (value) => literal(JSON.stringify(value));
const refused = (path, what) =>
  new RequestProblem(`${path}: ${what}`, { param: "response_format", code: "unsupported_schema" });

class Writer {
  rules = {};
  names = new Map();

  constructor(root) {
    this.root = root;
  }

  /** The body of a rule for the values of a schema. */
  value(schema, path) {
    if (schema === true) return "any";
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      throw refused(path, "a schema must be an object");
    }
    const { $ref, type, const: constant, enum: options, anyOf, oneOf, allOf } = schema;
    if ($ref !== undefined) return this.reference($ref, path);
    if (constant !== undefined) {
      this.check(schema, ["const", "type"], path);
      return literalOf(constant);
    }
    if (options !== undefined) return this.options(options, schema, path);
    if (anyOf !== undefined || oneOf !== undefined) {
      const keyword = anyOf === undefined ? "oneOf" : "anyOf";
      this.check(schema, [keyword], path);
      const parts = schema[keyword].map((each, index) => this.value(each, `${path}.${keyword}[${index}]`));
      return parts.map((part) => `(${part})`).join(" | ");
    }
    if (allOf?.length === 1) {
      this.check(schema, ["allOf"], path);
      return this.value(allOf[0], `${path}.allOf[0]`);
    }
    const types = type === undefined ? [typeOfKeywords(schema)] : [type].flat();
    const known = types.flatMap((name) => KEYWORDS[name] ?? []);
    this.check(schema, ["type", ...known], path);
    return types.map((name) => this.typed(name, schema, path)).join(" | ");
  }

  check(schema, known, path) {
    const unknown = Object.keys(schema).find((name) => !known.includes(name) && !NOTES.includes(name));
    if (unknown !== undefined) throw refused(path, `the keyword ${unknown} is not supported`);
  }

  /** The values of an enumeration that are of the schema's type. */
  options(options, schema, path) {
    this.check(schema, ["enum", "type"], path);
    const { type } = schema;
    const types = type === undefined ? null : [type].flat();
    const fitting = options.filter((value) => types === null || types.some((name) => isOfType(value, name)));
    if (fitting.length === 0) throw refused(path, "no value of enum has the type");
    return fitting.map(literalOf).join(" | ");
  }

  reference($ref, path) {
    const known = this.names.get($ref);
    if (known !== undefined) return known;
    const steps = typeof $ref === "string" && /^#(?:\/|$)/.test($ref) ? $ref.split("/").slice(1) : null;
    const found = steps?.reduce((at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], this.root);
    if (found === undefined || found === null) throw refused(path, `there is no ${$ref}`);
    const name = `ref${this.names.size}`;
    this.names.set($ref, name);
    this.rules[name] = this.value(found, $ref);
    return name;
  }

  typed(name, schema, path) {
    switch (name) {
      case "object":
        return this.object(schema, path);
      case "array":
        return this.array(schema, path);
      case "string":
        return stringOf(schema, path);
      case "integer":
        return integerOf(schema, path);
      case "number":
      case "boolean":
      case "null":
      case "any":
        return name;
      default:
        throw refused(path, `there is no type ${JSON.stringify(name)}`);
    }
  }

  object({ properties, required = [], additionalProperties: others = true }, path) {
    const entries = Object.entries(properties ?? {});
    const missing = required.find((name) => properties?.[name] === undefined);
    if (missing !== undefined) throw refused(path, `the required property ${missing} has no schema`);
    const members = entries.map(([name, each]) => {
      return `${literal(`${JSON.stringify(name)}: `)} (${this.value(each, `${path}.properties.${name}`)})`;
    });
    if (members.length > 0) return `"{" ${members.join(' ", " ')} "}"`;
    if (others === false) return '"{}"';
    const value = this.value(others, `${path}.additionalProperties`);
    const member = `string ": " (${value})`;
    return `"{" (${member} (", " ${member})*)? "}"`;
  }

  array({ items = true, prefixItems = [], minItems = 0, maxItems }, path) {
    const first = prefixItems.map((each, index) => `(${this.value(each, `${path}.prefixItems[${index}]`)})`);
    const min = Math.max(0, minItems - first.length);
    const max = items === false ? 0 : maxItems === undefined ? undefined : maxItems - first.length;
    if (max !== undefined && max < min) throw refused(path, "maxItems leaves no room");
    if (min > MAX_REPETITIONS) throw refused(path, `minItems is above ${MAX_REPETITIONS}`);
    if (max === 0) return `"[" ${first.join(' ", " ')} "]"`;
    const item = `(${this.value(items, `${path}.items`)})`;
    if (first.length > 0) return `"[" ${first.join(' ", " ')} (", " ${item})${times(min, max)} "]"`;
    const list = `${item} (", " ${item})${times(Math.max(0, min - 1), max === undefined ? undefined : max - 1)}`;
    return min > 0 ? `"[" ${list} "]"` : `"[" (${list})? "]"`;
  }
}

/** The repetition suffix of a rule. A bound that is too large for llama.cpp is lowered, which admits less. */
function times(min, max) {
  return max === undefined ? `{${min},}` : `{${min},${Math.min(max, MAX_REPETITIONS)}}`;
}

function stringOf({ minLength = 0, maxLength }, path) {
  if (minLength > MAX_REPETITIONS) throw refused(path, `minLength is above ${MAX_REPETITIONS}`);
  if (maxLength !== undefined && maxLength < minLength) throw refused(path, "maxLength is less than minLength");
  return minLength === 0 && maxLength === undefined ? "string" : `"\\"" char${times(minLength, maxLength)} "\\""`;
}

/** Accepts bounds that every integer of the grammar satisfies, and bounds that only restrict the sign. */
function integerOf(
  { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity },
  path,
) {
  const min = Math.max(minimum, exclusiveMinimum + 1);
  if (Math.min(maximum, exclusiveMaximum - 1) < 1e15 - 1) {
    throw refused(path, "an upper bound is supported from 10^15 - 1 on");
  }
  if (min <= 1 - 1e15) return "integer";
  if (min === 0) return '("0" | [1-9] [0-9]{0,14})';
  if (min === 1) return "([1-9] [0-9]{0,14})";
  throw refused(path, "a lower bound is supported when it is 0 or 1");
}

/** The type that the keywords of a schema without `type` imply. */
function typeOfKeywords(schema) {
  const found = Object.entries(KEYWORDS).find(([, names]) => names.some((name) => schema[name] !== undefined));
  return found?.[0] ?? "any";
}

function isOfType(value, name) {
  if (name === "integer") return Number.isInteger(value);
  if (name === "null") return value === null;
  if (name === "array") return Array.isArray(value);
  if (name === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === name;
}
