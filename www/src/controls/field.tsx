import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Problem, problemText } from "../page/problem.ts";
import { inputs } from "../running/sandbox.ts";
import { outcome } from "../states/store.ts";

/** The current problem of the field with this id; null without one. */
export const useProblem = (id: string): Problem | null =>
  useComputed(() => outcome.value.problems.get(id) ?? inputs.value.problems.get(id) ?? null).value;

export const problemId = (id: string): string => `${id}-problem`;

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Whether the label is only for screen readers, because a heading above the field shows it. */
  readonly quiet?: boolean | undefined;
  readonly problem: Problem | null;
  readonly children: ComponentChildren;
}

/** A control with its label above it and its problem below it. */
export const Field = ({ id, label, hint, quiet, problem, children }: FieldProps) => (
  <div class="field" data-invalid={problem !== null || undefined}>
    <div class={quiet === true ? "visually-hidden" : "field-head"}>
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
    {children}
    {problem !== null && (
      <p class="field-problem" id={problemId(id)}>
        {problemText(problem)}
      </p>
    )}
  </div>
);
