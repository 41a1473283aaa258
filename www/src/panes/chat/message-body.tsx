import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { ChatMessage } from "turnfold";
import { headOf, type Piece, piecesOf, timeOf, writtenOf } from "../../chat/parts.ts";
import { FirstRows } from "../../controls/first-rows.tsx";
import { PlainText } from "../../controls/text.tsx";
import { formatted } from "../../page/numbers.ts";

interface MessageBodyProps {
  readonly message: ChatMessage;
  /** Number in its list, from 1. */
  readonly number: number;
  readonly tokens: number;
  /** A word of the search, in lower case, that must be visible in the text; empty for none. */
  readonly find?: string;
  /** The content at the end of the head. */
  readonly children: ComponentChildren;
}

/** A message with its role, time and tokens. */
export function MessageBody({ message, number, tokens, find = "", children }: MessageBodyProps) {
  const pieces = piecesOf(message);
  const time = timeOf(message);
  return (
    <>
      <div class="chat-head">
        <span class="chat-number">{formatted(number)}</span>
        <span class="message-role">{message.role}</span>
        {message.name !== undefined && <span class="chat-fact">{String(message.name)}</span>}
        <span class="chat-fact">{formatted(tokens)} tokens</span>
        {time !== null && (
          <time class="chat-fact" dateTime={time.exact} title={time.exact}>
            {time.short}
          </time>
        )}
        <span class="chat-head-end">{children}</span>
      </div>
      {pieces.length === 0 && <p class="chat-piece chat-empty">says nothing</p>}
      <FirstRows items={pieces} what="parts" as="p" min={find === "" ? 0 : 1 + pieces.findIndex(has(find))}>
        {(piece, index) => <PieceView key={index} piece={piece} find={find} />}
      </FirstRows>
    </>
  );
}

const has =
  (word: string) =>
  ({ text }: Piece): boolean =>
    text.toLowerCase().includes(word);

const PieceView = ({ piece, find }: { readonly piece: Piece; readonly find: string }) => (
  <div class="chat-piece" data-piece={piece.kind}>
    {"id" in piece && (
      <>
        <span class="chat-tool" title={piece.id}>
          {headOf(piece)}
        </span>{" "}
      </>
    )}
    <Clipped text={piece.text.replace(/^(?:[ \t]*\r?\n)+/, "")} written={writtenOf(piece)} find={find} />
  </div>
);

const MAX_SHOWN = 320;

/** The full text of the message, by the element that shows the part from the offset `data-from` on. */
export const writtenTexts = new WeakMap<Element, string>();

interface ClippedProps {
  readonly text: string;
  /** The text of the message itself. It ends where `text` ends, and may be shorter or longer than `text`. */
  readonly written: string;
  readonly find: string;
}

/** A text that is shortened until it is opened, if it is long. The part with the word of the search is shown. */
function Clipped({ text, written, find }: ClippedProps) {
  const isOpen = useSignal(false);
  const at = find === "" ? -1 : text.toLowerCase().indexOf(find);
  const isLong = text.length > MAX_SHOWN;
  const start = !isLong || isOpen.value || at < MAX_SHOWN - 60 ? 0 : at - 60;
  const shown = !isLong || isOpen.value ? text : text.slice(start, start + MAX_SHOWN - 40);
  const part = (
    <span
      class="chat-text"
      data-from={written.length - text.length + start}
      ref={(element) => {
        if (element !== null) writtenTexts.set(element, written);
      }}
    >
      <Marked text={shown} at={at - start} length={find.length} />
    </span>
  );
  if (!isLong) return part;
  return (
    <>
      {start > 0 && "…"}
      {part}
      {start + shown.length < text.length && "…"}{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? "Less" : `All ${formatted(text.length)} characters`}
      </button>
    </>
  );
}

/** A text with a marked range; a negative start is no range. */
const Marked = ({ text, at, length }: { readonly text: string; readonly at: number; readonly length: number }) =>
  at < 0 ? (
    <PlainText text={text} />
  ) : (
    <>
      <PlainText text={text.slice(0, at)} />
      <mark>
        <PlainText text={text.slice(at, at + length)} />
      </mark>
      <PlainText text={text.slice(at + length)} />
    </>
  );
