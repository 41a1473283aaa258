import type { SectionKind } from "turnfold";
import { reused, sameList } from "../page/reuse.ts";
import type { Drop, Frame, RenderedMessage, Section } from "./render.ts";

/** Items of one kind that one rule omitted at one position in a message. */
export interface OmittedItems {
  readonly kind: Drop["kind"];
  readonly reason: string;
  readonly drops: readonly Drop[];
  /** Index of the section in which the items are shown or, when `segment` is null, before which they are shown. */
  readonly section: number;
  /** Index of the segment in that section before which they are shown; null for before the section itself. */
  readonly segment: number | null;
}

/** The kind of section that would show an omitted item. */
export const sectionOfDrop: Readonly<Record<Drop["kind"], SectionKind>> = {
  print: "output",
  toolCall: "toolCalls",
  sample: "user",
  definition: "user",
  error: "error",
  program: "program",
};

/** The order of sections in a message. A program precedes its effects. */
const order: readonly SectionKind[] = [
  "system",
  "mission",
  "tool",
  "data",
  "expected",
  "program",
  "user",
  "toolCalls",
  "output",
  "feedback",
  "error",
  "turnsLeft",
];

const NOTHING: readonly OmittedItems[] = [];

let lastFrame: Frame | null = null;
let last: readonly (readonly OmittedItems[])[] = [];

/** The omitted items of each message. Returns the list of the previous frame when nothing changed. */
export function omittedItemsOf(frame: Frame): readonly (readonly OmittedItems[])[] {
  if (frame === lastFrame) return last;
  if (lastFrame !== null && hasSamePositions(frame, lastFrame)) {
    lastFrame = frame;
    return last;
  }
  const made = placeItems(frame);
  last = frame.messages.map((_, index) => reused(last[index] ?? NOTHING, made.get(index) ?? NOTHING, sameItems));
  lastFrame = frame;
  return last;
}

/**
 * Whether the omitted items and their positions are the same. Positions depend on the turns of segments and on the names in
 * `user/`, not on the text of a print.
 */
const hasSamePositions = (one: Frame, other: Frame): boolean =>
  one.dropped === other.dropped &&
  one.messages.length === other.messages.length &&
  one.messages.every((message, index) => {
    const { role, sections } = other.messages[index] as RenderedMessage;
    return (
      message.role === role &&
      message.sections.length === sections.length &&
      message.sections.every((section, at) => isSamePosition(section, sections[at] as Section))
    );
  });

const isSamePosition = (one: Section, other: Section): boolean =>
  one.segments === other.segments ||
  (one.kind === other.kind &&
    one.kind !== "user" &&
    one.segments.length === other.segments.length &&
    one.segments.every(({ turns }, index) => sameList(turns, other.segments[index]?.turns ?? [])));

const sameItems = (one: OmittedItems, other: OmittedItems): boolean =>
  one.kind === other.kind &&
  one.reason === other.reason &&
  one.section === other.section &&
  one.segment === other.segment &&
  sameList(one.drops, other.drops);

interface Group extends OmittedItems {
  readonly drops: Drop[];
}

function placeItems({ messages, dropped }: Frame): Map<number, Group[]> {
  const placed = new Map<number, Group[]>();
  if (dropped.length === 0) return placed;
  const homeOf = homes(messages);
  const lineOf = definitionLines(messages);
  const groups = new Map<string, Group>();
  for (const drop of dropped) {
    const home = homeOf(drop.turn);
    const message = messages[home];
    if (message === undefined || message.sections.length === 0) continue;
    const { kind, reason } = drop;
    const { section, segment } = positionIn(message, drop, (name) => lineOf(home, name));
    const key = `${home} ${section} ${segment} ${kind} ${reason}`;
    const group = groups.get(key);
    if (group !== undefined) {
      group.drops.push(drop);
      continue;
    }
    const made = { kind, reason, drops: [drop], section, segment };
    groups.set(key, made);
    const list = placed.get(home);
    if (list === undefined) placed.set(home, [made]);
    else list.push(made);
  }
  return placed;
}

/** Finds the index of the message that shows a turn, or else the nearest earlier turn. */
function homes(messages: readonly RenderedMessage[]): (turn: number) => number {
  const shownIn = new Map<number, number>();
  for (const [index, { sections }] of messages.entries())
    for (const { segments } of sections)
      for (const { turns } of segments) for (const turn of turns) shownIn.set(turn, index);
  const first = messages.findIndex(({ role }) => role === "user");
  return (turn) => {
    for (let nearest = turn; nearest > 0; nearest--) {
      const index = shownIn.get(nearest);
      if (index !== undefined) return messages[index]?.role === "assistant" ? index + 1 : index;
    }
    return first;
  };
}

type Position = Pick<OmittedItems, "section" | "segment">;

function positionIn({ sections }: RenderedMessage, drop: Drop, lineOf: (name: string) => number | undefined): Position {
  const kind = sectionOfDrop[drop.kind];
  const section = sections.findIndex((candidate) => candidate.kind === kind);
  const segments = sections[section]?.segments;
  if (segments === undefined) {
    const later = sections.findIndex((candidate) => order.indexOf(candidate.kind) > order.indexOf(kind));
    return { section: later < 0 ? sections.length : later, segment: null };
  }
  switch (drop.kind) {
    case "sample":
    case "definition": {
      const line = lineOf(nameIn(drop.text));
      // A replaced value is placed above the new one, a sample below its name.
      const after = drop.kind === "sample" ? 1 : 0;
      return { section, segment: line === undefined ? segments.length : line + after };
    }
    case "print":
    case "toolCall": {
      // The rest of a print, and the middle of an output, follow what is shown of them; everything else is older.
      const rest = drop.reason === "print_length" || drop.reason === "output_length";
      const next = segments.findIndex(({ turns }) =>
        turns.some((turn) => (rest ? turn > drop.turn : turn >= drop.turn)),
      );
      return { section, segment: next < 0 ? segments.length : next };
    }
    default:
      return { section, segment: null };
  }
}

const NAME = /^\(?([^\s()]+)/;

/** The name that a line of `user/`, or the sample of a value, begins with. */
const nameIn = (line: string): string => NAME.exec(line)?.[1] ?? "";

/** Finds the index of the segment in `user/` with a name, by the index of the message. */
function definitionLines(messages: readonly RenderedMessage[]): (message: number, name: string) => number | undefined {
  const known = new Map<number, Map<string, number>>();
  return (index, name) => {
    let names = known.get(index);
    if (names === undefined) {
      names = new Map();
      const user = messages[index]?.sections.find(({ kind }) => kind === "user");
      for (const [at, { text }] of user?.segments.entries() ?? [])
        for (const line of text.split("\n")) if (line !== "") names.set(nameIn(line), at);
      known.set(index, names);
    }
    return names.get(name);
  };
}
