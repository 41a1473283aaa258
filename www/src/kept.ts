// What the page had last, for the next visit. It is the fragment of a link, which is compressed and has a version.

const KEY = "turnfold-last";

/** More than this is not worth a slow start, and others share the browser's storage of the site. */
const MOST_CHARACTERS = 500_000;

export function kept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Keeps a state that is nobody's example; of what is one, or is too much, nothing is kept. */
export function keep(fragment: string): void {
  try {
    if (fragment.startsWith("#v") && fragment.length <= MOST_CHARACTERS) localStorage.setItem(KEY, fragment);
    else localStorage.removeItem(KEY);
  } catch {
    // The browser keeps nothing for this page, or has no room.
  }
}
