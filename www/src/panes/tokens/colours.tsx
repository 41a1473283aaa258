import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ExactCounter } from "turnfold/tokens/o200k";
import { state } from "../../states/store.ts";
import { exactCounterFor, loadCounter, missing } from "../../tokens/counters.ts";
import type { ExactChoice } from "../../tokens/exact.ts";
import { useMarks } from "./highlights.ts";
import { type ShownText, TokenRanges } from "./token-ranges.ts";

interface TokenColoursProps {
  /** The selector of the closest ancestor, which contains the messages. */
  readonly within: string;
  /** Returns the texts near the screen in that element. Must be the same function while the messages are the same. */
  readonly textsIn: (root: Element) => readonly ShownText[];
  /** Renders the text after the name of the counter. */
  readonly children: (counter: ExactCounter, name: ExactChoice, isChosen: boolean) => ComponentChildren;
}

/** Colours the tokens of messages, and shows the name of the counter. */
export function TokenColours({ within, textsIn, children }: TokenColoursProps) {
  const own = useRef<HTMLSpanElement>(null);
  const chosen = state.value.tokens.counter;
  const name = chosen === "estimate" ? "o200k" : chosen;
  const counter = exactCounterFor(name);
  useEffect(() => void loadCounter(name), [name]);
  const ranges = useMemo(() => (counter === null ? null : new TokenRanges(counter)), [counter]);
  useMarks(
    () => own.current?.closest(within) ?? null,
    ranges === null ? null : { draw: (root) => ranges.draw(textsIn(root)), clear: () => ranges.clear(), isNear: true },
    [textsIn, ranges],
  );
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
      {counter !== null && children(counter, name, chosen !== "estimate")}
    </span>
  );
}
