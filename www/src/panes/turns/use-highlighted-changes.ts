import { useEffect, useRef } from "preact/hooks";
import { position, previewed } from "../../page/view.ts";
import { loads } from "../../states/store.ts";
import type { Frame, RenderedMessage } from "../../turns/render.ts";

const DURATION_MS = 1500;

/** The most lines that are highlighted: a change of more lines is one of the whole. */
const MAX_LINES = 40;

interface Shown {
  readonly frame: Frame;
  readonly loads: number;
  readonly position: number | null;
}

/** Highlights the lines of the messages that an edit has changed for a moment. */
export function useHighlightedChanges(frame: Frame): void {
  const last = useRef<Shown | null>(null);
  useEffect(() => {
    const before = last.current;
    const now = previewed.value ?? position.value;
    last.current = { frame, loads: loads.value, position: now };
    if (before === null || before.frame === frame || before.loads !== loads.value) return;
    if (before.position !== now || before.frame.stats.strategy !== frame.stats.strategy) return;
    const lines = changedLines(before.frame.messages, frame.messages);
    if (lines.length > MAX_LINES) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const line of lines)
      line.animate([{ backgroundColor: "var(--lit)" }, { backgroundColor: "transparent" }], {
        duration: DURATION_MS,
        easing: isCalm ? "steps(1)" : "ease-in",
      });
  }, [frame]);
}

/** The elements of the lines that the messages did not have before. */
function changedLines(before: readonly RenderedMessage[], now: readonly RenderedMessage[]): readonly Element[] {
  const changed = now.flatMap((message, index) => (message === before[index] ? [] : [index]));
  if (changed.length === 0) return [];
  const known = new Set(
    before.flatMap(({ sections }) => sections.flatMap(({ segments }) => segments.map((s) => s.text))),
  );
  return changed.flatMap((index) => {
    const lines = document.querySelectorAll(`.message[data-number="${index + 1}"] .section-text`);
    return [...lines].filter(({ textContent }) => !known.has(textContent));
  });
}
