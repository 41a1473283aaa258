import { useSignal } from "@preact/signals";
import type { RowProps } from "../../controls/virtual-list.tsx";
import { memo } from "../../page/reuse.ts";
import { type OmittedItems, sectionOfDrop } from "../../turns/omitted.ts";
import type { Drop } from "../../turns/render.ts";
import { kindNames, reasonSentence } from "./drop-reasons.ts";
import { SourceButton } from "./source-button.tsx";

/** Omitted items of a section that the message does not contain. */
export const OmittedRow = memo(({ omitted }: { readonly omitted: OmittedItems }) => (
  <div class="omitted-row">
    <OmittedBox omitted={omitted} />
  </div>
));

/** The number of newest items that are shown at first, and after a press of the button. */
const SHOWN = 4;
const MAX_SHOWN = 100;

interface OmittedBoxProps {
  readonly omitted: OmittedItems;
  /** The attributes of the row, when the box is a row of a list of lines. */
  readonly row?: RowProps;
}

/**
 * Omitted items, greyed, with the rule that omitted them. They are not part of the message's text. Programs are visible in
 * the turns, so they are only counted at first.
 */
export const OmittedBox = memo(({ omitted: { kind, reason, drops }, row }: OmittedBoxProps) => {
  const all = useSignal(false);
  const shown = drops.slice(-(all.value ? MAX_SHOWN : SHOWN));
  const before = drops.length - shown.length;
  const [one, many] = kindNames[kind];
  return (
    <details {...row} class="omitted" open={kind !== "program"}>
      <summary data-kind={sectionOfDrop[kind]} data-turns={turnsOf(drops)}>
        <span class="omitted-count">
          Left out: {drops.length} {drops.length === 1 ? one : many}
        </span>{" "}
        <span>{reasonSentence(reason)}</span>
      </summary>
      {before > 0 &&
        (all.value ? (
          <p class="omitted-more">… and {before} before these</p>
        ) : (
          <button
            type="button"
            class="link omitted-more"
            onClick={() => {
              all.value = true;
            }}
          >
            {before} before these
          </button>
        ))}
      <ul>
        {shown.map((drop, index) => (
          <OmittedItem key={before + index} drop={drop} />
        ))}
      </ul>
    </details>
  );
});

const OmittedItem = memo(({ drop: { kind, turn, text } }: { readonly drop: Drop }) => (
  <li class="omitted-item" data-kind={sectionOfDrop[kind]} data-turns={turn > 0 ? turn : undefined}>
    <span class="omitted-text">{text}</span>
    {turn > 0 && <SourceButton turns={[turn]} isTabStop={false} />}
  </li>
));

const turnsOf = (drops: readonly Drop[]): string | undefined =>
  drops
    .filter(({ turn }) => turn > 0)
    .map(({ turn }) => turn)
    .join(" ") || undefined;
