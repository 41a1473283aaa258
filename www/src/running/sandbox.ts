import { computed } from "@preact/signals";
import type { Limits, LispOptions, ToolFunction, Tools } from "turnfold/lisp";
import { attempt, complaint, fieldId, type Problem, type Problems } from "../page/problem.ts";
import type { State, ToolRow } from "../states/state.ts";
import { outcome, state } from "../states/store.ts";
import { runLimits } from "../turns/options.ts";
import { readAnswer, readDelay, toolFunction } from "./answers.ts";
import { fieldDescriptionsOf } from "./tool-parameters.ts";

/** The options of a program. */
export type Givens = Pick<LispOptions, "data" | "tools" | "limits">;

interface Inputs {
  readonly options: Givens;
  /** The problems by field. They prevent programs from running, but not the rendering of messages. */
  readonly problems: ReadonlyMap<string, Problem>;
}

const toolRows = computed(() => state.value.tools);
const limitTexts = computed(() => state.value.limits);
const data = computed(() => outcome.value.data);

/** The options of all programs of the page. The same object until one of them changes. */
export const inputs = computed((): Inputs => {
  const problems: Problems = new Map();
  const tools = toolsOf(toolRows.value, problems);
  return { options: { data: data.value, tools, limits: limitsOf(limitTexts.value, problems) }, problems };
});

/** Why no program can run; null when one can. */
export const obstacle = computed((): string | null => {
  const readByTurns = [
    "data",
    ...toolRows.value.flatMap((row) => [fieldId("tool", row), fieldId("tool-signature", row)]),
  ];
  const broken = inputs.value.problems.size > 0 || readByTurns.some((field) => outcome.value.problems.has(field));
  return broken ? "Tools, data or limits can’t be read: correct the marked fields on the Run or REPL tab." : null;
});

function toolsOf(rows: readonly ToolRow[], problems: Problems): Tools {
  return toolsWith(rows, (row) => {
    const answer = attempt(
      problems,
      fieldId("answer", row),
      () => null,
      () => readAnswer(row.answer),
    );
    return toolFunction(
      answer,
      attempt(problems, fieldId("delay", row), 0, () => readDelay(row.delay)),
    );
  });
}

/** The named tools, with the functions that answer their calls. */
export function toolsWith(rows: readonly ToolRow[], functionOf: (row: ToolRow) => ToolFunction): Tools {
  const named = rows.filter((row) => row.name.trim() !== "");
  return Object.fromEntries(
    named.map((row) => {
      const signature = row.signature.trim();
      const { description, parameters } = row;
      return [
        row.name.trim(),
        {
          ...(signature === "" ? {} : { signature }),
          ...(description === "" ? {} : { description }),
          ...fieldDescriptionsOf(parameters),
          run: functionOf(row),
        },
      ];
    }),
  );
}

function limitsOf(texts: State["limits"], problems: Problems): Limits {
  const limits: Limits = {};
  for (const { name } of runLimits) {
    const text = texts[name].trim();
    if (text === "") continue;
    if (/^\d{1,15}$/.test(text)) limits[name] = Number(text);
    else problems.set(fieldId(`limit-${name}`), complaint("Write a whole number, or nothing for the default"));
  }
  return limits;
}

// Strings and comments are tokens, so that brackets inside them are not counted.
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"?|;[^\n]*|[([{]|[)\]}]/g;

/** The last top-level form of a program that defines this name: `(defn name …)` or `(def name …)`. */
export function definitionOf(program: string, name: string): string | null {
  const wanted = new RegExp(`^\\(\\s*defn?-?\\s+${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![^\\s,()[\\]{}";])`);
  let found: string | null = null;
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of program.matchAll(TOKEN)) {
    if (/^[([{]/.test(token)) {
      if (depth === 0) start = index;
      depth++;
    } else if (/^[)\]}]/.test(token) && depth > 0) {
      depth--;
      const form = program.slice(start, index + 1);
      if (depth === 0 && wanted.test(form)) found = form;
    }
  }
  return found;
}
