import { areShort, noteOf, type Schema } from "./schema-facts.ts";

/** Deeper schemas become `:any`; signatures may nest 64 levels, but such types are not readable. */
const MAX_DEPTH = 16;

/** Maximum number of schemas that are visited: definitions that refer to each other can expand without bound. */
const MAX_SCHEMAS = 1000;

/** Maximum number of parameters of a tool that are described. */
const MAX_DESCRIPTIONS = 100;

const NAME = /^[A-Za-z_][\w-]*$/;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int",
  number: "float",
  boolean: "bool",
};

/**
 * The listing of a tool, made from its schemas.
 *
 * @internal
 */
export interface ToolShape {
  /** Such as `(query :string, state ("open" | "paid")?) -> [{id :int}]`. */
  readonly signature: string;
  /** Notes on parameters in addition to their types, by their paths: `{ limit: "1 to 100, default 10" }`. */
  readonly fieldDescriptions: Readonly<Record<string, string>>;
}

/**
 * Makes the signature of a tool with these schemas. A schema may be JSON Schema, an object that contains or makes one
 * (AI SDK's `jsonSchema()`, Zod, ArkType), or a Standard Schema that can produce it. Undefined when the input schema
 * names no inputs; a type that signatures cannot express is `:any`. Never throws.
 *
 * @internal
 */
export function toolShape(input: unknown, output?: unknown): ToolShape | undefined {
  const parameters = translate(input, "input", (translation) => translation.parameters());
  if (parameters === undefined) return undefined;
  const returns = translate(output, "output", (translation) => translation.returns()) ?? ":any";
  const described = parameters.notes.slice(0, MAX_DESCRIPTIONS);
  return { signature: `(${parameters.text}) -> ${returns}`, fieldDescriptions: Object.fromEntries(described) };
}

function translate<T>(schema: unknown, side: Side, read: (translation: SchemaTranslator) => T): T | undefined {
  try {
    const root = jsonSchemaOf(schema, side);
    return root === undefined ? undefined : read(new SchemaTranslator(root));
  } catch {
    // The host's schema may throw or be a proxy; the tool can be called without it.
    return undefined;
  }
}

/**
 * The side of a schema: values before validation, or after it.
 *
 * @internal
 */
export type Side = "input" | "output";

type Convert = (options: { target: string; libraryOptions?: Record<string, unknown> }) => unknown;

/**
 * Returns the JSON Schema of `given`: itself, a member of it, or produced by a Standard Schema; undefined when there is
 * none.
 *
 * @internal
 */
export function jsonSchemaOf(given: unknown, side: Side = "input"): Schema | undefined {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return undefined;
  const schema = given as {
    "~standard"?: { jsonSchema?: { [side in Side]?: Convert }; validate?: unknown };
    toJSONSchema?(options: { io: Side }): unknown;
    toJsonSchema?(): unknown;
    jsonSchema?: unknown;
  };
  const standard = schema["~standard"]?.jsonSchema;
  if (typeof standard?.[side] === "function") return asSchema(convertSchema((options) => standard[side]?.(options)));
  if (typeof schema.toJSONSchema === "function") return asSchema(schema.toJSONSchema({ io: side }));
  if (typeof schema.toJsonSchema === "function") return asSchema(schema.toJsonSchema());
  if (schema.jsonSchema !== undefined) return asSchema(schema.jsonSchema);
  // The remaining cases: a validator that can't produce JSON Schema, or JSON Schema itself.
  return typeof schema["~standard"]?.validate === "function" ? undefined : asSchema(given);
}

/**
 * Returns advice for developers about a validator without JSON Schema to send to the model; null for other schemas.
 *
 * @internal
 */
export function schemaAdvice(given: unknown): string | null {
  try {
    const { "~standard": standard, validate } = Object(given) as {
      "~standard"?: { validate?: unknown; vendor?: unknown };
      validate?: unknown;
    };
    if (typeof (standard?.validate ?? validate) !== "function" || isConvertible(given)) return null;
    if (standard?.vendor === "valibot") return "wrap it in toStandardJsonSchema() of @valibot/to-json-schema";
    if (standard?.vendor === "zod") return "update Zod to 4.2 or newer, or wrap it in zodSchema() of the AI SDK";
    return "use a schema with JSON Schema (`~standard.jsonSchema`), or describe the shape beside it";
  } catch {
    return null;
  }
}

function isConvertible(given: unknown): boolean {
  try {
    return jsonSchemaOf(given) !== undefined;
  } catch {
    return false;
  }
}

function convertSchema(convert: Convert): unknown {
  const target = "draft-2020-12";
  try {
    return convert({ target });
  } catch {
    // Zod throws for dates, sets and other values that JSON can't express; with this option it writes the empty schema
    // for them.
    return convert({ target, libraryOptions: { unrepresentable: "any" } });
  }
}

/** The note on a field, with its path. */
type Note = readonly [path: string, text: string];

/** A type without its `?`, whether nil is allowed, and the notes on its fields. */
interface SignatureType {
  readonly text: string;
  readonly nullable: boolean;
  /** The literals that the type lists. */
  readonly literals?: readonly unknown[];
  readonly notes: readonly Note[];
}

const ANY: SignatureType = { text: ":any", nullable: false, notes: [] };

class SchemaTranslator {
  private readonly root: Schema;
  /** The schemas that contain the current one. */
  private readonly enclosing = new Set<Schema>();
  private visitedSchemas = 0;

  constructor(root: Schema) {
    this.root = root;
  }

  parameters(): Pick<SignatureType, "text" | "notes"> | undefined {
    const schema = this.resolve(this.root);
    return schema === undefined ? undefined : this.fields(schema);
  }

  returns(): string {
    const type = this.type(this.root);
    return type.nullable ? optionalText(type) : type.text;
  }

  /**
   * Returns the fields of an object; undefined when there are none, or when a signature can't express the name of one.
   */
  private fields(schema: Schema): Pick<SignatureType, "text" | "notes"> | undefined {
    const properties = asSchema(schema.properties) ?? (schema.additionalProperties === false ? {} : undefined);
    if (properties === undefined) return undefined;
    const names = Object.keys(properties);
    if (!names.every((name) => NAME.test(name))) return undefined;
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    this.enclosing.add(schema);
    const notes: Note[] = [];
    const fields = names.map((name) => {
      const type = this.type(properties[name]);
      // Fields whose names begin with `_` are hidden from models.
      if (!name.startsWith("_")) {
        const note = this.note(properties[name]);
        if (note !== undefined) notes.push([name, note]);
        notes.push(...type.notes.map(([path, text]): Note => [`${name}.${path}`, text]));
      }
      if (!required.includes(name)) return `${name} ${optionalText(type)}`;
      return `${name} ${type.text}${type.nullable && type.text !== ":any" ? " | nil" : ""}`;
    });
    this.enclosing.delete(schema);
    return { text: fields.join(", "), notes };
  }

  private note(given: unknown): string | undefined {
    const layers = this.layers(given);
    const { items } = layers.at(-1) ?? {};
    return noteOf(layers, this.layers(items));
  }

  /** Returns the schema, and the schemas that it refers to or wraps, as long as each is a single schema. */
  private layers(given: unknown): Schema[] {
    const layers: Schema[] = [];
    let schema = asSchema(given);
    while (schema !== undefined && layers.length < MAX_DEPTH) {
      layers.push(schema);
      const [only, another] = (alternatives(schema) ?? []).filter((choice) => !isNull(choice));
      const isWrapper = Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf);
      schema = this.wrappedSchema(schema) ?? (isWrapper && another === undefined ? asSchema(only) : undefined);
    }
    return layers;
  }

  private type(given: unknown): SignatureType {
    const schema = this.resolve(given);
    if (schema === undefined || ++this.visitedSchemas > MAX_SCHEMAS || this.enclosing.size > MAX_DEPTH) return ANY;
    if (this.enclosing.has(schema)) return { ...ANY, text: schema.properties === undefined ? ":any" : ":map" };
    this.enclosing.add(schema);
    const type = this.typeWithoutNullable(schema);
    this.enclosing.delete(schema);
    return schema.nullable === true ? { ...type, nullable: true } : type;
  }

  private typeWithoutNullable(schema: Schema): SignatureType {
    if (schema.const !== undefined) return constantType([schema.const]);
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return constantType(schema.enum);
    const choices = alternatives(schema);
    return choices === undefined ? this.namedType(schema) : this.unionType(choices);
  }

  private unionType(choices: readonly unknown[]): SignatureType {
    const kept = choices.filter((choice) => !isNull(choice));
    const types = kept.map((choice) => this.type(choice));
    const nullable = kept.length < choices.length || types.some((type) => type.nullable);
    const literals = types.flatMap((type) => type.literals ?? [undefined]);
    if (literals.length > 0 && !literals.includes(undefined)) return { ...constantType(literals), nullable };
    return { ...commonType(types), nullable };
  }

  private namedType(schema: Schema): SignatureType {
    const type = typeOf(schema);
    if (type === "array") return this.listType(schema);
    if (type !== "object") return { ...ANY, text: typeName(type) };
    const fields = this.fields(schema);
    return fields && fields.text !== ""
      ? { ...ANY, text: `{${fields.text}}`, notes: fields.notes }
      : { ...ANY, text: ":map" };
  }

  private listType({ items }: Schema): SignatureType {
    const element = this.type(items);
    return { ...ANY, text: `[${element.nullable ? optionalText(element) : element.text}]`, notes: element.notes };
  }

  /** Returns the schema, or the target of its `$ref`. */
  private resolve(given: unknown): Schema | undefined {
    let schema = asSchema(given);
    for (let hops = 0; schema !== undefined && hops < MAX_DEPTH; hops++) {
      if (!isReference(schema)) return schema;
      schema = this.wrappedSchema(schema);
    }
    return undefined;
  }

  /** Returns the target of a reference, or the only schema of `allOf`. */
  private wrappedSchema(schema: Schema): Schema | undefined {
    if (!isReference(schema)) return undefined;
    return typeof schema.$ref === "string"
      ? this.referencedSchema(schema.$ref)
      : asSchema((schema.allOf as unknown[])[0]);
  }

  /** Returns the target of a reference within this document. */
  private referencedSchema(pointer: string): Schema | undefined {
    if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
    let found: unknown = this.root;
    for (const step of pointer.split("/").slice(1)) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      found = Object.hasOwn(Object(found), key) ? (found as Schema)[key] : undefined;
    }
    return asSchema(found);
  }
}

/** Returns the type with a `?`; several literals need parentheses. */
function optionalText({ text, literals = [] }: SignatureType): string {
  return literals.length > 1 ? `(${text})?` : `${text}?`;
}

/** Returns the type of the literals; their common type when they are too many or can't be written. */
function constantType(constants: readonly unknown[]): SignatureType {
  const literals = [...new Set(constants)].filter((constant) => constant !== null);
  const nullable = literals.length < constants.length && constants.includes(null);
  if (literals.length > 0 && literals.every(isLiteral) && areShort(literals))
    return { ...ANY, text: literals.map((literal) => JSON.stringify(literal)).join(" | "), nullable, literals };
  return { ...commonType(literals.map((literal) => ({ ...ANY, text: typeOfConstant(literal) }))), nullable };
}

/** Returns the type if all are the same; otherwise `:map` or `:any`. */
function commonType(types: readonly SignatureType[]): SignatureType {
  const [first = ANY] = types;
  if (types.every(({ text }) => text === first.text)) return first;
  return { ...ANY, text: types.every(({ text }) => /^(?:\{|:map$)/.test(text)) ? ":map" : ":any" };
}

function typeOfConstant(constant: unknown): string {
  if (Array.isArray(constant)) return "[:any]";
  if (typeof constant === "object") return ":map";
  return typeName(Number.isInteger(constant) ? "integer" : typeof constant);
}

/**
 * True for a constant that a signature can express. JSON can't express a lone surrogate, and does not escape all control
 * characters and those that change the direction of text, which could hide a part of the signature.
 */
function isLiteral(constant: unknown): boolean {
  if (typeof constant === "string") return !/[\p{Surrogate}\x7F-\x9F\u2028-\u202E\u2066-\u2069]/u.test(constant);
  return typeof constant === "boolean" || (typeof constant === "number" && Number.isFinite(constant));
}

function isReference(schema: Schema): boolean {
  if (typeof schema.$ref === "string") return true;
  return Array.isArray(schema.allOf) && schema.allOf.length === 1 && schema.properties === undefined;
}

/** The alternatives of a schema; for several types, a schema of each. */
function alternatives(schema: Schema): readonly unknown[] | undefined {
  const { type, properties } = schema;
  if (typeof type === "string" || properties !== undefined) return undefined;
  for (const choices of [schema.anyOf, schema.oneOf]) if (Array.isArray(choices)) return choices;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : undefined;
}

function typeOf({ type, properties, items }: Schema): unknown {
  if (type !== undefined) return type;
  if (properties !== undefined) return "object";
  return items === undefined ? undefined : "array";
}

/** Returns the type name for a type of JSON Schema. */
function typeName(type: unknown): string {
  return typeof type === "string" && Object.hasOwn(TYPE_NAMES, type) ? `:${TYPE_NAMES[type]}` : ":any";
}

function isNull(given: unknown): boolean {
  const schema = asSchema(given);
  if (schema === undefined) return false;
  return (
    schema.type === "null" ||
    schema.const === null ||
    (Array.isArray(schema.enum) && schema.enum[0] === null && schema.enum.length === 1)
  );
}

function asSchema(given: unknown): Schema | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  return typeof (given as { then?: unknown }).then === "function" ? undefined : (given as Schema);
}
