// Starts the server of the model in a process of its own.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import OpenAI from "openai";
import { INSTALL, modelIsInstalled, weights } from "../../scripts/model.mjs";

export const MODEL = "smollm2-135m";

/** Threads of the model. More than one pays off only where nothing else runs. */
const THREADS = process.env.MODEL_THREADS ?? "1";

/**
 * Starts a server, which ends with this process at the latest.
 *
 * @param {{ context?: number, port?: number }} options the tokens of its context, and its port; by default a free one.
 */
export async function serveModel({ context = 8192, port = 0 } = {}) {
  if (!modelIsInstalled()) throw new Error(`the model is not installed: run \`${INSTALL}\``);
  const program = join(import.meta.dirname, "engine", "server.mjs");
  const args = ["--weights", weights, "--context", String(context), "--port", String(port), "--threads", THREADS];
  const child = fork(program, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const ready = await Promise.race([once(child, "message"), ended.then(() => null)]);
  if (ready === null) throw new Error("the model's server ended before it was ready");
  const [{ port: own }] = ready;
  const origin = `http://127.0.0.1:${own}`;
  const end = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return {
    port: own,
    origin,
    baseURL: `${origin}/v1`,
    client: new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 }),
    /** The evaluated and generated tokens so far, and the number of requests that are running or waiting. */
    stats: async () => (await fetch(`${origin}/stats`)).json(),
    /** Kills the server immediately. */
    kill: () => end("SIGKILL"),
    close: () => end("SIGTERM"),
  };
}

/** Parameters with which the model gives the same reply to the same requests. */
export const FIXED = { model: MODEL, temperature: 0, seed: 1 };

/** Reads the first characters of a stream without closing it. */
export async function beginningOf(stream, length) {
  const reader = stream[Symbol.asyncIterator]();
  let text = "";
  while (text.length < length) {
    const { done, value } = await reader.next();
    if (done) throw new Error(`the stream ended after ${JSON.stringify(text)}`);
    text += value;
  }
  return text;
}
