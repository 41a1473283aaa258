import { dialog, isTypedInto } from "./shortcuts.ts";

/** Opens files and texts that are dropped on the page, or pasted outside a text field. */
export function takeFiles(): void {
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
  const mark = (isOver: boolean): void => {
    document.documentElement.toggleAttribute("data-drop", isOver);
  };
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(false);
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void openFile(file);
  });
  addEventListener("paste", (event) => {
    if (event.defaultPrevented || dialog.value !== null || isTypedInto(event.target)) return;
    const [file] = event.clipboardData?.files ?? [];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text === "" && file === undefined) return;
    event.preventDefault();
    if (text === "" && file !== undefined) void openFile(file);
    else void import("../import/open.ts").then(({ openText }) => openText(text));
  });
}

const openFile = async (file: File): Promise<void> => (await import("../import/open.ts")).openFile(file);
