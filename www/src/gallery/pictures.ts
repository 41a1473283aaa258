import { estimate } from "turnfold/chat";
import type { ListedExample } from "../examples/list.ts";
import { fromSaved } from "../states/saved.ts";
import { amountsOf } from "../tokens/settings.ts";
import { createRenderer, type Frame } from "../turns/render.ts";

/** A part of a request: its tokens, with the kind of section or the fate of messages that colours it. */
export interface Part {
  readonly tokens: number;
  readonly kind?: string;
  readonly fate?: string;
}

/** The parts of the next request of an example without its strategy and with it. */
export interface Picture {
  readonly before: readonly Part[];
  readonly after: readonly Part[];
  /** The tokens of both requests as the page shows them; null for a typed call, whose request is made when it is called. */
  readonly tokens: readonly [number, number] | null;
}

/** Makes the picture from the state of the example, with the values that its tab shows. */
export async function pictureOf({ load, tabs: [tab] }: ListedExample): Promise<Picture> {
  const state = fromSaved(await load());
  // Loaded apart, with the parts of the package that only the Chat tab uses.
  if (tab === "chat" && state.chat !== null)
    return (await import("./chat-picture.ts")).chatPicture(state.chat, amountsOf(state.tokens));
  if (tab === "programs" && state.programs !== null) {
    const { history, inputs } = state.programs;
    const exchanged = [...history, { values: inputs }].flatMap(({ values }) =>
      values.map(({ text }, index) => ({ tokens: estimate.count(text), kind: index === 0 ? "mission" : "output" })),
    );
    return { before: exchanged, after: [], tokens: null };
  }
  const render = createRenderer();
  const { frame } = render(state, estimate);
  const plain = render({ ...state, strategy: "none" }, estimate).frame;
  if (frame === null || plain === null) throw new TypeError("it has a problem");
  return { before: partsOf(plain), after: partsOf(frame), tokens: [frame.plainTokens, frame.tokens] };
}

const partsOf = ({ messages }: Frame): readonly Part[] =>
  messages.flatMap(({ sections }) => sections.filter(({ kind }) => kind !== "separator"));
