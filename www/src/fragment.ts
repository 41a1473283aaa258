import { fromSaved, savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { firstTab, isTab, type TabName } from "./tab.ts";

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

/** The most bytes that a link may unpack to: enough for a thousand turns, and a crafted link can't exhaust the memory. */
const MAX_BYTES = 16 * 1024 * 1024;

export const exampleFragment = (id: string): string => EXAMPLE + id;

export const withTab = (fragment: string, tab: TabName): string =>
  tab === firstTab ? fragment : `${fragment === "" ? "#" : `${fragment}&`}tab=${tab}`;

export async function stateFragment(state: State): Promise<string> {
  const packed = await bytesOf(new Blob([savedText(state)]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  return STATE_V1 + toBase64Url(packed);
}

/** Throws when the page can't have written the fragment. */
export async function readFragment(whole: string): Promise<Address> {
  const name = TAB.exec(whole)?.[1] ?? firstTab;
  if (!isTab(name)) throw new TypeError("there is no tab of this name");
  const fragment = whole.replace(TAB, "");
  const tab = { tab: name };
  if (fragment === "" || fragment === "#") return { ...tab, kind: "none" };
  if (fragment.startsWith(EXAMPLE)) return { ...tab, kind: "example", id: fragment.slice(EXAMPLE.length) };
  if (!fragment.startsWith(STATE_V1)) throw new TypeError("the fragment has an unknown form");
  const packed = fromBase64Url(fragment.slice(STATE_V1.length));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(
    await bytesOf(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))),
  );
  return { ...tab, kind: "state", state: fromSaved(JSON.parse(text)) };
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value);
    length += step.value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new RangeError("the fragment holds too much");
    }
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  // `apply` takes its arguments from the stack, so the bytes go through it in slices.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
