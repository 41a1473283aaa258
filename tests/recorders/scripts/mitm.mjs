// node mitm.mjs MITMDUMP ORIGIN ENCODING COMMAND ARGUMENT…: runs a client with mitmproxy before the server, which saves chat.har. ORIGIN in
// the arguments becomes the address of the proxy. Bodies of responses are compressed if ENCODING is `gzip` or `br`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, createServer as createListener } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createBrotliCompress, createGzip } from "node:zlib";

const [mitmdump, origin, encoding, command, ...given] = process.argv.slice(2);

const server = createServer((asked, response) => {
  const { method, headers, url } = asked;
  const upstream = request(`${origin}${url}`, { method, headers }, (answer) => {
    const pack = { gzip: createGzip, br: createBrotliCompress }[encoding]?.();
    const { "content-length": _, ...others } = answer.headers;
    response.writeHead(answer.statusCode, pack ? { ...others, "content-encoding": encoding } : answer.headers);
    (pack ? answer.pipe(pack) : answer).pipe(response);
  });
  asked.pipe(upstream);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

async function freePort() {
  const listener = createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  return port;
}

const port = await freePort();
const mode = `reverse:http://127.0.0.1:${server.address().port}`;
const proxy = spawn(mitmdump, ["-q", "--mode", mode, "-p", String(port), "--set", "hardump=chat.har"], {
  stdio: "inherit",
});
for (let tries = 0; tries < 200; tries++) {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error")]).catch(
    () => false,
  );
  socket.destroy();
  if (isOpen === true) break;
  await wait(100);
}
const client = spawn(
  command,
  given.map((argument) => argument.replace("ORIGIN", `http://127.0.0.1:${port}`)),
  { stdio: "inherit" },
);
const [code] = await once(client, "exit");
proxy.kill("SIGINT");
await once(proxy, "exit");
process.exit(code);
