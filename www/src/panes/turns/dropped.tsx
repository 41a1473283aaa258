import { memo } from "../../page/reuse.ts";
import { sectionOfDrop } from "../../turns/omitted.ts";
import type { Drop } from "../../turns/render.ts";
import { kindNames, reasonSentence } from "./drop-reasons.ts";

const MAX_SHOWN = 100;

/** The omitted items, grouped by the rule that omitted them. */
export const Dropped = memo(({ drops }: { readonly drops: readonly Drop[] }) => {
  const groups = Map.groupBy(drops, (drop) => `${drop.kind}:${drop.reason}`);
  return (
    <section class="dropped" aria-labelledby="dropped-title">
      <h2 id="dropped-title" class="pane-title">
        Left out <span class="count">{drops.length}</span>
      </h2>
      {drops.length === 0 && <p class="empty">Nothing: the model sees everything.</p>}
      {[...groups].map(([key, group]) => (
        <DropGroup key={key} group={group} />
      ))}
    </section>
  );
});

function DropGroup({ group }: { readonly group: readonly Drop[] }) {
  const [first] = group;
  if (first === undefined) return null;
  const [one, many] = kindNames[first.kind];
  return (
    <details class="drop-group">
      <summary>
        <strong>
          {group.length} {group.length === 1 ? one : many}
        </strong>{" "}
        <span class="drop-reason">{reasonSentence(first.reason)}</span>
      </summary>
      <ul>
        {group.slice(0, MAX_SHOWN).map((drop, index) => (
          <li key={index} data-kind={sectionOfDrop[drop.kind]} data-turns={drop.turn > 0 ? drop.turn : undefined}>
            <span class="drop-turn">{drop.turn > 0 ? `turn ${drop.turn}` : "before"}</span>
            <span class="drop-text">{drop.text}</span>
          </li>
        ))}
        {group.length > MAX_SHOWN && <li>… and {group.length - MAX_SHOWN} more</li>}
      </ul>
    </details>
  );
}
