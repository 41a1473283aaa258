import { diffArrays, diffWordsWithSpace } from "diff";
import { estimate } from "turnfold/chat";
import type { RenderedMessage } from "./render.ts";

/** A line of a message, or the heading with the role of the message. */
export interface Line {
  readonly text: string;
  readonly isRole: boolean;
  /** The turns that the line comes from, and the kind of section that contains it. */
  readonly turns: readonly number[];
  readonly kind: string;
}

/** A piece of a line that is compared with its counterpart. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface ChangedLine extends Line {
  /** The pieces of the line; null or absent for a line without a counterpart. */
  readonly pieces?: readonly Piece[] | null;
  /** Whether the other side has the line at another place. */
  readonly isMoved?: boolean;
}

export interface Block {
  readonly kind: "same" | "added" | "removed";
  readonly lines: readonly ChangedLine[];
}

export interface Amount {
  readonly lines: number;
  readonly tokens: number;
}

export interface Differences {
  readonly blocks: readonly Block[];
  /** Lines that only one side has. */
  readonly added: Amount;
  readonly removed: Amount;
  /** Lines that both sides have, at different places. */
  readonly moved: Amount;
  /** False when the messages differ too much for lines to be matched. */
  readonly isMatched: boolean;
}

/**
 * The most changed lines that are matched, because matching takes quadratic time. Lines that are only added or only removed do
 * not count.
 */
const MAX_CHANGES = 600;

/** The compared part of a message. */
export type Compared = Pick<RenderedMessage, "role" | "content" | "sections">;

/** Compares messages line by line. */
export function differencesOf(before: readonly Compared[], after: readonly Compared[]): Differences {
  const { blocks, isMatched } = matched(linesOf(before), linesOf(after));
  return withAmounts(blocks, isMatched);
}

/**
 * Compares messages whose origin is known. Only changed messages are compared line by line.
 *
 * @param from for each message of `after`, the index of its origin in `before`; null for a new message. The indexes ascend.
 */
export function differencesFrom(
  before: readonly Compared[],
  after: readonly Compared[],
  from: readonly (number | null)[],
): Differences {
  const blocks: Open[] = [];
  let isMatched = true;
  let next = 0;
  const removeTo = (end: number): void => {
    join(blocks, "removed", linesOf(before.slice(next, end)));
    next = end;
  };
  for (const [afterIndex, index] of from.entries()) {
    const now = after[afterIndex] as Compared;
    if (index === null) {
      join(blocks, "added", linesOf([now]));
      continue;
    }
    removeTo(index);
    next = index + 1;
    const old = before[index] as Compared;
    if (old === now) join(blocks, "same", linesOf([now]));
    else {
      const inside = matched(linesOf([old]), linesOf([now]));
      blocks.push(...inside.blocks);
      isMatched &&= inside.isMatched;
    }
  }
  removeTo(before.length);
  return withAmounts(blocks, isMatched);
}

function withAmounts(blocks: readonly Block[], isMatched: boolean): Differences {
  const marked = withMoved(blocks);
  const lines = (kind: Block["kind"], isMoved: boolean): Amount =>
    amountOf(
      marked
        .filter((block) => block.kind === kind)
        .flatMap((block) => block.lines.filter((line) => (line.isMoved ?? false) === isMoved)),
    );
  return {
    blocks: marked,
    added: lines("added", false),
    removed: lines("removed", false),
    moved: lines("added", true),
    isMatched,
  };
}

/** The fewest characters of a line that counts as moved: fences, rules and blank lines are everywhere. */
const MIN_MOVED = 5;

/** Marks the removed lines that were added elsewhere, and these. */
function withMoved(blocks: readonly Block[]): readonly Block[] {
  const left = new Map<string, number>();
  const canMove = ({ text, isRole }: Line): boolean => !isRole && text.trim().length >= MIN_MOVED;
  for (const { kind, lines } of blocks)
    if (kind === "removed")
      for (const line of lines) if (canMove(line)) left.set(line.text, (left.get(line.text) ?? 0) + 1);
  const moved = new Map<string, number>();
  const take = (from: Map<string, number>, { text }: Line): boolean => {
    const count = from.get(text) ?? 0;
    from.set(text, count - 1);
    return count > 0;
  };
  const mark = (kind: Block["kind"], isMoved: (line: Line) => boolean) => (block: Block) =>
    block.kind === kind
      ? { kind, lines: block.lines.map((line) => (canMove(line) && isMoved(line) ? { ...line, isMoved: true } : line)) }
      : block;
  const added = blocks.map(
    mark("added", (line) => {
      const isMoved = take(left, line);
      if (isMoved) moved.set(line.text, (moved.get(line.text) ?? 0) + 1);
      return isMoved;
    }),
  );
  return moved.size === 0 ? blocks : added.map(mark("removed", (line) => take(moved, line)));
}

/** A block to which lines can be added. */
interface Open {
  readonly kind: Block["kind"];
  readonly lines: ChangedLine[];
}

/** Adds lines to the last block if it has their kind, else to a new block. */
function join(blocks: Open[], kind: Block["kind"], lines: readonly ChangedLine[]): void {
  if (lines.length === 0) return;
  let last = blocks.at(-1);
  if (last?.kind !== kind) {
    last = { kind, lines: [] };
    blocks.push(last);
  }
  for (const line of lines) last.lines.push(line);
}

function matched(
  old: readonly Line[],
  now: readonly Line[],
): { readonly blocks: readonly Open[]; readonly isMatched: boolean } {
  // Common first and last lines need no matching; they are most of a long history.
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && keyOf(old[start]) === keyOf(now[start])) start++;
  let end = 0;
  while (end < shorter - start && keyOf(old[old.length - 1 - end]) === keyOf(now[now.length - 1 - end])) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const changes = changesBetween(removed.map(keyOf), added.map(keyOf));

  const blocks: Open[] = [];
  const same = (lines: readonly Line[]): void => join(blocks, "same", lines);
  let from = start;
  let gone: readonly Line[] = [];
  let come: readonly Line[] = [];
  let fromOld = start;
  const flush = (): void => {
    blocks.push(...changed(gone, come));
    gone = [];
    come = [];
  };
  same(now.slice(0, start));
  for (const change of changes ?? [
    { count: removed.length, kind: "removed" },
    { count: added.length, kind: "added" },
  ]) {
    if (change.kind === "removed") {
      gone = [...gone, ...old.slice(fromOld, fromOld + change.count)];
      fromOld += change.count;
    } else if (change.kind === "added") {
      come = [...come, ...now.slice(from, from + change.count)];
      from += change.count;
    } else {
      flush();
      same(now.slice(from, from + change.count));
      from += change.count;
      fromOld += change.count;
    }
  }
  flush();
  same(now.slice(now.length - end));
  return { blocks, isMatched: changes !== null };
}

/** A number of consecutive lines that are the same, removed or added. */
interface Change {
  readonly kind: Block["kind"];
  readonly count: number;
}

/** The changes from one list to another; null when there are too many. */
function changesBetween(old: readonly string[], now: readonly string[]): readonly Change[] | null {
  const [ofOld, ofNow] = [new Set(old), new Set(now)];
  // Lines that only one list contains can't be matched. Without them, matching takes a fraction of the time and finds as much.
  const isAlone = { old: (key: string) => !ofNow.has(key), now: (key: string) => !ofOld.has(key) };
  const shared = [old.filter((key) => !isAlone.old(key)), now.filter((key) => !isAlone.now(key))] as const;
  const alone = old.length + now.length - shared[0].length - shared[1].length;
  const maxEditLength = MAX_CHANGES + Math.abs(old.length - now.length) - alone;
  const found = maxEditLength < 0 ? undefined : diffArrays(shared[0], shared[1], { maxEditLength });
  if (found === undefined) return null;

  const changes: { kind: Block["kind"]; count: number }[] = [];
  const add = (kind: Block["kind"]): void => {
    const last = changes.at(-1);
    if (last?.kind === kind) last.count++;
    else changes.push({ kind, count: 1 });
  };
  const at = { old: 0, now: 0 };
  const addAlone = (side: "old" | "now", keys: readonly string[]): void => {
    for (; at[side] < keys.length && isAlone[side](keys[at[side]] as string); at[side]++)
      add(side === "old" ? "removed" : "added");
  };
  for (const { count, removed, added } of found) {
    for (let each = 0; each < count; each++) {
      if (!added) addAlone("old", old);
      if (!removed) addAlone("now", now);
      add(removed ? "removed" : added ? "added" : "same");
      if (!added) at.old++;
      if (!removed) at.now++;
    }
  }
  addAlone("old", old);
  addAlone("now", now);
  return changes;
}

const keyOf = (line: Line | undefined): string =>
  line === undefined ? "" : line.isRole ? `role ${line.text}` : `line ${line.text}`;

function amountOf(lines: readonly Line[]): Amount {
  const texts = lines.filter(({ isRole }) => !isRole);
  return {
    lines: texts.length,
    tokens: texts.length === 0 ? 0 : estimate.count(texts.map(({ text }) => text).join("\n")),
  };
}

const known = new WeakMap<Compared, readonly Line[]>();

const linesOf = (messages: readonly Compared[]): readonly Line[] => {
  const [only] = messages;
  return messages.length === 1 && only !== undefined ? linesIn(only) : messages.flatMap(linesIn);
};

function linesIn(message: Compared): readonly Line[] {
  let lines = known.get(message);
  if (lines === undefined) {
    lines = linesOfMessage(message);
    known.set(message, lines);
  }
  return lines;
}

const NONE: readonly number[] = [];

function linesOfMessage({ role, content, sections }: Compared): Line[] {
  const lines: Line[] = [{ text: role, isRole: true, turns: NONE, kind: "" }];
  const segments = sections.flatMap(({ kind, segments: own }) =>
    own.map(({ text, turns }) => ({ kind, turns, length: text.length })),
  );
  let at = 0;
  let end = segments[0]?.length ?? content.length;
  let start = 0;
  for (const text of content.split("\n")) {
    while (end <= start && at + 1 < segments.length) {
      at++;
      end += segments[at]?.length ?? 0;
    }
    const { turns = NONE, kind = "" } = segments[at] ?? {};
    lines.push({ text, isRole: false, turns, kind });
    start += text.length + 1;
  }
  return lines;
}

/** The blocks for removed lines and the lines added in their place. */
function changed(removed: readonly Line[], added: readonly Line[]): Open[] {
  const gone: ChangedLine[] = [...removed];
  const come: ChangedLine[] = [...added];
  for (const [one, other] of pairsOf(removed, added)) {
    const pieces = piecesOf((removed[one] as Line).text, (added[other] as Line).text);
    if (pieces === null) continue;
    gone[one] = { ...(removed[one] as Line), pieces: pieces.removed };
    come[other] = { ...(added[other] as Line), pieces: pieces.added };
  }
  const blocks: Open[] = [
    { kind: "removed", lines: gone },
    { kind: "added", lines: come },
  ];
  return blocks.filter(({ lines }) => lines.length > 0);
}

const WORD = /^[\s;(]*([^\s()]+)/;
const firstWord = ({ text }: Line): string => WORD.exec(text)?.[1] ?? "";

/** Pairs lines with the same first word, such as those of one name or tool. */
function* pairsOf(removed: readonly Line[], added: readonly Line[]): Generator<readonly [number, number]> {
  const open = new Map<string, number[]>();
  for (const [index, line] of added.entries()) {
    const word = firstWord(line);
    if (line.isRole || word === "") continue;
    const places = open.get(word);
    if (places === undefined) open.set(word, [index]);
    else places.push(index);
  }
  for (const [index, line] of removed.entries()) {
    const other = line.isRole ? undefined : open.get(firstWord(line))?.shift();
    if (other !== undefined) yield [index, other];
  }
}

const LONGEST = 2000;
/** The least share of equal text for two lines to count as one changed line. */
const MIN_SHARED = 0.3;

function piecesOf(before: string, after: string): { removed: Piece[]; added: Piece[] } | null {
  if (Math.max(before.length, after.length) > LONGEST) return null;
  const changes = diffWordsWithSpace(before, after);
  const shared = changes.reduce((sum, change) => (change.added || change.removed ? sum : sum + change.value.length), 0);
  if (shared < MIN_SHARED * Math.max(before.length, after.length)) return null;
  const side = (without: "added" | "removed"): Piece[] =>
    changes
      .filter((change) => !change[without])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { removed: side("added"), added: side("removed") };
}
