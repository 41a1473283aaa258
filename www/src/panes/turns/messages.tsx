import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SectionKind } from "turnfold";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Find } from "../../controls/find.tsx";
import { Icon } from "../../controls/icon.tsx";
import { Text } from "../../controls/text.tsx";
import { MAX_ROWS, type RowProps, rowsOfVirtual, showRow, VirtualList } from "../../controls/virtual-list.tsx";
import { formatted } from "../../page/numbers.ts";
import { memo } from "../../page/reuse.ts";
import { showsOmitted } from "../../page/view.ts";
import { type OmittedItems, omittedItemsOf } from "../../turns/omitted.ts";
import { goToTurn, showSegment } from "../../turns/provenance.ts";
import type { Frame, RenderedMessage, Section, Segment } from "../../turns/render.ts";
import { OmittedBox, OmittedRow } from "./omitted.tsx";
import { sectionNames } from "./section-names.ts";
import { SourceButton } from "./source-button.tsx";
import { useHighlightedChanges } from "./use-highlighted-changes.ts";

const NOTHING: readonly OmittedItems[] = [];

/** The names of the list of messages and of the list of lines of a section. */
const MESSAGES = "messages";
const linesOf = (message: number, section: number): string => `lines ${message} ${section}`;

export function Messages({ frame }: { readonly frame: Frame }) {
  useHighlightedChanges(frame);
  const omitted = showsOmitted.value ? omittedItemsOf(frame) : [];
  // Whether a message was opened or closed, by its index. Messages far from the screen are not rendered and lose their state.
  const opened = useRef(new Map<number, boolean>());
  useEffect(() => {
    const show = (turn: number, kinds: readonly SectionKind[] | null): void =>
      void showSegmentOf(frame, omitted, turn, kinds);
    showSegment.current = show;
    return () => {
      if (showSegment.current === show) showSegment.current = null;
    };
  }, [frame, omitted]);
  return (
    <>
      <Find list={MESSAGES} label="Find a message" what="message" items={frame.messages} textOf={textOfMessage} />
      {/* Keys on the buttons inside are handled by the browser. */}
      <VirtualList
        name={MESSAGES}
        items={frame.messages}
        rowHeight={200}
        gap={10}
        class="messages"
        label="Messages"
        onClick={openSource}
        onKeyDown={moveAmongSources}
      >
        {(message, index, row) => (
          <MessageCard
            key={`${index} ${message.role}`}
            row={row}
            message={message}
            number={index + 1}
            omitted={omitted[index] ?? NOTHING}
            opened={opened.current}
          />
        )}
      </VirtualList>
    </>
  );
}

const textOfMessage = ({ content }: RenderedMessage): string => content.toLowerCase();

/** Scrolls to the first segment of a turn, when none of its segments is rendered. */
async function showSegmentOf(
  { messages }: Frame,
  omitted: readonly (readonly OmittedItems[])[],
  turn: number,
  kinds: readonly SectionKind[] | null,
): Promise<void> {
  for (const [index, { sections }] of messages.entries()) {
    for (const [at, { kind, segments }] of sections.entries()) {
      const line = segments.findIndex(({ turns }) => turns.includes(turn));
      if (line < 0 || !(kinds === null || kinds.includes(kind))) continue;
      await showRow(MESSAGES, index, "nearest");
      await showLine(omitted, index, at, line);
      return;
    }
  }
}

async function showLine(
  omitted: readonly (readonly OmittedItems[])[],
  message: number,
  section: number,
  segment: number,
): Promise<void> {
  const inside = insideOf(omitted[message] ?? NOTHING, section);
  const before = inside.filter((each) => (each.segment ?? 0) <= segment).length;
  await showRow(linesOf(message, section), segment + before, "center");
}

/** Opens a message and scrolls to the line at an offset of its content, from any scroll position. */
export async function showText(frame: Frame, message: number, offset: number): Promise<void> {
  const card = await showRow(MESSAGES, message, "nearest");
  card?.querySelector<HTMLButtonElement>('.message-toggle[aria-expanded="false"]')?.click();
  await new Promise((rendered) => requestAnimationFrame(rendered));
  let end = 0;
  for (const [section, { segments }] of frame.messages[message]?.sections.entries() ?? []) {
    for (const [segment, { text }] of segments.entries()) {
      end += text.length;
      if (offset >= end) continue;
      await showLine(showsOmitted.value ? omittedItemsOf(frame) : [], message, section, segment);
      return;
    }
  }
}

const SOURCE = ".source";

function openSource({ target }: Event): void {
  const turn = target instanceof Element ? target.closest<HTMLElement>(SOURCE)?.dataset.turn : undefined;
  if (turn !== undefined) goToTurn(Number(turn));
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Each message is one stop of the Tab key; arrow keys move between its buttons. */
function moveAmongSources(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { target, currentTarget, key } = event;
  const step = steps[key];
  if (step === undefined || !(target instanceof Element) || !target.matches(SOURCE)) return;
  event.preventDefault();
  const move = (): void => {
    const all = [...currentTarget.querySelectorAll<HTMLElement>(SOURCE)].filter((source) => source.checkVisibility());
    all[step(all.indexOf(target as HTMLElement), all.length)]?.focus();
  };
  if (key === "Home" || key === "End") void showEdge(currentTarget, key === "End").then(move);
  else move();
}

/** Scrolls to the first or last line, which may not be rendered. */
async function showEdge(messages: HTMLElement, isEnd: boolean): Promise<void> {
  const edge = async (name: string | undefined): Promise<void> => {
    const rows = name === undefined ? 0 : rowsOfVirtual(name);
    if (rows > 0) await showRow(name as string, isEnd ? rows - 1 : 0);
  };
  await edge(MESSAGES);
  await edge([...messages.querySelectorAll<HTMLElement>("[data-virtual]")].at(isEnd ? -1 : 0)?.dataset.list);
}

interface MessageCardProps {
  readonly row: RowProps;
  readonly message: RenderedMessage;
  readonly number: number;
  readonly omitted: readonly OmittedItems[];
  readonly opened: Map<number, boolean>;
}

const MessageCard = memo(({ row, message, number, omitted, opened }: MessageCardProps) => {
  const { role, content, tokens, sections } = message;
  // The system text is the same for all turns and missions, so it is folded at first.
  const open = useSignal(opened.get(number) ?? role !== "system");
  const bodyId = `message-${number}`;
  return (
    <li
      {...row}
      class="message"
      data-role={role}
      data-number={number}
      data-open={open.value || undefined}
      data-long={isLong(sections) || undefined}
    >
      <div class="message-head">
        <h3>
          <button
            type="button"
            class="message-toggle"
            aria-expanded={open.value}
            aria-controls={bodyId}
            onClick={() => {
              open.value = !open.value;
              opened.set(number, open.value);
            }}
          >
            <Icon name="chevron" />
            <span class="message-role">{role}</span>
            <span class="message-tokens">{formatted(tokens)} tokens</span>
          </button>
        </h3>
        <CopyButton text={content} label={`Copy message ${number}, ${role}`} />
      </div>
      {sections.length > 2 && <TokenBar sections={sections} />}
      <div class="message-body" id={bodyId} hidden={!open.value}>
        {open.value &&
          (sections.length === 0 ? (
            <div class="section-text">
              <Text text={content} />
            </div>
          ) : (
            <Sections sections={sections} omitted={omitted} message={number - 1} />
          ))}
      </div>
    </li>
  );
});

/** The tokens of a message by section. The labels of the sections show the same numbers. */
const TokenBar = ({ sections }: { readonly sections: readonly Section[] }) => (
  <div class="token-bar" aria-hidden="true">
    {sections.map(({ kind, tokens }, index) =>
      kind === "separator" ? null : (
        <span
          key={index}
          data-kind={kind}
          style={{ flexGrow: tokens }}
          title={`${sectionNames[kind]}: ${tokens} tokens`}
        />
      ),
    )}
  </div>
);

interface SectionsProps {
  readonly sections: readonly Section[];
  readonly omitted: readonly OmittedItems[];
  /** Index of the message. */
  readonly message: number;
}

/** Whether a message is too long to have all its lines rendered. */
const isLong = (sections: readonly Section[]): boolean =>
  sections.some(({ segments }) => segments.length > MAX_ROWS - MAX_BOXES);

/** An upper bound for the boxes of omitted items in a section; items are grouped into boxes. */
const MAX_BOXES = 40;

/** The items omitted within a section, in the order of its segments. */
const insideOf = (omitted: readonly OmittedItems[], section: number): readonly OmittedItems[] =>
  omitted.filter((each) => each.section === section && each.segment !== null);

function Sections({ sections, omitted, message }: SectionsProps) {
  const rowsBefore = (index: number) =>
    omitted
      .filter(({ section, segment }) => section === index && segment === null)
      .map((each) => <OmittedRow key={`${each.kind} ${each.reason}`} omitted={each} />);
  const inside = (index: number): readonly OmittedItems[] => {
    const own = insideOf(omitted, index);
    return own.length === 0 ? NOTHING : own;
  };
  // When a message is not rendered as a whole, each section has the offset of its text.
  const isPartial = isLong(sections);
  let start = 0;
  const startOf = ({ text }: Section): number => {
    start += text.length;
    return start - text.length;
  };
  const tabStop = sections.findIndex(({ segments }) => segments.some(({ turns }) => turns.length > 0));
  return (
    <>
      {sections.map((section, index) => [
        ...rowsBefore(index),
        <SectionBlock
          key={index}
          section={section}
          omitted={inside(index)}
          isTabStop={index === tabStop}
          start={isPartial ? startOf(section) : undefined}
          name={linesOf(message, index)}
        />,
      ])}
      {rowsBefore(sections.length)}
    </>
  );
}

interface SectionBlockProps {
  readonly section: Section;
  readonly omitted: readonly OmittedItems[];
  /** Whether the first segment with a turn is the tab stop of the message. */
  readonly isTabStop: boolean;
  /** The offset of the text in the message; undefined when the whole message is rendered. */
  readonly start: number | undefined;
  /** The name of the list of its lines. */
  readonly name: string;
}

/** A section with more lines is rendered only near the screen. */
const MAX_LINES = 12;

/** A segment, or the items omitted before it. */
type LineItem =
  | { readonly omitted: OmittedItems }
  | { readonly segment: Segment; readonly index: number; readonly start: number | undefined };

function linesIn({ segments }: Section, omitted: readonly OmittedItems[], start: number | undefined): LineItem[] {
  const lines: LineItem[] = [];
  let at = start;
  const boxesBefore = (index: number): void => {
    for (const each of omitted) if (each.segment === index) lines.push({ omitted: each });
  };
  for (const [index, segment] of segments.entries()) {
    boxesBefore(index);
    lines.push({ segment, index, start: at });
    if (at !== undefined) at += segment.text.length;
  }
  boxesBefore(segments.length);
  return lines;
}

const SectionBlock = memo(({ section, omitted, isTabStop, start, name }: SectionBlockProps) => {
  const { kind, text, tokens, segments } = section;
  if (kind === "separator")
    return (
      <div class="separator" data-from={start}>
        {text}
      </div>
    );
  const lines = linesIn(section, omitted, start);
  const tabStop = isTabStop ? segments.findIndex(({ turns }) => turns.length > 0) : -1;
  const stopRow = lines.findIndex((line) => "segment" in line && line.index === tabStop);
  return (
    <div
      class="section"
      data-kind={kind}
      data-length={start === undefined ? undefined : text.length}
      data-long={(start === undefined && segments.length > MAX_LINES) || undefined}
    >
      <div class="section-label">
        <span class="section-name">{sectionNames[kind]}</span>
        <span class="section-tokens">
          {tokens}
          <span class="visually-hidden"> tokens</span>
        </span>
      </div>
      <VirtualList
        name={name}
        items={lines}
        rowHeight={24}
        gap={0}
        isText
        class="section-body"
        keeps={stopRow < 0 ? undefined : stopRow}
      >
        {(line, _, row) =>
          "segment" in line ? (
            <SegmentLine
              key={line.index}
              row={row}
              segment={line.segment}
              kind={kind}
              isTabStop={line.index === tabStop}
              start={line.start}
            />
          ) : (
            <OmittedBox
              key={`${line.omitted.kind} ${line.omitted.reason} ${line.omitted.segment}`}
              row={row}
              omitted={line.omitted}
            />
          )
        }
      </VirtualList>
    </div>
  );
});

interface SegmentLineProps {
  readonly row: RowProps;
  readonly segment: Segment;
  readonly kind: string;
  readonly isTabStop: boolean;
  readonly start: number | undefined;
}

const SegmentLine = memo(({ row, segment: { text, turns }, kind, isTabStop, start }: SegmentLineProps) =>
  turns.length === 0 ? (
    <div {...row} class="section-text" data-from={start}>
      <Text text={text} />
    </div>
  ) : (
    <div {...row} class="segment" data-kind={kind} data-turns={turns.join(" ")}>
      <div class="section-text" data-from={start}>
        <Text text={text} />
      </div>
      <SourceButton turns={turns} isTabStop={isTabStop} />
    </div>
  ),
);
