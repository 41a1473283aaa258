import type { SavedChat } from "../../saved.ts";

export interface SavedChatExample {
  readonly title: string;
  /** What is special about it. */
  readonly summary: string;
  readonly saved: SavedChat;
}
