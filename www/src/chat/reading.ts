import { type ChatMessage, Conversation, detectFormat, TurnfoldError } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { gemini } from "turnfold/formats/gemini";
import { openai } from "turnfold/formats/openai";
import { complaint, type Problem, problemOf } from "../page/problem.ts";
import { type JsonNode, keysOf, nodeAt, problemAt, rangesIn, syntaxProblem } from "./json.ts";
import type { ShapeChoice } from "./state.ts";

export type Shape = Exclude<ShapeChoice, "detect">;

/** The result of reading a text of messages. */
export interface Reading {
  /** The shape; null for an empty text and for invalid JSON. */
  readonly shape: Shape | null;
  /** The conversation; null with a problem and for an empty text. */
  readonly conversation: Conversation | null;
  readonly problem: Problem | null;
}

/** Reads messages of a given or detected shape. */
export function readMessages(text: string, choice: ShapeChoice): Reading {
  if (text.trim() === "") return { shape: null, conversation: null, problem: null };
  let json: unknown;
  try {
    json = JSON.parse(text) as unknown;
  } catch (error) {
    return { shape: null, conversation: null, problem: syntaxProblem(text, error) };
  }
  const [shape, given] = givenIn(json, choice);
  try {
    return { shape, conversation: readers[shape](given), problem: null };
  } catch (error) {
    return { shape, conversation: null, problem: placed(problemOf(error), text, json, error) };
  }
}

const readers: Readonly<Record<Shape, (given: unknown) => Conversation>> = {
  openai: openai.from,
  "openai-responses": openai.responses.from,
  anthropic: anthropic.from,
  gemini: gemini.from,
  "ai-sdk": aiSdk.from,
  own: (given) =>
    isSaved(given)
      ? Conversation.fromJSON(given)
      : new Conversation({ messages: unwrapped(given, "own") as ChatMessage[] }),
};

/** The shape of a JSON value, and the part of the value that holds the messages. */
export const givenIn = (json: unknown, choice: ShapeChoice): readonly [Shape, unknown] =>
  choice === "detect" ? detected(json) : [choice, choice === "own" ? json : unwrapped(json, choice)];

/** Detects the shape of a list, or of a request body with a list. The package's own shape when none is detected. */
function detected(json: unknown): readonly [Shape, unknown] {
  if (isSaved(json)) return ["own", json];
  const whole = detectFormat(json);
  if (whole !== null) return [whole, json];
  const list = unwrapped(json, "own");
  const ofList = detectFormat(list);
  return ofList === null ? ["own", json] : [ofList, list];
}

/** The list of messages in a request body. A body in Anthropic's format stays whole, with its system prompt beside the list. */
export const unwrapped = (json: unknown, shape: Shape): unknown =>
  shape !== "anthropic" && isRecord(json) && Array.isArray(json.messages) ? json.messages : json;

/** Whether the value is a result of `Conversation.toJSON`. */
export const isSaved = (json: unknown): boolean => isRecord(json) && "version" in json;

export const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/** Adds the range in the text that the path of the error names to the problem. */
function placed(problem: Problem, text: string, json: unknown, error: unknown): Problem {
  if (!TurnfoldError.isInstance(error)) return complaint(problem.message);
  const { path } = error.details;
  if (typeof path !== "string") return problem;
  const root = rangesIn(text);
  const name = /^\w+/.exec(path)?.[0] ?? "";
  const list = isRecord(json) ? nodeAt(root, [name]) : root;
  const { start, end } = nodeAt(list, keysOf(path));
  // Only the start is marked: underlining a whole message would hide where the error is.
  const firstLine = text.indexOf("\n", start);
  return problemAt(text, problem.message, start, firstLine < 0 ? end : Math.min(end, firstLine));
}

/** The range of each message of the conversation in the text; null for messages without one. */
function messageNodes(text: string, json: unknown, length: number): (JsonNode | null)[] {
  const root = rangesIn(text);
  const list = isRecord(json) ? nodeAt(root, [Array.isArray(json.contents) ? "contents" : "messages"]) : root;
  const items = list.items ?? [];
  // The system prompt beside the list in the formats of Anthropic and Gemini is the first message.
  const before = length - items.length;
  return Array.from({ length }, (_, index) => (before < 0 || before > 1 ? null : (items[index - before] ?? null)));
}

/** The range of a message of the conversation in the text; null for a message without one. */
export const rangeOf = (text: string, conversation: Conversation, index: number): JsonNode | null =>
  messageNodes(text, JSON.parse(text) as unknown, conversation.messages.length)[index] ?? null;

/** The index of the message at an offset of the text; null where there is none. */
export function indexAt(text: string, conversation: Conversation, offset: number): number | null {
  const nodes = messageNodes(text, JSON.parse(text) as unknown, conversation.messages.length);
  const index = nodes.findIndex((node) => node !== null && node.start <= offset && offset <= node.end);
  return index < 0 ? null : index;
}

/** The text with a message pinned or unpinned; null when the message has no range in the text. */
export function withPin(text: string, conversation: Conversation, index: number, isPinned: boolean): string | null {
  const node = messageNodes(text, JSON.parse(text) as unknown, conversation.messages.length)[index];
  const members = node?.members;
  if (members === undefined) return null;
  const at = members.findIndex(({ key }) => key === "pinned");
  const splice = (start: number, end: number, insert: string): string =>
    text.slice(0, start) + insert + text.slice(end);
  const [member, before, after, last] = [members[at], members[at - 1], members[at + 1], members.at(-1)];
  if (last === undefined) return null;
  if (isPinned) {
    if (member !== undefined) return splice(member.value.start, member.value.end, "true");
    const gap = text.slice(members.at(-2)?.value.end ?? (node as JsonNode).start + 1, last.start).replace(/^\s*,/, "");
    return splice(last.value.end, last.value.end, `,${/^\s*$/.test(gap) ? gap : " "}"pinned": true`);
  }
  if (member === undefined) return text;
  if (before !== undefined) return splice(before.value.end, member.value.end, "");
  return after === undefined ? null : splice(member.start, after.start, "");
}
