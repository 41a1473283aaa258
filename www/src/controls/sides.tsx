import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { embedded } from "../page/embedded.ts";
import { type TabName, tab } from "../page/tab.ts";
import { Splitter } from "./splitter.tsx";

type Side = "history" | "both" | "messages";

/** The chosen side of each tab, which is the visible one on screens that are too narrow for both beside each other. */
const chosen = signal<Readonly<Partial<Record<TabName, Side>>>>({});

/** A frame, and a window without room for two sides, as a telephone at 400 % zoom, begin with the messages. */
let begins: Side | undefined;

const sideNow = (): Side => {
  const known = chosen.value[tab.value];
  if (known !== undefined || (tab.value !== "turns" && tab.value !== "chat")) return known ?? "history";
  const hasNoRoom = () => embedded || matchMedia("(max-width: 559px) and (max-height: 400px)").matches;
  begins ??= hasNoRoom() ? "messages" : "both";
  return begins;
};

/** Makes a side of the tab visible. */
export function showSide(name: Side): void {
  if (sideNow() !== "both") choose(name);
}

/** Makes a side of the tab the only one on narrow screens, or both visible. */
export function choose(name: Side): void {
  chosen.value = { ...chosen.value, [tab.value]: name };
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
  const panes = useRef<HTMLDivElement>(null);
  const side = sideNow();
  const choices = [
    { name: "history", label: left },
    { name: "both", label: "Both" },
    { name: "messages", label: right },
  ] as const;
  return (
    <>
      <nav class="sides" aria-label="Side shown">
        {choices.map(({ name, label }) => (
          <button key={name} type="button" aria-pressed={side === name} onClick={() => choose(name)}>
            {label}
          </button>
        ))}
      </nav>
      <div class="panes split" data-side={side} ref={panes}>
        <section class="pane" id="history" aria-label={left}>
          {history}
        </section>
        <Splitter name={left} controls="history" panes={panes} />
        <section class="pane" id="messages" aria-label={right}>
          {messages}
        </section>
      </div>
    </>
  );
}
