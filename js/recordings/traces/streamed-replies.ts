import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { objectIn } from "../reading/values.ts";

/** Reads the data of server-sent events that are JSON objects. A last one that is cut off is ignored. */
export function eventsIn(stream: string): PlainObject[] {
  return stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
    const data = parsed(lines.join("\n"));
    return isPlainObject(data) ? [data] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Makes the reply that the events of a stream are, as the API gives it when it does not stream: of Anthropic's Messages,
 * OpenAI's Chat Completions and Responses, or Gemini; null for other events.
 */
export function replyOfEvents(events: readonly PlainObject[]): PlainObject | null {
  const has = (test: (event: PlainObject) => boolean) => events.some(test);
  if (has(({ type }) => type === "message_start")) return messageOf(events);
  if (has(({ type }) => /^response\./.test(String(type)))) return responseOf(events);
  if (has(({ choices }) => Array.isArray(choices))) return completionOf(events);
  return has(({ candidates }) => Array.isArray(candidates)) ? contentOf(events) : null;
}

const text = (given: unknown): string => (typeof given === "string" ? given : "");

/** The members of a block to which each type of delta appends. */
const APPENDED = ["text", "thinking", "signature", "partial_json"];

function messageOf(events: readonly PlainObject[]): PlainObject {
  let message: PlainObject = {};
  const blocks: PlainObject[] = [];
  for (const { type, index, message: begun, content_block: block, delta, usage } of events) {
    if (type === "message_start") message = { ...objectIn(begun) };
    if (type === "content_block_start") blocks[Number(index)] = { ...objectIn(block) };
    const open = blocks[Number(index)];
    if (type === "content_block_delta" && open !== undefined) {
      for (const name of APPENDED) {
        const more = objectIn(delta)[name];
        if (typeof more === "string") open[name] = text(open[name]) + more;
      }
    }
    if (type === "message_delta") {
      message = { ...message, ...objectIn(delta), usage: { ...objectIn(message.usage), ...objectIn(usage) } };
    }
  }
  const content = blocks.filter(isPlainObject).map(({ partial_json: json, ...block }) =>
    // Arguments that are cut off were not run.
    typeof json === "string" ? { ...block, input: parsed(json) ?? {} } : block,
  );
  return { ...message, content };
}

function responseOf(events: readonly PlainObject[]): PlainObject {
  const ended = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  const last = events.filter(({ response }) => isPlainObject(response)).at(-1);
  const response = objectIn(last?.response);
  // Some servers leave the output of the last event empty.
  return objectsIn(response.output).length > 0 ? response : { ...response, output: ended.filter(isPlainObject) };
}

function completionOf(events: readonly PlainObject[]): PlainObject {
  const message: PlainObject = { role: "assistant", content: null };
  const calls: PlainObject[] = [];
  let completion: PlainObject = {};
  for (const { choices, usage, ...chunk } of events) {
    completion = { ...completion, ...chunk, ...(isPlainObject(usage) ? { usage } : {}) };
    const [choice = {}] = objectsIn(choices).filter(({ index }) => (index ?? 0) === 0);
    const delta = objectIn(choice.delta);
    for (const name of ["content", "refusal", "reasoning", "reasoning_content"]) {
      if (typeof delta[name] === "string") message[name] = text(message[name]) + delta[name];
    }
    for (const { index = calls.length, id, function: part } of objectsIn(delta.tool_calls)) {
      const call = calls[Number(index)] ?? { id, type: "function", function: { name: "", arguments: "" } };
      calls[Number(index)] = call;
      const called = objectIn(call.function);
      const { name, arguments: more } = objectIn(part);
      called.name = text(called.name) || text(name);
      called.arguments = text(called.arguments) + text(more);
    }
  }
  const made = calls.filter(isPlainObject);
  return { ...completion, choices: [{ message: made.length > 0 ? { ...message, tool_calls: made } : message }] };
}

function contentOf(events: readonly PlainObject[]): PlainObject {
  const parts: PlainObject[] = [];
  for (const { candidates } of events) {
    const [first = {}] = objectsIn(candidates);
    for (const part of objectsIn(objectIn(first.content).parts)) {
      const last = parts.at(-1);
      const isText = (one: PlainObject | undefined) => typeof one?.text === "string" && one.functionCall === undefined;
      if (last !== undefined && isText(last) && isText(part) && last.thought === part.thought) {
        parts[parts.length - 1] = { ...last, ...part, text: `${String(last.text)}${String(part.text)}` };
      } else parts.push(part);
    }
  }
  // Each event has the whole usage up to then.
  const last = events.filter(({ usageMetadata }) => isPlainObject(usageMetadata)).at(-1);
  return { ...events[0], ...last, candidates: [{ content: { role: "model", parts } }] };
}
