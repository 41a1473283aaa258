import { computed, signal } from "@preact/signals";
import { newId, type State } from "../state.ts";
import { change, opened, origin, state } from "../store.ts";
import { tab } from "../tab.ts";
import { blanked, type Finding, findingsIn } from "./secrets.ts";

/** Words that the user wants to be blanked too. */
export const words = signal("");

/** The state that the user shares as it is. */
const accepted = signal<State | null>(null);

/** What was found in the state, without what the opened example has. */
export const findings = computed((): readonly Finding[] =>
  state.value === opened.value
    ? []
    : findingsIn(state.value, words.value.split(/[,;\n]/), origin.value === null ? null : opened.value),
);

/** What was found and not decided about. */
export const openFindings = (): readonly Finding[] => (accepted.value === state.value ? [] : findings.value);

export function acceptFindings(): void {
  accepted.value = state.value;
}

/** Replaces texts on the page, so that it shows what is shared. It can be undone. */
export async function blank(chosen: readonly Finding[]): Promise<void> {
  const next = blanked(await withAnswers(state.value), chosen);
  const count = chosen.length === 1 ? "1 text is blanked" : `${chosen.length.toLocaleString("en")} texts are blanked`;
  change(next, `${count} on the page, in everything that you share of it.`);
  words.value = "";
  acceptFindings();
}

/** An endpoint's summaries belong to the text that they were made of: they become typed ones. */
async function withAnswers(value: State): Promise<State> {
  if (tab.value !== "chat" || value.chat?.summarizer !== "endpoint") return value;
  const { answered, summaryTexts } = await import("../chat/summaries.ts");
  if (answered.value === null) return value;
  const summaries = summaryTexts.value.map((text) => ({ id: newId(), text }));
  return { ...value, chat: { ...value.chat, summarizer: "typed", summaries } };
}
