import { useCallback } from "preact/hooks";
import type { ChatMessage } from "turnfold";
import { TokenColours } from "../tokens/colours.tsx";
import { isNearScreen, piecesIn } from "../tokens/highlights.ts";
import type { ShownText } from "../tokens/token-ranges.ts";
import { writtenTexts } from "./message-body.tsx";

/** Colours the tokens of the texts in a list of messages. */
export function ChatColours({ messages }: { readonly messages: readonly ChatMessage[] }) {
  // Depends on `messages`: a change in the hidden rest of a text can change the last tokens of its shown part.
  const textsIn = useCallback((root: Element) => shownIn(root), [messages]);
  return (
    <TokenColours within=".chat-result, .chat" textsIn={textsIn}>
      {() => "; the numbers are estimates."}
    </TokenColours>
  );
}

const shownIn = (root: Element): readonly ShownText[] =>
  [...root.querySelectorAll(".chat-message")]
    .filter(isNearScreen)
    .flatMap((message) =>
      [...message.querySelectorAll<HTMLElement>(".chat-text")]
        .filter(isNearScreen)
        .map((shown) => ({ text: writtenTexts.get(shown) ?? "", pieces: piecesIn(shown, Number(shown.dataset.from)) })),
    );
