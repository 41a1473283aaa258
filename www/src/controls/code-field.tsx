import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Editor, EditorInit } from "../editor/editor.ts";
import { acted } from "../page/acted.ts";
import { type Problem, problemText } from "../page/problem.ts";
import { firstTab, tab } from "../page/tab.ts";
import { isLeadShown, showProblem } from "../states/store.ts";
import { problemId, useProblem } from "./field.tsx";
import { FirstRows } from "./first-rows.tsx";

interface CodeFieldProps {
  readonly id: string;
  readonly label: string;
  /** The accessible name: the label with its context, “Program of turn 3”. */
  readonly fullLabel: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly quiet?: boolean;
  /** Further problems of the text. */
  readonly problems?: readonly Problem[];
  /** Default: Clojure. */
  readonly language?: EditorInit["language"];
  readonly complete?: EditorInit["complete"];
  readonly onRun?: EditorInit["onRun"];
  /** False for a text that is not part of the page's state. Default: true. */
  readonly isOfPage?: boolean;
  /** Called with the editor when it was created, and with null when it was removed. */
  readonly onEditor?: (editor: Editor | null) => void;
}

const NONE: readonly Problem[] = [];

/** The editor is most of the page's code, and is not needed before a turn is opened. */
const loadEditor = (): Promise<typeof import("../editor/editor.ts")> => import("../editor/editor.ts");

/** Characters that the text area shows until the editor is created: laying out a long text there would take seconds. */
const MAX_STAND_IN = 2_000;

/** Formats JSON with one line for each value. The page’s undo reverts it as one change. */
async function format(text: string, onInput: (text: string) => void): Promise<void> {
  const { formatted, JsonProblem } = await import("../chat/json.ts");
  try {
    onInput(formatted(text));
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    showProblem(`This can’t be formatted. ${error.message}.`);
  }
}

/**
 * A field for Clojure text or JSON. The editor is created when the field comes near the screen or gets the focus. Until then
 * it is a text area, so that a turn with a hundred calls opens fast, and everything works when the editor can't be loaded.
 */
export function CodeField(props: CodeFieldProps) {
  const { id, label, fullLabel, value, onInput, language, hint, placeholder = "", quiet, problems = NONE } = props;
  const problem = useProblem(id);
  const all = useMemo(() => (problem === null ? problems : [problem, ...problems]), [problem, problems]);
  const invalid = all.length > 0;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const wanted = useRef(false);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [failed, setFailed] = useState(false);

  const mount = async (): Promise<void> => {
    if (wanted.current) return;
    wanted.current = true;
    const loaded = await loadEditor().catch((error: unknown) => {
      // The next focus or appearance on the screen tries again; until then the text area works.
      console.warn("The editor could not be loaded.", error);
      return null;
    });
    if (loaded === null) {
      wanted.current = false;
      setFailed(true);
    } else {
      const parent = host.current;
      if (parent === null) return;
      const { value: text, fullLabel: name, complete, onRun } = latest.current;
      const standIn = document.activeElement;
      const typingHere = standIn instanceof HTMLTextAreaElement && standIn.id === id;
      const made = loaded.createEditor({
        parent,
        text,
        label: name,
        placeholder,
        id,
        cursor: typingHere ? standIn.selectionEnd : null,
        onChange: (next) => {
          if (next !== latest.current.value) latest.current.onInput(next);
        },
        language: latest.current.language,
        isOfPage: latest.current.isOfPage,
        complete: complete && ((...at) => latest.current.complete?.(...at) ?? []),
        onRun: onRun && (() => latest.current.onRun?.()),
      });
      setEditor(made);
    }
  };

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        // The first view has an open turn, and is shown without the editor.
        if (isLeadShown() && tab.value === firstTab) void acted.then(mount);
        else void mount();
      },
      { rootMargin: "300px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (editor === null) return;
    latest.current.onEditor?.(editor);
    return () => {
      latest.current.onEditor?.(null);
      editor.destroy();
    };
  }, [editor]);
  // A layout effect runs before the next key is handled: an outdated text would overwrite that key.
  useLayoutEffect(() => editor?.setText(value), [editor, value]);
  useEffect(() => editor?.setLabel(fullLabel), [editor, fullLabel]);
  useEffect(() => editor?.setProblems(all, problemId(id)), [editor, all]);

  const isLong = value.length > MAX_STAND_IN && !failed;
  return (
    <div class="field" data-invalid={invalid || undefined}>
      {quiet !== true && (
        <div class="field-head">
          <span class="field-label" aria-hidden="true" onClick={() => editor?.focus()}>
            {label}
          </span>
          {hint !== undefined && <span class="field-hint">{hint}</span>}
          {language === "json" && value.trim() !== "" && (
            <button
              type="button"
              class="link code-format"
              aria-label={`Format ${fullLabel}`}
              onClick={() => void format(value, onInput)}
            >
              Format
            </button>
          )}
        </div>
      )}
      <div class="code-field" ref={host}>
        {editor === null && (
          <textarea
            class="code-stand-in"
            id={id}
            rows={1}
            value={isLong ? value.slice(0, MAX_STAND_IN) : value}
            readOnly={isLong}
            placeholder={placeholder}
            spellcheck={false}
            aria-label={fullLabel}
            aria-invalid={invalid || undefined}
            aria-describedby={invalid ? problemId(id) : undefined}
            onInput={(event) => onInput(event.currentTarget.value)}
            onFocus={() => void mount()}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) props.onRun?.();
            }}
          />
        )}
      </div>
      {invalid && (
        <div class="field-problem" id={problemId(id)}>
          <FirstRows items={all} what="problems" as="p">
            {(each, index) => <p key={index}>{problemText(each)}</p>}
          </FirstRows>
        </div>
      )}
    </div>
  );
}
