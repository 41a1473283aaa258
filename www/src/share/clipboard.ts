/** Writes a text to the clipboard. The text may be a promise. */
export async function toClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  const type = "text/plain";
  return blobToClipboard(
    type,
    text.then((made) => new Blob([made], { type })),
  );
}

/** Writes a blob of this type to the clipboard. Must be called before any `await`: Safari rejects a write after one. */
export async function blobToClipboard(type: string, blob: Promise<Blob>): Promise<void> {
  // Prevents an unhandled rejection: the browser handles the promise only when it allows the write.
  blob.catch(() => {});
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}
