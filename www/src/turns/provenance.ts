import type { SectionKind } from "turnfold";
import { showSide } from "../controls/sides.tsx";
import { showRow } from "../controls/virtual-list.tsx";
import { focusSoon } from "../page/focus.ts";
import { fieldId } from "../page/problem.ts";
import { setOpen, state } from "../states/store.ts";

/** The parts of a turn, which are shown in different sections. */
export type Part = "program" | "reply" | "calls" | "prints" | "memory" | "result" | "error";

/** The sections that show a part; null for all sections, because a program is the source of all of them. */
const sectionsOf: Readonly<Record<Part, readonly SectionKind[] | null>> = {
  program: null,
  reply: ["program"],
  calls: ["toolCalls"],
  prints: ["output"],
  memory: ["user"],
  result: ["feedback"],
  error: ["error"],
};

/** The parts that a section shows. The sections `program` and `error` contain the program itself. */
const partsOf = (kind: string): readonly Part[] => {
  const parts = (Object.keys(sectionsOf) as Part[]).filter((part) => sectionsOf[part]?.includes(kind as SectionKind));
  return kind === "program" || kind === "error" ? ["program", ...parts] : parts;
};

/** The name of the list of turns. */
export const TURNS = "turns";

/**
 * Scrolls to the first segment of a turn in sections of these kinds, or in all sections for null, when none of its segments is
 * rendered. Set while messages are shown.
 */
export const showSegment: { current: ((turn: number, kinds: readonly SectionKind[] | null) => void) | null } = {
  current: null,
};

/** The element under the pointer or with the focus, on one of the two sides. */
type Light =
  | { readonly from: "turn"; readonly turn: string; readonly part: Part | null }
  | { readonly from: "message"; readonly turns: readonly string[]; readonly kind: string };

let pointed: Light | null = null;
let focused: Light | null = null;

// A style sheet highlights the elements, so that a moving pointer renders no component, and elements stay highlighted when they
// are rendered again.
const sheet = new CSSStyleSheet();
let rules = "";

function light(): void {
  const now = pointed ?? focused;
  const next = now === null ? "" : rulesOf(now);
  if (next === rules) return;
  rules = next;
  sheet.replaceSync(next);
}

/** The most highlighted cards, those of the newest turns: omitted items of a long history may come from many turns. */
const MAX_CARDS = 100;

const LIT = "{ background-color: var(--lit); outline: 2px solid var(--lit-line); outline-offset: -2px }";
const LIT_CARD = "{ outline: 2px solid var(--lit-line); outline-offset: -2px }";

function rulesOf(now: Light): string {
  if (now.from === "turn") return `${cardOf(now.turn)} ${LIT_CARD} ${segmentsOf(now)} ${LIT}`;
  const parts = partsOf(now.kind)
    .map((part) => `[data-part="${part}"]`)
    .join();
  return now.turns
    .slice(-MAX_CARDS)
    .map((turn) => {
      const inside = parts === "" ? "" : `${cardOf(turn)} :is(${parts}) ${LIT}`;
      return `${cardOf(turn)} ${LIT_CARD} ${cardOf(turn)} .turn-head { background-color: var(--lit) } ${inside}`;
    })
    .join(" ");
}

const cardOf = (turn: string): string => `.turn[data-turn="${turn}"]`;

function segmentsOf({ turn, part }: Light & { readonly from: "turn" }): string {
  const kinds = part === null ? null : sectionsOf[part];
  const among = kinds === null ? "" : `:is(${kinds.map((kind) => `[data-kind="${kind}"]`).join()})`;
  return `[data-turns~="${turn}"]${among}`;
}

/** The turn or section that an element belongs to. */
function lightOf(target: EventTarget | null): Light | null {
  if (!(target instanceof Element)) return null;
  const turn = target.closest<HTMLElement>(".turn[data-turn]")?.dataset.turn;
  if (turn !== undefined) {
    const part = target.closest<HTMLElement>("[data-part]")?.dataset.part;
    return { from: "turn", turn, part: part === undefined ? null : (part as Part) };
  }
  const segment = target.closest<HTMLElement>("[data-turns]");
  if (segment === null) return null;
  const { turns = "", kind = "" } = segment.dataset;
  return { from: "message", turns: turns.split(" "), kind };
}

const isSame = (one: Light | null, other: Light | null): boolean =>
  one !== null && other !== null && rulesOf(one) === rulesOf(other);

/** Highlights, on the other side of the page, the counterparts of the element under the pointer or with the focus. */
export function followProvenance(): void {
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let place = "";
  let typing = false;
  // Typing moves content under a resting pointer, which must not count as hovering.
  document.addEventListener("pointerover", (event) => {
    const here = `${event.screenX} ${event.screenY}`;
    if (typing && here === place) return;
    place = here;
    typing = false;
    pointed = lightOf(event.target);
    light();
  });
  document.documentElement.addEventListener("pointerleave", () => {
    pointed = null;
    light();
  });
  document.addEventListener("pointermove", (event) => {
    place = `${event.screenX} ${event.screenY}`;
  });
  document.addEventListener("keydown", () => {
    typing = true;
    if (pointed === null) return;
    pointed = null;
    light();
  });
  document.addEventListener("focusin", (event) => {
    const now = lightOf(event.target);
    const isNew = !isSame(focused, now);
    focused = now;
    light();
    if (now !== null && isNew) reveal(now);
  });
  document.addEventListener("focusout", (event) => {
    if (event.relatedTarget !== null) return;
    focused = null;
    light();
  });
  // A card that was moved by a key has another number.
  document.addEventListener("keyup", () => {
    if (focused === null) return;
    focused = lightOf(document.activeElement);
    light();
  });
  document.addEventListener("click", (event) => {
    const now = lightOf(event.target);
    if (now !== null && getSelection()?.isCollapsed !== false) reveal(now);
  });
}

/** Scrolls to the highlighted elements of the other side, unless one of them is visible. */
function reveal(now: Light): void {
  const [pane, selector] =
    now.from === "turn"
      ? ["messages", `.messages ${segmentsOf(now)}, .diff ${segmentsOf(now)}`]
      : ["history", now.turns.map(cardOf).join()];
  const scroller = document.getElementById(pane);
  const lit = [...(scroller?.querySelectorAll(selector) ?? [])];
  if (scroller === null || lit.some((element) => isSeen(element, scroller))) return;
  const block = now.from === "turn" ? "center" : "nearest";
  const first = lit.find((element) => element.getBoundingClientRect().height > 0);
  if (first !== undefined) first.scrollIntoView({ block });
  else if (now.from === "message") void showRow(TURNS, Number(now.turns[0]) - 1, block);
  else showSegment.current?.(Number(now.turn), now.part === null ? null : sectionsOf[now.part]);
}

/** The pixels of an element, about one line, that must be visible for it to count as visible. */
const MIN_SEEN = 16;

function isSeen(element: Element, scroller: Element): boolean {
  const box = element.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  const seen = Math.min(box.bottom, view.bottom) - Math.max(box.top, view.top);
  return box.height > 0 && seen >= Math.min(MIN_SEEN, box.height);
}

/** Opens a turn and focuses it. */
export function goToTurn(number: number): void {
  const entry = state.value.turns[number - 1];
  if (entry === undefined) return;
  showSide("history");
  setOpen(entry.id, true);
  focusSoon(fieldId("turn", entry));
}
