import { signal } from "@preact/signals";
import { state } from "../states/store.ts";
import { redo, undo } from "../states/undo.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The open dialog. */
export const dialog = signal<"palette" | "shortcuts" | "forget" | "card" | "open" | "examples" | null>(null);

export interface Shortcut {
  /** The key combinations in the notation of this system; several are alternatives. */
  readonly keys: readonly string[];
  readonly what: string;
}

const mod = isMac ? "⌘" : "Ctrl+";
const shift = isMac ? "⇧" : "Shift+";

export const undoKeys = `${mod}Z`;
export const redoKeys = isMac ? `${shift}${mod}Z` : `${mod}${shift}Z`;
export const paletteKeys = `${mod}K`;

export const shortcuts: readonly { readonly title: string; readonly list: readonly Shortcut[] }[] = [
  {
    title: "Everywhere",
    list: [
      { keys: [paletteKeys], what: "All commands" },
      { keys: [undoKeys], what: "Undo, on the whole page" },
      { keys: isMac ? [redoKeys] : [redoKeys, "Ctrl+Y"], what: "Redo" },
      { keys: ["?"], what: "This list, except while typing" },
      { keys: ["Esc"], what: "Close the dialog or menu" },
    ],
  },
  {
    title: "In an editor",
    list: [
      { keys: [`${mod}${isMac ? "↩" : "Enter"}`], what: "Run the program, send the reply" },
      { keys: ["Ctrl+Space"], what: "Complete a name" },
      { keys: ["Tab"], what: "Move to the next field" },
    ],
  },
  {
    title: "On the tabs",
    list: [
      { keys: ["←", "→"], what: "The previous or next tab" },
      { keys: ["Home", "End"], what: "The first or last tab" },
    ],
  },
];

/** The inputs and text areas that are not part of the page's state, in which the browser handles undo. */
const foreign = new WeakSet<EventTarget>();

// An editor says itself whether it is part of the page's state: engines differ in whether it has read its new text, and the state
// has changed, when listeners for `input` run.
const isEditor = (target: EventTarget): target is HTMLElement =>
  target instanceof HTMLElement && target.isContentEditable;

const hasOwnUndo = (target: EventTarget): boolean =>
  isEditor(target) ? "ownUndo" in target.dataset : foreign.has(target);

export function listenForKeys(): void {
  let before = state.peek();
  addEventListener(
    "input",
    () => {
      before = state.peek();
    },
    { capture: true },
  );
  addEventListener("input", ({ target }) => {
    if (target === null || isEditor(target)) return;
    if (state.peek() === before) foreign.add(target);
    else foreign.delete(target);
  });
  // Undo from the browser's menu, or by shaking a phone. The browser's own undo would conflict with that of the page.
  addEventListener("beforeinput", (event) => {
    const { inputType, target } = event;
    if (!inputType.startsWith("history") || target === null || hasOwnUndo(target)) return;
    event.preventDefault();
    if (inputType === "historyUndo") undo();
    else redo();
  });
  addEventListener("keydown", (event) => {
    const act = event.defaultPrevented ? null : actionOf(event);
    if (act === null) return;
    event.preventDefault();
    act();
  });
}

function actionOf(event: KeyboardEvent): (() => void) | null {
  const { key, altKey, shiftKey, target } = event;
  const isMod = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (isMod && !altKey) {
    const letter = key.toLowerCase();
    if (letter === "k" && !shiftKey) return () => open("palette");
    if (dialog.value !== null || (target !== null && hasOwnUndo(target))) return null;
    if (letter === "z") return shiftKey ? redo : undo;
    if (letter === "y" && !shiftKey && !isMac) return redo;
    return null;
  }
  if (key === "?" && !event.ctrlKey && !event.metaKey && !altKey && dialog.value === null && !isTypedInto(target)) {
    return () => open("shortcuts");
  }
  return null;
}

function open(which: "palette" | "shortcuts"): void {
  dialog.value = dialog.value === which ? null : which;
}

const TEXTLESS = /^(checkbox|radio|button|submit|reset|file|range|color)$/;

/** Whether keys are typed into this element. */
export const isTypedInto = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && !TEXTLESS.test(target.type)) ||
  (target instanceof HTMLElement && target.isContentEditable);
