import { useComputed } from "@preact/signals";
import type { Example } from "../../examples/index.ts";
import { tab } from "../../page/tab.ts";
import { savedText } from "../../states/saved.ts";
import type { State } from "../../states/state.ts";
import { isLeadShown, loads, origin, reset, state, stateOf } from "../../states/store.ts";

/** The members of the state that no hint depends on. */
const neverMeant: readonly (keyof State)[] = ["tokens"];

/** The example of a load. Its `state` is the one before any change, or null when undo restored a changed one. */
let known: { readonly loads: number; readonly example: Example; readonly state: State | null } | null = null;

/** Whether the hint of the example is still true: the members of the state that it depends on are unchanged. */
function isHintTrue(example: Example): boolean {
  const { value: now } = state;
  if (known?.loads !== loads.value || known.example !== example) {
    const isUnchanged = savedText(now) === savedText(stateOf(example));
    known = { loads: loads.value, example, state: isUnchanged ? now : null };
  }
  const { state: before } = known;
  if (before === null) return false;
  const ignored = [...neverMeant, ...(example.trueFor ?? [])];
  const names = Object.keys(now) as (keyof State)[];
  return names.every((name) => now[name] === before[name] || ignored.includes(name));
}

/** The hint of the example, or a button that resets the example once the hint is no longer true. */
export function Look() {
  const example = origin.value;
  const isTrue = useComputed(() => origin.value !== null && isHintTrue(origin.value)).value;
  if (example === null || !example.tabs.includes(tab.value) || isLeadShown()) return null;
  if (!isTrue)
    return (
      <aside class="look" aria-label="What was changed">
        You have changed this example.{" "}
        <button type="button" class="link" onClick={reset}>
          Reset it
        </button>
      </aside>
    );
  return (
    <aside class="look" aria-label="What to look at">
      <strong>Look:</strong> {example.look}
    </aside>
  );
}
