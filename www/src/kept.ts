// The last state, stored for the next visit as the fragment of a link, which is compressed and has a version.

const KEY = "turnfold-last";

/** A larger state would slow the start down, and other pages of the site share the storage. */
const MOST_CHARACTERS = 500_000;

export function kept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Stores a state, unless it is an unchanged example or too large: then the stored one is removed. */
export function keep(fragment: string): void {
  try {
    if (fragment.startsWith("#v") && fragment.length <= MOST_CHARACTERS) localStorage.setItem(KEY, fragment);
    else localStorage.removeItem(KEY);
  } catch {
    // The browser stores nothing for this page, or has no space left.
  }
}
