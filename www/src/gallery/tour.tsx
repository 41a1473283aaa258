import "../style/gallery.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showSide } from "../controls/sides.tsx";
import { dialog } from "../page/shortcuts.ts";
import { tab } from "../page/tab.ts";
import { markTourSeen } from "./seen.ts";
import { type Tour, type TourStep, tours } from "./tours.ts";

/** The step that is shown, from 0; null without a tour. */
const shown = signal<{ readonly tour: Tour; readonly step: number } | null>(null);

/** The place of tours on the page. It is the last one, so that the page is as it was without it. */
let host: HTMLElement | null = null;

/** Starts a tour of the opened example. It does not block the page, and the visitor can end it at any time. */
export function startTour(id: string): void {
  const tour = tours[id];
  if (tour === undefined) return;
  markTourSeen(id);
  if (host === null) {
    host = document.body.appendChild(document.createElement("div"));
    render(<Shown />, host);
  }
  shown.value = { tour, step: 0 };
}

function Shown() {
  const now = shown.value;
  if (now === null) return null;
  const { tour, step } = now;
  return <StepCard key={step} tour={tour} step={tour.steps[step] as TourStep} number={step + 1} />;
}

interface StepCardProps {
  readonly tour: Tour;
  readonly step: TourStep;
  readonly number: number;
}

function StepCard({ tour, step, number }: StepCardProps) {
  const { title, text, act, at } = step;
  const card = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isDone = useDone(step);
  const isLast = number === tour.steps.length;
  const end = (): void => {
    const { activeElement } = document;
    const isFree = activeElement === document.body || card.current?.contains(activeElement) === true;
    shown.value = null;
    if (isFree) focusIn(targetAt(at) ?? document.getElementById("example"));
  };
  const go = (to: number): void => {
    if (to > tour.steps.length) end();
    else shown.value = { tour, step: to - 1 };
  };
  useLayoutEffect(() => {
    tab.value = tour.tab;
    step.prepare?.();
    heading.current?.focus({ preventScroll: true });
    return follow(at, () => card.current);
  }, []);
  // In the same task as the render, so that no key comes before.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || dialog.value !== null) return;
      const isInside = card.current?.contains(document.activeElement) === true;
      if (event.key === "Escape") end();
      else if (event.key !== "F6") return;
      else if (isInside) focusIn(targetAt(at));
      else heading.current?.focus();
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <section class="tour" role="dialog" aria-labelledby="tour-title" aria-describedby="tour-text" ref={card}>
      <p class="tour-place">
        Step {number} of {tour.steps.length}
      </p>
      <h2 id="tour-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      <p id="tour-text">{text}</p>
      <p class="tour-act" data-done={isDone || undefined}>
        {act}{" "}
        <button type="button" class="link" onClick={() => focusIn(targetAt(at))}>
          Go there
        </button>
      </p>
      <p class="visually-hidden" role="status">
        {isDone ? "Done. F6 returns to the tour." : ""}
      </p>
      <div class="tour-buttons">
        <button type="button" class="link" onClick={end}>
          End the tour
        </button>
        <kbd title="Moves between this text and the place that it is about">F6</kbd>
        {number > 1 && (
          <button type="button" class="button" onClick={() => go(number - 1)}>
            Back
          </button>
        )}
        <button type="button" class={isDone ? "button primary" : "button"} onClick={() => go(number + 1)}>
          {isLast ? "Finish" : isDone ? "Next" : "Skip"}
        </button>
      </div>
    </section>
  );
}

/** The time after which the value that a step watches is read again, in ms: it may be in the document. */
const PERIOD_MS = 250;

/** Whether the value that a step watches has changed since its start. */
function useDone({ watch }: TourStep): boolean {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const before = watch();
    const timer = setInterval(() => watch() !== before && setDone(true), PERIOD_MS);
    return () => clearInterval(timer);
  }, []);
  return isDone;
}

const FOCUSABLE = "button, select, input, textarea, a, [tabindex='0'], [contenteditable='true']";

/** Focuses an element, or the first control in it. */
function focusIn(element: HTMLElement | null): void {
  const control = element?.matches(FOCUSABLE) === true ? element : element?.querySelector<HTMLElement>(FOCUSABLE);
  control?.focus();
}

const targetAt = (selector: string): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>(`#main :is(${selector})`)].find((each) => each.checkVisibility()) ?? null;

/** The least distance of a card from its target and from the edges of the window, in px. */
const GAP = 12;

/** Keeps a card beside its target, which is marked, until the returned function is called. */
function follow(selector: string, cardNow: () => HTMLElement | null): () => void {
  let marked: HTMLElement | null = null;
  let frame = 0;
  const mark = (target: HTMLElement | null): void => {
    if (target === marked) return;
    marked?.removeAttribute("data-toured");
    target?.setAttribute("data-toured", "");
    marked = target;
    target?.scrollIntoView({ block: "nearest" });
  };
  const step = (): void => {
    const target = targetAt(selector);
    if (target === null && marked === null) {
      const pane = document.querySelector(`#main :is(${selector})`)?.closest(".pane");
      if (pane?.id === "history" || pane?.id === "messages") showSide(pane.id);
    }
    mark(target);
    const card = cardNow();
    if (card !== null) place(card, target);
    frame = requestAnimationFrame(step);
  };
  step();
  return () => {
    cancelAnimationFrame(frame);
    mark(null);
  };
}

/** Puts the card below, above or beside its target, where it covers least of it; without a target, and in narrow windows, at the bottom. */
function place(card: HTMLElement, target: HTMLElement | null): void {
  const { offsetWidth: width, offsetHeight: height } = card;
  const [right, bottom] = [innerWidth - GAP - width, innerHeight - GAP - height];
  const within = (value: number, most: number): number => Math.max(GAP, Math.min(value, most));
  let [x, y] = [right, bottom];
  if (target !== null && innerWidth > 640) {
    const box = target.getBoundingClientRect();
    if (box.bottom + GAP <= bottom) [x, y] = [box.left, box.bottom + GAP];
    else if (box.top - GAP - height >= GAP) [x, y] = [box.left, box.top - GAP - height];
    else [x, y] = [box.right + GAP <= right ? box.right + GAP : box.left - GAP - width, box.top];
  }
  card.style.translate = `${within(x, right)}px ${within(y, bottom)}px`;
}
