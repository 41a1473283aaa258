// Validates data by JSON Schema: drafts 4 to 7, 2019-09 and 2020-12. It generates no code, which many hosts forbid.
// `format` and the keywords about contents only annotate. References are resolved within the schema; none is fetched.

import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { Pattern } from "./pattern.ts";
import type { Schema } from "./schema-facts.ts";

/** Everything fits `true`, nothing fits `false`. */
type AnySchema = Schema | boolean;

/** A part of the document with a URI of its own: the document, and each schema with an `$id`. */
interface Resource {
  readonly uri: string;
  readonly root: AnySchema;
  /** Up to draft 7, keywords beside a `$ref` are ignored. */
  readonly isLegacy: boolean;
  readonly anchors: Map<string, Schema>;
  readonly dynamicAnchors: Map<string, Schema>;
}

/** The resources that a validation has entered, the latest first. A dynamic reference is to the outermost. */
interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | null;
  /** The scopes within it, each made once, so that results can be stored by their scopes. */
  readonly inner: Map<Resource, Scope>;
}

/** Whether a value fits a schema, with the problems and what the schema has evaluated. */
interface StoredResult {
  readonly value: unknown;
  readonly problems: readonly ValueProblem[];
  readonly own: Evaluated;
}

interface ValueProblem {
  readonly path: string;
  readonly message: string;
}

/** The keys or indexes of a value that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
type Evaluated = Set<string | number> | undefined;

/** The keywords with a schema or a list of schemas, and those with schemas by names. */
const WITH_SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const WITH_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** The URI of a document without an `$id`. */
const ROOT_URI = "schema:///";

/** The name of the dynamic anchor that `$recursiveAnchor` of draft 2019-09 is. */
const RECURSIVE_ANCHOR = "";

/** Maximum length of a value or a pattern in a message, in characters. */
const MAX_TEXT = 200;

/** Maximum length of the problems of an alternative in a message. */
const MAX_ALTERNATIVE = 1000;

/** Maximum number of problems that are returned. */
const MAX_PROBLEMS = 100;

/**
 * A validator of a JSON Schema.
 *
 * @internal
 */
export class JsonValidator {
  private readonly root: AnySchema;
  private readonly rootScope: Scope;
  private readonly resources = new Map<string, Resource>();
  private readonly resourceOf = new Map<Schema, Resource>();
  private readonly patterns = new Map<string, Pattern>();
  private readonly properties = new WeakMap<object, ReadonlyMap<string, unknown>>();
  private readonly allowed = new WeakMap<object, AllowedValues>();
  private tracksEvaluated = false;
  /** The schemas to which others refer. */
  private readonly targets = new Set<AnySchema>();
  /**
   * The results of these schemas by scope and path. Several references may lead to one schema, on each level of a value
   * again, which would take exponential time.
   */
  private results = new Map<Schema, Map<Scope, Map<string, StoredResult>>>();

  /**
   * @param schema plain JSON, which must not change afterwards.
   * @throws {TurnfoldError} `invalid_schema` for a reference that has no target in the schema, a pattern that can't be
   * read or matched in linear time, and an unknown dialect.
   */
  constructor(schema: AnySchema) {
    this.root = schema;
    const resource = this.addResource(ROOT_URI, schema, false);
    this.rootScope = { resource, outer: null, inner: new Map() };
    this.index(schema, resource);
    for (const found of [...this.resourceOf.keys()]) this.checkSchema(found);
  }

  /** Returns the problems of JSON data, with their paths; none when it is valid. */
  validate(value: unknown): string[] {
    const problems: ValueProblem[] = [];
    try {
      this.fits(this.root, value, "", this.rootScope, problems);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return ["the value is nested too deeply, or the schema refers to itself without end"];
    } finally {
      this.results = new Map();
    }
    const texts = [...new Set(problems.map(problemText))];
    if (texts.length <= MAX_PROBLEMS) return texts;
    return [...texts.slice(0, MAX_PROBLEMS), `${texts.length - MAX_PROBLEMS} more problems`];
  }

  private addResource(uri: string, root: AnySchema, isWithinLegacy: boolean): Resource {
    const { $schema } = Object(root) as Schema;
    const isLegacy = typeof $schema === "string" ? isLegacyDialect($schema) : isWithinLegacy;
    const resource = { uri, root, isLegacy, anchors: new Map(), dynamicAnchors: new Map() };
    if (this.resources.has(uri)) throw unusable(`has two schemas with the $id ${JSON.stringify(uri)}`);
    this.resources.set(uri, resource);
    return resource;
  }

  /** Records the resources of a schema and the schemas in it, and their anchors. */
  private index(schema: unknown, within: Resource): void {
    if (!isObject(schema) || this.resourceOf.has(schema)) return;
    const resource = this.enteredResource(schema, within);
    this.resourceOf.set(schema, resource);
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    if (typeof $anchor === "string") resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") {
      resource.anchors.set($dynamicAnchor, schema);
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    if ($recursiveAnchor === true) resource.dynamicAnchors.set(RECURSIVE_ANCHOR, schema);
    this.tracksEvaluated ||= schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined;
    for (const [keyword, value] of Object.entries(schema)) {
      if (WITH_SCHEMAS.has(keyword))
        for (const each of Array.isArray(value) ? value : [value]) this.index(each, resource);
      else if (WITH_NAMED_SCHEMAS.has(keyword)) for (const [, each] of entriesOf(value)) this.index(each, resource);
    }
  }

  /** The resource that a schema is in: a new one when the schema has an id. */
  private enteredResource(schema: Schema, within: Resource): Resource {
    const id = schema.$id ?? (within.isLegacy ? schema.id : undefined);
    if (typeof id !== "string" || (within.isLegacy && schema.$ref !== undefined)) return within;
    const [uri, fragment] = resolveUri(id, within.uri);
    // Up to draft 7 it is how anchors are written.
    if (fragment !== "") within.anchors.set(fragment, schema);
    return uri === within.uri ? within : this.addResource(uri, schema, within.isLegacy);
  }

  private checkSchema(schema: Schema): void {
    for (const keyword of REFERENCES) {
      if (typeof schema[keyword] === "string") this.target(schema, schema[keyword]);
    }
    if (typeof schema.pattern === "string") this.pattern(schema.pattern);
    for (const [pattern] of entriesOf(schema.patternProperties)) this.pattern(pattern);
  }

  private pattern(source: string): Pattern {
    return getOrMake(this.patterns, source, () => new Pattern(source));
  }

  /** @throws {TurnfoldError} for a reference without target. */
  private target(schema: Schema, reference: string): AnySchema {
    const [uri, fragment] = resolveUri(reference, (this.resourceOf.get(schema) as Resource).uri);
    const resource = this.resources.get(uri);
    const isPointer = fragment === "" || fragment.startsWith("/");
    const found = resource && (isPointer ? this.pointed(resource, fragment) : resource.anchors.get(fragment));
    if (found !== undefined) {
      this.targets.add(found);
      return found;
    }
    throw unusable(`refers to ${JSON.stringify(reference)}, which it does not have`, { reference }, "add it to $defs");
  }

  /** The schema at a JSON pointer, which may be where no keyword has one. */
  private pointed(from: Resource, pointer: string): AnySchema | undefined {
    let found: unknown = from.root;
    let resource = from;
    for (const step of pointer.split("/").slice(1)) {
      if (isObject(found)) resource = this.resourceOf.get(found) ?? resource;
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      found = Object.hasOwn(Object(found), key) ? (found as Schema)[key] : undefined;
    }
    if (isObject(found) && !this.resourceOf.has(found)) {
      this.index(found, resource);
      this.checkSchema(found);
    }
    return isObject(found) || typeof found === "boolean" ? found : undefined;
  }

  private dynamicTarget(schema: Schema, reference: string, name: string, scope: Scope): AnySchema {
    let found = this.target(schema, reference);
    if (!isObject(found) || this.resourceOf.get(found)?.dynamicAnchors.get(name) !== found) return found;
    for (let each: Scope | null = scope; each !== null; each = each.outer) {
      found = each.resource.dynamicAnchors.get(name) ?? found;
    }
    this.targets.add(found);
    return found;
  }

  /**
   * Returns whether a value fits a schema.
   *
   * @param problems receives the problems.
   * @param evaluated receives what the schema has evaluated, when the value fits.
   */
  private fits(
    schema: AnySchema,
    value: unknown,
    path: string,
    outer: Scope,
    problems: ValueProblem[],
    evaluated?: Evaluated,
  ): boolean {
    if (schema === true) return true;
    if (schema === false) return problems.push({ path, message: "nothing is allowed here" }) === 0;
    const resource = this.resourceOf.get(schema) ?? outer.resource;
    const scope = resource === outer.resource ? outer : innerScope(outer, resource);
    const stored = this.targets.has(schema) ? this.resultsOf(schema, scope) : null;
    let result = stored?.get(path);
    // A name of a member has the path of the member.
    if (result === undefined || result.value !== value) {
      result = this.check(schema, value, path, scope);
      stored?.set(path, result);
    }
    for (const problem of result.problems) problems.push(problem);
    const isFit = result.problems.length === 0;
    if (isFit && evaluated !== undefined) for (const key of result.own ?? []) evaluated.add(key);
    return isFit;
  }

  private resultsOf(schema: Schema, scope: Scope): Map<string, StoredResult> {
    const byScope = getOrMake(this.results, schema, () => new Map<Scope, Map<string, StoredResult>>());
    return getOrMake(byScope, scope, () => new Map<string, StoredResult>());
  }

  private check(schema: Schema, value: unknown, path: string, scope: Scope): StoredResult {
    const { resource } = scope;
    const problems: ValueProblem[] = [];
    const own: Evaluated = this.tracksEvaluated ? new Set() : undefined;
    const refuse = (message: string) => problems.push({ path, message });
    /** Applies a schema to the same value. */
    const applies = (each: unknown, into = problems, seen = own) =>
      this.fits(each as AnySchema, value, path, scope, into, seen);

    const { $ref, $dynamicRef, $recursiveRef } = schema;
    if (typeof $ref === "string") applies(this.target(schema, $ref));
    if (typeof $ref !== "string" || !resource.isLegacy) {
      if (typeof $dynamicRef === "string") {
        const name = $dynamicRef.slice($dynamicRef.indexOf("#") + 1);
        applies(this.dynamicTarget(schema, $dynamicRef, name, scope));
      }
      if (typeof $recursiveRef === "string") {
        applies(this.dynamicTarget(schema, $recursiveRef, RECURSIVE_ANCHOR, scope));
      }
      this.checkScalar(schema, value, refuse);
      if (typeof value === "string") this.checkText(schema, value, refuse);
      this.checkCombinations(schema, applies, refuse);
      if (Array.isArray(value)) this.checkItems(schema, value, path, scope, problems, own);
      else if (isObject(value)) this.checkMembers(schema, value, path, scope, problems, own, applies);
    }
    return { value, problems, own };
  }

  private checkScalar(schema: Schema, value: unknown, refuse: Refuse): void {
    checkType(schema, value, refuse);
    if (Array.isArray(schema.enum) || schema.const !== undefined) {
      const { lists, shown } = getOrMake(this.allowed, schema, () => allowedValues(schema));
      const text = canonicalText(value);
      for (const [index, values] of lists.entries()) {
        if (values.has(text)) continue;
        refuse(`expected ${values.size === 1 ? "" : "one of "}${shown[index]}, got ${describe(value)}`);
      }
    }
    if (typeof value === "number") checkNumber(schema, value, refuse);
  }

  private checkText({ minLength, maxLength, pattern }: Schema, value: string, refuse: Refuse): void {
    if (minLength !== undefined || maxLength !== undefined) {
      checkCount(Array.from(value).length, "character", minLength, maxLength, refuse);
    }
    if (typeof pattern === "string" && !this.pattern(pattern).test(value)) refuse(`does not match ${short(pattern)}`);
  }

  private checkCombinations(schema: Schema, applies: Applies, refuse: Refuse): void {
    for (const each of itemsOf(schema.allOf)) applies(each);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      if (!Array.isArray(schema[keyword])) continue;
      let count = 0;
      const failures: ValueProblem[][] = [];
      for (const each of schema[keyword]) {
        const problems: ValueProblem[] = [];
        if (applies(each, problems)) count++;
        else failures.push(problems);
      }
      if (count === 0) {
        const [nearest = []] = failures.sort((a, b) => a.length - b.length);
        const problems = nearest.slice(0, MAX_PROBLEMS).map(problemText).join("; ");
        refuse(`fits none of ${failures.length} alternatives: ${short(problems, MAX_ALTERNATIVE)}`);
      } else if (keyword === "oneOf" && count > 1) refuse(`fits ${count} alternatives, and only one may fit`);
    }
    if (schema.not !== undefined && applies(schema.not, [], undefined)) refuse("is what the schema excludes");
    if (schema.if !== undefined) {
      const then = applies(schema.if, []) ? schema.then : schema.else;
      if (then !== undefined) applies(then);
    }
  }

  private checkItems(
    schema: Schema,
    value: readonly unknown[],
    path: string,
    scope: Scope,
    problems: ValueProblem[],
    own: Evaluated,
  ): void {
    const refuse = (message: string) => problems.push({ path, message });
    const check = (each: unknown, index: number, into = problems) => {
      const isFit = this.fits(each as AnySchema, value[index], `${path}[${index}]`, scope, into);
      if (isFit || into === problems) own?.add(index);
      return isFit;
    };
    const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains, unevaluatedItems } = schema;
    checkCount(value.length, "item", minItems, maxItems, refuse);
    if (uniqueItems === true) checkUnique(value, refuse);
    // Before draft 2020-12 the first items are in `items`, and `additionalItems` is for the others.
    const isOld = Array.isArray(schema.items);
    const first = itemsOf(isOld ? schema.items : schema.prefixItems);
    const others = isOld ? schema.additionalItems : schema.items;
    for (let index = 0; index < value.length; index++) {
      const each = index < first.length ? first[index] : others;
      if (each !== undefined) check(each, index);
    }
    if (contains !== undefined) {
      const count = value.filter((_, index) => check(contains, index, [])).length;
      if (count < Number(minContains) || count > Number(maxContains ?? Number.POSITIVE_INFINITY)) {
        refuse(`${count} of its items fit "contains": ${limitsText(minContains, maxContains)}`);
      }
    }
    if (unevaluatedItems === undefined) return;
    for (let index = 0; index < value.length; index++) if (!own?.has(index)) check(unevaluatedItems, index);
  }

  private checkMembers(
    schema: Schema,
    value: Schema,
    path: string,
    scope: Scope,
    problems: ValueProblem[],
    own: Evaluated,
    applies: Applies,
  ): void {
    const { required, minProperties, maxProperties, propertyNames, additionalProperties, unevaluatedProperties } =
      schema;
    const keys = Object.keys(value);
    const properties = getOrMake(this.properties, schema, () => new Map(entriesOf(schema.properties)));
    const patterns = entriesOf(schema.patternProperties);
    const check = (each: unknown, key: string) => {
      own?.add(key);
      if (each !== false || properties.has(key))
        this.fits(each as AnySchema, value[key], memberPath(path, key), scope, problems);
      else problems.push({ path: memberPath(path, key), message: undeclared(properties) });
    };
    checkCount(keys.length, "member", minProperties, maxProperties, (message) => problems.push({ path, message }));
    const requireAll = (names: unknown, why: string) => {
      for (const name of itemsOf(names)) {
        if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
        problems.push({ path: memberPath(path, name), message: `missing${why}` });
      }
    };
    requireAll(required, "");
    for (const [key, names] of [...entriesOf(schema.dependentRequired), ...entriesOf(schema.dependencies)]) {
      if (Object.hasOwn(value, key)) requireAll(names, `, because there is ${short(key)}`);
    }
    for (const [key, each] of [...entriesOf(schema.dependentSchemas), ...entriesOf(schema.dependencies)]) {
      if (Object.hasOwn(value, key) && !Array.isArray(each)) applies(each);
    }
    for (const key of keys) {
      if (propertyNames !== undefined)
        this.fits(propertyNames as AnySchema, key, memberPath(path, key), scope, problems);
      const own = properties.get(key);
      const matching = patterns.filter(([pattern]) => this.pattern(pattern).test(key));
      if (own !== undefined) check(own, key);
      for (const [, each] of matching) check(each, key);
      const isAdditional = own === undefined && matching.length === 0;
      if (isAdditional && additionalProperties !== undefined) check(additionalProperties, key);
    }
    if (unevaluatedProperties === undefined) return;
    for (const key of keys) if (!own?.has(key)) check(unevaluatedProperties, key);
  }
}

/** Adds a problem of the value. */
type Refuse = (message: string) => unknown;

/** Applies a schema to the value. */
type Applies = (schema: unknown, problems?: ValueProblem[], evaluated?: Evaluated) => boolean;

/** The values of `enum` and of `const`, as canonical texts, and how messages show them. */
interface AllowedValues {
  readonly lists: readonly ReadonlySet<string>[];
  readonly shown: readonly string[];
}

function allowedValues(schema: Schema): AllowedValues {
  const given = [schema.enum, schema.const === undefined ? undefined : [schema.const]].filter(Array.isArray);
  return {
    lists: given.map((values) => new Set(values.map(canonicalText))),
    shown: given.map((values) => short(values.map((value: unknown) => JSON.stringify(value)).join(", "))),
  };
}

function innerScope(outer: Scope, resource: Resource): Scope {
  return getOrMake(outer.inner, resource, () => ({ resource, outer, inner: new Map() }));
}

function getOrMake<K, V>(
  known: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let found = known.get(key);
  if (found === undefined) {
    found = make();
    known.set(key, found);
  }
  return found;
}

function checkType({ type }: Schema, value: unknown, refuse: Refuse): void {
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((each) => isOfType(value, each))) {
    refuse(`expected ${types.join(" or ")}, got ${describe(value)}`);
  }
}

function checkNumber(schema: Schema, value: number, refuse: Refuse): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // Before draft 6, exclusive bounds are flags.
  const refuseUnless = (holds: boolean, message: string) => holds || refuse(`${value} is ${message}`);
  if (typeof minimum === "number") {
    if (exclusiveMinimum === true) refuseUnless(value > minimum, `not more than ${minimum}`);
    else refuseUnless(value >= minimum, `less than ${minimum}`);
  }
  if (typeof maximum === "number") {
    if (exclusiveMaximum === true) refuseUnless(value < maximum, `not less than ${maximum}`);
    else refuseUnless(value <= maximum, `greater than ${maximum}`);
  }
  if (typeof exclusiveMinimum === "number") refuseUnless(value > exclusiveMinimum, `not more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number") refuseUnless(value < exclusiveMaximum, `not less than ${exclusiveMaximum}`);
  if (typeof multipleOf === "number") refuseUnless(isMultiple(value, multipleOf), `not a multiple of ${multipleOf}`);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function checkCount(count: number, noun: string, min: unknown, max: unknown, refuse: Refuse): void {
  if (count >= Number(min ?? 0) && count <= Number(max ?? Number.POSITIVE_INFINITY)) return;
  refuse(`has ${count} ${noun}${count === 1 ? "" : "s"}: ${limitsText(min, max)}`);
}

function limitsText(min: unknown, max: unknown): string {
  return [min === undefined ? "" : `at least ${min}`, max === undefined ? "" : `at most ${max}`]
    .filter(Boolean)
    .join(", ");
}

function checkUnique(items: readonly unknown[], refuse: Refuse): void {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonicalText(item);
    const before = seen.get(text);
    if (before !== undefined) return void refuse(`has the same item at ${before} and ${index}`);
    seen.set(text, index);
  }
}

/** The text that equal JSON values share. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? describe(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join()}}`;
}

/** Compares the decimal digits, because a division of floats rounds. */
function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = exponent - divisorExponent;
  const scale = 10n ** BigInt(Math.abs(shift));
  return shift >= 0 ? (digits * scale) % divisorDigits === 0n : digits % (divisorDigits * scale) === 0n;
}

/** A number as an integer and the power of ten that it is multiplied by. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** @throws {TurnfoldError} for a dialect whose keywords are unknown. */
function isLegacyDialect(uri: string): boolean {
  if (!/^https?:\/\/json-schema\.org\//.test(uri)) {
    throw unusable(
      `has the $schema ${JSON.stringify(uri)}, which is unknown`,
      {},
      "use draft 2020-12, 2019-09 or 4 to 7",
    );
  }
  return /\/draft-0\d\//.test(uri);
}

/** The URI that a reference is to, and its fragment. */
function resolveUri(reference: string, base: string): [uri: string, fragment: string] {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return [url.href, fragment];
  } catch {
    throw unusable(`has the reference ${JSON.stringify(reference)}, which can't be read`);
  }
}

function unusable(problem: string, details: Record<string, unknown> = {}, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_schema", `the JSON Schema ${problem}`, { details, hint });
}

function memberPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

function problemText({ path, message }: ValueProblem): string {
  return path === "" ? message : `${path}: ${message}`;
}

function undeclared(properties: ReadonlyMap<string, unknown>): string {
  if (properties.size === 0) return "is not declared";
  const names: string[] = [];
  for (const name of properties.keys()) if (names.push(name) > MAX_TEXT) break;
  return `is not declared; declared are ${short(names.join(", "))}`;
}

function short(text: string, length = MAX_TEXT): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
