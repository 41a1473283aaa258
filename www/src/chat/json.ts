import { type Problem, problemOf } from "../page/problem.ts";

/** The range of a value in a JSON text, with the ranges of its elements and members. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  /** The elements of a list. */
  readonly items?: readonly JsonNode[];
  /** The members of an object. */
  readonly members?: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  /** The offset at which the name begins. */
  readonly start: number;
  readonly value: JsonNode;
}

/** A syntax error of a JSON text, with its position. */
export class JsonProblem extends Error {
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

/** More levels than any message may have. */
const MAX_LEVELS = 2000;

/**
 * Reads the ranges of all values in a JSON text, which `JSON.parse` does not return.
 *
 * @throws {JsonProblem}
 */
export function rangesIn(text: string): JsonNode {
  return new Reader(text).whole();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #levels = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonNode {
    const node = this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw this.#problem("The JSON ends before this: remove the rest");
    return node;
  }

  #value(): JsonNode {
    this.#space();
    const start = this.#at;
    switch (this.#text[start]) {
      case undefined:
        throw this.#problem("The text ends where a value is expected: it may have been cut");
      case "[":
        return this.#nested(() => this.#list(start));
      case "{":
        return this.#nested(() => this.#object(start));
      case '"':
        this.#string();
        break;
      case "'":
        throw this.#problem("Strings need double quotes: this must be JSON, not JavaScript");
      case "]":
      case "}":
      case ",":
        throw this.#problem("A value is missing before this");
      default:
        this.#word();
    }
    return { start, end: this.#at };
  }

  #nested(read: () => JsonNode): JsonNode {
    if (++this.#levels > MAX_LEVELS) throw this.#problem(`This is nested more than ${MAX_LEVELS} levels deep`);
    const node = read();
    this.#levels--;
    return node;
  }

  #list(start: number): JsonNode {
    const items: JsonNode[] = [];
    this.#at++;
    if (!this.#takes("]")) {
      do items.push(this.#value());
      while (this.#takesComma("]", "list", start));
    }
    return { start, end: this.#at, items };
  }

  #object(start: number): JsonNode {
    const members: JsonMember[] = [];
    this.#at++;
    if (!this.#takes("}")) {
      do members.push(this.#member());
      while (this.#takesComma("}", "object", start));
    }
    return { start, end: this.#at, members };
  }

  #member(): JsonMember {
    this.#space();
    const start = this.#at;
    if (this.#text[start] === "}") throw this.#problem("Remove the comma before this: nothing follows it");
    if (this.#text[start] === undefined)
      throw this.#problem("The text ends where a name is expected: it may have been cut");
    if (this.#text[start] !== '"') throw this.#problem("A name in double quotes is expected");
    const key = this.#string();
    if (!this.#takes(":")) throw this.#problem("A colon is expected between a name and its value");
    return { key, start, value: this.#value() };
  }

  /** Reads a comma or the closing bracket. Returns whether it was a comma. */
  #takesComma(end: string, what: string, start: number): boolean {
    if (this.#takes(end)) return false;
    if (this.#takes(",")) {
      this.#space();
      if (this.#text[this.#at] === end) throw this.#problem("Remove the comma before this: nothing follows it");
      return true;
    }
    if (this.#at >= this.#text.length)
      throw new JsonProblem(`The text ends before this ${what} does: it may have been cut`, start, start + 1);
    throw this.#problem(`A comma or ${end} is expected`);
  }

  #takes(sign: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    for (let sign = this.#text[this.#at]; sign !== '"'; sign = this.#text[this.#at]) {
      if (sign === undefined)
        throw new JsonProblem("This string has no end: a double quote is missing", start, start + 1);
      if (sign < " ") throw this.#problem("A string needs escapes for line breaks and control characters, such as \\n");
      this.#at += sign === "\\" ? this.#escape() : 1;
    }
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #escape(): number {
    ESCAPE.lastIndex = this.#at;
    const found = ESCAPE.exec(this.#text);
    if (found === null) throw this.#problem("This is not an escape of JSON: write a backslash as \\\\", 2);
    return found[0].length;
  }

  #word(): void {
    WORD.lastIndex = this.#at;
    const [found = ""] = WORD.exec(this.#text) ?? [];
    if (!KNOWN.test(found)) {
      const length = Math.max(found.length, 1);
      throw this.#problem("This is not a JSON value: strings need double quotes", length);
    }
    this.#at += found.length;
  }

  #problem(message: string, length = 1): JsonProblem {
    return new JsonProblem(message, this.#at, this.#at + length);
  }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const WORD = /[^\s,[\]{}":]+/y;
const KNOWN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * Formats a text with one line for each element and member. Values keep their spelling, including large numbers.
 *
 * @throws {JsonProblem}
 */
export function formatted(text: string): string {
  const parts: string[] = [];
  const write = (node: JsonNode, indent: string): void => {
    const inner = `${indent}  `;
    const children = node.items ?? node.members ?? [];
    if (children.length === 0) {
      // An empty list or object has no blanks between its brackets.
      parts.push(text.slice(node.start, node.end).replace(/^([[{])\s+(?=[\]}]$)/, "$1"));
      return;
    }
    const [open, close] = node.items === undefined ? "{}" : "[]";
    for (const [index, child] of children.entries()) {
      parts.push(index === 0 ? (open as string) : ",", "\n", inner);
      if ("key" in child) parts.push(text.slice(child.start, child.value.start).replace(/\s*:\s*$/, ": "));
      write("key" in child ? child.value : child, inner);
    }
    parts.push("\n", indent, close as string);
  };
  write(rangesIn(text), "");
  return parts.join("");
}

/** The line and column of an offset, both from 1. */
export function lineAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Splits a path such as `messages[2].content[0]["a b"]` into its keys, without the first one. */
export function keysOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)].map(([, name, index, quoted]) =>
    index !== undefined ? Number(index) : (name ?? (JSON.parse(quoted as string) as string)),
  );
}

/** The value at a path, or at the longest existing part of it. */
export function nodeAt(root: JsonNode, keys: readonly (string | number)[]): JsonNode {
  let node = root;
  for (const key of keys) {
    const next =
      typeof key === "number" ? node.items?.[key] : node.members?.findLast((member) => member.key === key)?.value;
    if (next === undefined) break;
    node = next;
  }
  return node;
}

/** The problem of a text that is not JSON. `error` is the error of `JSON.parse`. */
export function syntaxProblem(text: string, error: unknown): Problem {
  try {
    rangesIn(text);
  } catch (found) {
    if (found instanceof JsonProblem) return problemAt(text, found.message, found.start, found.end);
  }
  return problemOf(error);
}

export function problemAt(text: string, message: string, start: number, end: number): Problem {
  return { message, place: { start, end, ...lineAt(text, start) } };
}
