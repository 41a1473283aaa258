// A client of the W3C WebDriver protocol for Firefox and WebKitGTK, whose installed versions Playwright can't start.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { engines, firefox, geckodriver, webkitDriver, xvfb } from "../../scripts/tools.mjs";
import { eventually } from "../www/eventually.mjs";

/** The key of an element reference in the protocol's JSON. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** The time for one command; starting a browser on a busy machine takes longest. */
const TIMEOUT_MS = 120_000;

/** Keys that are no characters, as the protocol encodes them. */
export const keys = { control: "\uE009", shift: "\uE008", end: "\uE010", arrowLeft: "\uE012", enter: "\uE007" };

const drivers = {
  Firefox: () => ({
    command: geckodriver(),
    env: {},
    needsDisplay: false,
    capabilities: { "moz:firefoxOptions": { binary: firefox(), args: ["-headless"] } },
  }),
  WebKit: () => ({
    command: webkitDriver(),
    // Without a graphics card, composited pages crash.
    env: { WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
    needsDisplay: true,
    capabilities: {},
  }),
};

/** Why the tests of a browser are skipped: its tools are missing. In CI they are not skipped, and fail. */
export function skipOf(name) {
  const missing = engines()[name];
  return missing.length > 0 && process.env.CI === undefined ? `${missing.join(" and ")} not found` : false;
}

/** Starts a browser, and returns its window. */
export async function startEngine(name) {
  const missing = engines()[name];
  if (missing.length > 0) throw new Error(`${name} can't be started: ${missing.join(" and ")} not found`);
  const { command, needsDisplay, capabilities, ...driver } = drivers[name]();
  const children = [];
  const stop = () => {
    for (const child of children.toReversed()) child.kill();
  };
  process.once("exit", stop);
  try {
    const env = { ...process.env, ...driver.env };
    if (needsDisplay) env.DISPLAY = await startDisplay(children);
    const port = await freePort();
    children.push(spawn(command, [`--port=${port}`], { env, stdio: "ignore" }));
    const url = `http://127.0.0.1:${port}`;
    await eventually(() => call(`${url}/status`));
    const { sessionId } = await call(`${url}/session`, { capabilities: { alwaysMatch: capabilities } });
    return new BrowserWindow(`${url}/session/${sessionId}`, stop);
  } catch (error) {
    stop();
    throw error;
  }
}

/** Starts a display without a screen, and returns its name. */
async function startDisplay(children) {
  const display = spawn(xvfb(), ["-displayfd", "3", "-screen", "0", "1600x1200x24"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  children.push(display);
  // The number is written in several parts, and Xvfb ends when it can't write one of them.
  let number = "";
  display.stdio[3].setEncoding("utf8").on("data", (part) => {
    number += part;
  });
  await eventually.ok(() => number.endsWith("\n"));
  return `:${number.trim()}`;
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function call(url, body, method = body === undefined ? "GET" : "POST") {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

class BrowserWindow {
  #session;
  #stop;

  constructor(session, stop) {
    this.#session = session;
    this.#stop = stop;
  }

  #call(path, body) {
    return call(`${this.#session}/${path}`, body);
  }

  /** Ends the browser and what was started for it. */
  close() {
    return call(this.#session, undefined, "DELETE").finally(this.#stop);
  }

  goto(url) {
    return this.#call("url", { url });
  }

  resize(width, height) {
    return this.#call("window/rect", { width, height });
  }

  screenshot() {
    return this.#call("screenshot");
  }

  /** Runs a function in the page, which may be asynchronous. Elements that it returns can be passed to the other methods. */
  async evaluate(act, ...args) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve().then(() => (${act})(...arguments)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await this.#call("execute/async", { script, args });
    if (error !== undefined) throw new Error(error);
    return value;
  }

  click(element) {
    return this.#call(`element/${element[ELEMENT]}/click`, {});
  }

  /** Types into the focused element. */
  type(text) {
    return this.#keys([...text].flatMap((value) => [down(value), up(value)]));
  }

  /** Presses these keys together. */
  press(...chord) {
    return this.#keys([...chord.map(down), ...chord.toReversed().map(up)]);
  }

  #keys(actions) {
    return this.#call("actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }
}

const down = (value) => ({ type: "keyDown", value });
const up = (value) => ({ type: "keyUp", value });
