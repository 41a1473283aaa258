import { useComputed } from "@preact/signals";
import type { Example } from "../examples/index.ts";
import { savedText } from "../saved.ts";
import type { State } from "../state.ts";
import { loads, origin, reset, state, stateOf } from "../store.ts";
import { tab } from "../tab.ts";

/** What no hint speaks of. */
const neverMeant: readonly (keyof State)[] = ["tokens"];

/** The example of a load, and its state before any change; null where undo brought back one that was changed. */
let known: { readonly loads: number; readonly example: Example; readonly state: State | null } | null = null;

/** Whether nothing has changed that the hint of the example speaks of. */
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

/** One sentence about what to look at in the example, until what it speaks of is changed. Its place stays. */
export function Look() {
  const example = origin.value;
  const isTrue = useComputed(() => origin.value !== null && isHintTrue(origin.value)).value;
  if (example === null || !example.tabs.includes(tab.value)) return null;
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
