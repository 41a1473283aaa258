/** The key of the item with the ids of the tours that were taken. */
const KEY = "turnfold-tours";

/** The ids of the tours that were taken in this browser, also in one that stores nothing for this page. */
const seen = new Set<string>(stored());

function stored(): readonly string[] {
  try {
    return localStorage.getItem(KEY)?.split(" ") ?? [];
  } catch {
    return [];
  }
}

export const isTourSeen = (id: string): boolean => seen.has(id);

export function markTourSeen(id: string): void {
  seen.add(id);
  try {
    localStorage.setItem(KEY, [...seen].join(" "));
  } catch {
    // The browser stores nothing for this page.
  }
}
