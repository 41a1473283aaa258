import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface UnfoldedProps {
  readonly class: string;
  readonly summary: string;
  readonly children: () => ComponentChildren;
}

/** Long content that is rendered only when it is opened. */
export function Unfolded({ class: name, summary, children }: UnfoldedProps) {
  const isOpen = useSignal(false);
  return (
    <details
      class={name}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && children()}
    </details>
  );
}
