// The plainest conversions of a conversation: they correct nothing, so that a receiver refuses what `lint` has to report.

/** A part that has no plain form at the provider. */
export class NoForm extends Error {}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const partsOf = ({ content }) => (Array.isArray(content) ? content : []);
const textsOf = (text) => (typeof text === "string" && text !== "" ? [{ type: "text", text }] : []);

/** Returns data as text: base64, or a URL. */
function dataOf(part) {
  const data = part.image ?? part.data;
  if (data instanceof URL) return data.href;
  if (ArrayBuffer.isView(data)) return Buffer.from(data).toString("base64");
  if (typeof data !== "string") throw new NoForm(part.type);
  return data;
}

/** Returns the text or the parts of a result, and whether the call failed. */
function outcomeOf({ type, value, reason, isError }) {
  if (type === "execution-denied") return { content: reason ?? "denied", isFailure: true };
  const isFailure = type === "error-text" || type === "error-json" || isError === true;
  return { content: type.endsWith("json") ? JSON.stringify(value) : value, isFailure };
}

// ── Anthropic ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The types of blocks that conversations have as Anthropic has them. */
const BLOCKS = /^(?:text|compaction|server_tool_use|mcp_tool_use|.*_tool_result)$/;
const BLOCK_MEMBERS = ["text", "citations", "content", "id", "name", "input", "server_name", "tool_use_id", "is_error"];

const optionsOf = ({ providerOptions }) => providerOptions?.anthropic ?? {};

function withMark(block, holder) {
  const mark = holder.cache_control ?? optionsOf(holder).cacheControl;
  return isObject(mark) && block.cache_control === undefined ? { ...block, cache_control: mark } : block;
}

function anthropicSource(part, mediaType) {
  const data = dataOf(part);
  return /^https?:/.test(data)
    ? { type: "url", url: data }
    : { type: "base64", media_type: mediaType, data: data.replace(/^data:.*,/, "") };
}

function anthropicBlock(part) {
  const { type, toolCallId, toolName, input, output, providerExecuted } = part;
  if (providerExecuted === true) throw new NoForm(type);
  if (type === "tool-approval-request" || type === "tool-approval-response") return null;
  if (type === "reasoning") {
    const { signature, redactedData } = { ...optionsOf(part), ...part };
    if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
    return typeof signature === "string" ? { type: "thinking", thinking: part.text, signature } : null;
  }
  if (type === "image" || type === "image-data")
    return { type: "image", source: anthropicSource(part, part.mediaType ?? "image/png") };
  if (type === "file") return { type: "document", source: anthropicSource(part, part.mediaType) };
  if (type === "tool-call") return { type: "tool_use", id: toolCallId, name: toolName, input };
  if (type === "tool-result") return anthropicResult(toolCallId, outcomeOf(output));
  if (!BLOCKS.test(type) || (type === "compaction" && part.content === undefined)) throw new NoForm(type);
  const members = BLOCK_MEMBERS.filter((name) => part[name] !== undefined).map((name) => [name, part[name]]);
  return { type, ...Object.fromEntries(members) };
}

const anthropicBlocks = (parts) =>
  parts.flatMap((part) => {
    const block = anthropicBlock(part);
    return block === null ? [] : [withMark(block, part)];
  });

const anthropicResult = (id, { content, isFailure }) => ({
  type: "tool_result",
  tool_use_id: id,
  content: Array.isArray(content) ? anthropicBlocks(content) : (content ?? ""),
  ...(isFailure && { is_error: true }),
});

function anthropicMessages(message) {
  const { role, content, toolCallId, toolCalls = [], isError, isDenied, refusal } = message;
  if (toolCallId !== undefined) {
    const result = anthropicResult(toolCallId, { content, isFailure: isError === true || isDenied === true });
    return [{ role: "user", content: [withMark(result, message)] }];
  }
  const calls = toolCalls.map((call) =>
    withMark(
      { type: "tool_use", id: call.id, name: call.name, input: call.args },
      { ...call, cache_control: undefined },
    ),
  );
  const ofContent = Array.isArray(content) ? anthropicBlocks(content) : textsOf(content);
  const blocks = [...ofContent, ...calls, ...textsOf(refusal)];
  if (blocks.length === 0) return [];
  if (role === "tool") return [{ role: "user", content: blocks }];
  if (role === "assistant" && partsOf(message).some(({ type }) => type === "tool-result")) throw new NoForm(role);
  const last = blocks.pop();
  return [{ role: role === "developer" ? "system" : role, content: [...blocks, withMark(last, message)] }];
}

/** Results of one round are in one message. */
function joinResults(messages) {
  const joined = [];
  const isOfResults = ({ role, content }) => role === "user" && content[0].type === "tool_result";
  for (const message of messages) {
    const before = joined.at(-1);
    if (before !== undefined && isOfResults(before) && isOfResults(message)) before.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}

function anthropicRequest(messages) {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const [system, rest] = first === -1 ? [messages, []] : [messages.slice(0, first), messages.slice(first)];
  const prompt = system.flatMap((message) => anthropicMessages(message).flatMap(({ content }) => content));
  return {
    model: "m",
    max_tokens: 9,
    ...(prompt.length > 0 && { system: prompt }),
    messages: joinResults(rest.flatMap(anthropicMessages)),
  };
}

// ── OpenAI ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function openAIPart(part, role) {
  const { type, text, mediaType = "image/png", filename, providerExecuted } = part;
  if (providerExecuted === true) throw new NoForm(type);
  if (type === "text") return { type, text };
  if (type === "refusal") return { type, refusal: part.refusal };
  if (role !== "user" || (type !== "image" && type !== "file")) throw new NoForm(type);
  const data = dataOf(part);
  const url = /^(?:https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`;
  if (type === "image") return { type: "image_url", image_url: { url } };
  return { type, file: { file_data: url, filename } };
}

const isSentToOpenAI = ({ type }) => !/^(?:reasoning|tool-call|tool-result|tool-approval-.*)$/.test(type);

const openAICall = ({ id, name, args }) => ({
  id,
  type: "function",
  function: { name, arguments: typeof args === "string" ? args : (JSON.stringify(args) ?? "") },
});

/** Only texts of results are sent. */
const openAIResult = (id, content) => ({
  role: "tool",
  tool_call_id: id,
  content: Array.isArray(content) ? content.map(({ text, type }) => text ?? type).join("\n") : (content ?? ""),
});

function openAIMessages(message) {
  const { role, content, toolCallId, toolCalls = [], refusal } = message;
  if (toolCallId !== undefined) return [openAIResult(toolCallId, content)];
  const parts = partsOf(message);
  const results = parts.filter(({ type }) => type === "tool-result");
  if (role === "assistant" && results.length > 0) throw new NoForm(role);
  const calls = [
    ...parts
      .filter(({ type }) => type === "tool-call")
      .map((part) => ({ id: part.toolCallId, name: part.toolName, args: part.input, ...part })),
    ...toolCalls,
  ];
  if (calls.some(({ providerExecuted }) => providerExecuted === true)) throw new NoForm("tool-call");
  const own = parts.filter(isSentToOpenAI).map((part) => openAIPart(part, role));
  const said = typeof content === "string" ? content : own.length > 0 ? own : calls.length > 0 ? null : "";
  const answers = results.map(({ toolCallId: id, output }) => openAIResult(id, outcomeOf(output).content));
  if (role === "tool" || (answers.length > 0 && own.length === 0)) return answers;
  return [
    ...answers,
    {
      role,
      content: said,
      ...(typeof refusal === "string" && { refusal }),
      ...(calls.length > 0 && { tool_calls: calls.map(openAICall) }),
    },
  ];
}

/** The conversions by the providers of `lint`. */
export const plainRequests = {
  anthropic: anthropicRequest,
  openai: (messages) => ({ model: "m", messages: messages.flatMap(openAIMessages) }),
};
