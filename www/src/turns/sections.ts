import type { Rendered, SectionKind } from "turnfold";
import { reused, sameList } from "../page/reuse.ts";
import { balanced } from "../tokens/counts.ts";
import type { Drop, RenderedMessage, Section, Segment } from "./render.ts";

type Counting = (text: string) => number;

/** The messages of a rendering with their sections. Equal parts of the previous messages stay the same objects. */
export function messagesOf(
  { messages, sections }: Rendered,
  before: readonly RenderedMessage[],
  count: Counting,
): readonly RenderedMessage[] {
  const rows: Rendered["sections"][] = messages.map(() => []);
  for (const section of sections) rows[section.message]?.push(section);
  const first = messages.findIndex(({ role }) => role === "user");
  const made = messages.map(({ role, content }, index): RenderedMessage => {
    const tokens = count(content);
    // The origin of a custom strategy's text is not known: what begins a conversation is the task, and more of the user feedback.
    const kind =
      role === "system" ? "system" : role === "assistant" ? "program" : index === first ? "mission" : "feedback";
    const whole: Rendered["sections"][number] = { message: index, kind, start: 0, end: content.length, turns: [] };
    const own = sections.length > 0 ? (rows[index] ?? []) : [whole];
    const parts = sectionsOf(content, own, before[index]?.sections ?? [], count);
    return { role, content, tokens, sections: summing(parts, tokens, before[index]?.sections ?? []) };
  });
  return reused(before, made, sameMessage);
}

/** The omitted items. Equal items of the previous rendering stay the same objects. */
export const dropsOf = ({ dropped }: Rendered, before: readonly Drop[]): readonly Drop[] =>
  reused(before, dropped, sameDrop);

/** The tokens by kind of section, in order of appearance. A message without sections counts as `message`. */
export function sectionTotals(
  messages: readonly RenderedMessage[],
): (readonly [kind: SectionKind | "message", tokens: number])[] {
  const totals = new Map<SectionKind | "message", number>();
  const add = (kind: SectionKind | "message", tokens: number): void => {
    totals.set(kind, (totals.get(kind) ?? 0) + tokens);
  };
  for (const { sections, tokens } of messages) {
    if (sections.length === 0) add("message", tokens);
    for (const section of sections) add(section.kind, section.tokens);
  }
  return [...totals];
}

/** Adjusts the token counts of the sections, so that they add up to that of the message. */
function summing(sections: readonly Section[], whole: number, before: readonly Section[]): readonly Section[] {
  if (sections.length === 0) return sections;
  const tokens = balanced(
    sections.map(({ kind, tokens }) => ({ tokens, separates: kind === "separator" })),
    whole,
  );
  return reused(
    before,
    sections.map((section, index) => ({ ...section, tokens: tokens[index] ?? 0 })),
    sameSection,
  );
}

/** Merges neighbouring rows of one kind into a section. */
function sectionsOf(
  content: string,
  rows: Rendered["sections"],
  before: readonly Section[],
  count: Counting,
): readonly Section[] {
  const made: Section[] = [];
  for (let first = 0; first < rows.length; ) {
    const { kind, start } = rows[first] as Rendered["sections"][number];
    let next = first + 1;
    while (rows[next]?.kind === kind) next++;
    const own = rows.slice(first, next);
    const text = content.slice(start, own.at(-1)?.end);
    const known = before[made.length];
    const segments = segmentsOf(content, own);
    made.push({
      kind,
      text,
      tokens: count(text),
      segments: known?.kind === kind ? reused(known.segments, segments, sameSegment) : segments,
    });
    first = next;
  }
  return made;
}

/**
 * The segments of rows. The package puts a line break at the start of the next row, the page at the end of a segment, so that
 * segments are whole lines and omitted items can be shown between two of them.
 */
function segmentsOf(content: string, rows: Rendered["sections"]): Segment[] {
  const beginsLine = (row: Rendered["sections"][number] | undefined): boolean =>
    row !== undefined && content[row.start] === "\n";
  return rows.map((row, index) => ({
    text: content.slice(
      index > 0 && beginsLine(row) ? row.start + 1 : row.start,
      beginsLine(rows[index + 1]) ? row.end + 1 : row.end,
    ),
    turns: row.turns,
  }));
}

const sameMessage = (one: RenderedMessage, other: RenderedMessage): boolean =>
  one.role === other.role &&
  one.content === other.content &&
  one.tokens === other.tokens &&
  (one.sections === other.sections ||
    (one.sections.length === other.sections.length &&
      one.sections.every((section, index) => sameSection(section, other.sections[index] as Section))));

const sameSection = (one: Section, other: Section): boolean =>
  one.kind === other.kind &&
  one.text === other.text &&
  one.tokens === other.tokens &&
  (one.segments === other.segments ||
    (one.segments.length === other.segments.length &&
      one.segments.every((segment, index) => sameSegment(segment, other.segments[index] as Segment))));

const sameSegment = (one: Segment, other: Segment): boolean =>
  one.text === other.text && sameList(one.turns, other.turns);

const sameDrop = (one: Drop, other: Drop): boolean =>
  one.kind === other.kind && one.turn === other.turn && one.reason === other.reason && one.text === other.text;
