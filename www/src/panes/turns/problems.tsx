import { Icon } from "../../controls/icon.tsx";
import { showSide } from "../../controls/sides.tsx";
import { VirtualList } from "../../controls/virtual-list.tsx";
import { CUSTOM_FIELD } from "../../custom/ran.ts";
import { focusSoon } from "../../page/focus.ts";
import { problemText } from "../../page/problem.ts";
import { showsDetails } from "../../page/view.ts";
import { openGroups, outcome, setGroupOpen, setOpen, shown, state } from "../../states/store.ts";
import { limits } from "../../turns/options.ts";

/** The problems that prevent rendering, each with a link to its field. */
export function ProblemList() {
  const { problems, refusal } = outcome.value;
  if (problems.size === 0 && refusal === null) return null;
  return (
    <div class="problems">
      <p>
        <Icon name="alert" />
        {shown.value.frame === null ? "No messages yet." : "These are the last valid messages."} They update as soon as
        this can be read:
      </p>
      {refusal !== null && (
        <ul>
          <li>{problemText(refusal)}</li>
        </ul>
      )}
      <VirtualList name="problems" items={[...problems]} rowHeight={21} gap={3} class="problem-list">
        {([field, problem], _, row) => (
          <li {...row} key={field}>
            <button type="button" class="link" onClick={() => reveal(field)}>
              {nameOf(field)}
            </button>
            <span>{problemText(problem)}</span>
          </li>
        )}
      </VirtualList>
    </div>
  );
}

const groupOf: Readonly<Record<string, string>> = {
  tool: "tools",
  "tool-signature": "tools",
  data: "data-group",
  signature: "output",
  maxTurns: "output",
  turnsLeft: "output",
  ...Object.fromEntries(limits.map(({ name }) => [name, "tune"])),
};

function reveal(field: string): void {
  const owner = outcome.value.owners.get(field);
  if (owner !== undefined) setOpen(owner.id, true);
  const group = groupOf[kindOf(field)];
  if (group === "tune") showsDetails.value = true;
  if (group !== undefined && !openGroups.value.has(group)) setGroupOpen(group, true);
  showSide(group === "tune" || field === CUSTOM_FIELD ? "messages" : "history");
  focusSoon(field);
}

const kindOf = (field: string): string => field.replace(/-\d+$/, "");

const names: Readonly<Record<string, string>> = {
  args: "arguments of a call",
  "call-result": "result of a call",
  memory: "memory",
  result: "result",
  function: "a function",
  turn: "the whole turn",
  tool: "Name of a tool",
  "tool-signature": "Signature of a tool",
  [CUSTOM_FIELD]: "Your own strategy",
  data: "Data",
  signature: "Signature",
};

function nameOf(field: string): string {
  const owner = outcome.value.owners.get(field);
  const name = names[kindOf(field)] ?? "A limit";
  return owner === undefined ? name : `Turn ${state.value.turns.indexOf(owner) + 1}, ${name}`;
}
