import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { openGroups, setGroupOpen } from "../states/store.ts";
import { Icon } from "./icon.tsx";

interface GroupProps {
  readonly id: string;
  readonly title: string;
  /** A summary of its content, shown while it is closed. */
  readonly summary: string;
  /** Whether one of its fields has a problem: the group is marked while it is closed. */
  readonly invalid?: boolean;
  readonly children: ComponentChildren;
}

export function Group({ id, title, summary, invalid, children }: GroupProps) {
  const open = useComputed(() => openGroups.value.has(id));
  return (
    <section class="group" data-open={open.value || undefined}>
      <h3>
        <button
          type="button"
          class="group-toggle"
          aria-expanded={open.value}
          aria-controls={`${id}-body`}
          onClick={() => setGroupOpen(id, !open.value)}
        >
          <Icon name="chevron" />
          <span class="group-title">{title}</span>
          <span class="group-summary">{summary}</span>
          {invalid === true && <span class="badge badge-problem">can’t be read</span>}
        </button>
      </h3>
      <div class="group-body" id={`${id}-body`} hidden={!open.value}>
        {open.value && children}
      </div>
    </section>
  );
}
