import "../../style/colours.css";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ExactCounter } from "turnfold/tokens/o200k";
import type { Frame } from "../../render.ts";
import { editTokens, state } from "../../store.ts";
import { endsOf } from "../../tokens/borders.ts";
import { exactCounterFor, loadCounter, missing } from "../../tokens/counters.ts";
import { Counts } from "../../tokens/counts.ts";
import { formatted } from "../../tokens/words.ts";
import {
  firstWhere,
  isNearScreen,
  messagesIn,
  nearPart,
  type Piece,
  rangeIn,
  textsOf,
  useMarks,
} from "./highlights.ts";

/** The names of the highlights, one for each colour. */
const COLOURS = ["token-1", "token-2", "token-3", "token-4"];

/** Colours the tokens of a frame's messages, and says how many they are and what counts them. */
export function TokenColours({ frame }: { readonly frame: Frame }) {
  const own = useRef<HTMLSpanElement>(null);
  const chosen = state.value.tokens.counter;
  const name = chosen === "estimate" ? "o200k" : chosen;
  const counter = exactCounterFor(name);
  useEffect(() => void loadCounter(name), [name]);
  const ends = useMemo(() => (counter === null ? null : rememberedEnds(counter)), [counter]);
  const { messages } = frame;
  useMarks(
    () => own.current?.closest(".frame") ?? null,
    ends === null ? null : { draw: (element) => draw(element, messages, ends), clear, isNear: true },
    [messages, ends],
  );
  const counts = useRef(new Counts()).current;
  const total = useMemo(() => {
    if (counter === null) return 0;
    counts.begin(counter);
    return messages.reduce((sum, { content }) => sum + counts.of(content), 0);
  }, [messages, counter]);
  return (
    <span class="token-colours" ref={own}>
      <span role="status">
        {counter !== null ? (
          `Tokens of ${name}`
        ) : missing.value.has(name) ? (
          <>
            {name} could not be loaded.{" "}
            <button type="button" class="link" onClick={() => void loadCounter(name)}>
              Try again
            </button>
          </>
        ) : (
          `Loading ${name} …`
        )}
      </span>
      {counter !== null && `: ${formatted(total)}`}
      {counter !== null && chosen === "estimate" && (
        <>
          ; the other numbers are estimates.{" "}
          <button type="button" class="link" onClick={() => editTokens({ counter: name })}>
            Count all by {name}
          </button>
        </>
      )}
    </span>
  );
}

/** Where the visible tokens of a text end. Texts of the last drawing are not split again. */
function rememberedEnds(counter: ExactCounter): (texts: readonly string[]) => readonly Uint32Array[] {
  let known = new Map<string, Uint32Array>();
  return (texts) => {
    known = new Map(texts.map((text) => [text, known.get(text) ?? endsOf(counter.tokenLengths(text))]));
    return texts.map((text) => known.get(text) as Uint32Array);
  };
}

function draw(
  frame: Element,
  messages: Frame["messages"],
  ends: (texts: readonly string[]) => readonly Uint32Array[],
): void {
  const near = messagesIn(frame).filter(([index, message]) => index < messages.length && isNearScreen(message));
  const contents = near.map(([index]) => messages[index]?.content ?? "");
  const highlights = COLOURS.map(() => new Highlight());
  for (const [place, own] of ends(contents).entries()) {
    const [, message] = near[place] as (typeof near)[number];
    for (const piece of textsOf(message, isNearScreen)) colour(piece, own, highlights);
  }
  for (const [index, name] of COLOURS.entries()) CSS.highlights.set(name, highlights[index] as Highlight);
}

/** Adds the ranges of the tokens in a text node. */
function colour({ node, from }: Piece, ends: Uint32Array, highlights: readonly Highlight[]): void {
  const [start, end] = nearPart(node);
  const endOf = (token: number): number => ends[token] ?? 0;
  let token = firstWhere(ends.length, (index) => endOf(index) > from + start);
  for (; token < ends.length && endOf(token - 1) < from + end; token++)
    highlights[token % COLOURS.length]?.add(rangeIn({ node, from }, endOf(token - 1), endOf(token)));
}

function clear(): void {
  for (const name of COLOURS) CSS.highlights.delete(name);
}
