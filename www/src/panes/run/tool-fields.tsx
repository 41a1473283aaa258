import { Check } from "../../controls/check.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { fieldId } from "../../page/problem.ts";
import { conditionTrouble } from "../../run/agent.ts";
import type { ToolFields } from "../turns/givens.tsx";

/** What makes calls of a tool wait. */
export const WaitingFields: ToolFields = ({ tool, which, change }) => (
  <fieldset class="tool-waits">
    <legend class="visually-hidden">When calls of {which} wait</legend>
    <Check
      label="Asks before it runs"
      isChecked={tool.needsApproval}
      onChange={(needsApproval) => change({ needsApproval })}
      title="The run waits until you approve or deny the call (needsApproval)"
    />
    <Check
      label="Answers later"
      isChecked={tool.answersLater}
      onChange={(answersLater) => change({ answersLater })}
      title="The run waits until you give the result of the call (later)"
    />
    {tool.needsApproval && (
      <TextField
        id={fieldId("approval-if", tool)}
        label="Asks only if"
        fullLabel={`Asks only if, of ${which}`}
        placeholder="always, or ({euros}) => euros > 50"
        code
        trouble={conditionTrouble(tool)}
        value={tool.approvalIf}
        onInput={(approvalIf) => change({ approvalIf })}
      />
    )}
  </fieldset>
);
