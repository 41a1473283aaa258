// Accepts and refuses requests as OpenAI's Chat Completions API does. Arguments of calls must be JSON objects: OpenAI
// itself takes any text, but servers with the same protocol parse it.

import { bracketed, eachText, hasLoneSurrogate, isObject, parsed, Refusal, received } from "../refusal.mjs";
import { schemaError } from "../schemas.mjs";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const SPEAKER = /^[^\s<|\\/>]{1,64}$/;
const ID_LENGTH = 40;

/**
 * @param options.known names of members that this server accepts besides those of the types.
 * @param options.maxId maximum length of the ids of calls.
 * @throws {Refusal}
 */
export function acceptOpenAI(request, { known, maxId = ID_LENGTH } = {}) {
  const body = received(request);
  checkTypes("openai", body, known);
  checkSurrogates(body);
  if (body.tools?.length === 0) refuseEmptyArray(["tools"]);
  checkOpenAITools(body, ({ function: own }) => own?.name);
  if (body.messages.length === 0) refuseEmptyArray(["messages"]);
  body.messages.forEach((message, index) => {
    checkMessage(message, ["messages", String(index)], maxId);
  });
  checkPairs(body.messages);
}

/** Throws the error of OpenAI for a member that the types of its package do not have. */
export function checkTypes(schema, body, known) {
  const error = schemaError(schema, body, known);
  if (error === null) return;
  const { keyword, params, path, message, data } = error;
  const refuse = (rule, at, what) => {
    throw new Refusal(rule, at, what);
  };
  if (keyword === "additionalProperties") {
    const at = [...path, params.additionalProperty];
    refuse("unknown member", at, `Unknown parameter: '${bracketed(at)}'.`);
  }
  if (keyword === "required") {
    const at = [...path, params.missingProperty];
    refuse("missing member", at, `Missing required parameter: '${bracketed(at)}'.`);
  }
  const given = JSON.stringify(data)?.slice(0, 60);
  if (keyword === "enum") {
    const values = params.allowedValues.map((value) => `'${value}'`).join(", ");
    refuse(`value ${given}`, path, `Invalid value: ${given}. Supported values are: ${values}.`);
  }
  refuse(`types (${keyword})`, path, `Invalid type for '${bracketed(path)}': ${message}, but got ${given}.`);
}

export function checkSurrogates(body) {
  eachText(body, (text, path) => {
    if (!hasLoneSurrogate(text)) return;
    throw new Refusal("no lone surrogates", path, "We could not parse the JSON body of your request.");
  });
}

export function checkOpenAITools({ tools, tool_choice: choice, parallel_tool_calls: parallel }, nameOf) {
  tools?.forEach((tool, index) => {
    const name = nameOf(tool);
    if (name !== undefined) checkName(name, ["tools", String(index), "function", "name"]);
  });
  if (tools !== undefined) return;
  for (const [name, value] of Object.entries({ tool_choice: choice, parallel_tool_calls: parallel })) {
    if (value === undefined) continue;
    throw new Refusal(
      `${name} without tools`,
      [name],
      `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
    );
  }
}

export function refuseEmptyArray(path) {
  const least = "Expected an array with minimum length 1, but got an empty array instead.";
  throw new Refusal("empty array", path, `Invalid '${bracketed(path)}': empty array. ${least}`);
}

export function checkName(name, path) {
  if (NAME.test(name)) return;
  const what = `Invalid '${bracketed(path)}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  throw new Refusal("name", path, what);
}

export function checkId(id, path, max) {
  if (id.length > 0 && id.length <= max) return;
  const what =
    id.length === 0
      ? "empty string. Expected a string with minimum length 1, but got an empty string instead."
      : `string too long. Expected a string with maximum length ${max}, but got a string with length ${id.length} instead.`;
  throw new Refusal(id.length === 0 ? "empty id" : "long id", path, `Invalid '${bracketed(path)}': ${what}`);
}

export function checkArguments(text, path) {
  if (isObject(parsed(text))) return;
  throw new Refusal(
    "arguments",
    path,
    `Invalid '${bracketed(path)}': expected a JSON object, but got ${text.slice(0, 60)}`,
  );
}

export function checkImage(url, path) {
  if (/^https?:\/\/./.test(url) || /^data:image\/[a-z.+-]+;base64,[A-Za-z0-9+/]+=*$/.test(url)) return;
  const what =
    "Expected a valid URL or a base64-encoded data URL with an image MIME type, but got a value with an invalid format.";
  throw new Refusal("image url", path, `Invalid '${bracketed(path)}'. ${what}`);
}

export function checkSpeaker(name, path) {
  if (name === undefined || SPEAKER.test(name)) return;
  const what = `string does not match pattern. Expected a string that matches the pattern '${SPEAKER.source}'.`;
  throw new Refusal("name of a speaker", path, `Invalid '${bracketed(path)}': ${what}`);
}

function checkMessage(message, path, maxId) {
  const { role, content, tool_calls: calls } = message;
  checkSpeaker(message.name, [...path, "name"]);
  if (Array.isArray(content)) {
    if (content.length === 0) refuseEmptyArray([...path, "content"]);
    content.forEach((part, index) => {
      checkPart(part, [...path, "content", String(index)]);
    });
  }
  if (role !== "assistant") {
    if (role === "tool") checkId(message.tool_call_id, [...path, "tool_call_id"], maxId);
    return;
  }
  if (calls !== undefined) {
    if (calls.length === 0) refuseEmptyArray([...path, "tool_calls"]);
    calls.forEach((call, index) => {
      const at = [...path, "tool_calls", String(index)];
      checkId(call.id, [...at, "id"], maxId);
      if (call.type !== "function") return;
      checkName(call.function.name, [...at, "function", "name"]);
      checkArguments(call.function.arguments, [...at, "function", "arguments"]);
    });
  }
  const hasOther = calls !== undefined || isObject(message.function_call) || isObject(message.audio);
  if ((content ?? null) === null && !hasOther && typeof message.refusal !== "string") {
    throw new Refusal("no content", [...path, "content"], "Invalid value for 'content': expected a string, got null.");
  }
}

function checkPart({ type, image_url: image, file }, path) {
  if (type === "image_url") checkImage(image.url, [...path, "image_url", "url"]);
  if (type === "file" && !file.file_data && !file.file_id) {
    throw new Refusal(
      "file",
      [...path, "file"],
      `Missing required parameter: '${bracketed([...path, "file", "file_id"])}'.`,
    );
  }
}

function checkPairs(messages) {
  messages.forEach(({ role, tool_calls: calls = [] }, index) => {
    if (role === "assistant" && calls.length > 0) {
      const end = messages.findIndex((message, place) => place > index && message.role !== "tool");
      const results = messages.slice(index + 1, end === -1 ? undefined : end).map(({ tool_call_id: id }) => id);
      const missing = calls.map(({ id }) => id).filter((id) => !results.includes(id));
      if (missing.length > 0) {
        const rule =
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
        const what = `${rule} The following tool_call_ids did not have response messages: ${missing.join(", ")}`;
        throw new Refusal("call without result", ["messages", String(index)], what);
      }
      if (new Set(calls.map(({ id }) => id)).size < calls.length || new Set(results).size < results.length) {
        throw new Refusal("unique ids", ["messages", String(index)], "Duplicate value for 'tool_call_id'");
      }
    }
    if (role !== "tool") return;
    const before = messages.slice(0, index).findLast((message) => message.role !== "tool");
    if (before?.role === "assistant" && before.tool_calls?.some(({ id }) => id === messages[index].tool_call_id))
      return;
    const what = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    throw new Refusal("result without call", ["messages", String(index), "role"], what);
  });
}
