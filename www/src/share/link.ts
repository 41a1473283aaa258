import { type TabName, tab } from "../page/tab.ts";
import { exampleFragment, stateFragment, withTab } from "../states/fragment.ts";
import { fromSaved, savedText } from "../states/saved.ts";
import type { State } from "../states/state.ts";
import { opened, origin, state, stateOf } from "../states/store.ts";
import { excessOfText } from "./limits.ts";
import { NotNow } from "./not-now.ts";

/**
 * The part of a state that a tab shows and depends on. A link has no more of it, because the other tabs may hold what is not meant
 * for its reader.
 */
export function shownPart(value: State, on: TabName): State {
  const { chat, programs, tokens, tools, model, limits } = value;
  if (on === "chat") return { ...fromSaved({}), chat, tokens };
  if (on === "programs") return { ...fromSaved({}), programs, tokens, tools, model, limits };
  return { ...value, chat: null, programs: null };
}

/** Whether the other tabs hold only what was opened. */
export function isAllShown(value: State, on: TabName): boolean {
  const part = shownPart(value, on);
  return (Object.keys(value) as (keyof State)[]).every(
    (name) => part[name] === value[name] || value[name] === opened.value[name],
  );
}

/**
 * The fragment of a link to a state, or to the part of it that the tab shows. An unchanged example is written as its id. Never empty:
 * an empty one would open the last state in the reader's browser.
 */
export async function fragmentNow(isWhole = false): Promise<string> {
  const shown = tab.value;
  const value = state.value;
  const example = origin.value;
  const fragment =
    example !== null && savedText(value) === savedText(stateOf(example))
      ? exampleFragment(example.id)
      : await stateFragment(isWhole ? value : shownPart(value, shown));
  return withTab(fragment, shown);
}

/** The address of the page without a state. */
export function pageAddress(): string {
  const { origin: site, pathname } = location;
  return `${site === "null" ? "file://" : site}${pathname}`;
}

/**
 * A link to what the tab shows, or to the whole state.
 *
 * @throws {NotNow} for a state that exceeds the limits of links.
 */
export async function linkNow(isWhole = false): Promise<string> {
  const value = isWhole ? state.value : shownPart(state.value, tab.value);
  const fragment = await fragmentNow(isWhole);
  const excess = fragment.startsWith(exampleFragment("")) ? null : excessOfText(savedText(value));
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
