import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { PlainText } from "../controls/text.tsx";
import { VirtualList } from "../controls/virtual-list.tsx";
import { counted } from "../counted.ts";
import { memo } from "../reuse.ts";
import { formatted } from "../tokens/words.ts";
import { type Amount, type Block, type ChangedLine, type Differences, differencesOf } from "../turns/differences.ts";
import type { Frame } from "../turns/render.ts";
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
  earlier: "There is no earlier request: this is the request of turn 1.",
  original: "The opened state can’t be rendered.",
  strategy: "The limits of this strategy can’t be read: choose it, and correct them.",
};

const nameOf = (what: Comparison): string =>
  what.with === "strategy" ? what.strategy : what.with === "earlier" ? "one turn earlier" : "the opened state";

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
  /** The name of the comparison, before a colon. */
  readonly children: ComponentChildren;
}

/** Differences with their totals. */
export function DifferencesView({ differences, children }: DifferencesViewProps) {
  const { blocks, added, removed, isMatched } = differences;
  // The indexes of the blocks with all lines shown.
  const opened = useSignal<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => rowsOf(blocks, opened.value), [blocks, opened.value]);
  return (
    <>
      <p class="diff-sum">
        {children}:{" "}
        {added.lines + removed.lines === 0 ? (
          "no differences."
        ) : (
          <>
            <span class="diff-added">{amount(added)} added</span>,{" "}
            <span class="diff-removed">{amount(removed)} removed</span>.
          </>
        )}
        {!isMatched && " They have too little in common to be matched line by line."}
      </p>
      <VirtualList
        name="differences"
        items={rows}
        keyOf={({ key }) => key}
        rowHeight={20}
        gap={0}
        isText
        class="diff-lines"
      >
        {(row, _, attributes) => {
          const Tag = TAGS[row.kind];
          return (
            <Tag {...attributes} key={row.key} class="diff-row">
              {"line" in row ? (
                <Line line={row.line} sign={SIGNS[row.kind]} />
              ) : (
                <button
                  type="button"
                  class="link diff-fold"
                  onClick={() => {
                    opened.value = new Set(opened.value).add(row.block);
                  }}
                >
                  … {counted(row.folded, "line")} {FOLDED[row.kind]}
                </button>
              )}
            </Tag>
          );
        }}
      </VirtualList>
    </>
  );
}

const amount = (of: Amount): string => `${counted(of.lines, "line")} (about ${counted(of.tokens, "token")})`;

/** Visible unchanged lines around a change. */
const CONTEXT = 3;
/** Fewer lines than this are not folded. */
const MIN_FOLDED = 4;
/** Visible lines of a long addition or removal. */
const MAX_CHANGED = 300;

const TAGS = { same: "div", added: "ins", removed: "del" } as const;
const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const FOLDED = { same: "unchanged", added: "more added", removed: "more removed" } as const;

/** A line of a block, or the button that opens the folded lines of the block. */
type DiffRow = { readonly key: string; readonly kind: Block["kind"] } & (
  | { readonly line: ChangedLine }
  | { readonly block: number; readonly folded: number }
);

function rowsOf(blocks: readonly Block[], opened: ReadonlySet<number>): readonly DiffRow[] {
  return blocks.flatMap(({ kind, lines }, block): DiffRow[] => {
    const isSame = kind === "same";
    // Only the unchanged lines next to a change are shown.
    const head = !isSame ? MAX_CHANGED : block === 0 ? 0 : CONTEXT;
    const tail = isSame && block < blocks.length - 1 ? CONTEXT : 0;
    const folded = lines.length - head - tail;
    const rows = lines.map((line, index): DiffRow => ({ key: `${block} ${index}`, kind, line }));
    if (opened.has(block) || folded < MIN_FOLDED) return rows;
    return rows.toSpliced(head, folded, { key: `${block} folded`, kind, block, folded });
  });
}

const Line = ({ line, sign }: { readonly line: ChangedLine; readonly sign: string }) =>
  line.isRole ? (
    <h3 class="diff-role">
      <Sign of={sign} />
      {line.text}
    </h3>
  ) : (
    <div
      class="diff-line"
      data-kind={line.kind === "" ? undefined : line.kind}
      data-turns={line.turns.length > 0 ? line.turns.join(" ") : undefined}
    >
      <Sign of={sign} />
      <span class="diff-text">
        {line.pieces?.map(({ text, isChanged }, at) => {
          const plain = <PlainText key={at} text={text} />;
          return isChanged ? <mark key={at}>{plain}</mark> : plain;
        }) ?? <PlainText text={shortened(line.text)} />}
      </span>
    </div>
  );

/** The most characters of a line that are shown: some results of tools are one very long line. */
const LONGEST = 20_000;

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} … and ${formatted(text.length - LONGEST)} characters more`;

const Sign = ({ of }: { readonly of: string }) => (
  <span class="diff-sign" aria-hidden="true">
    {of}
  </span>
);
