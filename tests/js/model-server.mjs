// A server for OpenAI's chat completions and Responses APIs, Anthropic's Messages API and Gemini's generateContent, with
// scripted replies. Requests to Gemini are checked by the receiver.

import { acceptGemini } from "../wire/receivers/gemini.mjs";
import { send, serve } from "./loopback.mjs";

/**
 * Starts a server that replies with the entries of `script`, one for each request, and then with the results of `replyTo`,
 * which is called with the body of the request.
 *
 * A reply is `{ text, calls, reason, refuse, status, headers, after, json }`: `calls` are `[id, name, args]`, `refuse` is a body
 * with `status`, and `after` is the event after the first half of the text: `cut` destroys the connection, `end` ends the
 * stream, `hang` sends nothing more, `error` sends an error. `json` answers with JSON when a stream was asked for. In
 * responses, `refusal` is the text of a refusal, `failed` the error of a failed response, a call whose arguments are a
 * text one of a custom tool, the name of a call may have a namespace and a dot before it, and `items` are more output. For
 * Anthropic, `thinking` is null or the block of the reply, with its signature. For Gemini, `parts` are those of the reply, in place of its text and
 * calls, and `body.model` is the model in the path. `id` is that of the reply, `model` what it names, and `usage` its tokens
 * as a recording has them.
 *
 * @param {(body: any) => object} replyTo
 */
export async function modelServer(replyTo = () => ({ text: "nothing is left to say" })) {
  const state = { script: [], requests: [], closed: 0 };
  const server = await serve(async (request, body, response) => {
    const [, model] = /\/models\/(.+):/.exec(request.url) ?? [];
    if (model !== undefined) body.model = model;
    state.requests.push({ path: request.url, headers: request.headers, body });
    response.on("close", () => {
      if (!response.writableFinished) state.closed++;
    });
    const reply = state.script.shift() ?? replyTo(body);
    if (reply.status !== undefined) {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(reply.refuse));
      return;
    }
    await speak(request.url, body, reply, response);
  });
  return Object.assign(state, { origin: server.origin, baseURL: `${server.origin}/v1`, close: server.close });
}

/** Answers as the API does that has such a path: Chat Completions for those of no other. */
export function speak(url, body, reply, response) {
  const { pathname } = new URL(url, "http://localhost");
  if (pathname.endsWith("/messages")) return speakAnthropic(body, reply, response);
  if (pathname.endsWith("/responses/compact")) return speakCompaction(body, reply, response);
  if (pathname.endsWith("/responses")) return speakResponses(body, reply, response);
  return /\/models\/.+:/.test(pathname) ? speakGemini(body, reply, response, url) : speakOpenAI(body, reply, response);
}

const USAGE = { fresh: 30, read: 64, written: 6, output: 20, reasoning: 3 };

const inputOf = ({ fresh, read, written }) => fresh + read + written;

const CHARACTERS = 7;

/** Sends a text in chunks, with the event `after` in the middle; returns false when that ended the stream. */
function sendText({ text = "", after }, response, piece, error) {
  for (let at = 0; at < text.length; at += CHARACTERS) {
    if (after !== undefined && at >= text.length / 2) {
      // The chunks before must arrive before the connection breaks.
      if (after === "cut") setTimeout(() => response.destroy(), 50);
      if (after === "end") response.end();
      if (after === "error") error();
      return false;
    }
    piece(text.slice(at, at + CHARACTERS));
  }
  return true;
}

function speakOpenAI({ model, stream }, reply, response) {
  const { text = null, calls = [], reason = calls.length > 0 ? "tool_calls" : "stop", json = false } = reply;
  const { id = "c1", usage: counted = USAGE } = reply;
  const usage = {
    prompt_tokens: inputOf(counted),
    completion_tokens: counted.output,
    total_tokens: inputOf(counted) + counted.output,
    prompt_tokens_details: { cached_tokens: counted.read },
  };
  const about = { id, created: 0, model: reply.model ?? `${model}-0815` };
  const toolCalls = calls.map(([id, name, args]) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  if (!stream || json) {
    const message = { role: "assistant", content: text, ...(calls.length > 0 ? { tool_calls: toolCalls } : {}) };
    const choices = [{ index: 0, finish_reason: reason, message }];
    send(response, { ...about, object: "chat.completion", choices, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const chunk = (delta, finish_reason = null) =>
    event({ ...about, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
  const error = () => {
    event({ error: { message: "the engine is overloaded", code: 503 } });
    response.end();
  };
  if (!sendText(reply, response, (content) => chunk({ content }), error)) return;
  for (const [index, { id, type, function: called }] of toolCalls.entries()) {
    chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] });
    for (const piece of called.arguments.match(/[\s\S]{1,5}/g) ?? []) {
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  chunk({}, reason);
  event({ ...about, object: "chat.completion.chunk", choices: [], usage });
  response.end("data: [DONE]\n\n");
}

/** The number of responses so far, for unique ids of items. */
let responses = 0;

const responsesUsage = (counted) => ({
  input_tokens: inputOf(counted),
  input_tokens_details: { cached_tokens: counted.read, cache_write_tokens: counted.written },
  output_tokens: counted.output,
  output_tokens_details: { reasoning_tokens: counted.reasoning },
  total_tokens: inputOf(counted) + counted.output,
});

function speakCompaction({ input }, { id = "resp_1", items = [], usage = USAGE }, response) {
  const output = [...input.filter(({ role }) => role === "user"), ...items];
  send(response, { id, object: "response.compaction", created_at: 0, output, usage: responsesUsage(usage) });
}

function speakResponses({ model, stream }, reply, response) {
  const number = ++responses;
  const { text = "", calls = [], items = [], reason, refusal, failed, usage: counted = USAGE } = reply;
  const usage = responsesUsage(counted);
  const reasoning = { type: "reasoning", id: `rs_${number}`, summary: [], encrypted_content: "secret" };
  const part =
    refusal === undefined ? { type: "output_text", text, annotations: [], logprobs: [] } : { type: "refusal", refusal };
  const message = { type: "message", id: `msg_${number}`, role: "assistant", status: "completed", content: [part] };
  const output =
    failed !== undefined
      ? []
      : [
          reasoning,
          ...(text === "" && refusal === undefined ? [] : [message]),
          ...calls.map(([call_id, path, args]) => {
            const [name, namespace] = path.split(".").reverse();
            const call = { call_id, name, ...(namespace === undefined ? {} : { namespace }), status: "completed" };
            return typeof args === "string"
              ? { type: "custom_tool_call", id: `ctc_${call_id}`, ...call, input: args }
              : { type: "function_call", id: `fc_${call_id}`, ...call, arguments: JSON.stringify(args) };
          }),
          ...items,
        ];
  const about = {
    id: reply.id ?? `resp_${number}`,
    object: "response",
    created_at: 0,
    model: reply.model ?? `${model}-0815`,
    error: null,
  };
  const status = failed !== undefined ? "failed" : reason === undefined ? "completed" : "incomplete";
  const incomplete_details = reason === undefined ? null : { reason };
  const whole = { ...about, status, incomplete_details, output, usage, error: failed ?? null };
  if (!stream) {
    send(response, whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sequence_number = 0;
  const event = (type, data) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`);
    sequence_number++;
  };
  event("response.created", { response: { ...about, status: "in_progress", output: [] } });
  const error = () => {
    event("error", { code: "server_error", message: "the engine is overloaded", param: null });
    response.end();
  };
  for (const [output_index, item] of output.entries()) {
    event("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } });
    const at = { item_id: item.id, output_index };
    if (item.type === "message") {
      const kind = refusal === undefined ? "output_text" : "refusal";
      const piece = (delta) => event(`response.${kind}.delta`, { ...at, content_index: 0, delta, logprobs: [] });
      if (!sendText({ ...reply, text: refusal ?? text }, response, piece, error)) return;
    } else if (item.type === "function_call") {
      for (const delta of item.arguments.match(/[\s\S]{1,5}/g) ?? []) {
        event("response.function_call_arguments.delta", { ...at, delta });
      }
      event("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments });
    }
    event("response.output_item.done", { output_index, item });
  }
  event(`response.${status}`, { response: whole });
  response.end();
}

function speakAnthropic({ model, stream }, reply, response) {
  const { text = "", calls = [], reason = calls.length > 0 ? "tool_use" : "end_turn" } = reply;
  const { id = "m1", usage: counted = USAGE, thinking = { thinking: "I add them up.", signature: "c2lnbmVk" } } = reply;
  const usage = {
    input_tokens: counted.fresh,
    cache_read_input_tokens: counted.read,
    cache_creation_input_tokens: counted.written,
    output_tokens: counted.output,
  };
  const about = { id, type: "message", role: "assistant", model: reply.model ?? `${model}-0815`, stop_sequence: null };
  const uses = calls.map(([id, name, input]) => ({ type: "tool_use", id, name, input }));
  if (!stream) {
    const content = [...(text === "" ? [] : [{ type: "text", text, citations: null }]), ...uses];
    send(response, { ...about, content, stop_reason: reason, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (data) => response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  event({
    type: "message_start",
    message: { ...about, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  const block = (index, content_block, delta) => {
    event({ type: "content_block_start", index, content_block });
    const more = delta((piece) => event({ type: "content_block_delta", index, delta: piece }));
    if (more !== false) event({ type: "content_block_stop", index });
    return more;
  };
  const error = () => {
    event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    response.end();
  };
  let index = 0;
  if (thinking !== null) {
    block(index++, { type: "thinking", thinking: "", signature: "" }, (piece) => {
      piece({ type: "thinking_delta", thinking: thinking.thinking });
      piece({ type: "signature_delta", signature: thinking.signature });
    });
  }
  if (text !== "") {
    const textBlock = { type: "text", text: "", citations: null };
    const sent = block(index++, textBlock, (piece) =>
      sendText(reply, response, (part) => piece({ type: "text_delta", text: part }), error),
    );
    if (sent === false) return;
  }
  for (const use of uses) {
    block(index++, { ...use, input: {} }, (piece) => {
      for (const part of JSON.stringify(use.input).match(/[\s\S]{1,5}/g) ?? []) {
        piece({ type: "input_json_delta", partial_json: part });
      }
    });
  }
  event({
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: counted.output },
  });
  event({ type: "message_stop" });
  response.end();
}

function speakGemini({ model, contents, generationConfig, ...config }, reply, response, url) {
  try {
    if (reply.isChecked !== false) acceptGemini({ model, contents, config: { ...config, ...generationConfig } });
  } catch ({ message, status }) {
    send(response, { error: { code: status, message, status: "INVALID_ARGUMENT" } }, status);
    return;
  }
  const { text = "", calls = [], reason = "STOP", id: responseId = "r1", usage: counted = USAGE } = reply;
  const usageMetadata = {
    promptTokenCount: inputOf(counted),
    cachedContentTokenCount: counted.read,
    candidatesTokenCount: counted.output - counted.reasoning,
    thoughtsTokenCount: counted.reasoning,
    totalTokenCount: inputOf(counted) + counted.output,
  };
  const about = { responseId, modelVersion: reply.model ?? `${model}-0815` };
  const called = calls.map(([id, name, args], index) => ({
    functionCall: { id, name, args },
    ...(index === 0 && { thoughtSignature: "c2lnbmF0dXJl" }),
  }));
  const thought = { text: "I add them up.", thought: true };
  const whole = reply.parts ?? [thought, ...(text === "" ? [] : [{ text }]), ...called];
  const candidates = (parts, more) => [{ index: 0, content: { role: "model", parts }, ...more }];
  if (!url.includes("streamGenerateContent")) {
    send(response, { ...about, candidates: candidates(whole, { finishReason: reason }), usageMetadata });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (data) => response.write(`data: ${JSON.stringify({ ...about, ...data })}\n\n`);
  const parts = (...own) =>
    event({ candidates: candidates(own), usageMetadata: { promptTokenCount: inputOf(counted) } });
  const error = () => {
    event({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } });
    response.end();
  };
  if (reply.parts !== undefined) for (const part of reply.parts) parts(part);
  else {
    parts(thought);
    if (!sendText(reply, response, (piece) => parts({ text: piece }), error)) return;
    if (called.length > 0) parts(...called);
  }
  event({ candidates: candidates([{ text: "" }], { finishReason: reason }), usageMetadata });
  response.end();
}
