/** The members of a JSON Schema that are read. */
type Schema = Readonly<Record<string, unknown>>;

/** Deeper schemas become `:any`; signatures may nest 64 levels, but such types help no reader. */
const MAX_DEPTH = 16;

/** Maximum number of schemas that are visited: definitions that refer to each other can expand without bound. */
const MAX_SCHEMAS = 1000;

const NAME = /^[A-Za-z_][\w-]*$/;

const WORDS: Readonly<Record<string, string>> = { string: "string", integer: "int", number: "float", boolean: "bool" };

/**
 * The signature of a tool whose input and result schemas describe: `(query :string, limit :int?) -> [{id :int}]`. A schema may
 * be JSON Schema, an object that holds or makes one (AI SDK's `jsonSchema()`, Zod, ArkType), or a Standard Schema that can
 * produce it. Undefined when the input's names no inputs; a type that signatures cannot express is `:any`. Never throws.
 *
 * @internal
 */
export function signatureOf(input: unknown, result?: unknown): string | undefined {
  const parameters = translated(input, "input", (translation) => translation.parameters());
  if (parameters === undefined) return undefined;
  return `(${parameters}) -> ${translated(result, "output", (translation) => translation.result()) ?? ":any"}`;
}

function translated(
  schema: unknown,
  side: "input" | "output",
  text: (translation: Translation) => string | undefined,
): string | undefined {
  try {
    const root = jsonSchemaOf(schema, side);
    return root === undefined ? undefined : text(new Translation(root));
  } catch {
    // The host's schema may throw or be a proxy; the tool can be called without it.
    return undefined;
  }
}

/**
 * The JSON Schema of `given`: itself, a member of it, or produced by a Standard Schema; undefined when there is none.
 *
 * @param side of a Standard Schema, whose output may differ from its input.
 *
 * @internal
 */
export function jsonSchemaOf(given: unknown, side: "input" | "output" = "input"): Schema | undefined {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return undefined;
  const schema = given as {
    "~standard"?: { jsonSchema?: { [side in "input" | "output"]?: (options: { target: string }) => unknown } };
    toJSONSchema?(): unknown;
    toJsonSchema?(): unknown;
    jsonSchema?: unknown;
  };
  const standard = schema["~standard"]?.jsonSchema;
  if (typeof standard?.[side] === "function") return object(standard[side]({ target: "draft-2020-12" }));
  if (typeof schema.toJSONSchema === "function") return object(schema.toJSONSchema());
  if (typeof schema.toJsonSchema === "function") return object(schema.toJsonSchema());
  return object(schema.jsonSchema ?? (typeof given === "object" ? given : undefined));
}

/** A type without its `?`, and whether nil is allowed. */
interface Translated {
  text: string;
  nullable: boolean;
}

const ANY: Translated = { text: ":any", nullable: false };

class Translation {
  private readonly root: Schema;
  /** The schemas that contain the current one. */
  private readonly open = new Set<Schema>();
  private looked = 0;

  constructor(root: Schema) {
    this.root = root;
  }

  parameters(): string | undefined {
    const schema = this.resolved(this.root);
    return schema === undefined ? undefined : this.fields(schema);
  }

  result(): string {
    const { text, nullable } = this.type(this.root);
    return nullable ? optional(text) : text;
  }

  /** The fields of an object; undefined when it has none, or one whose name a signature can't write. */
  private fields(schema: Schema): string | undefined {
    const properties = object(schema.properties) ?? (schema.additionalProperties === false ? {} : undefined);
    if (properties === undefined) return undefined;
    const names = Object.keys(properties);
    if (!names.every((name) => NAME.test(name))) return undefined;
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    this.open.add(schema);
    const fields = names.map((name) => {
      const { text, nullable } = this.type(properties[name]);
      return `${name} ${text}${nullable || !required.includes(name) ? "?" : ""}`;
    });
    this.open.delete(schema);
    return fields.join(", ");
  }

  private type(given: unknown): Translated {
    const schema = this.resolved(given);
    if (schema === undefined || ++this.looked > MAX_SCHEMAS || this.open.size > MAX_DEPTH) return ANY;
    if (this.open.has(schema)) return { ...ANY, text: schema.properties === undefined ? ":any" : ":map" };
    this.open.add(schema);
    const choices = alternatives(schema);
    const type = choices === undefined ? { text: this.named(schema), nullable: false } : this.oneOf(choices);
    this.open.delete(schema);
    return schema.nullable === true ? { ...type, nullable: true } : type;
  }

  private oneOf(choices: readonly unknown[]): Translated {
    const kept = choices.filter((choice) => !isNull(choice));
    const types = kept.map((choice) => this.type(choice));
    const [{ text } = ANY] = types;
    return {
      text: types.every((type) => type.text === text) ? text : ":any",
      nullable: kept.length < choices.length || types.some((type) => type.nullable),
    };
  }

  private named(schema: Schema): string {
    const type = typeOf(schema);
    if (type === "array") return this.list(schema);
    if (type !== "object") return typeof type === "string" && Object.hasOwn(WORDS, type) ? `:${WORDS[type]}` : ":any";
    const fields = this.fields(schema);
    return fields ? `{${fields}}` : ":map";
  }

  private list({ items }: Schema): string {
    const { text, nullable } = this.type(items);
    return `[${nullable ? optional(text) : text}]`;
  }

  /** The schema, or the target of its `$ref`. */
  private resolved(given: unknown): Schema | undefined {
    let schema = object(given);
    for (let hops = 0; schema !== undefined && hops < MAX_DEPTH; hops++) {
      if (typeof schema.$ref === "string") schema = this.referred(schema.$ref);
      else if (Array.isArray(schema.allOf) && schema.allOf.length === 1 && schema.properties === undefined)
        schema = object(schema.allOf[0]);
      else return schema;
    }
    return undefined;
  }

  /** The target of a reference within this document. */
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

/** The type with nil, outside of a field. Lists and records can't be marked as optional there. */
function optional(type: string): string {
  return type.startsWith(":") ? `${type}?` : ":any";
}

/** The alternatives of a schema; for several types or constants, a schema of each. */
function alternatives(schema: Schema): readonly unknown[] | undefined {
  const { type, properties, enum: constants } = schema;
  if (typeof type === "string" || properties !== undefined) return undefined;
  for (const choices of [schema.anyOf, schema.oneOf]) if (Array.isArray(choices)) return choices;
  if (Array.isArray(type)) return type.map((one: unknown) => ({ ...schema, type: one }));
  return Array.isArray(constants) ? constants.map((constant: unknown) => ({ const: constant })) : undefined;
}

function typeOf({ type, properties, items, ...rest }: Schema): unknown {
  if (type !== undefined) return type;
  if (properties !== undefined) return "object";
  if (items !== undefined) return "array";
  const constant = rest.const;
  if (typeof constant === "number") return Number.isInteger(constant) ? "integer" : "number";
  return typeof constant;
}

function isNull(given: unknown): boolean {
  const schema = object(given);
  return schema !== undefined && (schema.type === "null" || schema.const === null);
}

function object(given: unknown): Schema | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  return typeof (given as { then?: unknown }).then === "function" ? undefined : (given as Schema);
}
