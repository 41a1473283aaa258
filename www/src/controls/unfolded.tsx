import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface UnfoldedProps {
  readonly class: string;
  readonly summary: string;
  readonly children: () => ComponentChildren;
}

/** A foldable part with long content, which is rendered only while the part is open. */
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
