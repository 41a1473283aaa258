import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialog } from "../shortcuts.ts";

interface ModalProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A dialog over the page, which is out of reach meanwhile. Escape, or a press beside it, closes it. */
export function Modal({ label, class: name, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Its clean-up runs at once, and not after what was chosen in the dialog has moved the focus on.
  useLayoutEffect(() => {
    const shown = element.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = (): void => {
    dialog.value = null;
  };
  return (
    <dialog
      ref={element}
      class={`modal ${name}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="modal-body">{children}</div>
    </dialog>
  );
}
