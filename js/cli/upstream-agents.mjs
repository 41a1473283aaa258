// Connections to providers: kept for the next request, and through a proxy of the network where the environment names one.

import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect as connectTls } from "node:tls";

/**
 * The agents for requests by the protocol of their address. Those to `https:` go through the proxy of `HTTPS_PROXY`, except to
 * hosts of `NO_PROXY`; of both, the name in lower case comes first.
 */
export function agentsFor(env) {
  const proxy = env.https_proxy || env.HTTPS_PROXY;
  const secure = proxy ? new TunnelAgent(new URL(proxy), exceptionsIn(env)) : new HttpsAgent({ keepAlive: true });
  return { "http:": new HttpAgent({ keepAlive: true }), "https:": secure };
}

/** Returns whether a host is one of `NO_PROXY`: `*`, names with all below them, and hosts with a port. */
function exceptionsIn(env) {
  const names = (env.no_proxy || env.NO_PROXY || "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return (host, port) =>
    names.some((name) => {
      const [, own, ownPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(name);
      return name === "*" || ((host === own || host.endsWith(`.${own}`)) && (ownPort ?? String(port)) === String(port));
    });
}

/** Connects through a proxy, which sees the name of the host and nothing that is sent. */
class TunnelAgent extends HttpsAgent {
  #proxy;
  #isDirect;

  constructor(proxy, isDirect) {
    super({ keepAlive: true });
    this.#proxy = proxy;
    this.#isDirect = isDirect;
  }

  createConnection(options, onConnected) {
    const { host, port } = options;
    if (this.#isDirect(host.toLowerCase(), port)) return super.createConnection(options, onConnected);
    const { protocol, username, password } = this.#proxy;
    const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const user = [username, password].map(decodeURIComponent).join(":");
    const request = (protocol === "https:" ? httpsRequest : httpRequest)(this.#proxy, {
      method: "CONNECT",
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(username && { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
      },
    });
    request.once("error", onConnected);
    request.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) onConnected(null, connectTls({ ...options, socket }));
      else {
        socket.destroy();
        onConnected(new Error(`the proxy of HTTPS_PROXY answers ${statusCode} for ${target}`));
      }
    });
    request.end();
  }
}
