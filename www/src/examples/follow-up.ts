import { followUp as call } from "../programs/examples/follow-up.ts";
import type { SavedState } from "../states/saved.ts";
import { shopping } from "./shopping.ts";

/** The call, with the turns of the page's first example, which are independent of it. */
export const followUp: SavedState = { ...shopping, programs: call.saved };
