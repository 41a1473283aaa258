import { useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";

interface SplitterProps {
  /** What is on the left of it. */
  readonly name: string;
  /** The id of the left side. */
  readonly controls: string;
  /** The element with both sides, whose `--left` is the share of the left one. */
  readonly panes: RefObject<HTMLElement | null>;
}

// In percent of the width.
const FIRST = 47;
const LEAST = 20;
const MOST = 80;
const STEP = 3;

const within = (share: number): number => Math.round(Math.min(MOST, Math.max(LEAST, share)));

/** The border between two sides: it is dragged, or moved with the arrow keys; a double click moves it back. */
export function Splitter({ name, controls, panes }: SplitterProps) {
  const share = useSignal(FIRST);
  useSignalEffect(() => panes.current?.style.setProperty("--left", `${share.value}%`));
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: share.value - STEP, ArrowRight: share.value + STEP, Home: LEAST, End: MOST }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    share.value = within(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` can't be moved.
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-controls={controls}
      aria-valuenow={share.value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDblClick={() => {
        share.value = FIRST;
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // No text is selected while it is dragged.
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId) || panes.current === null) return;
        const { left, width } = panes.current.getBoundingClientRect();
        share.value = within((100 * (event.clientX - left)) / width);
      }}
    />
  );
}
