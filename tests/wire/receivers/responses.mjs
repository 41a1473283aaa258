// Accepts and refuses requests as OpenAI's Responses API does.

import { bracketed, Refusal, received } from "../refusal.mjs";
import {
  checkArguments,
  checkId,
  checkImage,
  checkName,
  checkOpenAITools,
  checkSurrogates,
  checkTypes,
  refuseEmptyArray,
} from "./openai.mjs";

const ID_LENGTH = 64;

/** Results by the types of their calls. */
const RESULTS = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  computer_call: "computer_call_output",
  local_shell_call: "local_shell_call_output",
  shell_call: "shell_call_output",
  apply_patch_call: "apply_patch_call_output",
};

/** What an id begins with, by the types of items. */
const PREFIXES = { function_call: "fc", reasoning: "rs", message: "msg", web_search_call: "ws" };

/**
 * @param options.known names of members that this server accepts besides those of the types.
 * @throws {Refusal}
 */
export function acceptResponses(request, { known } = {}) {
  const body = received(request);
  checkTypes("responses", body, known);
  checkSurrogates(body);
  const input = typeof body.input === "string" ? [] : body.input;
  // Tools may also be items of the history.
  const added = input.filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => tools);
  const tools = added.length > 0 ? [...(body.tools ?? []), ...added] : body.tools;
  checkOpenAITools({ ...body, tools }, ({ type, name }) => (type === "function" ? name : undefined));
  const ids = new Set();
  input.forEach((item, index) => {
    const path = ["input", String(index)];
    checkItem(item, path);
    if (typeof item.id !== "string" || item.type === "item_reference") return;
    if (ids.has(item.id)) {
      const what = `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`;
      throw new Refusal("unique ids", [...path, "id"], what);
    }
    ids.add(item.id);
  });
  checkPairs(input);
  checkReasoning(input, body.store === false);
}

const typeOf = ({ type, role }) => type ?? (role === undefined ? undefined : "message");

function checkItem(item, path) {
  const type = typeOf(item);
  if (typeof item.id === "string") {
    checkId(item.id, [...path, "id"], ID_LENGTH);
    const prefix = item.role === "user" ? undefined : PREFIXES[type];
    if (prefix !== undefined && !item.id.startsWith(prefix)) {
      const what = `Invalid '${bracketed([...path, "id"])}': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
      throw new Refusal("prefix of an id", [...path, "id"], what);
    }
  }
  if (typeof item.call_id === "string") checkId(item.call_id, [...path, "call_id"], ID_LENGTH);
  if (type === "function_call") {
    checkName(item.name, [...path, "name"]);
    checkArguments(item.arguments, [...path, "arguments"]);
  }
  for (const name of ["content", "output"]) {
    const parts = item[name];
    if (!Array.isArray(parts)) continue;
    if (parts.length === 0) refuseEmptyArray([...path, name]);
    parts.forEach((part, index) => {
      checkPart(part, item.role, [...path, name, String(index)]);
    });
  }
}

function checkPart(part, role, path) {
  const { type } = part;
  const isOutput = type === "output_text" || type === "refusal";
  if (role !== undefined && (role === "assistant") !== isOutput) {
    const values =
      role === "assistant" ? "'output_text' and 'refusal'" : "'input_text', 'input_image', and 'input_file'";
    throw new Refusal(`part ${type} of ${role}`, path, `Invalid value: '${type}'. Supported values are: ${values}.`);
  }
  if (type === "input_image" && typeof part.image_url === "string") checkImage(part.image_url, [...path, "image_url"]);
  if (type === "input_image" && !part.image_url && !part.file_id) {
    throw new Refusal("image", path, `Missing required parameter: '${bracketed([...path, "image_url"])}'.`);
  }
  if (type === "input_file" && !part.file_data && !part.file_id && !part.file_url) {
    throw new Refusal("file", path, `Missing required parameter: '${bracketed([...path, "file_id"])}'.`);
  }
}

function checkPairs(input) {
  for (const [callType, resultType] of Object.entries(RESULTS)) {
    const open = new Map();
    input.forEach((item, index) => {
      const { type, call_id: id } = item;
      if (type === callType) {
        if (open.has(id)) throw noOutput(open, id);
        open.set(id, index);
      }
      if (type !== resultType || open.delete(id)) return;
      const what = `No tool call found for ${resultType.replaceAll("_", " ")} with call_id ${id}.`;
      throw new Refusal("output without call", ["input", String(index)], what);
    });
    for (const id of open.keys()) throw noOutput(open, id);
  }
}

function noOutput(open, id) {
  return new Refusal(
    "call without output",
    ["input", String(open.get(id))],
    `No tool output found for function call ${id}.`,
  );
}

/** Reasoning is followed by what the model wrote after it. */
function checkReasoning(input, isUnstored) {
  input.forEach((item, index) => {
    if (item.type !== "reasoning") return;
    const path = ["input", String(index)];
    const next = input.slice(index + 1).find(({ type }) => type !== "reasoning");
    const isOwn =
      next !== undefined && (typeOf(next) === "message" ? next.role === "assistant" : !next.type.endsWith("_output"));
    if (!isOwn) {
      const what = `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
      throw new Refusal("reasoning without item", path, what);
    }
    if (isUnstored && (item.encrypted_content ?? null) === null) {
      const what = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
      throw new Refusal("reasoning not stored", path, what);
    }
  });
}
