import { exampleFragment, stateFragment, withTab } from "../fragment.ts";
import { savedText } from "../saved.ts";
import type { State } from "../state.ts";
import { origin, state, stateOf } from "../store.ts";
import { type TabName, tab } from "../tab.ts";
import { excessOfText } from "./limits.ts";
import { NotNow } from "./not-now.ts";

/** An unchanged example is written as its name. */
async function fragmentOf(value: State): Promise<string> {
  const example = origin.value;
  const isExample = example !== null && savedText(value) === savedText(stateOf(example));
  return isExample ? exampleFragment(example.id) : stateFragment(value);
}

/** The fragment of a link to the current state. Never empty: an empty one opens the last state of the reader's browser. */
export const fragmentNow = async (shown: TabName = tab.value): Promise<string> =>
  withTab(await fragmentOf(state.value), shown);

/** The address of the page without a state. */
export function pageAddress(): string {
  const { origin: site, pathname } = location;
  return `${site === "null" ? "file://" : site}${pathname}`;
}

/**
 * A link to the current state.
 *
 * @throws {NotNow} for one that could not be opened, because it has more than a link may have.
 */
export async function linkNow(): Promise<string> {
  const fragment = await fragmentNow();
  const excess = fragment.startsWith(exampleFragment("")) ? null : excessOfText(savedText(state.value));
  if (excess !== null)
    throw new NotNow(`There is no link: ${excess}. “Download JSON” makes a file that holds all of it.`);
  return `${pageAddress()}${fragment}`;
}

/** The same for a text that has room for a short link; null for a long one, and where there is none. */
export async function shortLink(): Promise<string | null> {
  try {
    const link = await linkNow();
    return isLong(link) ? null : link;
  } catch (error) {
    if (error instanceof NotNow) return null;
    throw error;
  }
}

/** Longer ones are cut by some programs that they are pasted into. */
const MOST_LINK = 8000;

export const isLong = (link: string): boolean => link.length > MOST_LINK;

export const isExample = (link: string): boolean => link.includes(exampleFragment(""));
