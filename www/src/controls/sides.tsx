import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The visible side where both don't fit. */
const side = signal<"history" | "messages">("history");

/** Makes a side visible. */
export function showSide(name: "history" | "messages"): void {
  side.value = name;
}

interface SidesProps {
  /** The name of the left side. */
  readonly left: string;
  /** The name of the right side. */
  readonly right?: string;
  readonly history: ComponentChildren;
  readonly messages: ComponentChildren;
}

/** A page with two sides: inputs on the left, the resulting messages on the right. */
export function Sides({ left, right = "Messages", history, messages }: SidesProps) {
  const choices = [
    { name: "history", label: left },
    { name: "messages", label: right },
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
        <section class="pane" id="messages" aria-label={right}>
          {messages}
        </section>
      </div>
    </>
  );
}
