/** Loads a file that is dropped anywhere on the page. */
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
    if (file !== undefined) void import("./share/file.ts").then(({ upload }) => upload(file));
  });
}
