import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
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
  useEffect(() => {
    if (!shown) return;
    const onOutside = ({ target }: Event): void => {
      if (target instanceof Node && root.current?.contains(target) !== true) isOpen.value = false;
    };
    const events = ["pointerdown", "focusin"] as const;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    };
    for (const event of events) addEventListener(event, onOutside);
    const element = root.current;
    element?.addEventListener("keydown", onKey);
    return () => {
      element?.removeEventListener("keydown", onKey);
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
          isOpen.value = !shown;
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
