/** Puts a text on the clipboard, also one that is still being made. */
export async function toClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  // At once, with a promise of the text: Safari takes nothing that is written after a wait.
  const blob = text.then((made) => new Blob([made], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}
