import { diffArrays, diffWordsWithSpace } from "diff";
import { estimate } from "turnfold";
import type { Frame, RenderedMessage } from "./render.ts";

/** A line of a message, or the role that stands over one. */
export interface Line {
  readonly text: string;
  readonly isRole: boolean;
  /** The turns that it comes from, and the kind of section that it is in. */
  readonly turns: readonly number[];
  readonly kind: string;
}

/** A piece of a line that stands opposite another one. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface ChangedLine extends Line {
  /** The line piece by piece; null where it stands opposite none. */
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
  /** False when they are so far apart that lines were not matched. */
  readonly isMatched: boolean;
}

/**
 * Lines that take each other's place, at most: matching takes the square of it, and more of them nobody reads one by one.
 * What only came or only went takes no matching.
 */
const MOST_CHANGES = 600;

/** What became of the lines of one frame in another. */
export function differencesOf(before: Frame, after: Frame): Differences {
  const old = linesOf(before);
  const now = linesOf(after);
  // The ends that are the same need no matching; most of a long history is in them.
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

/** Lines that went and lines that came in their place. */
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

/** Lines that begin alike stand opposite each other: those of one name, of one tool. */
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
/** Lines that share less than this are two lines, not one that changed. */
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
