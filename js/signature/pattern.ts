// Tests texts by the patterns of JSON Schemas. Engines match regular expressions by backtracking, which takes exponential
// time for patterns such as `^(a+)+$`, and a schema may come from a server. Here a pattern becomes an automaton that
// reads the text once, in all its states at a time. The engine tests only single characters and single positions, so its
// tables of characters serve here too. Look-around is an automaton of its own that marks the positions at which it
// holds. Back-references are refused: no matcher of them is fast for all patterns.

import { TurnfoldError } from "../errors.ts";

/** Maximum number of states beyond the length of the pattern: repeated groups are written out. */
const MAX_COPIES = 1000;

/** The start of a group, a class, and what begins a character. */
const TOKENS = String.raw`\((?:\?(?:(<?[=!])|<[^>]*>|([a-z]*)-?([a-z]*):))?|\[(?:\\[^]|[^\]\\])*\]|[^\\]|\\(?:[1-9]\d*|0[0-7]{0,2}|`;
const UNICODE_TOKEN = new RegExp(
  String.raw`${TOKENS}[pPu]\{[^}]*\}|u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|x\w\w|c\w|[^])`,
  "uy",
);
/** Without Unicode mode, an incomplete escape is an escaped letter. */
const LOOSE_TOKEN = new RegExp(String.raw`${TOKENS}u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])`, "y");
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
/** Back-references, and escapes that without Unicode mode mean one or something else. */
const REFUSED = /^\\(?:[1-9k]|c$)/;

/** Tests one character or position of a text. */
class Probe {
  readonly isPosition: boolean;
  private readonly regExp: RegExp;
  private offset = -1;
  private isMatch = false;

  constructor(source: string, flags: string) {
    this.isPosition = /^(?:[$^]|\\[bB])$/.test(source);
    this.regExp = new RegExp(source, `${flags}y`);
  }

  /** Forgets the last result, for a new text. */
  reset(): void {
    this.offset = -1;
  }

  /** The states of an automaton may ask the same at one position. */
  test(text: string, offset: number): boolean {
    if (offset !== this.offset) {
      this.offset = offset;
      this.regExp.lastIndex = offset;
      this.isMatch = this.regExp.test(text);
    }
    return this.isMatch;
  }
}

/** The alternatives of a group. */
type Group = Piece[][];

/** A part of a pattern, which is repeated. */
interface Piece {
  readonly what: Probe | Group | Look;
  readonly min: number;
  readonly max: number;
}

/** A look-ahead or look-behind. */
interface Look {
  readonly start: State;
  readonly end: State;
  readonly isBackward: boolean;
  readonly isNegated: boolean;
  /** Whether it matches, by positions; null before the text is read. */
  matches: Uint8Array | null;
}

/** A state of an automaton. One with neither a run nor a condition leads to others at once. */
interface State {
  to: State[];
  /** Characters to read. */
  readonly run: { readonly probe: Probe; readonly min: number; readonly max: number } | undefined;
  /** What must hold at the position. */
  readonly condition: Probe | Look | undefined;
  /** The numbers of characters that were read before its runs began, ascending; empty between texts. */
  readonly starts: number[];
  /** The last step in which it was entered, of all steps ever. */
  step: number;
}

/** A text, and the offsets of its characters and of its end. */
interface Input {
  readonly text: string;
  readonly offsets: readonly number[];
}

/**
 * A pattern of a JSON Schema. Like the engine's `RegExp` with the flag `u`, or without it when only that can read the
 * pattern: many patterns escape characters that need no escape.
 *
 * @internal
 */
export class Pattern {
  private readonly source: string;
  private readonly isUnicode: boolean;
  private readonly probes = new Map<string, Probe>();
  private readonly looks: Look[] = [];
  private readonly whole: Pick<Look, "start" | "end" | "isBackward">;
  private place = 0;
  private stateCount = 0;
  private step = 0;

  /** @throws {TurnfoldError} `invalid_schema` */
  constructor(source: string) {
    this.source = source;
    this.isUnicode = isReadable(source, "u");
    if (!this.isUnicode && !isReadable(source, "")) throw this.unusable("which can't be read");
    this.whole = this.automaton(this.group(this.isUnicode ? "u" : ""), false);
  }

  /** Returns whether a part of the text matches. */
  test(text: string): boolean {
    for (const each of this.probes.values()) each.reset();
    for (const look of this.looks) look.matches = null;
    const offsets: number[] = [0];
    for (const character of this.isUnicode ? text : text.split(""))
      offsets.push((offsets.at(-1) as number) + character.length);
    return this.matches(this.whole, { text, offsets }, true).includes(1);
  }

  private unusable(problem: string, hint: string | null = null): TurnfoldError {
    const { source: pattern } = this;
    const message = `the JSON Schema has the pattern ${JSON.stringify(pattern)}, ${problem}`;
    return new TurnfoldError("invalid_schema", message, { details: { pattern }, hint });
  }

  // ── Reading, of patterns that the engine has accepted ──────────────────────────────────────────────────────────────

  private take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.place;
    const found = token.exec(this.source);
    this.place += found?.[0].length ?? 0;
    return found;
  }

  private group(flags: string): Group {
    const group: Group = [[]];
    while (this.place < this.source.length && this.source[this.place] !== ")") {
      if (this.take(/\|/y)) group.push([]);
      else group.at(-1)?.push(this.piece(flags));
    }
    return group;
  }

  private piece(flags: string): Piece {
    const what = this.unrepeated(flags);
    const [quantifier, sign, least, comma, most] = this.take(QUANTIFIER) ?? [];
    if (quantifier === undefined) return { what, min: 1, max: 1 };
    if (sign !== undefined)
      return { what, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    const min = Number(least);
    return { what, min, max: comma ? Number(most || Number.POSITIVE_INFINITY) : min };
  }

  private unrepeated(flags: string): Piece["what"] {
    const [token, look, added = "", removed = ""] = this.take(
      this.isUnicode ? UNICODE_TOKEN : LOOSE_TOKEN,
    ) as RegExpExecArray;
    if (REFUSED.test(token)) {
      throw this.unusable(
        `whose ${token} can't be matched in linear time`,
        "write the pattern without back-references and octal escapes",
      );
    }
    if (!token.startsWith("(")) {
      const key = `${flags}/${token}`;
      const probe = this.probes.get(key) ?? new Probe(token, flags);
      this.probes.set(key, probe);
      return probe;
    }
    const kept = [...new Set(flags + added)].filter((flag) => !removed.includes(flag)).join("");
    const group = this.group(kept);
    this.place++;
    if (look === undefined) {
      const [first, ...others] = group.flat();
      const isSingle = first !== undefined && others.length === 0 && group.length === 1;
      return isSingle && first.min === 1 && first.max === 1 ? first.what : group;
    }
    const automaton = this.automaton(group, !look.startsWith("<"));
    const found: Look = { ...automaton, isNegated: look.endsWith("!"), matches: null };
    this.looks.push(found);
    return found;
  }

  // ── Automata ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** @param isBackward whether it reads texts from the end to the start. */
  private automaton(group: Group, isBackward: boolean): Pick<Look, "start" | "end" | "isBackward"> {
    const end: State = { to: [], run: undefined, condition: undefined, starts: [], step: 0 };
    return { start: this.alternatives(group, end, isBackward), end, isBackward };
  }

  private state(to: State[], { run, condition }: Partial<Pick<State, "run" | "condition">> = {}): State {
    if (++this.stateCount > this.source.length + MAX_COPIES) {
      throw this.unusable("which repeats groups too often", "lower the numbers of repetitions, or repeat characters");
    }
    return { to, run, condition, starts: [], step: 0 };
  }

  private alternatives(group: Group, next: State, isBackward: boolean): State {
    const write = (to: State, piece: Piece) => this.repeated(piece, to, isBackward);
    const starts = group.map((pieces) => (isBackward ? pieces.reduce(write, next) : pieces.reduceRight(write, next)));
    return starts.length === 1 ? (starts[0] as State) : this.state(starts);
  }

  private repeated({ what, min, max }: Piece, next: State, isBackward: boolean): State {
    if (what instanceof Probe && !what.isPosition) {
      return max === 0 ? next : this.state([next], { run: { probe: what, min, max } });
    }
    const once = (to: State) =>
      Array.isArray(what) ? this.alternatives(what, to, isBackward) : this.state([to], { condition: what });
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      start = this.state([next]);
      start.to.push(once(start));
    } else for (let count = min; count < max; count++) start = this.state([once(start), next]);
    for (let count = 0; count < min; count++) {
      const before = once(start);
      if (before === start) break;
      start = before;
    }
    return start;
  }

  // ── Matching ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private holds(condition: Probe | Look, input: Input, position: number): boolean {
    if (condition instanceof Probe) return condition.test(input.text, input.offsets[position] as number);
    condition.matches ??= this.matches(condition, input, false);
    return (condition.matches[position] === 1) !== condition.isNegated;
  }

  /** Returns, by positions, whether a match of an automaton ends there; up to the first one if only that is needed. */
  private matches(
    { start, end, isBackward }: Pick<Look, "start" | "end" | "isBackward">,
    input: Input,
    isFirstEnough: boolean,
  ): Uint8Array {
    const length = input.offsets.length - 1;
    const ends = new Uint8Array(length + 1);
    /** The states that are reading characters. */
    let reading: State[] = [];
    const entered: State[] = [];
    for (let read = 0; ; read++) {
      const position = isBackward ? length - read : read;
      const step = ++this.step;
      entered.push(start);
      for (let state = entered.pop(); state !== undefined; state = entered.pop()) {
        if (state.step === step) continue;
        state.step = step;
        const { to, run, starts, condition } = state;
        if (state === end) ends[position] = 1;
        if (run !== undefined) {
          if (starts.length === 0) reading.push(state);
          // Of a run without a maximum the longest is enough.
          if (starts.length === 0 || run.max < Number.POSITIVE_INFINITY) starts.push(read);
        }
        if (run === undefined ? condition === undefined || this.holds(condition, input, position) : run.min === 0) {
          for (const each of to) entered.push(each);
        }
      }
      if (read === length || (isFirstEnough && ends[position] === 1)) break;
      const offset = input.offsets[isBackward ? position - 1 : position] as number;
      const before = reading;
      reading = [];
      for (const state of before) {
        const { run, starts, to } = state;
        const { probe, min, max } = run as NonNullable<State["run"]>;
        if (!probe.test(input.text, offset)) {
          starts.length = 0;
          continue;
        }
        const count = read + 1 - (starts[0] as number);
        if (count >= min) entered.push(to[0] as State);
        if (count === max) starts.shift();
        if (starts.length > 0) reading.push(state);
      }
    }
    for (const { starts } of reading) starts.length = 0;
    return ends;
  }
}

function isReadable(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
