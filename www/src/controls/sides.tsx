import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The side that is shown where both don't fit beside each other. */
const side = signal<"history" | "messages">("history");

interface SidesProps {
  /** The name of the left side. */
  readonly left: string;
  readonly history: ComponentChildren;
  readonly messages: ComponentChildren;
}

/** What an agent has done on the left, what its model gets for it on the right. */
export function Sides({ left, history, messages }: SidesProps) {
  const choices = [
    { name: "history", label: left },
    { name: "messages", label: "Messages" },
  ] as const;
  return (
    <>
      <nav class="sides" aria-label="Side shown">
        {choices.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={side.value === name}
            onClick={() => {
              side.value = name;
            }}
          >
            {label}
          </button>
        ))}
      </nav>
      <div class="panes" data-side={side.value}>
        <section class="pane" id="history" aria-label={left}>
          {history}
        </section>
        <section class="pane" id="messages" aria-label="Messages">
          {messages}
        </section>
      </div>
    </>
  );
}
