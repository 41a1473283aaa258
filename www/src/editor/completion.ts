import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import type { Completion } from "turnfold";

/** Returns the completions at an offset of a text. */
export type Complete = (text: string, offset: number) => readonly Completion[];

const WORD = /[^\s,()[\]{}";@^`~'#]*$/;
const REST_OF_WORD = /^[^\s,()[\]{}";@^`~']*/;

/** Completes names at the cursor, on Ctrl+Space and during typing, and shows the documentation of the name under the pointer. */
export const completion = (complete: Complete): Extension => [
  autocompletion({
    override: [(context) => namesAt(context, complete)],
    icons: false,
    // A list this short does not scroll; a list that scrolls would be a focus stop of its own.
    maxRenderedOptions: 8,
    activateOnTypingDelay: 0,
    interactionDelay: 0,
    // Below the list, since there is no room beside it on a phone.
    positionInfo: (_, list) => ({ style: `top: ${list.bottom - list.top}px; left: 0` }),
  }),
  meaning(complete),
];

function namesAt(context: CompletionContext, complete: Complete): CompletionResult | null {
  const word = context.matchBefore(WORD)?.text ?? "";
  if (!context.explicit && !/^[^\d:]/.test(word)) return null;
  const found = complete(context.state.doc.toString(), context.pos);
  const items = found.filter(({ name }) => name !== word);
  // After a complete name, Enter must start a new line and not accept a longer name.
  if (!context.explicit && items.length < found.length) return null;
  return {
    from: context.pos - word.length,
    filter: false,
    options: items.map((item) => ({ label: item.name, info: () => docElement(item) })),
  };
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
