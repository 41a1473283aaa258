// A local server for the chat completions protocol of OpenAI.

import { createServer } from "node:http";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-expose-headers": "retry-after",
};

/**
 * Starts a server that calls `answer(reply, asked)` for each completion. `asked` is the request: `body`, `headers`, and `number`
 * from 1. `cors: false` omits the headers that allow pages of other origins.
 */
export async function startEndpoint(answer, { cors = true } = {}) {
  const headers = cors ? CORS : {};
  const requests = [];
  const server = createServer(async (request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(cors ? 204 : 405, headers).end();
    if (request.method !== "POST" || new URL(request.url, "http://x").pathname !== "/v1/chat/completions") {
      return response.writeHead(404, headers).end();
    }
    const text = await new Response(request).text();
    const asked = { body: JSON.parse(text), headers: request.headers, number: requests.length + 1 };
    requests.push(asked);
    asked.gone = new Promise((resolve) => response.on("close", () => resolve(!response.writableEnded)));
    await answer(new Reply(response, headers), asked);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    address: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

class Reply {
  constructor(response, headers) {
    this.response = response;
    this.headers = headers;
  }

  /** Sends a whole response, JSON or text. */
  send(status, body, headers = {}) {
    const json = typeof body !== "string";
    const type = json ? "application/json" : "text/html";
    this.response.writeHead(status, { ...this.headers, "content-type": type, ...headers });
    this.response.end(json ? JSON.stringify(body) : body);
  }

  /** Starts a stream. */
  open() {
    this.response.writeHead(200, { ...this.headers, "content-type": "text/event-stream; charset=utf-8" });
    this.write(": a comment\n\n");
    return this;
  }

  /** Sends a chunk of the reply's text. */
  piece(content) {
    return this.event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }

  event(json) {
    return this.write(`data: ${JSON.stringify(json)}\r\n\r\n`);
  }

  write(text) {
    this.response.write(text);
    return this;
  }

  /** Sends a text byte by byte, so that characters of several bytes arrive in parts. */
  async torn(text) {
    for (const byte of Buffer.from(text)) {
      this.response.write(Uint8Array.of(byte));
      await new Promise((sent) => setTimeout(sent, 1));
    }
  }

  /** Ends the stream regularly. */
  end(usage = { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 64 } }) {
    this.event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    this.event({ choices: [], usage });
    this.response.end("data: [DONE]\n\n");
  }

  /** Breaks the connection. */
  cut() {
    this.response.destroy();
  }

  /** Streams a whole reply in chunks of seven characters. */
  stream(text) {
    this.open();
    for (const [piece] of text.matchAll(/[\s\S]{1,7}/g)) this.piece(piece);
    this.end();
  }
}
