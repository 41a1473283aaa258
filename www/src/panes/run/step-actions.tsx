import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { formatTrace, type Step } from "turnfold";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Icon } from "../../controls/icon.tsx";
import { saveStep } from "../../run/file.ts";

interface StepActionsProps {
  readonly step: Step;
  readonly children?: ComponentChildren;
}

/** What can be done with the step of a run. */
export function StepActions({ step, children }: StepActionsProps) {
  const trace = useMemo(() => formatTrace(step, { usage: true, raw: true }), [step]);
  return (
    <div class="result-actions">
      {children}
      <CopyButton text={trace} label="Copy trace" caption="Copy trace" />
      <button type="button" class="copy-button" onClick={() => saveStep(step)}>
        <Icon name="down" />
        Save step
      </button>
    </div>
  );
}
