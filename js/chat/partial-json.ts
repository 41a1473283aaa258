import { setMember } from "../values/deep-copy.ts";

/** An object or list that is not closed yet. */
interface OpenValue {
  readonly value: Record<string, unknown> | unknown[];
  /** The key of the next member. */
  key: string;
  /** What a copy costs. */
  cost: number;
}

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end";

/** The cost of copying a list or an object, an item, and a member, in the time that copying an item takes. */
const COSTS = { value: 8, item: 1, member: 8 };

/** What copies may cost for each character, so that all of them take a time that is linear in the text. */
const CREDIT = 8;

/** Maximum length of a number or word. */
const MAX_TOKEN = 1000;

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Parses the JSON in a text that arrives in pieces; each piece is read once. The JSON begins with the first bracket.
 * Its last text, objects and lists may be incomplete; numbers and words count once something follows them.
 *
 * @internal
 */
export class PartialJson {
  private readonly stack: OpenValue[] = [];
  private expected: Expected = "value";
  /** True after the end of the JSON, and after a mistake in it. */
  private isOver = false;
  /** The text that is being read, a value or a key; null outside of texts. */
  private text: string | null = null;
  /** The beginning of an escape, a number or a word. */
  private rest = "";
  /** What a copy of all open values costs. */
  private cost = 0;
  private credit = 0;
  private hasChanged = false;

  /**
   * Reads the next piece. Returns a frozen copy of what there is so far, which shares its complete parts with earlier
   * copies; undefined when nothing has changed, or a copy would cost too much now.
   */
  add(piece: string): unknown {
    if (this.isOver) return undefined;
    this.credit += CREDIT * piece.length;
    this.read(this.rest + piece);
    if (!this.hasChanged || (this.cost > this.credit && !this.hasEnded())) return undefined;
    this.credit -= this.cost;
    this.hasChanged = false;
    return this.copy();
  }

  /** A method, because the compiler takes the member for unchanged. */
  private hasEnded(): boolean {
    return this.isOver;
  }

  private copy(): unknown {
    let inner: unknown = this.isInValue() ? this.text : null;
    let isShown = inner !== null;
    for (const { value, key } of [...this.stack].reverse()) {
      const copied = Array.isArray(value) ? value.slice() : { ...value };
      if (isShown) place(copied, key, inner);
      inner = Object.freeze(copied);
      isShown = true;
    }
    return inner;
  }

  private read(given: string): void {
    this.rest = "";
    let at = this.stack.length === 0 ? given.search(/[[{]/) : 0;
    if (at < 0) return;
    while (at < given.length && !this.isOver) {
      at = this.text === null ? this.readToken(given, at) : this.readText(given, at);
    }
  }

  /** Reads a part of a text. Returns where to go on. */
  private readText(given: string, start: number): number {
    let end = start;
    while (end < given.length && given[end] !== '"' && given[end] !== "\\") end++;
    if (end > start) this.addText(given.slice(start, end));
    if (given[end] === '"') {
      const text = this.text as string;
      this.text = null;
      if (this.isInValue()) this.addValue(text);
      else {
        (this.stack.at(-1) as OpenValue).key = text;
        this.expected = "colon";
      }
      return end + 1;
    }
    if (end === given.length) return end;
    const letter = given[end + 1];
    const length = letter === "u" ? 6 : 2;
    if (given.length < end + length) {
      this.rest = given.slice(end);
      return given.length;
    }
    const code = given.slice(end + 2, end + length);
    if (letter === "u" && /^[\da-f]{4}$/i.test(code)) this.addText(String.fromCharCode(Number.parseInt(code, 16)));
    else if (letter !== undefined && '"\\/bfnrt'.includes(letter)) this.addText(ESCAPES[letter] ?? letter);
    else this.isOver = true;
    return end + length;
  }

  private addText(part: string): void {
    this.text += part;
    if (this.isInValue()) this.hasChanged = true;
  }

  /** Reads one token outside of texts. Returns where to go on. */
  private readToken(given: string, at: number): number {
    const sign = given[at] as string;
    if (" \n\r\t".includes(sign)) return at + 1;
    const isKey = this.expected === "key" || this.expected === "key or end";
    const isValue = this.isInValue();
    if (sign === '"' && (isKey || isValue)) {
      this.text = "";
      if (isValue) this.hasChanged = true;
    } else if (sign === ":" && this.expected === "colon") this.expected = "value";
    else if (sign === "," && this.expected === "comma or end") this.expected = this.isInList() ? "value" : "key";
    else if (sign === "]" || sign === "}") this.close(sign);
    else if (isValue && sign === "[") this.open([], "value or end");
    else if (isValue && sign === "{") this.open({}, "key or end");
    else if (isValue) return this.readWord(given, at);
    else this.isOver = true;
    return at + 1;
  }

  /** Reads a number, true, false or null. */
  private readWord(given: string, start: number): number {
    let end = start;
    while (end < given.length && !" \n\r\t,]}".includes(given[end] as string)) end++;
    const word = given.slice(start, end);
    if (end === given.length && word.length <= MAX_TOKEN) this.rest = word;
    else {
      try {
        this.addValue(JSON.parse(word));
      } catch {
        this.isOver = true;
      }
    }
    return end;
  }

  private open(value: OpenValue["value"], expected: Expected): void {
    this.stack.push({ value, key: "", cost: COSTS.value });
    this.cost += COSTS.value;
    this.expected = expected;
    this.hasChanged = true;
  }

  private close(sign: string): void {
    const mayEnd =
      this.expected === "comma or end" || this.expected === "value or end" || this.expected === "key or end";
    if (!mayEnd || this.isInList() !== (sign === "]")) {
      this.isOver = true;
      return;
    }
    // The outermost value stays open: it is what is copied.
    if (this.stack.length === 1) this.isOver = true;
    else {
      const { value, cost } = this.stack.pop() as OpenValue;
      this.cost -= cost;
      this.addValue(Object.freeze(value));
    }
  }

  /** Adds a complete value to the open object or list. */
  private addValue(value: unknown): void {
    const open = this.stack.at(-1) as OpenValue;
    place(open.value, open.key, value);
    const cost = Array.isArray(open.value) ? COSTS.item : COSTS.member;
    open.cost += cost;
    this.cost += cost;
    this.expected = "comma or end";
    this.hasChanged = true;
  }

  private isInValue(): boolean {
    return this.expected === "value" || this.expected === "value or end";
  }

  private isInList(): boolean {
    return Array.isArray((this.stack.at(-1) as OpenValue).value);
  }
}

function place(into: Record<string, unknown> | unknown[], key: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value);
  else setMember(into, key, value);
}
