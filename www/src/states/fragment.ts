import { firstExample } from "../examples/index.ts";
import { firstTab, isTab, type TabName } from "../page/tab.ts";
import { fromSaved, savedText } from "./saved.ts";
import type { State } from "./state.ts";

/** The tab and the state that a fragment of the page's address names. */
export type Address = { readonly tab: TabName } & (
  | { readonly kind: "none" }
  | { readonly kind: "example"; readonly id: string }
  | { readonly kind: "state"; readonly state: State }
);

const EXAMPLE = "#example=";
const STATE_V1 = "#v1=";

/** The last part of a fragment. Omitted for the first tab. */
const TAB = /(?:^#|&)tab=(\w+)$/;

export const exampleFragment = (id: string): string => EXAMPLE + id;

export const withTab = (fragment: string, tab: TabName): string =>
  tab === firstTab ? fragment : `${fragment === "" ? "#" : `${fragment}&`}tab=${tab}`;

export const withoutTab = (fragment: string): string => fragment.replace(TAB, "");

// Few visits begin with a state, so the code that packs and unpacks states is loaded on demand.
const packing = () => import("./packing.ts");

export const stateFragment = async (state: State): Promise<string> =>
  STATE_V1 + (await (await packing()).packed(savedText(state)));

/**
 * Reads a fragment. Throws for a fragment that the page can't have written, and for one that exceeds the limits of links.
 *
 * @param isOwn whether this page stored the fragment: then the limits do not apply.
 */
export async function readFragment(whole: string, isOwn = false): Promise<Address> {
  const name = TAB.exec(whole)?.[1] ?? firstTab;
  if (!isTab(name)) throw new TypeError("there is no tab of this name");
  const fragment = withoutTab(whole);
  const tab = { tab: name };
  if (fragment === "" || fragment === "#") return { ...tab, kind: "none" };
  if (fragment.startsWith(EXAMPLE)) return { ...tab, kind: "example", id: fragment.slice(EXAMPLE.length) };
  if (!fragment.startsWith(STATE_V1)) throw new TypeError("the fragment has an unknown form");
  const saved = await (await packing()).unpacked(fragment.slice(STATE_V1.length), isOwn);
  return { ...tab, kind: "state", state: fromSaved(isOwn ? saved : withTurns(saved)) };
}

/** The saved state with the turns of the first example, if it is only that of a chat: its reader may look at the other tabs. */
function withTurns(saved: unknown): unknown {
  if (typeof saved !== "object" || saved === null || Array.isArray(saved)) return saved;
  const isChat = Object.keys(saved).every((name) => name === "chat" || name === "tokens");
  return isChat ? { ...firstExample.state, ...saved } : saved;
}
