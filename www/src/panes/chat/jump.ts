import { batch } from "@preact/signals";
import { clearSearch, listed, resultIndexes } from "../../chat/find.ts";
import { source } from "../../chat/plan.ts";
import { indexAt, rangeOf } from "../../chat/reading.ts";
import { chat } from "../../chat/store.ts";
import { showSide } from "../../controls/sides.tsx";
import type { Editor } from "../../editor/editor.ts";
import { focusSoon } from "../../page/focus.ts";
import { formatted } from "../../page/numbers.ts";
import { showProblem } from "../../states/store.ts";

const MESSAGE = "chat-message-";
const RESULT = "chat-result-";

/** The id of a message in the list of messages. */
export const messageId = (index: number): string => `${MESSAGE}${index + 1}`;

/** The id of a message of the result. */
export const resultId = (index: number): string => `${RESULT}${index + 1}`;

/** The index of the message whose element in the list has this id; negative for none. */
export const indexOfMessage = (id: string): number => indexIn(MESSAGE, id);

/** The index of the message of the result whose element has this id; negative for none. */
export const indexOfResult = (id: string): number => indexIn(RESULT, id);

const indexIn = (prefix: string, id: string): number =>
  id.startsWith(prefix) ? Number(id.slice(prefix.length)) - 1 : -1;

export const INPUT = "chat-messages";

let editor: Editor | null = null;
/** The range to select when the editor is created; null for none. */
let wanted: { readonly from: number; readonly to: number } | null = null;

/** Stores the editor of the input, which is created when its field comes near the screen, and null when it is removed. */
export function keepEditor(made: Editor | null): void {
  editor = made;
  if (made === null || wanted === null) return;
  made.select(wanted.from, wanted.to);
  wanted = null;
}

/** Focuses a message of the list. Clears the search when it hides the message. */
export function goToMessage(index: number): void {
  batch(() => {
    showSide("history");
    if (!listed.value.includes(index)) clearSearch();
  });
  focusSoon(messageId(index));
}

/** Focuses the message of the result that corresponds to a message of the input. */
export function goToResult(index: number): void {
  const resultIndex = resultIndexes.value.of.get(index);
  if (resultIndex === undefined) return;
  showSide("messages");
  focusSoon(resultId(resultIndex));
}

/** Selects a message in the text of the input. */
export function goToInput(index: number): void {
  const { conversation, isStale } = source.value;
  const range = conversation === null || isStale ? null : rangeOf(chat.value.messages, conversation, index);
  if (range === null) {
    const why = isStale ? "the text can’t be read" : "no single element of the JSON corresponds to it";
    showProblem(`Message ${formatted(index + 1)} can’t be shown in the JSON: ${why}.`);
    return;
  }
  showSide("history");
  if (editor !== null) editor.select(range.start, range.end);
  else {
    wanted = { from: range.start, to: range.end };
    focusSoon(INPUT);
  }
}

/** Focuses the message of the list at the cursor of the input. */
export function goFromInput(): void {
  const { conversation, isStale } = source.value;
  const at = editor?.cursor() ?? 0;
  const index = conversation === null || isStale ? null : indexAt(chat.value.messages, conversation, at);
  if (index !== null) goToMessage(index);
  else showProblem("The cursor in the JSON is not in a message.");
}
