import { useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";

interface SplitterProps {
  /** The name of the left side. */
  readonly name: string;
  /** The id of the left side. */
  readonly controls: string;
  /** The element with both sides. Its property `--left` is the share of the left side. */
  readonly panes: RefObject<HTMLElement | null>;
}

// Shares of the width in percent.
const FIRST = 42;
const MIN_SHARE = 20;
const MAX_SHARE = 80;
const STEP = 3;

const within = (share: number): number => Math.round(Math.min(MAX_SHARE, Math.max(MIN_SHARE, share)));

/** The border between two sides. Dragging and the arrow keys move it; a double click resets it. */
export function Splitter({ name, controls, panes }: SplitterProps) {
  const share = useSignal(FIRST);
  useSignalEffect(() => panes.current?.style.setProperty("--left", `${share.value}%`));
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: share.value - STEP, ArrowRight: share.value + STEP, Home: MIN_SHARE, End: MAX_SHARE }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    share.value = within(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` can't be moved by the user.
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-controls={controls}
      aria-valuenow={share.value}
      aria-valuemin={MIN_SHARE}
      aria-valuemax={MAX_SHARE}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDblClick={() => {
        share.value = FIRST;
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // Prevents a selection of text during the drag.
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
