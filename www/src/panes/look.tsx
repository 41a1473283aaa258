import { origin } from "../store.ts";
import { tab } from "../tab.ts";

/** One sentence about what to look at in the example. */
export function Look() {
  const example = origin.value;
  if (example === null || !example.tabs.includes(tab.value)) return null;
  return (
    <aside class="look" aria-label="What to look at">
      <strong>Look:</strong> {example.look}
    </aside>
  );
}
