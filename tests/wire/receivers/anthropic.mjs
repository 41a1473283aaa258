// Accepts and refuses requests as Anthropic's Messages API does.

import { eachText, hasLoneSurrogate, isObject, Refusal, received } from "../refusal.mjs";
import { schemaError } from "../schemas.mjs";

/** Blocks that need a header for beta features. */
const BETA_BLOCKS = new Set(["compaction", "mcp_tool_use", "mcp_tool_result"]);
const ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const MCP_ID = /^mcptoolu_[a-zA-Z0-9_]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MARKS = 4;

/**
 * @param options.prefill whether the model continues an assistant message at the end; newer models do not.
 * @param options.beta true for a request with a header for beta features, which decides about the schema.
 * @param options.known names of members that this server accepts besides those of the types.
 * @throws {Refusal}
 */
export function acceptAnthropic(request, { prefill = true, beta = false, known } = {}) {
  const body = received(request);
  checkTypes(body, beta, known);
  eachText(body, (text, path) => {
    if (!hasLoneSurrogate(text)) return;
    throw new Refusal("no lone surrogates", path, "The request body is not valid JSON: no low surrogate in string");
  });
  checkTools(body);
  checkMarks(body);
  if (Array.isArray(body.system)) checkTexts(body.system, ["system"]);
  if (body.messages.length === 0) refuse("messages", ["messages"], "at least one message is required");
  body.messages.forEach((message, index) => {
    checkMessage(message, index, body.messages.length);
  });
  const turns = mergedTurns(body.messages);
  // A compaction stands for the messages before it, which may be omitted.
  if (turns[0].role !== "user" && turns[0].blocks[0]?.type !== "compaction")
    refuse("first role", ["messages", "0"], 'first message must use the "user" role');
  const waiting = new Set();
  turns.forEach((turn, index) => {
    checkPairs(turn, turns[index + 1], turns[index - 1]);
    if (turn.role !== "assistant") return;
    checkServerPairs(turn, waiting, index === turns.length - 1);
    checkLastBlock(turn);
  });
  checkUniqueIds(turns);
  checkEnd(turns.at(-1), prefill);
}

function refuse(rule, path, message) {
  throw new Refusal(rule, path, `${path.join(".")}: ${message}`);
}

function checkTypes(body, beta, known) {
  const isBeta =
    beta ||
    body.messages?.some?.(({ content }) => Array.isArray(content) && content.some(({ type }) => BETA_BLOCKS.has(type)));
  const error = schemaError(isBeta ? "anthropicBeta" : "anthropic", body, known);
  if (error === null) return;
  const { keyword, params, path, message } = error;
  if (keyword === "additionalProperties") {
    refuse("unknown member", [...path, params.additionalProperty], "Extra inputs are not permitted");
  }
  if (keyword === "required") refuse("missing member", [...path, params.missingProperty], "Field required");
  if (keyword === "enum") {
    const given = JSON.stringify(error.data)?.slice(0, 60);
    refuse(`value ${given}`, path, `Input should be ${params.allowedValues.join(", ")}`);
  }
  refuse(`types (${keyword})`, path, `Input should be valid: ${message}`);
}

function checkTools({ tools = [], tool_choice: choice }) {
  const names = new Set();
  tools.forEach(({ name, input_schema: schema }, index) => {
    if (schema === undefined) return;
    const path = ["tools", String(index), "custom", "name"];
    if (!TOOL_NAME.test(name)) refuse("tool name", path, `String should match pattern '${TOOL_NAME.source}'`);
    if (names.has(name)) refuse("unique tool names", ["tools"], "Tool names must be unique.");
    names.add(name);
  });
  if (choice !== undefined && tools.length === 0) {
    refuse("tool_choice without tools", ["tool_choice"], "tool_choice may only be specified while providing tools");
  }
}

function checkMarks(body) {
  let count = 0;
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      if (isObject(value.cache_control)) count++;
      visit(value.content);
    }
  };
  visit(body.system);
  visit(body.tools);
  visit(body.messages);
  if (isObject(body.cache_control)) count++;
  if (count <= MARKS) return;
  const message = `A maximum of ${MARKS} blocks with cache_control may be provided. Found ${count}.`;
  throw new Refusal("number of cache_control", [], message);
}

function checkMessage({ role, content = [], output_config: settings }, index, length) {
  const path = ["messages", String(index)];
  // A message of the system may have settings only.
  if (content.length === 0 && role === "system" && isObject(settings)) return;
  const isLastAssistant = role === "assistant" && index === length - 1;
  if (content.length === 0 && !isLastAssistant) {
    const all = "all messages must have non-empty content except for the optional final assistant message";
    refuse(`empty ${role} message`, path, all);
  }
  if (typeof content === "string") {
    if (content !== "" && content.trim() === "") {
      refuse("blank text", path, "text content blocks must contain non-whitespace text");
    }
    return;
  }
  checkTexts(content, [...path, "content"]);
  let hasOther = false;
  content.forEach((block, place) => {
    checkBlock(block, role, [...path, "content", String(place)]);
    if (block.type === "tool_result" && hasOther) {
      refuse("tool_result first", [...path, "content", String(place)], "`tool_result` blocks must come first");
    }
    hasOther ||= block.type !== "tool_result";
  });
}

function checkTexts(blocks, path) {
  blocks.forEach((block, index) => {
    const here = [...path, String(index)];
    if (block.type === "text") {
      if (block.text === "") refuse("empty text", here, "text content blocks must be non-empty");
      if (block.text.trim() === "") refuse("blank text", here, "text content blocks must contain non-whitespace text");
    }
    if (block.type === "tool_result" && Array.isArray(block.content)) checkTexts(block.content, [...here, "content"]);
  });
}

const ROLES = {
  tool_use: "assistant",
  server_tool_use: "assistant",
  mcp_tool_use: "assistant",
  mcp_tool_result: "assistant",
  web_search_tool_result: "assistant",
  web_fetch_tool_result: "assistant",
  code_execution_tool_result: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_result: "user",
  image: "user",
  document: "user",
};

function checkBlock(block, role, path) {
  const { type } = block;
  if (ROLES[type] !== undefined && ROLES[type] !== role) {
    refuse(`role of ${type}`, path, `\`${type}\` blocks can only be in \`${ROLES[type]}\` messages`);
  }
  const at = (name) => [...path, type, name];
  if (type === "tool_use") {
    if (!ID.test(block.id)) refuse("id", at("id"), `String should match pattern '${ID.source}'`);
    if (!isObject(block.input)) refuse("input", at("input"), "Input should be a valid dictionary");
    if (!/^[a-zA-Z0-9_-]{1,200}$/.test(block.name)) {
      refuse("name of a call", at("name"), "String should match pattern '^[a-zA-Z0-9_-]{1,200}$'");
    }
  }
  if (type === "tool_result") {
    if (!ID.test(block.tool_use_id)) refuse("id", at("tool_use_id"), `String should match pattern '${ID.source}'`);
    const { content = "" } = block;
    const isEmpty = typeof content === "string" ? content.trim() === "" : content.length === 0;
    if (block.is_error === true && isEmpty) {
      refuse("empty error", [...path, type], "content cannot be empty if `is_error` is true");
    }
    if (Array.isArray(block.content)) {
      block.content.forEach((inner, index) => {
        checkSource(inner, [...path, "content", String(index)]);
      });
    }
  }
  if (type === "server_tool_use" && !SERVER_ID.test(block.id)) {
    refuse("id", at("id"), `String should match pattern '${SERVER_ID.source}'`);
  }
  if (type === "mcp_tool_use" && !MCP_ID.test(block.id)) {
    refuse("id", at("id"), `String should match pattern '${MCP_ID.source}'`);
  }
  if (/^(?:server|mcp)_tool_use$/.test(type) && !isObject(block.input)) {
    refuse("input", at("input"), "Input should be a valid dictionary");
  }
  checkSource(block, path);
}

function checkSource({ type, source }, path) {
  if ((type !== "image" && type !== "document") || !isObject(source)) return;
  const at = [...path, type, "source"];
  if (source.type === "base64" && (source.data === "" || !BASE64.test(source.data))) {
    refuse("base64", [...at, "base64", "data"], "invalid base64 data");
  }
  if (source.type === "url" && !/^https?:\/\//.test(source.url)) {
    refuse("url", [...at, "url", "url"], "Only HTTPS URLs are supported.");
  }
}

/** Merges messages of the same role, as the API does, and keeps the index of the first. */
function mergedTurns(messages) {
  const turns = [];
  messages.forEach(({ role, content = [] }, index) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, index, blocks: [...blocks] });
  });
  return turns;
}

function checkPairs({ role, index, blocks }, next, previous) {
  const path = ["messages", String(index)];
  if (role === "assistant") {
    const ids = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const end = next?.blocks.findIndex(({ type }) => type !== "tool_result") ?? 0;
    const first = end === -1 ? next.blocks : (next?.blocks.slice(0, end) ?? []);
    const missing = ids.filter((id) => !first.some(({ tool_use_id }) => tool_use_id === id));
    if (missing.length > 0) {
      const what = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. `;
      const rule = "Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
      refuse("tool_use without tool_result", path, what + rule);
    }
    return;
  }
  const asked = previous?.blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) ?? [];
  const answered = new Set();
  blocks.forEach(({ type, tool_use_id: id }, place) => {
    if (type !== "tool_result") return;
    if (!asked.includes(id)) {
      const what = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. `;
      const rule = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
      refuse("tool_result without tool_use", [...path, "content", String(place)], what + rule);
    }
    if (answered.has(id)) {
      const what = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      refuse("two results of a call", [...path, "content", String(place)], what);
    }
    answered.add(id);
  });
}

const isServerUse = ({ type }) => type === "server_tool_use" || type === "mcp_tool_use";
const isServerResult = ({ type }) => type !== "tool_result" && type.endsWith("_tool_result");

/** @param waiting the ids of uses that wait for a tool of the host, whose results come in a later turn. */
function checkServerPairs({ index, blocks }, waiting, isLast) {
  const open = new Map();
  blocks.forEach((block, place) => {
    const path = ["messages", String(index), "content", String(place)];
    if (isServerUse(block)) open.set(block.id, path);
    if (!isServerResult(block)) return;
    if (!open.delete(block.tool_use_id) && !waiting.delete(block.tool_use_id)) {
      const use = block.type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
      const what = `unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}. `;
      const rule = `Each \`${block.type}\` block must have a corresponding \`${use}\` block before it.`;
      refuse("server result without use", path, what + rule);
    }
  });
  // A turn that was paused is continued from its last message.
  if (isLast) return;
  const waits = blocks.some(({ type }) => type === "tool_use");
  for (const [id, path] of open) {
    if (waits) {
      waiting.add(id);
      continue;
    }
    refuse(
      "server use without result",
      path,
      `tool use with id \`${id}\` was found without a corresponding result block`,
    );
  }
}

function checkUniqueIds(turns) {
  const seen = new Set();
  for (const { index, blocks } of turns) {
    for (const block of blocks) {
      if (block.type !== "tool_use" && !isServerUse(block)) continue;
      if (seen.has(block.id)) refuse("unique ids", ["messages", String(index)], "`tool_use` ids must be unique");
      seen.add(block.id);
    }
  }
}

function checkLastBlock({ index, blocks }) {
  const { type } = blocks.at(-1) ?? {};
  if (type !== "thinking" && type !== "redacted_thinking") return;
  refuse(
    "ends in thinking",
    ["messages", String(index)],
    "The final block in an assistant message cannot be `thinking`.",
  );
}

function checkEnd({ role, index, blocks }, prefill) {
  const path = ["messages", String(index)];
  if (role !== "assistant") return;
  if (!prefill) {
    const what =
      "This model does not support assistant message prefill. The conversation must end with a user message.";
    refuse("ends with assistant", path, what);
  }
  const last = blocks.at(-1);
  if (last?.type === "text" && last.text !== last.text.trimEnd()) {
    refuse("trailing whitespace", ["messages"], "final assistant content cannot end with trailing whitespace");
  }
}
