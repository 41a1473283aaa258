/** Writes a text to the clipboard. The text may be a promise. */
export async function toClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  const type = "text/plain";
  return blobToClipboard(
    type,
    text.then((made) => new Blob([made], { type })),
  );
}

/** Writes a blob of this type to the clipboard. Called without a wait before it, because Safari rejects a write after an `await`. */
export async function blobToClipboard(type: string, blob: Promise<Blob>): Promise<void> {
  // The browser reads the promise only once it allows the write, and never where it refuses: until then nothing handles a rejection.
  blob.catch(() => {});
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}
