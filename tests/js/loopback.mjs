import { createServer } from "node:http";

/**
 * Starts a local server for clients of providers.
 *
 * @param answer is called with each request, whose body is parsed as JSON, and the response.
 */
export async function serve(answer) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    await answer(request, JSON.parse(body), response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

/** Sends JSON. */
export function send(response, body, status = 200) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
