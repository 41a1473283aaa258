import { useCallback, useMemo, useRef } from "preact/hooks";
import type { ExactCounter } from "turnfold/tokens/o200k";
import { formatted } from "../../page/numbers.ts";
import { editTokens } from "../../states/store.ts";
import { Counts } from "../../tokens/counts.ts";
import type { Frame } from "../../turns/render.ts";
import { TokenColours } from "./colours.tsx";
import { isNearScreen, messagesIn, textsOf } from "./highlights.ts";
import type { ShownText } from "./token-ranges.ts";

/** Colours the tokens of a frame's messages, and shows their number. */
export function FrameColours({ frame: { messages } }: { readonly frame: Frame }) {
  const textsIn = useCallback((root: Element) => shownIn(root, messages), [messages]);
  return (
    <TokenColours within=".frame" textsIn={textsIn}>
      {(counter, name, isChosen) => (
        <>
          : <Total messages={messages} counter={counter} />
          {!isChosen && (
            <>
              ; the other numbers are estimates.{" "}
              <button type="button" class="link" onClick={() => editTokens({ counter: name })}>
                Count all by {name}
              </button>
            </>
          )}
        </>
      )}
    </TokenColours>
  );
}

type Messages = Frame["messages"];

const shownIn = (root: Element, messages: Messages): readonly ShownText[] =>
  messagesIn(root)
    .filter(([index, message]) => index < messages.length && isNearScreen(message))
    .map(([index, message]) => ({ text: messages[index]?.content ?? "", pieces: textsOf(message, isNearScreen) }));

function Total({ messages, counter }: { readonly messages: Messages; readonly counter: ExactCounter }) {
  const counts = useRef(new Counts()).current;
  const total = useMemo(() => {
    counts.begin(counter);
    return messages.reduce((sum, { content }) => sum + counts.of(content), 0);
  }, [messages, counter]);
  return <>{formatted(total)}</>;
}
