import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { Completion } from "turnfold";

/** The names that are possible at an offset of a text. */
export type Complete = (text: string, offset: number) => readonly Completion[];

interface List {
  readonly items: readonly Completion[];
  readonly chosen: number;
  /** Where the word begins that an item replaces. */
  readonly from: number;
}

const WORD = /[^\s,()[\]{}";@^`~'#]*$/;
const REST_OF_WORD = /^[^\s,()[\]{}";@^`~']*/;
/** How many completions are visible at a time. */
const WINDOW = 8;
const LIST_ID = "completions";

const show = StateEffect.define<List | null>();

/** Completes names at the cursor, on Ctrl+Space and during typing, and shows the documentation of the name under the pointer. */
export function completion(complete: Complete): Extension {
  const listAt = (state: EditorState, asked: boolean): List | null => {
    const { head, empty } = state.selection.main;
    const line = state.doc.lineAt(head);
    const word = WORD.exec(line.text.slice(0, head - line.from))?.[0] ?? "";
    if (!empty || (!asked && !/^[^\d:]/.test(word))) return null;
    const found = complete(state.doc.toString(), head);
    const items = found.filter((item) => item.name !== word);
    // After a whole name, Enter must start a new line and not accept a longer name.
    const isWhole = !asked && items.length < found.length;
    return items.length === 0 || isWhole ? null : { items, chosen: 0, from: head - word.length };
  };

  const field = StateField.define<List | null>({
    create: () => null,
    update(list, transaction) {
      for (const effect of transaction.effects) if (effect.is(show)) return effect.value;
      if (transaction.docChanged) {
        const typed = transaction.isUserEvent("input.type") || (list !== null && transaction.isUserEvent("delete"));
        return typed ? listAt(transaction.state, false) : null;
      }
      return transaction.selection === undefined ? list : null;
    },
    provide: (self) => [
      showTooltip.from(self, (list): Tooltip | null =>
        list === null ? null : { pos: list.from, above: false, create: (view) => ({ dom: listElement(view, list) }) },
      ),
      EditorView.contentAttributes.from(self, (list) => ({
        "aria-autocomplete": "list",
        ...(list === null ? {} : { "aria-controls": LIST_ID, "aria-activedescendant": `completion-${list.chosen}` }),
      })),
    ],
  });

  const whileShown =
    (act: (view: EditorView, list: List) => void) =>
    (view: EditorView): boolean => {
      const list = view.state.field(field);
      if (list !== null) act(view, list);
      return list !== null;
    };
  const step = (by: number) =>
    whileShown((view, list) => {
      const { length } = list.items;
      view.dispatch({ effects: show.of({ ...list, chosen: (list.chosen + by + length) % length }) });
    });
  const keys = keymap.of([
    {
      key: "Ctrl-Space",
      run(view) {
        view.dispatch({ effects: show.of(listAt(view.state, true)) });
        return true;
      },
    },
    { key: "ArrowDown", run: step(1) },
    { key: "ArrowUp", run: step(-1) },
    { key: "Enter", run: whileShown((view, list) => accept(view, list, list.chosen)) },
    { key: "Escape", run: whileShown((view) => view.dispatch({ effects: show.of(null) })) },
  ]);

  const closing = EditorView.domEventHandlers({
    blur(_, view) {
      if (view.state.field(field) !== null) view.dispatch({ effects: show.of(null) });
    },
  });

  return [field, Prec.highest(keys), closing, meaning(complete)];
}

function accept(view: EditorView, list: List, index: number): void {
  const item = list.items[index];
  if (item === undefined) return;
  const { head } = view.state.selection.main;
  view.dispatch({
    changes: { from: list.from, to: head, insert: item.name },
    selection: { anchor: list.from + item.name.length },
    effects: show.of(null),
    userEvent: "input.complete",
  });
}

function listElement(view: EditorView, list: List): HTMLElement {
  const element = document.createElement("div");
  element.className = "completions";
  const options = document.createElement("ul");
  options.id = LIST_ID;
  options.setAttribute("role", "listbox");
  options.setAttribute("aria-label", "Completions");
  const start = Math.max(0, Math.min(list.chosen - WINDOW / 2, list.items.length - WINDOW));
  for (const [place, { name }] of list.items.slice(start, start + WINDOW).entries()) {
    const index = start + place;
    const option = document.createElement("li");
    option.id = `completion-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-posinset", String(index + 1));
    option.setAttribute("aria-setsize", String(list.items.length));
    option.setAttribute("aria-selected", String(index === list.chosen));
    option.textContent = name;
    // Before the editor loses the focus.
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      accept(view, list, index);
    });
    options.append(option);
  }
  element.append(options);
  const chosen = list.items[list.chosen];
  if (chosen !== undefined) element.append(docElement(chosen));
  if (list.items.length > WINDOW) {
    const count = document.createElement("div");
    count.className = "completion-count";
    count.textContent = `${list.chosen + 1} of ${list.items.length}`;
    element.append(count);
  }
  return element;
}

function docElement({ detail, doc }: Completion): HTMLElement {
  const element = document.createElement("div");
  element.className = "completion-doc";
  const usage = document.createElement("code");
  usage.textContent = detail;
  element.append(usage, document.createElement("br"), doc);
  return element;
}

const meaning = (complete: Complete): Extension =>
  hoverTooltip(
    (view, position) => {
      const line = view.state.doc.lineAt(position);
      const before = WORD.exec(line.text.slice(0, position - line.from))?.[0] ?? "";
      const after = REST_OF_WORD.exec(line.text.slice(position - line.from))?.[0] ?? "";
      const [from, to] = [position - before.length, position + after.length];
      const word = before + after;
      const found = complete(view.state.doc.toString(), to).find(({ name }) => name === word);
      if (found === undefined) return null;
      return { pos: from, end: to, above: true, create: () => ({ dom: docElement(found) }) };
    },
    { hideOnChange: true },
  );
