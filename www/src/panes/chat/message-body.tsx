import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { ChatMessage } from "turnfold";
import { type Piece, piecesOf, timeOf } from "../../chat/parts.ts";

interface MessageBodyProps {
  readonly message: ChatMessage;
  /** Number in its list, from 1. */
  readonly number: number;
  readonly tokens: number;
  /** Shown at the end of the head. */
  readonly children: ComponentChildren;
}

/** A message with its role, time and tokens. */
export function MessageBody({ message, number, tokens, children }: MessageBodyProps) {
  const pieces = piecesOf(message);
  const time = timeOf(message);
  return (
    <>
      <div class="chat-head">
        <span class="chat-number">{number.toLocaleString("en")}</span>
        <span class="message-role">{message.role}</span>
        {message.name !== undefined && <span class="chat-fact">{String(message.name)}</span>}
        <span class="chat-fact">{tokens.toLocaleString("en")} tokens</span>
        {time !== null && (
          <time class="chat-fact" dateTime={time.exact} title={time.exact}>
            {time.short}
          </time>
        )}
        <span class="chat-head-end">{children}</span>
      </div>
      {pieces.length === 0 && <p class="chat-piece chat-empty">says nothing</p>}
      {pieces.map((piece, index) => (
        <PieceView key={index} piece={piece} />
      ))}
    </>
  );
}

const PieceView = ({ piece }: { readonly piece: Piece }) => (
  <div class="chat-piece" data-piece={piece.kind}>
    {"id" in piece && (
      <>
        <span class="chat-tool" title={piece.id}>
          {toolText(piece)}
        </span>{" "}
      </>
    )}
    <Clipped text={piece.text.replace(/^(?:[ \t]*\r?\n)+/, "")} />
  </div>
);

const toolText = ({ kind, name, id }: Extract<Piece, { readonly id: string }>): string =>
  kind === "call" ? `calls ${name}` : name === "" ? `answers ${id}` : `${name} gave`;

const MOST_SHOWN = 320;

/** A long text, shortened until it is opened. */
function Clipped({ text }: { readonly text: string }) {
  const isOpen = useSignal(false);
  if (text.length <= MOST_SHOWN) return <>{text}</>;
  return (
    <>
      {isOpen.value ? text : `${text.slice(0, MOST_SHOWN - 40)}…`}{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? "Less" : `All ${text.length.toLocaleString("en")} characters`}
      </button>
    </>
  );
}
