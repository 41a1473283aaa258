import { computed } from "@preact/signals";
import { allow } from "../custom/ran.ts";
import { chatFromSaved, type SavedChat } from "../states/saved.ts";
import { change, edit, state } from "../states/store.ts";
import { migration } from "./examples/migration.ts";
import { support } from "./examples/support.ts";
import { torn } from "./examples/torn.ts";
import type { ChatState, HistoryChoice } from "./state.ts";

export interface SavedChatExample {
  readonly title: string;
  /** One sentence about what the example shows. */
  readonly summary: string;
  readonly saved: SavedChat;
}

export interface ChatExample {
  readonly title: string;
  readonly summary: string;
  /** The state of the example; always the same object. */
  readonly chat: ChatState;
}

export const chatExamples: readonly ChatExample[] = [migration, support, torn].map(({ title, summary, saved }) => ({
  title,
  summary,
  chat: chatFromSaved(saved),
}));

const first = (chatExamples[0] as ChatExample).chat;

/** The state of the tab. */
export const chat = computed((): ChatState => state.value.chat ?? first);

export const editChat = (patch: Partial<ChatState>): void => edit({ chat: { ...chat.value, ...patch } });

/** Chooses the strategy. A custom one then runs. */
export function chooseChatStrategy(strategy: HistoryChoice): void {
  if (strategy === "custom") allow(chat.value.customStrategy);
  editChat({ strategy });
}

/** Makes a change of more than one field, with a notice that offers to undo it. */
export const changeChat = (patch: Partial<ChatState>, text: string): void =>
  change({ chat: { ...chat.value, ...patch } }, text);
