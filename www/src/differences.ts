import { diffArrays, diffWordsWithSpace } from "diff";
import { estimate } from "turnfold";
import type { Frame, RenderedMessage } from "./render.ts";

/** A line of a message, or the role above it. */
export interface Line {
  readonly text: string;
  readonly isRole: boolean;
  /** The turns that it comes from, and the kind of section that it is in. */
  readonly turns: readonly number[];
  readonly kind: string;
}

/** A piece of a line that is compared with its counterpart. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface ChangedLine extends Line {
  /** The pieces of the line; null for a line without a counterpart. */
  readonly pieces: readonly Piece[] | null;
}

export type Block =
  | { readonly kind: "same"; readonly lines: readonly Line[] }
  | { readonly kind: "added" | "removed"; readonly lines: readonly ChangedLine[] };

export interface Amount {
  readonly lines: number;
  readonly tokens: number;
}

export interface Differences {
  readonly blocks: readonly Block[];
  readonly added: Amount;
  readonly removed: Amount;
  /** False when the messages differ too much for lines to be matched. */
  readonly isMatched: boolean;
}

/**
 * The most changed lines that are matched with each other, because matching takes quadratic time. Lines that are only added
 * or only removed do not count.
 */
const MOST_CHANGES = 600;

/** Compares two frames line by line. */
export function differencesOf(before: Frame, after: Frame): Differences {
  const old = linesOf(before);
  const now = linesOf(after);
  // Equal starts and ends need no matching; they are most of a long history.
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && keyOf(old[start]) === keyOf(now[start])) start++;
  let end = 0;
  while (end < shorter - start && keyOf(old[old.length - 1 - end]) === keyOf(now[now.length - 1 - end])) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const maxEditLength = MOST_CHANGES + Math.abs(removed.length - added.length);
  const changes = diffArrays(removed.map(keyOf), added.map(keyOf), { maxEditLength });

  const blocks: Block[] = [];
  const same = (lines: readonly Line[]): void => {
    const last = blocks.at(-1);
    if (last?.kind === "same") blocks.splice(-1, 1, { kind: "same", lines: [...last.lines, ...lines] });
    else if (lines.length > 0) blocks.push({ kind: "same", lines });
  };
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
    { count: removed.length, removed: true, added: false },
    { count: added.length, removed: false, added: true },
  ]) {
    if (change.removed) {
      gone = [...gone, ...old.slice(fromOld, fromOld + change.count)];
      fromOld += change.count;
    } else if (change.added) {
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
  return {
    blocks,
    added: amountOf(blocks, "added"),
    removed: amountOf(blocks, "removed"),
    isMatched: changes !== undefined,
  };
}

const keyOf = (line: Line | undefined): string =>
  line === undefined ? "" : line.isRole ? `role ${line.text}` : `line ${line.text}`;

function amountOf(blocks: readonly Block[], kind: Block["kind"]): Amount {
  const lines = blocks.filter((block) => block.kind === kind).flatMap((block) => block.lines);
  const texts = lines.filter(({ isRole }) => !isRole);
  return {
    lines: texts.length,
    tokens: texts.length === 0 ? 0 : estimate.count(texts.map(({ text }) => text).join("\n")),
  };
}

const known = new WeakMap<RenderedMessage, readonly Line[]>();

const linesOf = ({ messages }: Frame): Line[] =>
  messages.flatMap((message) => {
    let lines = known.get(message);
    if (lines === undefined) {
      lines = linesOfMessage(message);
      known.set(message, lines);
    }
    return lines;
  });

function linesOfMessage({ role, content, sections }: RenderedMessage): Line[] {
  const lines: Line[] = [{ text: role, isRole: true, turns: [], kind: "" }];
  const stretches = sections.flatMap(({ kind, stretches: own }) =>
    own.map(({ text, turns }) => ({ kind, turns, length: text.length })),
  );
  let at = 0;
  let end = stretches[0]?.length ?? content.length;
  let start = 0;
  for (const text of content.split("\n")) {
    while (end <= start && at + 1 < stretches.length) {
      at++;
      end += stretches[at]?.length ?? 0;
    }
    const { turns = [], kind = "" } = stretches[at] ?? {};
    lines.push({ text, isRole: false, turns, kind });
    start += text.length + 1;
  }
  return lines;
}

/** Removed lines and the lines added in their place. */
function changed(removed: readonly Line[], added: readonly Line[]): Block[] {
  const gone: ChangedLine[] = removed.map((line) => ({ ...line, pieces: null }));
  const come: ChangedLine[] = added.map((line) => ({ ...line, pieces: null }));
  for (const [one, other] of pairsOf(removed, added)) {
    const pieces = piecesOf((removed[one] as Line).text, (added[other] as Line).text);
    if (pieces === null) continue;
    gone[one] = { ...(removed[one] as Line), pieces: pieces.removed };
    come[other] = { ...(added[other] as Line), pieces: pieces.added };
  }
  const blocks: Block[] = [
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
const LEAST_SHARED = 0.3;

function piecesOf(before: string, after: string): { removed: Piece[]; added: Piece[] } | null {
  if (Math.max(before.length, after.length) > LONGEST) return null;
  const changes = diffWordsWithSpace(before, after);
  const shared = changes.reduce((sum, change) => (change.added || change.removed ? sum : sum + change.value.length), 0);
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null;
  const side = (without: "added" | "removed"): Piece[] =>
    changes
      .filter((change) => !change[without])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { removed: side("added"), added: side("removed") };
}
