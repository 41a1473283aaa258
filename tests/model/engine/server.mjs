// Serves the model locally with OpenAI's protocol: chat completions, streamed and whole.
//
//   node server.mjs --weights FILE [--port 0] [--context 8192] [--threads 1]
//
// Unsupported parameters that would change a reply are refused; other parameters are ignored. As a child process with a channel
// to its parent it sends `{ port }` when it is ready, and ends with its parent.

import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { promptOf } from "./chatml.mjs";
import { loadEngine } from "./engine.mjs";
import { RequestProblem } from "./request-problem.mjs";
import { requestOf } from "./requests.mjs";

export const MODEL = "smollm2-135m";

/** The most bytes of a request. */
const MAX_BYTES = 32 * 2 ** 20;

const { values } = parseArgs({
  options: {
    weights: { type: "string" },
    port: { type: "string", default: "0" },
    context: { type: "string", default: "8192" },
    threads: { type: "string", default: "1" },
  },
});
if (values.weights === undefined) throw new Error("--weights FILE is missing");
const engine = await loadEngine({
  weights: values.weights,
  contextSize: Number(values.context),
  threads: Number(values.threads),
});

let completions = 0;

const server = createServer(async (request, response) => {
  try {
    await answer(request, response);
  } catch (error) {
    fail(response, error);
  }
});
server.listen(Number(values.port), "127.0.0.1", () => {
  const { port } = server.address();
  process.send?.({ port });
  console.log(`${MODEL} with ${engine.contextSize} tokens of context: http://127.0.0.1:${port}/v1`);
});
process.on("disconnect", () => process.exit());

async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const route = `${request.method} ${pathname}`;
  if (route === "POST /v1/chat/completions") return complete(await bodyOf(request), response);
  if (route === "GET /v1/models") {
    return send(response, 200, {
      object: "list",
      data: [{ id: MODEL, object: "model", created: 0, owned_by: "local" }],
    });
  }
  if (route === "GET /health") return send(response, 200, { status: "ok" });
  if (route === "GET /stats")
    return send(response, 200, { ...engine.counts, active: engine.active, cpuSeconds: cpuSeconds() });
  throw new RequestProblem(`there is no ${route}`, { status: 404 });
}

async function complete(body, response) {
  const { stream, includeUsage, tools, grammarText, maxTokens: wanted, ...sampling } = requestOf(body, MODEL);
  const prompt = promptOf(engine.model, body.messages, tools.text);
  const maxTokens = wanted ?? engine.contextSize - prompt.length;
  refuseTooLong(prompt.length, wanted);
  const grammar = grammarText === undefined ? undefined : await engine.grammar(grammarText);
  const left = new AbortController();
  response.on("close", () => left.abort());
  const number = ++completions;
  const about = { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000), model: MODEL };
  const events = stream ? new Events(response, about) : null;
  let [all, held] = ["", ""];
  const onText = (text) => {
    all += text;
    held += text;
    if (tools.mayBeCall(all)) return;
    events?.delta({ content: held });
    held = "";
  };
  const reply = await engine.complete({ prompt, maxTokens, grammar, ...sampling }, left.signal, onText);
  if (reply === null) return;
  const { text, cachedTokens, outputTokens, promptMs, outputMs } = reply;
  const called = tools.callIn(text);
  const call = called && { id: `call_${number}`, type: "function", function: called };
  const finishReason = call === null ? reply.finishReason : "tool_calls";
  const usage = {
    prompt_tokens: prompt.length,
    completion_tokens: outputTokens,
    total_tokens: prompt.length + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
  // The same members as of llama.cpp's own server.
  const timings = {
    cache_n: cachedTokens,
    prompt_n: prompt.length - cachedTokens,
    prompt_ms: promptMs,
    predicted_n: outputTokens,
    predicted_ms: outputMs,
  };
  if (events !== null) {
    if (call !== null) events.delta({ tool_calls: [{ index: 0, ...call }] });
    else if (held !== "") events.delta({ content: held });
    return events.end(finishReason, includeUsage ? usage : null, timings);
  }
  const said = call === null ? { content: text } : { content: null, tool_calls: [call] };
  const message = { role: "assistant", refusal: null, ...said };
  const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
  send(response, 200, { ...about, object: "chat.completion", choices, usage, timings });
}

/** Refuses a prompt that does not fit the context, with OpenAI's error. */
function refuseTooLong(prompt, wanted) {
  const max = engine.contextSize;
  if (prompt + (wanted ?? 1) <= max) return;
  const asked =
    wanted === null
      ? `your messages resulted in ${prompt} tokens`
      : `you requested ${prompt + wanted} tokens (${prompt} in the messages, ${wanted} in the completion)`;
  throw new RequestProblem(
    `This model's maximum context length is ${max} tokens. However, ${asked}. Please reduce the length of the messages.`,
    { param: "messages", code: "context_length_exceeded" },
  );
}

/** A streamed reply. The head is sent with the first piece, so that an error before it has a status. */
class Events {
  #response;
  #about;
  #hasBegun = false;

  constructor(response, about) {
    this.#response = response;
    this.#about = { ...about, object: "chat.completion.chunk" };
  }

  delta(delta, finish_reason = null) {
    if (!this.#hasBegun) this.#begin();
    this.#write({ choices: [{ index: 0, delta, finish_reason, logprobs: null }] });
  }

  end(finishReason, usage, timings) {
    this.delta({}, finishReason);
    if (usage !== null) this.#write({ choices: [], usage, timings });
    this.#response.end("data: [DONE]\n\n");
  }

  #begin() {
    this.#hasBegun = true;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.delta({ role: "assistant", content: "" });
  }

  #write(data) {
    this.#response.write(`data: ${JSON.stringify({ ...this.#about, ...data })}\n\n`);
  }
}

/** Processor time since the start. Unlike the clock, it does not depend on other processes. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new RequestProblem("the request is too large", { status: 413 });
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw new RequestProblem(`the body is no JSON: ${cause.message}`);
  }
}

function fail(response, error) {
  const isRefusal = error instanceof RequestProblem;
  if (!isRefusal) console.error(error);
  const body = isRefusal
    ? error.body
    : { error: { message: error.message, type: "server_error", param: null, code: null } };
  if (!response.headersSent) return send(response, isRefusal ? error.status : 500, body);
  // In a stream that has begun, an error is an event.
  response.end(`data: ${JSON.stringify(body)}\n\n`);
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
