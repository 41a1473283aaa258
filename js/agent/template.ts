import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { toClojure } from "../sandbox/clojure.ts";
import { describe } from "../values/describe.ts";
import { Keyword } from "../values/values.ts";

/** A node of a template: text, a name, or a section with its children. */
type TemplateNode =
  | { kind: "text"; text: string }
  | { kind: "name"; name: string }
  | { kind: "section"; name: string; inverted: boolean; pieces: TemplateNode[] };

/**
 * A text with placeholders: `{{name}}`, `{{user.name}}`, and sections as in Mustache. `{{#items}}…{{/items}}` repeats
 * for each element, whose members and `{{.}}` can be used inside, and appears once for any other value that is present;
 * `{{^items}}…{{/items}}` appears when the value is null, false or an empty list, or when an optional input, or an
 * optional member of an input, is absent.
 * An opening or closing tag alone on its line removes the line.
 *
 * Strings are inserted unchanged, collections as Clojure text.
 *
 * @example
 * ```ts
 * const template = T`Find {{item}}{{#limit}} for less than {{limit}} euros{{/limit}}`;
 * template.expand({ item: "a lamp", limit: 40 }); // => 'Find a lamp for less than 40 euros'
 * ```
 */
export class Template {
  /** The names of its placeholders in the order of their first use; for a section the name of its list. */
  readonly placeholders: string[];
  /** The source of the template. */
  readonly source: string;
  private readonly pieces: readonly TemplateNode[];

  /** @internal */
  constructor(source: string) {
    if (typeof source !== "string") {
      throw new TurnfoldError("invalid_template", `a template is a text, got ${describe(source)}`);
    }
    this.source = source;
    this.pieces = parse(source);
    this.placeholders = [...new Set(namesOf(this.pieces))];
  }

  /**
   * Replaces the placeholders by values.
   *
   * @throws {TurnfoldError} `missing_placeholder` for a name without a value, `unused_value` for a value without a placeholder;
   * both list the names of the template.
   */
  expand(data: Record<string, unknown>): string {
    if (typeof data !== "object" || data === null) {
      throw new TurnfoldError("invalid_argument", `values are given by their names, got ${describe(data)}`);
    }
    const roots = new Set(this.placeholders.map(rootName));
    const unused = Object.keys(data).filter((name) => !roots.has(name));
    if (unused.length > 0) {
      throw new TurnfoldError("unused_value", `the template has no place for ${unused.join(", ")}`, {
        details: { names: unused, placeholders: this.placeholders },
        hint: this.placeholderHint(),
      });
    }
    return this.fill(data, () => false);
  }

  /** The template itself. */
  toString(): string {
    return this.source;
  }

  /**
   * As {@link Template.expand}, but unused values are allowed.
   *
   * @param isOptional true for the path of a value that expands to nothing when it is absent. The path of a member of
   * the elements of a list is that of a member of the list.
   *
   * @internal
   */
  fill(data: Record<string, unknown>, isOptional: (path: readonly string[]) => boolean): string {
    return wrapReadErrors("invalid_argument", "the values of the template", () =>
      render(this.pieces, [{ value: data, path: [] }], (name, scopes) => {
        if (scopes.some(({ path }) => isOptional([...path, ...name.split(".")]))) return null;
        throw new TurnfoldError("missing_placeholder", `there is no value for {{${name}}}`, {
          details: { name, given: Object.keys(data), placeholders: this.placeholders },
          hint: this.placeholderHint(),
        });
      }),
    );
  }

  private placeholderHint(): string {
    const { placeholders } = this;
    return placeholders.length === 0 ? "it takes none" : `it takes ${placeholders.join(", ")}`;
  }
}

/**
 * Makes a {@link Template}, as a tag or of a text: `{{ }}` is replaced later, `${ }` of a tagged text immediately and
 * unchanged.
 *
 * @example
 * ```ts
 * const mission = T`Find {{item}} for less than {{limit}} euros`;
 * mission.placeholders; // => [ 'item', 'limit' ]
 * mission.expand({ item: "a lamp", limit: 40 }); // => 'Find a lamp for less than 40 euros'
 * ```
 * @throws {TurnfoldError} `invalid_template`, with the offset in `details`.
 */
export function T(strings: TemplateStringsArray | string, ...values: unknown[]): Template {
  return wrapReadErrors("invalid_template", "the template", () => {
    if (!Array.isArray(strings)) return new Template(strings as string);
    let source = strings[0] as string;
    values.forEach((value, index) => {
      // Braces in an inserted string are escaped; an inserted template keeps its placeholders.
      const text = value instanceof Template ? value.source : textOf(value).replaceAll("{{", `{{${LITERAL}}}`);
      source += text + strings[index + 1];
    });
    return new Template(source);
  });
}

/** A tag that expands to two braces. */
const LITERAL = "={{";

const NAME = /^(?:\.|[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*)$/u;

function parse(source: string): TemplateNode[] {
  interface Open {
    name: string;
    at: number;
    pieces: TemplateNode[];
  }
  const open: Open[] = [{ name: "", at: 0, pieces: [] }];
  let from = 0;
  for (const [at, end] of tagsIn(source)) {
    const [tag, inside] = [source.slice(at, end), source.slice(at + 2, end - 2)];
    const top = open[open.length - 1] as Open;
    if (inside === LITERAL) {
      top.pieces.push({ kind: "text", text: `${source.slice(from, at)}{{` });
      from = at + tag.length;
      continue;
    }
    const mark = /^\s*[#^/]/.test(inside) ? inside.trim().charAt(0) : "";
    const name = inside.trim().slice(mark.length).trim();
    if (!NAME.test(name)) throw invalidTemplate(source, at, `${tag} is no name`, "names have letters, digits, - and _");
    const { before, after } = mark === "" ? { before: at, after: at + tag.length } : tagBounds(source, at, tag.length);
    if (before > from) top.pieces.push({ kind: "text", text: source.slice(from, before) });
    from = Math.max(from, after);
    if (mark === "") top.pieces.push({ kind: "name", name });
    else if (mark === "/") {
      if (open.length === 1 || top.name !== name) throw invalidTemplate(source, at, `${tag} closes no section`);
      open.pop();
    } else {
      const section: TemplateNode = { kind: "section", name, inverted: mark === "^", pieces: [] };
      top.pieces.push(section);
      open.push({ name, at, pieces: section.pieces });
    }
  }
  const top = open[open.length - 1] as Open;
  if (open.length > 1) throw invalidTemplate(source, top.at, `the section {{#${top.name}}} has no end`);
  if (from < source.length) top.pieces.push({ kind: "text", text: source.slice(from) });
  return top.pieces;
}

/** The ranges of the tags of a template. */
function* tagsIn(source: string): Generator<[start: number, end: number]> {
  for (let end = 0; ; ) {
    const start = source.indexOf("{{", end);
    const close = source.indexOf("}}", start + 2);
    if (start < 0 || close < 0) return;
    end = close + 2;
    yield [start, end];
  }
}

/** Returns the range of the tag, or of its line when the line contains nothing else. */
function tagBounds(source: string, at: number, length: number): { before: number; after: number } {
  let start = at;
  while (start > 0 && /[^\S\n]/.test(source.charAt(start - 1))) start--;
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(source.slice(at + length));
  const alone = rest !== null && (start === 0 || source[start - 1] === "\n");
  // At the end of a text, the line break before the tag is kept.
  return alone ? { before: start, after: at + length + rest[0].length } : { before: at, after: at + length };
}

function invalidTemplate(source: string, offset: number, problem: string, hint: string | null = null): TurnfoldError {
  const line = source.slice(0, offset).split("\n").length;
  return new TurnfoldError("invalid_template", `${problem} (line ${line})`, { details: { offset, line }, hint });
}

function namesOf(pieces: readonly TemplateNode[]): string[] {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [] : [piece.name]));
}

/** The part of a dotted name that is looked up first. */
function rootName(name: string): string {
  return name.split(".", 1)[0] as string;
}

/** A value whose members can be named, with its path in the data. */
interface Scope {
  value: unknown;
  path: readonly string[];
}

/** @param missing returns the value for a name without one, or throws. */
function render(
  pieces: readonly TemplateNode[],
  scopes: readonly Scope[],
  missing: (name: string, scopes: readonly Scope[]) => null,
): string {
  let text = "";
  for (const piece of pieces) {
    if (piece.kind === "text") {
      text += piece.text;
      continue;
    }
    const { value, path } = lookUp(piece.name, scopes) ?? { value: missing(piece.name, scopes), path: [] };
    if (piece.kind === "name") text += textOf(value);
    else if (piece.inverted) {
      if (isEmpty(value)) text += render(piece.pieces, scopes, missing);
    } else if (!isEmpty(value)) {
      const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const each of elements) text += render(piece.pieces, [...scopes, { value: each, path }], missing);
    }
  }
  return text;
}

function lookUp(name: string, scopes: readonly Scope[]): Scope | undefined {
  if (name === ".") return scopes[scopes.length - 1];
  const parts = name.split(".");
  for (const { value, path } of [...scopes].reverse()) {
    let found: { value: unknown } | undefined = { value };
    for (const part of parts) found = found === undefined ? undefined : member(found.value, part);
    if (found !== undefined) return { value: found.value, path: [...path, ...parts] };
  }
  return undefined;
}

function member(of: unknown, name: string): { value: unknown } | undefined {
  if (of instanceof Map) return of.has(name) ? { value: of.get(name) } : undefined;
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, name)) return undefined;
  const value = (of as Record<string, unknown>)[name];
  return value === undefined ? undefined : { value };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (value instanceof Keyword) return value.name;
  return toClojure(value, { filterHidden: true }).text;
}
