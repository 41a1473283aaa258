import { computed, signal } from "@preact/signals";
import { newId, type State } from "../state.ts";
import { change, opened, origin, state } from "../store.ts";
import { tab } from "../tab.ts";
import { inSlices } from "../tokens/slices.ts";
import { blanked, type Finding, findingsOf, scanned, searchWords } from "./secrets.ts";

/** A pause in typing, after which the words are searched for. */
const PAUSE_MS = 150;

/** Words that the user wants to be blanked too, as they are typed. */
export const words = signal("");

/** The words that were searched for. */
const searched = signal("");

const wordsIn = (text: string): readonly string[] =>
  text
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** The state that the user shares as it is. */
const accepted = signal<State | null>(null);

/** What is in the state, without what the opened example has. */
const scan = computed(() =>
  state.value === opened.value ? null : scanned(state.value, origin.value === null ? null : opened.value),
);

const findings = computed((): readonly Finding[] =>
  scan.value === null ? [] : findingsOf(scan.value, wordsIn(searched.value)),
);

let cancel = (): void => {};

/** Changes the words by a key. A long state is searched after a pause, a part in each slice. */
export function typeWords(text: string): void {
  cancel();
  words.value = text;
  const { value } = scan;
  if (value === null) searchNow();
  else cancel = inSlices(searchWords(value, wordsIn(text)), PAUSE_MS, searchNow);
}

/** Searches for the words without waiting for the pause. */
function searchNow(): void {
  cancel();
  searched.value = words.value;
}

/** Whether words were typed that are not searched for yet. */
export const isSearching = computed(() => words.value !== searched.value);

/** What was found and not decided about. */
export const openFindings = (): readonly Finding[] => (accepted.value === state.value ? [] : findings.value);

export function acceptFindings(): void {
  accepted.value = state.value;
}

/** Lists what was accepted once more. */
export function askAgain(): void {
  accepted.value = null;
}

/**
 * Replaces what was found, also by words typed just now, on the page, so that it shows what is shared. It can be undone.
 *
 * @param left texts that stay.
 * @returns whether there was something to replace.
 */
export async function blank(left: ReadonlySet<string>): Promise<boolean> {
  searchNow();
  const chosen = findings.value.filter(({ text }) => !left.has(text));
  if (chosen.length === 0) return false;
  const next = blanked(await withAnswers(state.value), chosen);
  const count = chosen.length === 1 ? "1 text is blanked" : `${chosen.length.toLocaleString("en")} texts are blanked`;
  change(next, `${count} on the page, in everything that you share of it.`);
  words.value = "";
  searchNow();
  acceptFindings();
  return true;
}

/** An endpoint's summaries belong to the text that they were made of: they become typed ones. */
async function withAnswers(value: State): Promise<State> {
  if (tab.value !== "chat" || value.chat?.summarizer !== "endpoint") return value;
  const { answered, summaryTexts } = await import("../chat/summaries.ts");
  if (answered.value === null) return value;
  const summaries = summaryTexts.value.map((text) => ({ id: newId(), text }));
  return { ...value, chat: { ...value.chat, summarizer: "typed", summaries } };
}
