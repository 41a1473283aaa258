/** The media type of a dragged turn's id. It distinguishes turns from other dragged data. */
const TYPE = "application/x-turnfold-turn";

/**
 * Lets the user reorder the cards of a list by dragging. The handle of a card is its element with `data-drag`.
 * Returns a function that removes the listeners.
 */
export function allowReordering(list: HTMLElement, move: (id: number, onto: number) => void): () => void {
  const stop = new AbortController();
  const cardAt = (event: DragEvent): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-card]") : null;
  const listen = (type: "dragstart" | "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void): void =>
    list.addEventListener(type, handle, { signal: stop.signal });

  listen("dragstart", (event) => {
    const card = cardAt(event);
    const handle = event.target instanceof Element && event.target.closest("[data-drag]");
    if (!handle || card === null) return;
    event.dataTransfer?.setData(TYPE, card.dataset.card ?? "");
    event.dataTransfer?.setDragImage(card, 12, 20);
  });
  listen("dragover", (event) => {
    const card = cardAt(event);
    if (card === null || event.dataTransfer?.types.includes(TYPE) !== true) return;
    event.preventDefault();
    card.dataset.target = "";
  });
  listen("dragleave", (event) => {
    delete cardAt(event)?.dataset.target;
  });
  listen("drop", (event) => {
    const card = cardAt(event);
    const id = event.dataTransfer?.getData(TYPE) ?? "";
    if (card === null || id === "") return;
    event.preventDefault();
    delete card.dataset.target;
    move(Number(id), Number(card.dataset.card));
  });
  return () => stop.abort();
}
