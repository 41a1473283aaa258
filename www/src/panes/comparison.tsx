import { useSignal } from "@preact/signals";
import type { ComponentChild, ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { counted } from "../counted.ts";
import { type Amount, type Block, type ChangedLine, type Differences, differencesOf } from "../differences.ts";
import { memo } from "../memo.ts";
import type { Frame } from "../render.ts";
import { formatted } from "../tokens/words.ts";
import type { Comparison } from "../view.ts";

interface ComparisonViewProps {
  readonly before: Frame | null;
  readonly after: Frame;
  readonly what: Comparison;
}

/** A comparison of the messages with others, line by line. */
export const ComparisonView = memo(({ before, after, what }: ComparisonViewProps) => (
  <section class="diff" aria-label="Comparison">
    {before === null ? (
      <p class="empty">{MISSING[what.with]}</p>
    ) : (
      <DifferenceList before={before} after={after} what={what} />
    )}
  </section>
));

const MISSING: Readonly<Record<Comparison["with"], string>> = {
  nothing: "",
  earlier: "There is no earlier message: this is the one that turn 1 gets.",
  original: "What was opened can’t be rendered.",
  strategy: "The limits of this strategy can’t be read: choose it, and correct them.",
};

const nameOf = (what: Comparison): string =>
  what.with === "strategy" ? what.strategy : what.with === "earlier" ? "one turn earlier" : "what was opened";

function DifferenceList({ before, after, what }: ComparisonViewProps & { readonly before: Frame }) {
  const differences = useMemo(() => differencesOf(before.messages, after.messages), [before, after]);
  return (
    <DifferencesView differences={differences}>
      Against <strong>{nameOf(what)}</strong>, {counted(before.tokens, "token")} there, {counted(after.tokens, "token")}{" "}
      here
    </DifferencesView>
  );
}

interface DifferencesViewProps {
  readonly differences: Differences;
  /** What is compared, before a colon. */
  readonly children: ComponentChildren;
}

/** Differences with their sum. */
export function DifferencesView({ differences, children }: DifferencesViewProps) {
  const { blocks, added, removed, isMatched } = differences;
  return (
    <>
      <p class="diff-sum">
        {children}:{" "}
        {added.lines + removed.lines === 0 ? (
          "the same, to the letter."
        ) : (
          <>
            <span class="diff-added">{amount(added)} added</span>,{" "}
            <span class="diff-removed">{amount(removed)} removed</span>.
          </>
        )}
        {!isMatched && " They have too little in common to be matched line by line."}
      </p>
      <div class="diff-lines">
        {blocks.map((block, index) => (
          <BlockView key={index} block={block} isFirst={index === 0} isLast={index === blocks.length - 1} />
        ))}
      </div>
    </>
  );
}

const amount = (of: Amount): string => `${counted(of.lines, "line")} (about ${counted(of.tokens, "token")})`;

interface BlockViewProps {
  readonly block: Block;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Visible unchanged lines around a change. */
const CONTEXT = 3;
/** Fewer unchanged lines than this are not folded. */
const LEAST_FOLDED = 4;
/** Visible lines of a long addition or removal. */
const MOST_CHANGED = 300;

function BlockView({ block, isFirst, isLast }: BlockViewProps) {
  switch (block.kind) {
    case "same":
      return (
        <Foldable
          lines={block.lines}
          head={isFirst ? 0 : CONTEXT}
          tail={isLast ? 0 : CONTEXT}
          what="unchanged"
          draw={(lines) => <Lines lines={lines} sign=" " />}
        />
      );
    case "added":
      return (
        <ins class="diff-block">
          <Foldable
            lines={block.lines}
            head={MOST_CHANGED}
            tail={0}
            what="more added"
            draw={(lines) => <Lines lines={lines} sign="+" />}
          />
        </ins>
      );
    case "removed":
      return (
        <del class="diff-block">
          <Foldable
            lines={block.lines}
            head={MOST_CHANGED}
            tail={0}
            what="more removed"
            draw={(lines) => <Lines lines={lines} sign="−" />}
          />
        </del>
      );
  }
}

interface FoldableProps {
  readonly lines: readonly ChangedLine[];
  /** How many lines stay visible before and after the folded ones. */
  readonly head: number;
  readonly tail: number;
  readonly what: string;
  readonly draw: (lines: readonly ChangedLine[]) => ComponentChild;
}

function Foldable({ lines, head, tail, what, draw }: FoldableProps) {
  const open = useSignal(false);
  const folded = lines.length - head - tail;
  if (open.value || folded < LEAST_FOLDED) return draw(lines);
  return (
    <>
      {draw(lines.slice(0, head))}
      <button
        type="button"
        class="link diff-fold"
        onClick={() => {
          open.value = true;
        }}
      >
        … {counted(folded, "line")} {what}
      </button>
      {draw(lines.slice(lines.length - tail))}
    </>
  );
}

interface LinesProps {
  readonly lines: readonly ChangedLine[];
  readonly sign: string;
}

const Lines = ({ lines, sign }: LinesProps) => (
  <>
    {lines.map((line, index) =>
      line.isRole ? (
        <h3 key={index} class="diff-role">
          <Sign of={sign} />
          {line.text}
        </h3>
      ) : (
        <div
          key={index}
          class="diff-line"
          data-kind={line.kind === "" ? undefined : line.kind}
          data-turns={line.turns.length > 0 ? line.turns.join(" ") : undefined}
        >
          <Sign of={sign} />
          <span class="diff-text">
            {line.pieces?.map(({ text, isChanged }, at) => (isChanged ? <mark key={at}>{text}</mark> : text)) ??
              shortened(line.text)}
          </span>
        </div>
      ),
    )}
  </>
);

/** Some results of tools are one line of many thousand characters. */
const LONGEST = 20_000;

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} … and ${formatted(text.length - LONGEST)} characters more`;

const Sign = ({ of }: { readonly of: string }) => (
  <span class="diff-sign" aria-hidden="true">
    {of}
  </span>
);
