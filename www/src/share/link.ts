import { exampleFragment, stateFragment, withTab } from "../fragment.ts";
import { savedText } from "../saved.ts";
import type { State } from "../state.ts";
import { origin, state, stateOf } from "../store.ts";
import { type TabName, tab } from "../tab.ts";
import { excessOfText } from "./limits.ts";
import { NotNow } from "./not-now.ts";

/** The fragment for a state. An unchanged example is written as its id. */
async function fragmentOf(value: State): Promise<string> {
  const example = origin.value;
  const isExample = example !== null && savedText(value) === savedText(stateOf(example));
  return isExample ? exampleFragment(example.id) : stateFragment(value);
}

/** The fragment of a link to the current state. Never empty: an empty one would open the last state in the reader's browser. */
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
 * @throws {NotNow} for a state that exceeds the limits of links.
 */
export async function linkNow(): Promise<string> {
  const fragment = await fragmentNow();
  const excess = fragment.startsWith(exampleFragment("")) ? null : excessOfText(savedText(state.value));
  if (excess !== null) throw new NotNow(`There is no link: ${excess}. “Download JSON” makes a file with all of it.`);
  return `${pageAddress()}${fragment}`;
}

/** A link to the current state, if it is short; null for a long link and a state without one. */
export async function shortLink(): Promise<string | null> {
  try {
    const link = await linkNow();
    return isLong(link) ? null : link;
  } catch (error) {
    if (error instanceof NotNow) return null;
    throw error;
  }
}

/** The most characters of a short link: some programs cut longer ones when they are pasted. */
const MAX_LINK = 8000;

export const isLong = (link: string): boolean => link.length > MAX_LINK;

export const isExample = (link: string): boolean => link.includes(exampleFragment(""));
