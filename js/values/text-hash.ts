/** A hash of a text, sixteen hexadecimal digits. Not for secrets: it can be made to collide. */
export const textHash = (text: string): string => hexHash(text, 0x811c9dc5) + hexHash(text, 0x9e3779b9);

/** FNV-1a of the UTF-16 code units, as eight hexadecimal digits. */
function hexHash(text: string, start: number): string {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
