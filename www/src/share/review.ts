import { computed, signal } from "@preact/signals";
import { formatted } from "../page/numbers.ts";
import { tab } from "../page/tab.ts";
import { newId, type State } from "../states/state.ts";
import { change, state } from "../states/store.ts";
import { inSlices } from "../tokens/slices.ts";
import { blanked, type Finding, findingsOf, scanned, searchWords } from "./secrets.ts";

/** The pause in typing after which the words are searched for. */
const PAUSE_MS = 150;

/** The text of the field for additional words to blank. */
export const words = signal("");

/** The text of that field for which the findings are current. */
const searched = signal("");

const wordsIn = (text: string): readonly string[] =>
  text
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** The state that the user decided to share without further changes. */
const accepted = signal<State | null>(null);

const scan = computed(() => scanned(state.value));

const findings = computed((): readonly Finding[] => findingsOf(scan.value, wordsIn(searched.value)));

let cancel = (): void => {};

/** Changes the words after a key. The state is searched after a pause, in slices. */
export function typeWords(text: string): void {
  cancel();
  words.value = text;
  cancel = inSlices(searchWords(scan.value, wordsIn(text)), PAUSE_MS, searchNow);
}

/** Searches for the words without waiting for the pause. */
function searchNow(): void {
  cancel();
  searched.value = words.value;
}

/** Whether the findings are not current for the typed words yet. */
export const isSearching = computed(() => words.value !== searched.value);

/** The findings about which the user has not decided yet. */
export const openFindings = (): readonly Finding[] => (accepted.value === state.value ? [] : findings.value);

export function acceptFindings(): void {
  accepted.value = state.value;
}

/** Withdraws the decision, so that accepted findings are listed again. */
export function askAgain(): void {
  accepted.value = null;
}

/**
 * Replaces the findings in the state of the page, so that the page shows what is shared. Searches for the latest words first.
 * It can be undone.
 *
 * @param left the texts that stay.
 * @returns whether there was something to replace.
 */
export async function blank(left: ReadonlySet<string>): Promise<boolean> {
  searchNow();
  const chosen = findings.value.filter(({ text }) => !left.has(text));
  if (chosen.length === 0) return false;
  const next = blanked(await withAnswers(state.value), chosen);
  const count = chosen.length === 1 ? "1 text is blanked" : `${formatted(chosen.length)} texts are blanked`;
  change(next, `${count} on the page and in everything you share.`);
  words.value = "";
  searchNow();
  acceptFindings();
  return true;
}

/** The state with the endpoint's summaries as typed ones: they would not apply to the changed texts. */
async function withAnswers(value: State): Promise<State> {
  if (tab.value !== "chat" || value.chat?.summarizer !== "endpoint") return value;
  const { answered, summaryTexts } = await import("../chat/summaries.ts");
  if (answered.value === null) return value;
  const summaries = summaryTexts.value.map((text) => ({ id: newId(), text }));
  return { ...value, chat: { ...value.chat, summarizer: "typed", summaries } };
}
