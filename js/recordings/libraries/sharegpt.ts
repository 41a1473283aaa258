import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  assistantMessages,
  callPart,
  type RecordedMessage,
  resultMessage,
  systemMessage,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const LISTS = ["conversations", "conversation", "messages"];

const isTurn = (turn: unknown): boolean =>
  isPlainObject(turn) && typeof turn.from === "string" && typeof turn.value === "string";

const isTurns = (list: unknown): list is PlainObject[] => Array.isArray(list) && list.length > 0 && list.every(isTurn);

function turnsIn(given: unknown): PlainObject[] | undefined {
  return [given, ...(isPlainObject(given) ? LISTS.map((name) => given[name]) : [])].find(isTurns);
}

/** Reads a chat of a dataset in the format of ShareGPT: texts with the name of the one who wrote them. */
export const shareGPTReader: RecordingReader = {
  format: "sharegpt",
  recognizes: (given) => turnsIn(given) !== undefined,
  read(given: PlainObject | PlainObject[]) {
    return storedChat(Object(given), Object(given).system, fromTurns(turnsIn(given) ?? []));
  },
};

function fromTurns(turns: readonly PlainObject[]): RecordedMessage[] {
  let open: PlainObject[] = [];
  let count = 0;
  const called = (parsed: unknown): PlainObject[] =>
    objectsIn([parsed].flat()).map(({ name, arguments: args, parameters = args }) => {
      const input = typeof parameters === "string" ? parseArguments(parameters) : (parameters ?? {});
      return callPart(`call_${count++}`, String(name), input);
    });
  return turns.flatMap(({ from, value }) => {
    const text = value as string;
    switch (from) {
      case "system":
        return [systemMessage(text)];
      case "human":
      case "user":
        open = [];
        return [userMessage(text)];
      case "observation":
      case "tool":
      case "function_response":
      case "function": {
        const tagged = piecesOf(text, "tool_response").flatMap((piece, index) =>
          index % 2 === 1 ? [piece.trim()] : [],
        );
        return (tagged.length > 0 ? tagged : [text]).map((result) => {
          const call = open.shift();
          return call === undefined
            ? userMessage(result)
            : resultMessage(call.toolCallId as string, call.toolName as string, result);
        });
      }
      default: {
        const parts = from === "function_call" ? called(parseArguments(text)) : taggedParts(text, called);
        open.push(...parts.filter(({ type }) => type === "tool-call"));
        return assistantMessages(parts.length > 0 ? parts : [textPart(text)]);
      }
    }
  });
}

/** The parts of an answer, in which calls are JSON between tags. */
function taggedParts(text: string, called: (parsed: unknown) => PlainObject[]): PlainObject[] {
  return piecesOf(text, "tool_call").flatMap((piece, index) => {
    const trimmed = piece.trim();
    if (trimmed === "") return [];
    const calls = index % 2 === 1 ? called(parseArguments(trimmed)) : [];
    return calls.length > 0 ? calls : [textPart(trimmed)];
  });
}

/** Divides a text: pieces at odd places stand between a tag and its end. */
function piecesOf(text: string, tag: string): string[] {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`];
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(opening, from);
    const end = start < 0 ? -1 : text.indexOf(closing, start);
    if (end < 0) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, start), text.slice(start + opening.length, end));
    from = end + closing.length;
  }
}
