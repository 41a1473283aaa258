import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { answerMessages, branchTo, resultPart, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOf } from "../reading/recorded-chat.ts";
import {
  callPart,
  type RecordedMessage,
  reasoningPart,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";
import { timeFrom } from "../reading/values.ts";

/** The chat of an export, or of the API. */
function chatIn(given: unknown): PlainObject | undefined {
  const chat = isPlainObject(given) ? (given.chat ?? given) : undefined;
  return isPlainObject(chat) && isPlainObject(Object(chat.history).messages) ? chat : undefined;
}

/** Reads a chat of an export of Open WebUI: its current branch. */
export const openWebUIReader: RecordingReader = {
  format: "open-webui",
  recognizes: (given) => chatIn(given) !== undefined,
  read(given: PlainObject) {
    const { history, params, system = Object(params).system, ...chat } = chatIn(given) as PlainObject;
    const { messages, currentId } = history as { messages: Record<string, PlainObject>; currentId: unknown };
    const branch = branchTo(new Map(Object.entries(messages)), currentId, "parentId");
    return storedChat({ ...given, ...chat }, system, branch.flatMap(fromMessage));
  },
};

function fromMessage(message: PlainObject): RecordedMessage[] {
  const { role, content, output, model, usage, info, timestamp } = message;
  const at = timeFrom(timestamp);
  const text = textOf(content);
  if (role !== "assistant") {
    const named = objectsIn(message.files).map((file) => `[${String(file.name ?? file.type)}]`);
    const texts = [text, ...named].filter((one) => one !== "");
    if (texts.length === 0) return [];
    return [
      role === "system"
        ? systemMessage(text, at)
        : userMessage(texts.length === 1 ? texts[0] : texts.map(textPart), at),
    ];
  }
  const items = objectsIn(output);
  const parts = items.length > 0 ? items.flatMap(fromItem) : fromMarkup(text);
  const named = typeof model === "string" ? { model } : {};
  return answerMessages(parts, { ...named, at, usage: usageOf(usage ?? info) });
}

function fromItem(item: PlainObject, _: number, items: PlainObject[]): PlainObject[] {
  const { type, content, summary, call_id: id } = item;
  const name = (call: unknown) =>
    String(items.find((one) => one.type === "function_call" && one.call_id === call)?.name);
  switch (type) {
    case "reasoning":
      return [reasoningPart(textOf(content ?? summary))];
    case "message":
      return [textPart(textOf(content))];
    case "function_call":
      return [callPart(String(id), String(item.name), parseArguments(textOf(item.arguments)))];
    case "function_call_output":
      return [resultPart(String(id), name(id), textOf(item.output))];
    default:
      return [];
  }
}

const DETAILS = /<details type="(\w+)"([^>]*)>([\s\S]*?)<\/details>/g;

/** Older chats have reasoning and calls as markup in the text. */
function fromMarkup(text: string): PlainObject[] {
  const parts: PlainObject[] = [];
  let end = 0;
  const addText = (to: number): void => {
    const said = text.slice(end, to).trim();
    if (said !== "") parts.push(textPart(said));
  };
  for (const { index, 0: whole, 1: type, 2: attributes = "", 3: body = "" } of text.matchAll(DETAILS)) {
    addText(index);
    end = index + whole.length;
    const inner = unescaped(body.replace(/<summary>[\s\S]*?<\/summary>/, "").trim());
    if (type === "reasoning") parts.push(reasoningPart(inner.replace(/^> ?/gm, "")));
    if (type === "tool_calls") parts.push(...callInMarkup(attributes, inner, `call_${parts.length}`));
  }
  addText(text.length);
  return parts;
}

function callInMarkup(attributes: string, body: string, otherId: string): PlainObject[] {
  const all = new Map(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, unescaped(value as string)]),
  );
  const [id, name] = [all.get("id") || otherId, all.get("name") || "tool"];
  // The values are JSON, that of the arguments may be in a text of JSON.
  const given = parseArguments(all.get("arguments") ?? "");
  const result = parseArguments(all.get("result") || body);
  return [
    callPart(id, name, typeof given === "string" ? parseArguments(given) : given),
    resultPart(id, name, typeof result === "string" ? result : JSON.stringify(result)),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'", amp: "&" };

const unescaped = (text: string): string =>
  text.replace(/&(lt|gt|quot|#x27|#39|amp);/g, (_, name: string) => ENTITIES[name] as string);
