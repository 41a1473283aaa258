/** Writes a text to the clipboard. The text may be a promise. */
export async function toClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  // Immediately, with a promise of the text: Safari rejects a write after an `await`.
  const blob = text.then((made) => new Blob([made], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}
