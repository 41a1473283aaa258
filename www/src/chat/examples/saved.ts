import type { SavedChat } from "../../saved.ts";

export interface SavedChatExample {
  readonly title: string;
  /** What it shows. */
  readonly summary: string;
  readonly saved: SavedChat;
}
