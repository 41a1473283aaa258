import { jsonText } from "../chat/message-json.ts";
import { isPlainObject, omitMembers, type PlainObject, partsAt } from "./data.ts";
import type { MessagePath } from "./format-errors.ts";
import { BLANK_IMAGE } from "./media.ts";
import { keepOriginal, restoreOriginal } from "./original.ts";
import { callIdMember, callIdOf, typeOf } from "./responses-items.ts";
import { FORMAT, fromContent, originalOf, toContent, withOriginal } from "./responses-parts.ts";
import { outcomeOf, withFailure } from "./tool-parts.ts";

/** Converts the result of a call to a message of a conversation. */
export function fromResult(item: PlainObject, path: MessagePath): PlainObject {
  const type = typeOf(item);
  const neutral = resultOf(item, path);
  const kept = keepOriginal(FORMAT, item, neutral, () => itemOf(neutral, path, type, {}));
  if (type === "function_call_output") return kept;
  const isDenied = type === "mcp_approval_response" && item.approve === false;
  return withOriginal(isDenied ? { ...kept, isDenied } : kept, { type });
}

/** Returns the item of a result. A result with changed content keeps the other members of its item. */
export function toResult(message: PlainObject, path: MessagePath): PlainObject {
  const { role, toolCallId, original } = message;
  const content = withFailure(message.content, outcomeOf(message));
  const { type = "function_call_output", members = {}, absent = [] } = originalOf(message) ?? {};
  const own = { content, toolCallId };
  const back = () => itemOf(own, path, type, {});
  const bare = { role, content, toolCallId, ...(original === undefined ? {} : { original }) };
  const given = restoreOriginal(FORMAT, bare, back, (given) => resultOf(given, path));
  if (given !== null) return given;
  const edited = itemOf(own, path, type, members);
  if (!absent.includes("call_id")) return edited;
  // The result of a local shell names its call by its own id.
  const { call_id: id, ...rest } = edited;
  return { ...rest, id };
}

function resultOf(item: PlainObject, path: MessagePath): PlainObject {
  return { role: "tool", content: contentOf(item, path), toolCallId: callIdOf(item) };
}

/** Returns the content of a result that the model sees. */
function contentOf(item: PlainObject, path: MessagePath): unknown {
  const { output } = item;
  switch (typeOf(item)) {
    case "function_call_output":
    case "custom_tool_call_output":
      return fromContent(output, [...path, "output"]);
    case "computer_call_output": {
      const image = isPlainObject(output) ? output.image_url : null;
      return typeof image === "string" ? [{ type: "image", image }] : (jsonText(output ?? null) as string);
    }
    case "shell_call_output":
      return Array.isArray(output) ? output.map(shellText).join("\n") : (jsonText(output ?? null) as string);
    case "program_output":
      return textOr(item.result);
    case "tool_search_output":
      return textOr(item.tools);
    case "mcp_approval_response":
      return jsonText(omitMembers(item, ["type", "id", "approval_request_id"])) as string;
    default:
      return output === undefined || output === null ? "" : textOr(output);
  }
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : (jsonText(value) ?? "");
}

function shellText(one: unknown): string {
  if (!isPlainObject(one)) return textOr(one);
  const { stdout, stderr, outcome } = one;
  const texts = [stdout, stderr].filter((text) => typeof text === "string" && text !== "");
  const isDone = isPlainObject(outcome) && outcome.type === "exit" && outcome.exit_code === 0;
  return [...texts, ...(isDone ? [] : [textOr(outcome)])].join("\n");
}

/** @param members the members of the original item, for a result with changed content. */
function itemOf(message: PlainObject, path: MessagePath, type: string, members: PlainObject): PlainObject {
  const { content, toolCallId: id } = message;
  const at = [...path, "content"];
  const made = { type, [callIdMember(type)]: id };
  const rest = omitMembers(members, ["type", "output", "result", "tools", "id"]);
  switch (type) {
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...made, output: toContent(content, at), ...rest };
    case "computer_call_output":
      return { ...made, output: { type: "computer_screenshot", image_url: imageIn(content) ?? BLANK_IMAGE }, ...rest };
    case "shell_call_output": {
      const output = [{ stdout: plainText(content, at), stderr: "", outcome: { type: "exit", exit_code: 0 } }];
      return { ...made, output, ...rest };
    }
    case "program_output":
      return { ...made, result: plainText(content, at), ...rest };
    case "tool_search_output":
      return { ...made, tools: [], ...rest };
    case "mcp_approval_response":
      return { ...made, ...rest };
    default:
      return { ...made, output: plainText(content, at), ...rest };
  }
}

function imageIn(content: unknown): string | null {
  const [part] = Array.isArray(content) ? content : [];
  return isPlainObject(part) && part.type === "image" && typeof part.image === "string" ? part.image : null;
}

function plainText(content: unknown, path: MessagePath): string {
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return String(content);
  return partsAt(content, path)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}
