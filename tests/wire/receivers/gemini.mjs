// Accepts and refuses requests as Gemini's generateContent does.

import { eachText, hasLoneSurrogate, isObject, Refusal, received } from "../refusal.mjs";
import { schemaError } from "../schemas.mjs";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const BASE64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}=*)?$/;
/** The members of a part of which it has exactly one. */
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

/**
 * @param options.known names of members that this server accepts besides those of the types.
 * @throws {Refusal}
 */
export function acceptGemini(request, { known } = {}) {
  const body = received(withoutSignal(request));
  const error = schemaError("gemini", body, known);
  if (error !== null) throw typeRefusal(error);
  eachText(body, (text, path) => {
    if (hasLoneSurrogate(text)) throw new Refusal("no lone surrogates", path, "Invalid JSON payload received.");
  });
  checkTools(body.config ?? {});
  const { contents } = body;
  if (!Array.isArray(contents)) return;
  if (contents.length === 0) refuse("contents", ["contents"], "contents is not specified");
  contents.forEach((content, index) => {
    checkContent(content, ["contents", String(index)]);
  });
  checkTurns(contents);
}

/** Signals belong to the client, not to the request. */
function withoutSignal(request) {
  if (request.config?.abortSignal === undefined) return request;
  const { abortSignal, ...config } = request.config;
  return { ...request, config };
}

function typeRefusal({ keyword, params, path, message }) {
  const place = path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : name)).join(".");
  if (keyword === "additionalProperties") {
    const name = params.additionalProperty;
    const what = `Invalid JSON payload received. Unknown name "${name}" at '${place}': Cannot find field.`;
    return new Refusal("unknown member", [...path, name], what);
  }
  return new Refusal(`types (${keyword})`, path, `Invalid value at '${place}': ${message}`);
}

function refuse(rule, path, message) {
  throw new Refusal(rule, path, `GenerateContentRequest.${path.join(".")}: ${message}`);
}

function checkTools({ tools = [], toolConfig }) {
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  for (const [index, { name }] of declared.entries()) {
    if (!NAME.test(name)) refuse("name of a tool", ["tools", String(index)], "Invalid function name.");
  }
  if (new Set(declared.map(({ name }) => name)).size < declared.length) {
    refuse("unique tool names", ["tools"], "Duplicate function declaration found.");
  }
  if (toolConfig?.functionCallingConfig !== undefined && declared.length === 0) {
    refuse("toolConfig without tools", ["toolConfig"], "Function calling config is set without function_declarations.");
  }
}

function checkContent({ role, parts = [] }, path) {
  if (role !== "user" && role !== "model") refuse("role", path, "Please use a valid role: user, model.");
  if (parts.length === 0) refuse("empty parts", [...path, "parts"], "contents.parts must not be empty.");
  parts.forEach((part, index) => {
    const at = [...path, "parts", String(index)];
    const count = DATA.filter((name) => part[name] !== undefined).length;
    if (count !== 1)
      refuse("data of a part", [...at, "data"], "required oneof field 'data' must have one initialized field");
    const { functionCall: call, functionResponse: response, inlineData: blob, fileData: file } = part;
    if (call !== undefined) {
      if (role !== "model") refuse("role of functionCall", at, "function calls must be of the role model");
      if (!NAME.test(call.name ?? ""))
        refuse("name of a call", [...at, "function_call", "name"], "Name cannot be empty.");
      if (call.args !== undefined && !isObject(call.args))
        refuse("args", [...at, "function_call", "args"], "must be a struct");
    }
    if (response !== undefined) {
      if (role !== "user") refuse("role of functionResponse", at, "function responses must be of the role user");
      if (!response.name) refuse("name of a response", [...at, "function_response", "name"], "Name cannot be empty.");
      if (!isObject(response.response))
        refuse("response", [...at, "function_response", "response"], "must be a struct");
    }
    if (blob !== undefined && (!blob.mimeType || !blob.data || !BASE64.test(blob.data))) {
      refuse("inlineData", [...at, "inline_data"], "mime_type and base64 data are required");
    }
    if (file !== undefined && !file.fileUri) refuse("fileData", [...at, "file_data"], "file_uri is required");
    if (part.thoughtSignature !== undefined && !BASE64.test(part.thoughtSignature)) {
      refuse("thoughtSignature", [...at, "thought_signature"], "Base64 decoding failed");
    }
  });
}

const callsIn = ({ parts }) => parts.filter(({ functionCall }) => functionCall !== undefined);
const responsesIn = ({ parts }) => parts.filter(({ functionResponse }) => functionResponse !== undefined);

function checkTurns(contents) {
  if (contents[0].role !== "user") refuse("first role", ["contents", "0"], "ensure that the first turn is of the user");
  contents.forEach((content, index) => {
    const path = ["contents", String(index)];
    const [before, after] = [contents[index - 1], contents[index + 1]];
    if (before?.role === content.role)
      refuse("alternation", path, "ensure that roles alternate between user and model");
    const calls = callsIn(content);
    const responses = responsesIn(content);
    if (responses.length > 0 && (before === undefined || callsIn(before).length === 0)) {
      refuse(
        "response without call",
        path,
        "Please ensure that function response turn comes immediately after a function call turn.",
      );
    }
    if (calls.length === 0) return;
    const answers = after === undefined ? [] : responsesIn(after);
    if (answers.length !== calls.length) {
      const what =
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      refuse("number of responses", path, what);
    }
    calls.forEach(({ functionCall: call }, place) => {
      const { functionResponse: answer } = answers[place];
      if (answer.name === call.name && (answer.id ?? call.id) === call.id) return;
      refuse("order of responses", path, "function responses must be in the order of their calls");
    });
  });
}
