import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader, blocksOf } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import type { RecordedChat, ReplyFacts } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, systemMessage } from "../reading/recorded-message.ts";
import { fromShown, RESULT, usageOfInput } from "./cline-shown.ts";

/** A message of the file that has what was sent, of Cline, Roo Code or Kilo Code. */
const isSent = (message: unknown): boolean =>
  isPlainObject(message) &&
  typeof message.role === "string" &&
  (isPlainObject(message.modelInfo) ||
    message.isSummary === true ||
    (Array.isArray(message.content) &&
      blocksOf(message.content).some(({ text }) => /<environment_details>/.test(String(text)))));

/** A message of the file that has what was shown. */
const isShown = (message: unknown): boolean =>
  isPlainObject(message) && typeof message.ts === "number" && (message.type === "say" || message.type === "ask");

/** Reads `api_conversation_history.json` and `ui_messages.json` of a task, and `….messages.json` of a session of Cline. */
export const clineReader: RecordingReader = {
  format: "cline",
  recognizes: (given) =>
    Array.isArray(given)
      ? given.some(isSent) || (given.length > 0 && given.every(isShown))
      : isPlainObject(given) &&
        "origin" in given &&
        typeof given.sessionId === "string" &&
        Array.isArray(given.messages),
  read: (given: PlainObject | unknown[]) => {
    if (!Array.isArray(given)) return fromSent(given.messages as unknown[], given);
    return given.some(isSent) ? fromSent(given, {}) : fromShown(given.filter(isPlainObject));
  },
};

/** What the user said in a session, of which the name of the mode is not sent. */
const INPUT = /^<user_input mode="\w+">([\s\S]*)<\/user_input>$/;

/** Reads what was sent, in parts: condensed messages and those beyond the window are marked with what replaced them. */
function fromSent(list: unknown[], { system_prompt: system, agent }: PlainObject): RecordedChat[] {
  const all = withCalls(list.filter(isPlainObject).filter(({ metadata }) => Object(metadata).displayOnly !== true));
  const histories = new Histories<RecordedMessage>();
  const reader = new BlockReader();
  const read = new Map(
    all.map((message) => [
      message,
      reader.messages(message.role, contentOf(message, system !== undefined), factsOf(message)),
    ]),
  );
  const start = typeof system === "string" ? [systemMessage(system)] : [];
  const timeOf = ({ ts }: PlainObject) => (typeof ts === "number" ? ts : 0);
  const ends = all
    .filter(({ isSummary, isTruncationMarker }) => isSummary === true || isTruncationMarker === true)
    .sort((one, other) => timeOf(one) - timeOf(other));
  for (let part = 0; part <= ends.length; part++) {
    const hidden = new Set(ends.slice(0, part).map(({ condenseId, truncationId }) => condenseId ?? truncationId));
    const next = ends[part];
    const isIn = (message: PlainObject) =>
      !(hidden.has(message.condenseParent) || hidden.has(message.truncationParent)) &&
      (next === undefined || (message !== next && timeOf(message) <= timeOf(next)));
    const messages = [...start, ...all.filter(isIn).flatMap((message) => read.get(message) ?? [])];
    if (part === 0) histories.messages.push(...messages);
    else histories.restart("compacted", messages);
  }
  return histories.chats(chatOfMessages, { kind: agent === "subagent" || agent === "teammate" ? "agent" : "chat" });
}

/** The content of a message as a session sends it. Its results are without their middle where they are long. */
function contentOf({ role, content }: PlainObject, isSession: boolean): unknown {
  if (role !== "user" || !isSession) return content;
  return blocksOf(content).map((block) => {
    if (block.type === "tool_result") return { ...block, content: shortened(block.content) };
    return typeof block.text === "string" ? { ...block, text: block.text.replace(INPUT, "$1") } : block;
  });
}

/** The characters of a text in a result that are sent. */
const SENT = 8000;

function shortened(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(shortened);
  if (isPlainObject(given) && given.type !== "image")
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, shortened(value)]));
  if (typeof given !== "string" || given.length <= SENT) return given;
  const mark = (count: number) => `\n\n...[truncated ${count} chars]...\n\n`;
  const half = (count: number) => Math.floor((SENT - mark(count).length) / 2);
  const count = given.length - 2 * half(given.length - SENT);
  return `${given.slice(0, half(count))}${mark(count)}${given.slice(-half(count))}`;
}

function factsOf({ ts, modelInfo, metrics }: PlainObject): ReplyFacts {
  const { modelId, id = modelId } = Object(modelInfo) as PlainObject;
  const { tokens, cost, ...counts } = Object(metrics) as PlainObject;
  const { prompt, completion, cached } = Object(tokens) as PlainObject;
  const { inputTokens = prompt, outputTokens = completion, cacheReadTokens = cached, cacheWriteTokens } = counts;
  const usage = usageOfInput(inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, cost);
  return { at: ts, ...(typeof id === "string" ? { model: id } : {}), usage };
}

/**
 * Older versions write calls as XML in texts, and results as texts that begin with the name of the tool. They become
 * calls and results.
 */
function withCalls(list: readonly PlainObject[]): PlainObject[] {
  const all = list.map((message) => ({ ...message }));
  for (const [index, message] of all.entries()) {
    const reply = all[index - 1];
    if (message.role !== "user" || reply?.role !== "assistant") continue;
    const blocks = blocksOf(message.content).flatMap((block) => apartFromDetails(block));
    const [, name] = RESULT.exec(String(blocks[0]?.text)) ?? [];
    const spoken = blocksOf(reply.content);
    const at = spoken.findIndex(({ text }) => typeof text === "string" && text.includes(`<${name}>`));
    if (name === undefined || at < 0) continue;
    const id = `call_${index}`;
    const text = String(spoken[at]?.text);
    const from = text.lastIndexOf(`<${name}>`);
    const inner = text.slice(from + name.length + 2).split(`</${name}>`)[0] ?? "";
    const said = { type: "text", text: text.slice(0, from).trim() };
    reply.content = [...spoken.slice(0, at), said, { type: "tool_use", id, name, input: argumentsIn(inner) }];
    const end = blocks.findIndex(isDetails);
    const results = end < 0 ? blocks : blocks.slice(0, end);
    const first = { ...results[0], text: String(results[0]?.text).replace(RESULT, "") };
    const content = [first, ...results.slice(1)].filter((block) => block.text !== "");
    message.content = [{ type: "tool_result", tool_use_id: id, content }, ...blocks.slice(results.length)];
  }
  return all;
}

const isDetails = ({ text }: PlainObject): boolean => /^\s*<environment_details>/.test(String(text));

/** The text of a block, with the details of the environment as a block of their own. */
function apartFromDetails(block: PlainObject): PlainObject[] {
  const at = String(block.text).indexOf("<environment_details>");
  if (block.type !== "text" || at <= 0) return [block];
  const text = String(block.text);
  return [text.slice(0, at).trimEnd(), text.slice(at)].map((part) => ({ type: "text", text: part }));
}

const argumentsIn = (xml: string): PlainObject =>
  Object.fromEntries([...xml.matchAll(/<(\w+)>\n?([\s\S]*?)\n?<\/\1>/g)].map(([, name, value]) => [name, value]));
