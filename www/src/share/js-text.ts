import { Float, Fn, Keyword, Ref } from "turnfold/turns";

const WIDTH = 100;

/** Code in place of a value. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The key of an entry whose value is spread into the object. */
export const SPREAD = Symbol("...");

/** The entry of the values that JavaScript has no type for. */
const VALUES = "turnfold/turns";

/** Writes values as JavaScript expressions, and collects the imports that the expressions need. */
export class JsWriter {
  readonly #entry: string;
  readonly #used = new Map<string, Set<string>>();

  /** `entry` is that of the names which {@link use} imports. */
  constructor(entry: string) {
    this.#entry = entry;
  }

  /** Imports a name. */
  use(name: string, entry = this.#entry): string {
    this.bring(entry).add(name);
    return name;
  }

  /** Imports an entry, and returns the names that are imported from it. */
  bring(entry: string): Set<string> {
    const names = this.#used.get(entry) ?? new Set<string>();
    this.#used.set(entry, names);
    return names;
  }

  get imports(): string {
    const known = new Set<string>();
    return [...this.#used]
      .sort()
      .map(([entry, names]) => {
        // Entries share their names.
        const own = [...names].filter((name) => !known.has(name)).sort();
        for (const name of own) known.add(name);
        return own.length === 0 ? `import "${entry}";` : `import { ${own.join(", ")} } from "${entry}";`;
      })
      .join("\n");
  }

  /** Writes a value. `depth` is the indentation level of the line that contains it. */
  value(value: unknown, depth = 0): string {
    switch (typeof value) {
      case "string":
        return textOf(value);
      case "number":
        return numberOf(value);
      case "bigint":
        return `${value}n`;
      case "boolean":
        return String(value);
      case "object":
        return value === null ? "null" : this.#object(value, depth);
      case "undefined":
        return "undefined";
      default:
        throw new TypeError("A function of the page can’t be written as code");
    }
  }

  /** An object literal without undefined members. */
  members(entries: readonly (readonly [string | typeof SPREAD, unknown])[], depth: number): string {
    const written = entries
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => {
        const text = this.value(value, depth + 1);
        if (key === SPREAD) return `...${text}`;
        return value instanceof Code && text === key ? text : `${keyOf(key)}: ${text}`;
      });
    return bracketed("{", written, "}", depth, " ");
  }

  call(name: string, args: readonly unknown[], depth: number, entry = this.#entry): string {
    return bracketed(
      `${this.use(name, entry)}(`,
      args.map((each) => this.value(each, depth + 1)),
      ")",
      depth,
    );
  }

  #object(value: object, depth: number): string {
    if (value instanceof Code) return value.text;
    if (Array.isArray(value)) return this.#list("[", value, "]", depth);
    if (value instanceof Keyword) return this.call("keyword", [value.name], depth, VALUES);
    if (value instanceof Float) return `${this.use("float", VALUES)}(${numberOf(value.value)})`;
    if (value instanceof Ref) return `new ${this.use("Ref", VALUES)}("${value.kind}", ${textOf(value.text)})`;
    if (value instanceof Fn) return this.#fn(value, depth);
    if (value instanceof Date) return `new Date(${value.getTime()})`;
    if (value instanceof Set) return value.size === 0 ? "new Set()" : this.#list("new Set([", [...value], "])", depth);
    if (value instanceof Map) return value.size === 0 ? "new Map()" : this.#list("new Map([", [...value], "])", depth);
    return this.members(Object.entries(value), depth);
  }

  #list(open: string, items: readonly unknown[], close: string, depth: number): string {
    return bracketed(
      open,
      items.map((each) => this.value(each, depth + 1)),
      close,
      depth,
    );
  }

  #fn({ builtin, name, params, doc, returnType }: Fn, depth: number): string {
    if (builtin) return `new ${this.use("Fn", VALUES)}({ name: ${textOf(name ?? "")} })`;
    const members = [
      ["params", params === "" ? undefined : params],
      ["doc", doc ?? undefined],
      ["returnType", returnType ?? undefined],
    ] as const;
    return `${this.use("fn", VALUES)}(${this.members(members, depth)})`;
  }
}

export const indent = (depth: number): string => "  ".repeat(depth);

/** Writes a list of items on one line if it fits, else with one line for each item. */
function bracketed(open: string, items: readonly string[], close: string, depth: number, space = ""): string {
  if (items.length === 0) return open + close;
  const length = items.reduce((sum, item) => sum + item.length + 2, open.length + close.length + 2 * depth);
  if (length <= WIDTH && !items.some((item) => item.includes("\n"))) {
    return `${open}${space}${items.join(", ")}${space}${close}`;
  }
  const lines = items.map((item) => `${indent(depth + 1)}${item},\n`);
  return `${open}\n${lines.join("")}${indent(depth)}${close}`;
}

function numberOf(value: number): string {
  if (Number.isNaN(value)) return "Number.NaN";
  return Object.is(value, -0) ? "-0" : String(value);
}

const NAME = /^[A-Za-z_$][\w$]*$/;

function keyOf(key: string): string {
  // A plain `__proto__` member would set the prototype.
  if (key === "__proto__") return '["__proto__"]';
  return NAME.test(key) ? key : JSON.stringify(key);
}

// Characters to escape: a template literal turns a carriage return into a line feed; the others are invisible or can't be saved.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match them.
const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

const escaped = (text: string): string =>
  text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A text of several lines as a template literal, whose lines are not indented. */
export function textOf(text: string): string {
  if (!text.includes("\n") || text.length < 24) return escaped(JSON.stringify(text));
  return `\`${escaped(text.replace(/[\\`]|\$(?=\{)/g, "\\$&"))}\``;
}
