import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface PopoverProps {
  readonly id: string;
  readonly label: string;
  /** Shown in place of the label, which becomes the accessible name. */
  readonly icon?: IconName;
  /** Rendered while it is open; `close` returns the focus to the button. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a panel below it. Escape and a focus outside close the panel. */
export function Popover({ id, label, icon, children }: PopoverProps) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shown = isOpen.value;
  const close = (): void => {
    isOpen.value = false;
    button.current?.focus();
  };
  // In the same task as the render, so that no key or press comes before.
  useLayoutEffect(() => {
    if (!shown) return;
    const isInside = (target: EventTarget | null): boolean =>
      target instanceof Node && root.current?.contains(target) === true;
    const onOutside = ({ target }: Event): void => {
      if (target instanceof Node && !isInside(target)) isOpen.value = false;
    };
    const events = ["pointerdown", "focusin"] as const;
    const onKey = (event: KeyboardEvent): void => {
      // A pressed button that the panel has replaced leaves the focus nowhere; keys then go to the body.
      if (event.key !== "Escape" || (!isInside(event.target) && event.target !== document.body)) return;
      event.preventDefault();
      close();
    };
    for (const event of events) addEventListener(event, onOutside);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      for (const event of events) removeEventListener(event, onOutside);
    };
  }, [shown]);
  return (
    <div class="popover" ref={root}>
      <button
        ref={button}
        type="button"
        id={id}
        class={icon === undefined ? "button" : "icon-button"}
        aria-label={icon === undefined ? undefined : label}
        title={icon === undefined ? undefined : label}
        aria-expanded={shown}
        aria-controls={`${id}-panel`}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {icon === undefined ? label : <Icon name={icon} />}
      </button>
      <section id={`${id}-panel`} class="popover-panel" aria-label={label} hidden={!shown}>
        {shown && children(close)}
      </section>
    </div>
  );
}
