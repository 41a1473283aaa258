import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialog } from "../page/shortcuts.ts";

interface ModalProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape or a press outside closes it. */
export function Modal({ label, class: name, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // A layout effect cleans up immediately. A later cleanup would override the focus that the chosen command set.
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
