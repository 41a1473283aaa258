/** Saves data as a file of the user. */
export function saveAs(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // A download that has begun no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
