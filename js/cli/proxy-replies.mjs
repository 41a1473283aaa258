// Replies of models as providers send them, whole or as a stream of events: the response object that an app would get
// without streaming, and the tokens that were billed.

import * as zlib from "node:zlib";

/** Node 20 reads no zstd. */
const DECODERS = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** The most bytes of a reply that are read. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads a copy of a response, while the response itself goes to the app as it is.
 *
 * @param api `anthropic`, `openai` or `openai-responses`.
 */
export class ReplyReader {
  #decoder;
  #text = new TextDecoder();
  #rest = "";
  #bytes = 0;
  #assembler;
  #isStream;
  #ended;

  constructor(headers, api) {
    this.#isStream = /^text\/event-stream/i.test(headers["content-type"] ?? "");
    this.#assembler = new ASSEMBLERS[api]();
    const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
    const decoder = DECODERS[encoding]?.();
    if (decoder !== undefined) {
      this.#decoder = decoder.on("data", (piece) => this.#read(piece));
      this.#ended = new Promise((ended) => decoder.on("close", ended).on("error", ended));
    } else if (encoding !== "identity") this.#bytes = Number.POSITIVE_INFINITY;
  }

  /** Takes a piece of the response's body. */
  add(piece) {
    if (this.#decoder === undefined) this.#read(piece);
    else if (!this.#decoder.destroyed) this.#decoder.write(piece);
  }

  /** Returns the reply and its usage; null for what is not known. */
  async end() {
    if (this.#decoder !== undefined) {
      if (!this.#decoder.destroyed) this.#decoder.end();
      await this.#ended;
    }
    if (this.#bytes > MAX_BYTES) return { reply: null, usage: null };
    if (this.#isStream) this.#event(this.#rest + this.#text.decode());
    const reply = this.#isStream ? this.#assembler.reply() : parsed(this.#rest + this.#text.decode());
    return { reply, usage: reply?.usage ?? null };
  }

  #read(piece) {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_BYTES) return;
    this.#rest += this.#text.decode(piece, { stream: true });
    if (!this.#isStream) return;
    const events = this.#rest.split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = events.pop();
    for (const event of events) this.#event(event);
  }

  #event(text) {
    const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
    const data = parsed(lines.map((line) => line.slice(5)).join("\n"));
    if (typeof data === "object" && data !== null) this.#assembler.add(data);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A message of Anthropic from its events. */
class AnthropicReply {
  #message = null;
  /** The texts of arguments, by the indexes of their blocks. */
  #inputs = new Map();

  add({ type, message, index, content_block: block, delta = {}, usage, error }) {
    if (type === "message_start") this.#message = { ...message, content: [...(message?.content ?? [])] };
    if (type === "error") this.#message = { ...this.#message, error };
    if (this.#message === null) return;
    const { content } = this.#message;
    if (type === "content_block_start") content[index] = { ...block };
    if (type === "content_block_delta") this.#extend(content[index], index, delta);
    if (type === "content_block_stop" && this.#inputs.has(index)) {
      content[index].input = parsed(this.#inputs.get(index)) ?? content[index].input;
    }
    if (type === "message_delta") {
      this.#message = { ...this.#message, ...delta, usage: { ...this.#message.usage, ...usage } };
    }
  }

  #extend(block, index, { type, ...delta }) {
    if (block === undefined) return;
    if (type === "input_json_delta") this.#inputs.set(index, (this.#inputs.get(index) ?? "") + delta.partial_json);
    else if (type === "citations_delta") block.citations = [...(block.citations ?? []), delta.citation];
    else {
      // A text, thinking, its signature, or a summary.
      for (const [name, piece] of Object.entries(delta)) {
        block[name] = typeof piece === "string" ? (block[name] ?? "") + piece : piece;
      }
    }
  }

  reply() {
    return this.#message;
  }
}

/** A chat completion from its chunks. */
class CompletionReply {
  #about = null;
  #choices = [];

  add({ choices = [], object: _, ...about }) {
    const { usage } = about;
    this.#about = { ...this.#about, ...about, usage: usage ?? this.#about?.usage ?? null, object: "chat.completion" };
    for (const { index, delta = {}, finish_reason } of Array.isArray(choices) ? choices : []) {
      this.#choices[index] ??= { index, message: { role: "assistant", content: null }, finish_reason: null };
      const choice = this.#choices[index];
      if ((finish_reason ?? null) !== null) choice.finish_reason = finish_reason;
      const { tool_calls: calls, role: __, ...texts } = delta ?? {};
      for (const [name, piece] of Object.entries(texts)) {
        if (typeof piece === "string") choice.message[name] = (choice.message[name] ?? "") + piece;
      }
      for (const call of calls ?? []) this.#addCall(choice.message, call);
    }
  }

  #addCall(message, { index = 0, id, type, function: called = {} }) {
    message.tool_calls ??= [];
    message.tool_calls[index] ??= { id, type: type ?? "function", function: { name: "", arguments: "" } };
    const call = message.tool_calls[index].function;
    call.name += called.name ?? "";
    call.arguments += called.arguments ?? "";
  }

  reply() {
    return this.#about === null ? null : { ...this.#about, choices: this.#choices.filter(Boolean) };
  }
}

/** A response of the Responses API: the last event has it as a whole. */
class ResponseReply {
  #response = null;
  #output = [];

  add({ response, item, output_index: index, type }) {
    if (response !== undefined) this.#response = response;
    if (type === "response.output_item.done") this.#output[index] = item;
  }

  reply() {
    if (this.#response === null || (this.#response.output ?? []).length > 0) return this.#response;
    return { ...this.#response, output: this.#output.filter(Boolean) };
  }
}

const ASSEMBLERS = { anthropic: AnthropicReply, openai: CompletionReply, "openai-responses": ResponseReply };

/** A provider's usage by the names of this package; null without one. */
export function tokensOf(usage) {
  if (typeof usage !== "object" || usage === null) return null;
  const { input_tokens, prompt_tokens, output_tokens, completion_tokens } = usage;
  const { input_tokens_details, prompt_tokens_details } = usage;
  const details = input_tokens_details ?? prompt_tokens_details ?? {};
  const read = usage.cache_read_input_tokens ?? details.cached_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? details.cache_write_tokens ?? 0;
  // Anthropic counts the tokens of its cache apart from the others.
  const isApart = usage.cache_read_input_tokens !== undefined || usage.cache_creation_input_tokens !== undefined;
  const input = (input_tokens ?? prompt_tokens ?? 0) + (isApart ? read + written : 0);
  return {
    inputTokens: input,
    outputTokens: output_tokens ?? completion_tokens ?? 0,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}
