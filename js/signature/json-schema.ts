import { isShort, noteOf, type Schema } from "./schema-facts.ts";

/** Deeper schemas become `:any`; signatures may nest 64 levels, but such types are not readable. */
const MAX_DEPTH = 16;

/** Maximum number of schemas that are visited: definitions that refer to each other can expand without bound. */
const MAX_SCHEMAS = 1000;

/** Maximum number of parameters of a tool that are described. */
const MAX_DESCRIPTIONS = 100;

const NAME = /^[A-Za-z_][\w-]*$/;

const WORDS: Readonly<Record<string, string>> = { string: "string", integer: "int", number: "float", boolean: "bool" };

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
export function shapeOf(input: unknown, output?: unknown): ToolShape | undefined {
  const parameters = translated(input, "input", (translation) => translation.parameters());
  if (parameters === undefined) return undefined;
  const returns = translated(output, "output", (translation) => translation.returns()) ?? ":any";
  const described = parameters.notes.slice(0, MAX_DESCRIPTIONS);
  return { signature: `(${parameters.text}) -> ${returns}`, fieldDescriptions: Object.fromEntries(described) };
}

function translated<T>(schema: unknown, side: Side, read: (translation: Translation) => T): T | undefined {
  try {
    const root = jsonSchemaOf(schema, side);
    return root === undefined ? undefined : read(new Translation(root));
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
  if (typeof standard?.[side] === "function") return object(converted((options) => standard[side]?.(options)));
  if (typeof schema.toJSONSchema === "function") return object(schema.toJSONSchema({ io: side }));
  if (typeof schema.toJsonSchema === "function") return object(schema.toJsonSchema());
  if (schema.jsonSchema !== undefined) return object(schema.jsonSchema);
  // The remaining cases: a validator that can't produce JSON Schema, or JSON Schema itself.
  return typeof schema["~standard"]?.validate === "function" ? undefined : object(given);
}

/**
 * Returns advice for developers about a validator without JSON Schema to send to the model; null for other schemas.
 *
 * @internal
 */
export function adviceFor(given: unknown): string | null {
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

function converted(convert: Convert): unknown {
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
interface Translated {
  readonly text: string;
  readonly nullable: boolean;
  /** The literals that the type lists. */
  readonly literals?: readonly unknown[];
  readonly notes: readonly Note[];
}

const ANY: Translated = { text: ":any", nullable: false, notes: [] };

class Translation {
  private readonly root: Schema;
  /** The schemas that contain the current one. */
  private readonly open = new Set<Schema>();
  private looked = 0;

  constructor(root: Schema) {
    this.root = root;
  }

  parameters(): Pick<Translated, "text" | "notes"> | undefined {
    const schema = this.resolved(this.root);
    return schema === undefined ? undefined : this.fields(schema);
  }

  returns(): string {
    const type = this.type(this.root);
    return type.nullable ? marked(type) : type.text;
  }

  /**
   * Returns the fields of an object; undefined when there are none, or when a signature can't express the name of one.
   */
  private fields(schema: Schema): Pick<Translated, "text" | "notes"> | undefined {
    const properties = object(schema.properties) ?? (schema.additionalProperties === false ? {} : undefined);
    if (properties === undefined) return undefined;
    const names = Object.keys(properties);
    if (!names.every((name) => NAME.test(name))) return undefined;
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    this.open.add(schema);
    const notes: Note[] = [];
    const fields = names.map((name) => {
      const type = this.type(properties[name]);
      // Fields whose names begin with `_` are hidden from models.
      if (!name.startsWith("_")) {
        const note = this.note(properties[name]);
        if (note !== undefined) notes.push([name, note]);
        notes.push(...type.notes.map(([path, text]): Note => [`${name}.${path}`, text]));
      }
      if (!required.includes(name)) return `${name} ${marked(type)}`;
      return `${name} ${type.text}${type.nullable && type.text !== ":any" ? " | nil" : ""}`;
    });
    this.open.delete(schema);
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
    let schema = object(given);
    while (schema !== undefined && layers.length < MAX_DEPTH) {
      layers.push(schema);
      const [only, another] = (alternatives(schema) ?? []).filter((choice) => !isNull(choice));
      const isWrapper = Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf);
      schema = this.wrapped(schema) ?? (isWrapper && another === undefined ? object(only) : undefined);
    }
    return layers;
  }

  private type(given: unknown): Translated {
    const schema = this.resolved(given);
    if (schema === undefined || ++this.looked > MAX_SCHEMAS || this.open.size > MAX_DEPTH) return ANY;
    if (this.open.has(schema)) return { ...ANY, text: schema.properties === undefined ? ":any" : ":map" };
    this.open.add(schema);
    const type = this.unmarked(schema);
    this.open.delete(schema);
    return schema.nullable === true ? { ...type, nullable: true } : type;
  }

  private unmarked(schema: Schema): Translated {
    if (schema.const !== undefined) return constantType([schema.const]);
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return constantType(schema.enum);
    const choices = alternatives(schema);
    return choices === undefined ? this.named(schema) : this.oneOf(choices);
  }

  private oneOf(choices: readonly unknown[]): Translated {
    const kept = choices.filter((choice) => !isNull(choice));
    const types = kept.map((choice) => this.type(choice));
    const nullable = kept.length < choices.length || types.some((type) => type.nullable);
    const literals = types.flatMap((type) => type.literals ?? [undefined]);
    if (literals.length > 0 && !literals.includes(undefined)) return { ...constantType(literals), nullable };
    return { ...commonType(types), nullable };
  }

  private named(schema: Schema): Translated {
    const type = typeOf(schema);
    if (type === "array") return this.list(schema);
    if (type !== "object") return { ...ANY, text: wordOf(type) };
    const fields = this.fields(schema);
    return fields && fields.text !== ""
      ? { ...ANY, text: `{${fields.text}}`, notes: fields.notes }
      : { ...ANY, text: ":map" };
  }

  private list({ items }: Schema): Translated {
    const element = this.type(items);
    return { ...ANY, text: `[${element.nullable ? marked(element) : element.text}]`, notes: element.notes };
  }

  /** Returns the schema, or the target of its `$ref`. */
  private resolved(given: unknown): Schema | undefined {
    let schema = object(given);
    for (let hops = 0; schema !== undefined && hops < MAX_DEPTH; hops++) {
      if (!isReference(schema)) return schema;
      schema = this.wrapped(schema);
    }
    return undefined;
  }

  /** Returns the target of a reference, or the only schema of `allOf`. */
  private wrapped(schema: Schema): Schema | undefined {
    if (!isReference(schema)) return undefined;
    return typeof schema.$ref === "string" ? this.referred(schema.$ref) : object((schema.allOf as unknown[])[0]);
  }

  /** Returns the target of a reference within this document. */
  private referred(pointer: string): Schema | undefined {
    if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
    let found: unknown = this.root;
    for (const step of pointer.split("/").slice(1)) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      found = Object.hasOwn(Object(found), key) ? (found as Schema)[key] : undefined;
    }
    return object(found);
  }
}

/** Returns the type with a `?`; several literals need parentheses. */
function marked({ text, literals = [] }: Translated): string {
  return literals.length > 1 ? `(${text})?` : `${text}?`;
}

/** Returns the type of the literals; their common type when they are too many or can't be written. */
function constantType(constants: readonly unknown[]): Translated {
  const literals = [...new Set(constants)].filter((constant) => constant !== null);
  const nullable = literals.length < constants.length && constants.includes(null);
  if (literals.length > 0 && literals.every(isLiteral) && isShort(literals))
    return { ...ANY, text: literals.map((literal) => JSON.stringify(literal)).join(" | "), nullable, literals };
  return { ...commonType(literals.map((literal) => ({ ...ANY, text: typeOfConstant(literal) }))), nullable };
}

/** Returns the type if all are the same; otherwise `:map` or `:any`. */
function commonType(types: readonly Translated[]): Translated {
  const [first = ANY] = types;
  if (types.every(({ text }) => text === first.text)) return first;
  return { ...ANY, text: types.every(({ text }) => /^(?:\{|:map$)/.test(text)) ? ":map" : ":any" };
}

function typeOfConstant(constant: unknown): string {
  if (Array.isArray(constant)) return "[:any]";
  if (typeof constant === "object") return ":map";
  return wordOf(Number.isInteger(constant) ? "integer" : typeof constant);
}

/** True for a constant that a signature can express. JSON can't express a lone surrogate. */
function isLiteral(constant: unknown): boolean {
  if (typeof constant === "string") return !/\p{Surrogate}/u.test(constant);
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
function wordOf(type: unknown): string {
  return typeof type === "string" && Object.hasOwn(WORDS, type) ? `:${WORDS[type]}` : ":any";
}

function isNull(given: unknown): boolean {
  const schema = object(given);
  if (schema === undefined) return false;
  return (
    schema.type === "null" ||
    schema.const === null ||
    (Array.isArray(schema.enum) && schema.enum[0] === null && schema.enum.length === 1)
  );
}

function object(given: unknown): Schema | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  return typeof (given as { then?: unknown }).then === "function" ? undefined : (given as Schema);
}
