import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { PlainText } from "../controls/text.tsx";
import { VirtualList } from "../controls/virtual-list.tsx";
import { counted, formatted, money, percent } from "../page/numbers.ts";
import { memo } from "../page/reuse.ts";
import type { Comparison } from "../page/view.ts";
import { state } from "../states/store.ts";
import { type CacheBreak, cacheBreak } from "../tokens/cache-break.ts";
import { amountsOf } from "../tokens/settings.ts";
import { type Amount, type Block, type ChangedLine, type Differences, differencesOf } from "../turns/differences.ts";
import { labelOf } from "../turns/options.ts";
import type { Frame } from "../turns/render.ts";

interface ComparisonViewProps {
  readonly before: Frame | null;
  readonly after: Frame;
  readonly what: Comparison;
  /** The decision after which the other run went on. */
  readonly decision?: string | undefined;
}

/** A comparison of the messages with others, line by line. */
export const ComparisonView = memo(({ before, ...others }: ComparisonViewProps) => (
  <section class="diff" aria-label="Comparison">
    {before === null ? (
      <p class="empty">{MISSING[others.what.with]}</p>
    ) : (
      <DifferenceList before={before} {...others} />
    )}
  </section>
));

const MISSING: Readonly<Record<Comparison["with"], string>> = {
  nothing: "",
  earlier: "There is no earlier request: this is the request of turn 1.",
  original: "The opened state can’t be rendered.",
  decision: "There is no run after another decision.",
  request: "The limits of this strategy can’t be read: choose it, and correct them.",
};

function nameOf(what: Comparison, decision: string | undefined): string {
  if (what.with === "decision") return decision ?? "";
  if (what.with !== "request") return what.with === "earlier" ? "one turn earlier" : "the opened state";
  const turns = what.turns === null ? "" : what.turns === 0 ? " before turn 1" : ` after turn ${formatted(what.turns)}`;
  return `${what.strategy === null ? "this strategy" : `“${labelOf(what.strategy)}”`}${turns}`;
}

function DifferenceList({ before, after, what, decision }: ComparisonViewProps & { readonly before: Frame }) {
  const differences = useMemo(() => differencesOf(before.messages, after.messages), [before, after]);
  // Requests of two decisions do not follow each other.
  const cached = useMemo(
    () =>
      what.with === "decision"
        ? undefined
        : cacheBreak(
            before.messages,
            after.messages,
            after.messages.map(({ tokens }) => tokens),
            (text) => after.counter.count(text),
          ),
    [before, after, what],
  );
  return (
    <DifferencesView differences={differences} cached={cached}>
      Against <strong>{nameOf(what, decision)}</strong>, {counted(before.tokens, "token")} there,{" "}
      {counted(after.tokens, "token")} here
    </DifferencesView>
  );
}

interface DifferencesViewProps {
  readonly differences: Differences;
  /** What the cache has of the second request after the first one; absent if they are no requests. */
  readonly cached?: CacheBreak | undefined;
  /** The name of the comparison, before a colon. */
  readonly children: ComponentChildren;
}

/** Differences with their totals. */
export function DifferencesView({ differences, cached, children }: DifferencesViewProps) {
  const { blocks, added, removed, moved, isMatched } = differences;
  // The indexes of the blocks with all lines shown.
  const opened = useSignal<ReadonlySet<number>>(new Set());
  const hasBreak = cached !== undefined && cached.read < cached.total;
  const rows = useMemo(() => rowsOf(blocks, opened.value, hasBreak), [blocks, opened.value, hasBreak]);
  return (
    <>
      <p class="diff-sum">
        {children}:{" "}
        {added.lines + removed.lines + moved.lines === 0 ? (
          "no differences."
        ) : (
          <>
            <span class="diff-added">{amount(added)} added</span>,{" "}
            <span class="diff-removed">{amount(removed)} removed</span>
            {moved.lines > 0 && (
              <>
                , <span class="diff-moved">{amount(moved)} moved</span>
              </>
            )}
            .
          </>
        )}
        {!isMatched && " They have too little in common to be matched line by line."}
      </p>
      {cached !== undefined && <CacheSentence {...cached} />}
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
            <Tag
              {...attributes}
              key={row.key}
              class="diff-row"
              data-moved={("line" in row && row.line.isMoved) || undefined}
            >
              {"line" in row ? (
                <Line line={row.line} sign={SIGNS[row.kind]} />
              ) : "isBreak" in row ? (
                <p class="diff-break">the cache ends here</p>
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
  | { readonly isBreak: true }
);

function rowsOf(blocks: readonly Block[], opened: ReadonlySet<number>, hasBreak: boolean): readonly DiffRow[] {
  const first = hasBreak ? blocks.findIndex(({ kind }) => kind !== "same") : -1;
  const rows = blocks.map(({ kind, lines }, block): readonly DiffRow[] => {
    const isSame = kind === "same";
    // Only the unchanged lines next to a change are shown.
    const head = !isSame ? MAX_CHANGED : block === 0 ? 0 : CONTEXT;
    const tail = isSame && block < blocks.length - 1 ? CONTEXT : 0;
    const folded = lines.length - head - tail;
    const rows = lines.map((line, index): DiffRow => ({ key: `${block} ${index}`, kind, line }));
    if (opened.has(block) || folded < MIN_FOLDED) return rows;
    return rows.toSpliced(head, folded, { key: `${block} folded`, kind, block, folded });
  });
  return rows.flatMap((own, block) =>
    block === first ? [{ key: "break", kind: "same", isBreak: true }, ...own] : own,
  );
}

/** Where the provider's cache breaks, and what that costs. */
function CacheSentence({ shared, difference, read, total }: CacheBreak) {
  const { cacheMinimum, prices } = amountsOf(state.value.tokens);
  const isStored = read >= cacheMinimum;
  const rest = isStored ? total - read : total;
  const where =
    shared.behind === "changes"
      ? `they differ from byte ${formatted(difference.byte)} of message ${formatted(difference.message + 1)}, line ${formatted(difference.line)}, on`
      : shared.behind === "continues"
        ? "this one begins with all of that one"
        : shared.behind === "nothing"
          ? "they are the same"
          : "that one begins with all of this one";
  const has = isStored
    ? `has ${formatted(read)} of its ${formatted(total)} tokens (${percent(read, total)})`
    : `has nothing, since it stores ${formatted(cacheMinimum)} tokens or more, and they share ${formatted(read)}`;
  const { input = 0, cacheRead = input, cacheWrite = input } = prices ?? {};
  const dollars = (price: number): string => money((rest * price) / 1_000_000);
  return (
    <p class="diff-cache">
      <strong>Cache</strong>: {where}. When this request follows that one, the provider’s cache {has}.
      {rest > 0 &&
        prices !== null &&
        ` The ${isStored ? "others" : "request"} cost${isStored ? "" : "s"} ${dollars(cacheWrite)}, where the cache would cost ${dollars(cacheRead)}.`}
    </p>
  );
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
      {line.isMoved === true && <span class="diff-tag">moved</span>}
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
