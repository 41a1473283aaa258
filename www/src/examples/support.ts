import { support as chat } from "../chat/examples/support.ts";
import type { SavedState } from "../states/saved.ts";
import { shopping } from "./shopping.ts";

/** The chat, with the turns of the page's first example, which are independent of it. */
export const support: SavedState = { ...shopping, chat: chat.saved };
