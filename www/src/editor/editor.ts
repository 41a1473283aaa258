import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, diagnosticCount, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, Prec, type Range, type Text } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  placeholder as placeholderText,
  tooltips,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Problem, problemText } from "../page/problem.ts";
import { clojure } from "./clojure.ts";
import { type Complete, completion } from "./completion.ts";
import { codePointName, HIDDEN } from "./hidden.ts";
import { javascript } from "./javascript.ts";
import { signature } from "./signature.ts";

export interface EditorInit {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly placeholder: string;
  readonly id: string;
  /** The initial offset of the cursor; null if the editor should not take the focus. */
  readonly cursor: number | null;
  readonly onChange: (text: string) => void;
  /** Default: Clojure. */
  readonly language?: "clojure" | "json" | "signature" | "javascript" | undefined;
  /** Completes names, for a field whose text is a program. */
  readonly complete?: Complete | undefined;
  /** False for a text that is not part of the page's state: the page's undo does not cover it. */
  readonly isOfPage?: boolean | undefined;
  /** Called on Ctrl+Enter, or Cmd+Enter on a Mac. */
  readonly onRun?: (() => void) | undefined;
}

/** A field for Clojure text, JSON or a signature. */
export interface Editor {
  setText(text: string): void;
  setLabel(label: string): void;
  /** Marks the field and the ranges of the text that the problems name. */
  setProblems(problems: readonly Problem[], messageId: string): void;
  focus(): void;
  /** Selects a range, shows its start and takes the focus. */
  select(from: number, to: number): void;
  /** The offset of the cursor. */
  cursor(): number;
  destroy(): void;
}

const colours = HighlightStyle.define([
  { tag: tags.comment, class: "code-comment" },
  { tag: tags.string, class: "code-string" },
  { tag: tags.number, class: "code-number" },
  { tag: tags.atom, class: "code-atom" },
  { tag: tags.bool, class: "code-atom" },
  { tag: tags.null, class: "code-atom" },
  { tag: tags.keyword, class: "code-keyword" },
  { tag: tags.propertyName, class: "code-keyword" },
  { tag: tags.namespace, class: "code-namespace" },
  { tag: tags.bracket, class: "code-bracket" },
]);

const looks = EditorView.theme({
  "&": { maxHeight: "340px", borderRadius: "calc(var(--radius) - 1px)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { font: "inherit", lineHeight: "inherit" },
  ".cm-content": { minHeight: "28px", padding: "4px 8px", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  ".cm-placeholder": { color: "var(--soft)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  "&.cm-focused .cm-matchingBracket": { background: "var(--accent-tint)", outline: "1px solid var(--accent)" },
  "&:not(.cm-focused) .cm-matchingBracket": { background: "none" },
});

const bracket = Decoration.mark({ class: "cm-matchingBracket" });
const bothOf = (start: Span, end: Span | undefined): Range<Decoration>[] =>
  [start, ...(end === undefined ? [] : [end])].map(({ from, to }) => bracket.range(from, to));

interface Span {
  readonly from: number;
  readonly to: number;
}

// The page handles Tab, so that it moves to the next field. Editors have no undo history: the page has one for all its fields,
// and with two histories one change would be undone twice.
const common: Extension = [
  drawSelection({ cursorBlinkRate: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 1200 }),
  // Tooltips are placed outside the field, which would clip them.
  tooltips({ parent: document.querySelector("main") ?? document.body, position: "fixed" }),
  looks,
  highlightSpecialChars({
    specialChars: HIDDEN,
    render: (code) =>
      Object.assign(document.createElement("span"), {
        className: "hidden-character",
        textContent: codePointName(String.fromCodePoint(code)),
      }),
  }),
  syntaxHighlighting(colours),
  keymap.of(defaultKeymap),
];

/** Characters of a line above which lines are not wrapped: laying out a line of megabytes would take seconds. */
const LONG_LINE = 100_000;

const ofLongLines: Extension = [];
const ofShortLines: Extension = [
  EditorView.lineWrapping,
  // Unmatched brackets are not marked: the match may be in text that is not parsed yet, and the package reports errors.
  bracketMatching({ renderMatch: ({ matched, start, end }) => (matched ? bothOf(start, end) : []) }),
];

function forLinesOf(text: Text): Extension {
  if (text.length > LONG_LINE) for (const line of text.iterLines()) if (line.length > LONG_LINE) return ofLongLines;
  return ofShortLines;
}

const languages = { clojure, json: json(), signature, javascript };

const ownHistory: Extension = [
  history(),
  keymap.of(historyKeymap),
  EditorView.contentAttributes.of({ "data-own-undo": "" }),
];

export function createEditor(init: EditorInit): Editor {
  const { parent, text, label, placeholder, id, cursor, onChange, language = "clojure", complete, onRun } = init;
  const named = new Compartment();
  const forLines = new Compartment();
  const doc = EditorState.create({ doc: text }).doc;
  const described = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc,
      selection: { anchor: Math.min(cursor ?? 0, text.length) },
      extensions: [
        onRun === undefined ? [] : runs(onRun),
        common,
        forLines.of(forLinesOf(doc)),
        EditorState.transactionExtender.of(({ docChanged, newDoc, startState }) => {
          // A single key does not make a line too long.
          if (!docChanged || Math.abs(newDoc.length - startState.doc.length) < 2) return null;
          const now = forLinesOf(newDoc);
          return now === forLines.get(startState) ? null : { effects: forLines.reconfigure(now) };
        }),
        init.isOfPage === false ? ownHistory : [],
        languages[language],
        complete === undefined ? [] : completion(complete),
        named.of(nameOf(id, label)),
        described.of([]),
        placeholderText(placeholder),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  if (cursor !== null) view.focus();
  return {
    setText(next) {
      const change = changeTo(view.state.doc.toString(), next);
      if (change === null) return;
      // After an undo, the cursor is placed at the change.
      const selection = view.hasFocus ? { anchor: change.from + change.insert.length } : undefined;
      view.dispatch({ changes: change, ...(selection === undefined ? {} : { selection }) });
    },
    setLabel: (next) => view.dispatch({ effects: named.reconfigure(nameOf(id, next)) }),
    setProblems(problems, messageId) {
      view.dispatch({ effects: described.reconfigure(attributesOf(problems.length > 0, messageId)) });
      const found = diagnosticsOf(problems, view.state.doc.length);
      // Most fields never have a problem.
      if (found.length > 0 || diagnosticCount(view.state) > 0) view.dispatch(setDiagnostics(view.state, found));
    },
    focus: () => view.focus(),
    select(from, to) {
      view.dispatch({
        // The head is at the start, so that the start of a range larger than the field is visible.
        selection: { anchor: Math.min(to, view.state.doc.length), head: from },
        effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 20 }),
      });
      view.focus();
      view.dom.scrollIntoView({ block: "nearest" });
    },
    cursor: () => view.state.selection.main.head,
    destroy: () => view.destroy(),
  };
}

/** The change between two texts; null when they are equal. Replacing only this range keeps the cursor and scroll position. */
function changeTo(text: string, next: string): { from: number; to: number; insert: string } | null {
  if (text === next) return null;
  const max = Math.min(text.length, next.length);
  let start = 0;
  while (start < max && text[start] === next[start]) start++;
  let end = 0;
  while (end < max - start && text.at(-1 - end) === next.at(-1 - end)) end++;
  return { from: start, to: text.length - end, insert: next.slice(start, next.length - end) };
}

// Editable content is focusable without `tabindex`; the attribute is for tools that check it.
const nameOf = (id: string, label: string): Extension =>
  EditorView.contentAttributes.of({ id, "aria-label": label, tabindex: "0" });

const runs = (onRun: () => void): Extension =>
  Prec.highest(
    keymap.of([
      {
        key: "Mod-Enter",
        run() {
          onRun();
          return true;
        },
      },
    ]),
  );

const attributesOf = (isInvalid: boolean, messageId: string): Extension =>
  isInvalid ? EditorView.contentAttributes.of({ "aria-invalid": "true", "aria-describedby": messageId }) : [];

/** The diagnostics for the problems with a place, clamped to a text of this length. */
const diagnosticsOf = (problems: readonly Problem[], length: number): Diagnostic[] =>
  problems.flatMap((problem) => {
    if (problem.place === null) return [];
    const from = Math.min(problem.place.start, Math.max(0, length - 1));
    const to = Math.min(Math.max(problem.place.end, from + 1), length);
    if (from >= to) return [];
    return [{ from, to, severity: "error" as const, message: problemText(problem), markClass: "code-problem" }];
  });
