import { useSignal } from "@preact/signals";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { Text } from "../controls/text.tsx";
import { type LeftOut, leftOutOf } from "../left-out.ts";
import { memo } from "../memo.ts";
import { goToTurn } from "../provenance.ts";
import type { Frame, RenderedMessage, Section, Stretch } from "../render.ts";
import { showsLeftOut } from "../view.ts";
import { LeftOutBox, LeftOutRow } from "./left-out.tsx";
import { sectionNames } from "./section-names.ts";
import { SourceButton } from "./source-button.tsx";

const NOTHING: readonly LeftOut[] = [];

export function Messages({ frame }: { readonly frame: Frame }) {
  const leftOut = showsLeftOut.value ? leftOutOf(frame) : [];
  return (
    // Keys on the buttons inside are handled by the browser.
    <ol class="messages" aria-label="Messages" onClick={openSource} onKeyDown={moveAmongSources}>
      {frame.messages.map((message, index) => (
        <MessageCard key={index} message={message} number={index + 1} leftOut={leftOut[index] ?? NOTHING} />
      ))}
    </ol>
  );
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
  const sources = [...currentTarget.querySelectorAll<HTMLElement>(SOURCE)].filter((source) => source.checkVisibility());
  sources[step(sources.indexOf(target as HTMLElement), sources.length)]?.focus();
  event.preventDefault();
}

interface MessageCardProps {
  readonly message: RenderedMessage;
  readonly number: number;
  readonly leftOut: readonly LeftOut[];
}

const MessageCard = memo(({ message, number, leftOut }: MessageCardProps) => {
  const { role, content, tokens, sections } = message;
  // The system text is the same for all turns and missions, so it is folded at first.
  const open = useSignal(role !== "system");
  const bodyId = `message-${number}`;
  return (
    <li class="message" data-role={role} data-open={open.value || undefined}>
      <div class="message-head">
        <h3>
          <button
            type="button"
            class="message-toggle"
            aria-expanded={open.value}
            aria-controls={bodyId}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            <Icon name="chevron" />
            <span class="message-role">{role}</span>
            <span class="message-tokens">{tokens.toLocaleString("en")} tokens</span>
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
            <Sections sections={sections} leftOut={leftOut} />
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
  readonly leftOut: readonly LeftOut[];
}

function Sections({ sections, leftOut }: SectionsProps) {
  const rowsBefore = (index: number) =>
    leftOut
      .filter(({ section, stretch }) => section === index && stretch === null)
      .map((each) => <LeftOutRow key={`${each.kind} ${each.reason}`} leftOut={each} />);
  const inside = (index: number): readonly LeftOut[] => {
    const own = leftOut.filter(({ section, stretch }) => section === index && stretch !== null);
    return own.length === 0 ? NOTHING : own;
  };
  const tabStop = sections.findIndex(({ stretches }) => stretches.some(({ turns }) => turns.length > 0));
  return (
    <>
      {sections.map((section, index) => [
        ...rowsBefore(index),
        <SectionBlock key={index} section={section} leftOut={inside(index)} isTabStop={index === tabStop} />,
      ])}
      {rowsBefore(sections.length)}
    </>
  );
}

interface SectionBlockProps {
  readonly section: Section;
  readonly leftOut: readonly LeftOut[];
  /** Whether its first stretch with a turn is the stop of the Tab key. */
  readonly isTabStop: boolean;
}

/** A longer section is rendered only near the screen. */
const MOST_LINES = 12;

const SectionBlock = memo(({ section, leftOut, isTabStop }: SectionBlockProps) => {
  const { kind, text, tokens, stretches } = section;
  if (kind === "separator") return <div class="separator">{text}</div>;
  const boxesBefore = (index: number) =>
    leftOut
      .filter(({ stretch }) => stretch === index)
      .map((each) => <LeftOutBox key={`${each.kind} ${each.reason}`} leftOut={each} />);
  const tabStop = isTabStop ? stretches.findIndex(({ turns }) => turns.length > 0) : -1;
  return (
    <div class="section" data-kind={kind} data-long={stretches.length > MOST_LINES || undefined}>
      <div class="section-label">
        <span class="section-name">{sectionNames[kind]}</span>
        <span class="section-tokens">
          {tokens}
          <span class="visually-hidden"> tokens</span>
        </span>
      </div>
      <div class="section-body">
        {stretches.map((stretch, index) => [
          ...boxesBefore(index),
          <StretchLine key={index} stretch={stretch} kind={kind} isTabStop={index === tabStop} />,
        ])}
        {boxesBefore(stretches.length)}
      </div>
    </div>
  );
});

interface StretchLineProps {
  readonly stretch: Stretch;
  readonly kind: string;
  readonly isTabStop: boolean;
}

const StretchLine = memo(({ stretch: { text, turns }, kind, isTabStop }: StretchLineProps) =>
  turns.length === 0 ? (
    <div class="section-text">
      <Text text={text} />
    </div>
  ) : (
    <div class="stretch" data-kind={kind} data-turns={turns.join(" ")}>
      <div class="section-text">
        <Text text={text} />
      </div>
      <SourceButton turns={turns} isTabStop={isTabStop} />
    </div>
  ),
);
