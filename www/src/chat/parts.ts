import type { ChatMessage } from "turnfold";

/** The parts of a message for display. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  // `written` is the end of `text` that the message itself contains.
  | { readonly kind: "note"; readonly text: string; readonly written: string }
  | { readonly kind: "call" | "result"; readonly name: string; readonly id: string; readonly text: string };

export function piecesOf(message: ChatMessage): Piece[] {
  const { content, toolCalls = [], toolCallId, toolName } = message;
  const pieces =
    toolCallId === undefined
      ? contentPieces(content)
      : [{ kind: "result" as const, name: textOf(toolName), id: toolCallId, text: plainText(content) }];
  const called = toolCalls.map(({ id, name, args }): Piece => ({ kind: "call", name, id, text: jsonText(args) }));
  return [...pieces, ...called].filter((piece) => piece.kind !== "text" || piece.text !== "");
}

/** The part of a piece's text that the message itself contains. */
export const writtenOf = (piece: Piece): string => (piece.kind === "note" ? piece.written : piece.text);

/** The heading of a call or a result. */
export const headOf = ({ kind, name, id }: Extract<Piece, { readonly id: string }>): string =>
  kind === "call" ? `calls ${name}` : name === "" ? `answers ${id}` : `${name} returned`;

function contentPieces(content: ChatMessage["content"]): Piece[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return (content ?? []).map((part): Piece => {
    switch (part.type) {
      case "text":
        return { kind: "text", text: textOf(part.text) };
      case "reasoning":
        return noteOf("thinks: ", textOf(part.text));
      case "tool-call":
        return { kind: "call", name: textOf(part.toolName), id: textOf(part.toolCallId), text: jsonText(part.input) };
      case "tool-result":
        return {
          kind: "result",
          name: textOf(part.toolName),
          id: textOf(part.toolCallId),
          text: outputText(part.output),
        };
      default:
        return noteOf(`(${part.type})`, "");
    }
  });
}

const noteOf = (label: string, written: string): Piece => ({ kind: "note", text: label + written, written });

const plainText = (content: ChatMessage["content"]): string =>
  contentPieces(content)
    .map(({ text }) => text)
    .join("\n");

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : jsonText(value);

/** The text of an output, which is `{ type, value }` or any other value. */
function outputText(output: unknown): string {
  const { value } = Object(output) as { value?: unknown };
  return textOf(value === undefined ? output : value);
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item)) ?? "";
}

const CLOCK = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** The time of a message, short and exact; null without a timestamp. */
export function timeOf({ timestamp }: ChatMessage): { readonly short: string; readonly exact: string } | null {
  if (timestamp === undefined) return null;
  const time = new Date(timestamp);
  return { short: CLOCK.format(time), exact: time.toISOString() };
}
