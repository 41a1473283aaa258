// Hostile servers, drawn from a seed: MCP servers with names, schemas, results and changes that no honest one sends, and
// endpoints of models that break their protocol on the wire. What is asserted holds for every server: a call ends with a
// value or a documented error, names that reach a model are plain, nothing outside the call changes, and the number of
// requests is bounded by what the caller asked for.

import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import {
  Agent,
  Conversation,
  formatTrace,
  Lisp,
  mcpTools,
  Predict,
  SubAgent,
  TurnfoldError,
  toMessages,
} from "turnfold";
import { openai } from "turnfold/formats/openai";
import { fetchModel } from "turnfold/models/fetch";
import { sizeOf } from "./random.mjs";

/** What a call with these servers may end with, as its documentation says. */
const CODES = {
  mcpTools: ["mcp_error", "invalid_option"],
  agent: ["invalid_tool", "invalid_signature"],
  call: ["tool_error", "mcp_error", "validation_error"],
  chat: ["llm_error", "max_steps_exceeded", "aborted", "invalid_message", "invalid_object", "output_parse_failed"],
};

/** A fault of the package that a server has shown. */
export class Fault extends Error {}

/** True for names that providers accept. */
const isPlainName = (name) => typeof name === "string" && /^[\w-]{1,64}$/.test(name);

/** Control characters but tabs, and those that override the direction of text. */
const CONTROLS = /(?!\t)[\p{Cc}\u2028-\u202E\u2066-\u2069]/u;

/** Checks a text that a terminal may show; it may have several lines. */
function checkPrintable(text, what) {
  if (text.split("\n").some((line) => CONTROLS.test(line)))
    throw new Fault(`${what} has controls: ${JSON.stringify(text).slice(0, 500)}`);
}

/** For the option `onWarning`, whose errors are not thrown: the warnings of the server being run. */
const warnings = [];
const onWarning = (warning) => warnings.push(warning);

/** Own names of what every object inherits. */
const inherited = () =>
  [Object, Array, Function, Promise, Error, Map, TurnfoldError, Conversation]
    .map((made) => Object.getOwnPropertyNames(made.prototype).join())
    .join(";");
const INHERITED = inherited();

const rejections = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

/** The value of a call, or its error if that has one of the codes. */
async function outcomeOf(kinds, what, act) {
  try {
    return { value: await act() };
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw new Fault(`${what} throws ${error?.stack ?? error}`, { cause: error });
    const codes = kinds.flatMap((kind) => CODES[kind]);
    if (!codes.includes(error.code)) throw new Fault(`${what} throws ${error.code}: ${error.stack}`, { cause: error });
    JSON.stringify(error.details, (_, value) => (typeof value === "bigint" ? String(value) : value));
    for (const text of [error.message, error.hint ?? ""]) checkPrintable(text, `the error of ${what}`);
    return { error };
  }
}

/**
 * Runs a hostile server of a seed, and returns what came of it in one word or two.
 *
 * @param most the size of its largest texts and lists.
 * @throws {Fault}
 */
export async function hostileServer(random, endpoint, most) {
  const outcome = random.below(2) === 0 ? await mcpServer(random, most) : await modelEndpoint(random, endpoint, most);
  // Rejections that nobody handles are reported after the tasks of promises.
  await new Promise((resolve) => setImmediate(resolve));
  if (rejections.length > 0) throw new Fault(`a rejection is not handled: ${rejections[0]?.stack ?? rejections[0]}`);
  for (const warning of warnings.splice(0)) checkPrintable(warning, "a warning");
  if (inherited() !== INHERITED || {}.polluted !== undefined) throw new Fault("what objects inherit has changed");
  return outcome;
}

// Texts, names and values.

const SIGNS = [
  ..."aZ09_-./: é天",
  "\u0000",
  "\u001b[2J",
  "\u009b31m",
  "\r",
  "\n",
  "\t",
  "\u202e",
  "\u2028",
  "\ud800",
  "👩‍🚀",
  '"',
  "\\",
  "`",
  "```",
  "<tool>",
  "(",
  ")",
  "{{x}}",
  "#_",
  ";",
];
const NAMES = [
  ...["search", "search", "Search", "search-2", "search ", "sea rch", "sea\u0000rch", "__proto__", "constructor"],
  ...["prototype", "toString", "hasOwnProperty", "then", "toJSON", "length", "", " ", "-", "天気", "1", "-1", "."],
  ...["return", "def", "recall", "tool/search", "a/b", "../../etc/passwd", "functions.search", "answer"],
];
const KEYS = [...NAMES, "text", "$map", "$int", "$fn", "$float", "type", "$ref", "polluted", "\u0000", "a\u001b[2Jb"];

function text(random, most) {
  const size = sizeOf(random, most);
  const unit = Array.from({ length: 1 + random.below(8) }, () => random.pick(SIGNS)).join("");
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

function name(random, most) {
  if (random.chance(0.7)) return random.pick(NAMES);
  return random.chance(0.5) ? text(random, 100) : text(random, most);
}

/** Sets an own member of any name. */
function put(object, key, value) {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  return object;
}

function value(random, most, depth = 3) {
  switch (random.below(depth === 0 ? 8 : 12)) {
    case 0:
      return random.pick([null, undefined, true, false]);
    case 1:
      return random.pick([0, -0, -1, 1.5, 1e308, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 2 ** 32]);
    case 2:
      return text(random, most);
    case 3:
      return random.pick(NAMES);
    case 4:
      return nested(random, sizeOf(random, Math.min(most, 20_000)));
    case 5:
      return Array.from({ length: sizeOf(random, most / 10) }, (_, index) => index);
    case 6:
      return [];
    case 7:
      return {};
    case 8:
      return Array.from({ length: random.below(5) }, () => value(random, most / 4, depth - 1));
    default: {
      const object = {};
      for (let count = random.below(5); count > 0; count--)
        put(object, random.pick(KEYS), value(random, most / 4, depth - 1));
      return object;
    }
  }
}

function nested(random, levels) {
  let inner = random.pick([null, 1, "x"]);
  const isList = random.chance(0.5);
  for (let level = 0; level < levels; level++) inner = isList ? [inner] : { a: inner };
  return inner;
}

/** JSON of a value, sometimes cut or changed, sometimes with a member twice. */
function json(random, given) {
  let written;
  try {
    written = JSON.stringify(given) ?? "null";
  } catch {
    written = "{}";
  }
  switch (random.below(8)) {
    case 0:
      return written.slice(0, random.below(written.length + 1));
    case 1:
      return written + random.pick(["}", "\u0000", " ,", "NaN", written.slice(0, 1000)]);
    case 2:
      return written.replace("{", '{"__proto__":{"polluted":1},"a":1,"a":2,');
    case 3:
      return random.pick([
        "",
        " ",
        "null",
        "[]",
        '"text"',
        "NaN",
        "{'a':1}",
        "1e999",
        '{"a":123456789012345678901234567890}',
      ]);
    default:
      return written;
  }
}

// MCP servers.

function schema(random, most, depth = 3) {
  switch (random.below(depth === 0 ? 6 : 14)) {
    case 0:
      return random.pick([true, false, {}, null, 1, "string", []]);
    case 1:
      return {
        type: random.pick(["string", "integer", "number", "boolean", "object", "array", "null", "no-type", 5, []]),
      };
    case 2:
      return { enum: Array.from({ length: sizeOf(random, most / 20) }, (_, index) => `value ${index}`) };
    case 3:
      return { enum: [text(random, 50), value(random, 50), random.pick(KEYS)] };
    case 4:
      return {
        $ref: random.pick([
          "#",
          "#/$defs/a",
          "#/$defs/b",
          "#/properties/x",
          "#/nowhere",
          "http://127.0.0.1:1/x",
          "",
          "#%zz",
        ]),
      };
    case 5:
      return {
        type: "string",
        pattern: random.pick(["^(a+)+$", "(", "a{1,99999}", "\\u{", "^\\w*$"]),
        maxLength: random.pick([1, -1, "x"]),
      };
    case 6:
      return { type: "array", items: schema(random, most / 2, depth - 1), minItems: random.pick([0, 1, 1e9, -1]) };
    case 7:
      return {
        [random.pick(["anyOf", "oneOf", "allOf"])]: Array.from({ length: random.below(4) }, () =>
          schema(random, most / 4, depth - 1),
        ),
      };
    case 8:
      return { not: schema(random, most / 2, depth - 1) };
    case 9: {
      let inner = schema(random, 10, 0);
      for (let levels = sizeOf(random, Math.min(most / 20, 3000)); levels > 0; levels--)
        inner = { type: "array", items: inner };
      return inner;
    }
    default:
      return objectSchema(random, most, depth);
  }
}

function objectSchema(random, most, depth = 2) {
  const properties = {};
  const count = random.chance(0.1) ? sizeOf(random, most / 100) : random.below(4);
  // All properties together are about as large as one.
  const each = most / Math.max(4, count);
  for (let index = 0; index < count; index++) {
    const key = random.chance(0.3) ? `key${index}` : name(random, each);
    put(
      properties,
      key,
      random.chance(0.3) ? { type: "string", description: text(random, each) } : schema(random, each, depth - 1),
    );
  }
  const object = { type: "object", properties };
  if (random.chance(0.3)) object.required = Object.keys(properties).slice(0, 2);
  if (random.chance(0.1)) object.required = value(random, 20);
  if (random.chance(0.3))
    object.$defs = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" }, x: schema(random, most / 4, 1) };
  if (random.chance(0.2)) object.additionalProperties = schema(random, most / 4, 0);
  if (random.chance(0.05)) object.self = object;
  return object;
}

function mcpTool(random, most) {
  if (random.chance(0.02)) return value(random, 20);
  const tool = {
    name: random.chance(0.02) ? value(random, 20) : name(random, most),
    inputSchema: random.chance(0.7) ? objectSchema(random, most) : schema(random, most),
  };
  if (random.chance(0.4)) tool.description = random.chance(0.8) ? text(random, most) : value(random, 20);
  if (random.chance(0.2)) tool.title = random.chance(0.8) ? text(random, 100) : value(random, 20);
  if (random.chance(0.2)) tool.outputSchema = schema(random, most / 4);
  if (random.chance(0.2))
    tool.annotations = random.chance(0.7)
      ? { readOnlyHint: value(random, 5), destructiveHint: true, title: text(random, 20) }
      : value(random, 20);
  if (random.chance(0.05)) tool.execution = { taskSupport: random.pick(["required", "optional", 1]) };
  if (random.chance(0.05)) put(tool, "__proto__", { polluted: true });
  return tool;
}

function mcpResult(random, most) {
  const part = () => {
    switch (random.below(9)) {
      case 0:
        return {
          type: "image",
          data: random.pick(["", "====", "not base64!", text(random, most), 5, null]),
          mimeType: random.pick(["image/png", 5, "\u001b"]),
        };
      case 1:
        return { type: "audio", data: text(random, most), mimeType: text(random, 20) };
      case 2:
        return {
          type: "resource",
          resource: random.pick([
            null,
            1,
            { uri: text(random, 50), text: text(random, most) },
            { uri: 5, blob: "====" },
          ]),
        };
      case 3:
        return { type: "resource_link", uri: text(random, 50), name: name(random, 50), size: value(random, 5) };
      case 4:
        return { type: text(random, 20), [text(random, 10)]: value(random, most) };
      case 5:
        return value(random, most);
      default:
        return {
          type: "text",
          text: random.chance(0.1)
            ? value(random, 20)
            : random.chance(0.5)
              ? text(random, most)
              : json(random, value(random, most)),
        };
    }
  };
  if (random.chance(0.1)) return value(random, most);
  const result = { content: random.chance(0.05) ? value(random, 20) : Array.from({ length: random.below(4) }, part) };
  if (random.chance(0.3)) result.structuredContent = value(random, most);
  if (random.chance(0.1)) result.structuredContent = cyclic(random);
  if (random.chance(0.2)) result.isError = random.pick([true, true, "yes", 1]);
  if (random.chance(0.05)) put(result, "__proto__", { polluted: true });
  return result;
}

function cyclic(random) {
  const object = { a: [1], polluted: true };
  object.a.push(random.chance(0.5) ? object : object.a);
  return object;
}

/** A client of a server that also changes its list while it is called. */
function mcpClient(random, most) {
  const state = { lists: 0, calls: 0 };
  const tools = () => {
    const count = random.chance(0.03) ? sizeOf(random, Math.min(most / 10, 12_000)) : 1 + random.below(5);
    const made = Array.from({ length: count }, () => mcpTool(random, count > 20 ? 20 : most));
    // Two tools whose names become one.
    if (random.chance(0.2))
      made.push({ name: "a b", inputSchema: {} }, { name: "a-b", inputSchema: {} }, { name: "a\u0000b" });
    return made;
  };
  let listed = tools();
  let announce = () => {};
  const fail = () => {
    throw random.pick([
      new Error(text(random, 50)),
      "text",
      null,
      undefined,
      { message: 5 },
      new TypeError("x", { cause: cyclic(random) }),
    ]);
  };
  const client = {
    async listTools(params) {
      state.lists++;
      if (random.chance(0.03)) fail();
      if (random.chance(0.03)) return value(random, 50);
      const page = { tools: listed };
      if (random.chance(0.05)) page.nextCursor = random.pick(["", "again", `${params?.cursor}x`, 5, null]);
      return page;
    },
    async callTool() {
      state.calls++;
      if (random.chance(0.3)) {
        listed = tools();
        announce();
      }
      if (random.chance(0.1)) fail();
      return mcpResult(random, most);
    },
  };
  if (random.chance(0.7)) client.getServerCapabilities = () => ({ tools: { listChanged: true } });
  const channel = random.below(3);
  if (channel === 0) {
    client.setNotificationHandler = (_, handler) => {
      announce = () => handler({ method: "notifications/tools/list_changed" });
    };
  } else if (channel === 1) {
    client.transport = { onmessage: () => {} };
    announce = () => client.transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  }
  return { client, state };
}

const MAX_PAGES = 1000;

async function mcpServer(random, most) {
  const { client, state } = mcpClient(random, most);
  const options = random.pick([{}, {}, { prefix: "srv" }, { prefix: "x".repeat(32) }, { include: () => true }]);
  const { value: tools, error } = await outcomeOf(["mcpTools"], "mcpTools", () => mcpTools(client, options));
  if (state.lists > MAX_PAGES + 1) throw new Fault(`the list was read ${state.lists} times`);
  if (error !== undefined) return `mcp ${error.code}`;
  checkNames(Object.keys(tools), "mcpTools");
  if (Object.hasOwn(tools, "__proto__")) throw new Fault("a tool is named __proto__");
  if (Object.getPrototypeOf(tools) !== Object.prototype) throw new Fault("the object of tools inherits something else");
  const names = Object.keys(tools);
  const listed = await outcomeOf(["agent"], "toMessages", () => toMessages([], null, { mission: "m", tools }).messages);
  for (const { content } of listed.value ?? []) checkListing(content);
  const used = random.pick([useInPrograms, useInChat, useInRun]);
  const outcome = await used(random, tools, names, most);
  if (state.calls > MAX_CALLS) throw new Fault(`the server was called ${state.calls} times`);
  return `mcp ${outcome}`;
}

const MAX_CALLS = 20;

function checkNames(names, where) {
  const wrong = names.find((each) => !isPlainName(each));
  if (wrong !== undefined) throw new Fault(`${where} has the name ${JSON.stringify(wrong)}`);
}

/** Checks the lines of tools in a prompt: names and signatures have no controls. */
function checkListing(content) {
  for (const line of content.split("\n")) {
    const [, signature] = /^tool\/\S+?(\(.*)$/.exec(line) ?? [];
    if (signature !== undefined && CONTROLS.test(signature))
      throw new Fault(`a line of a tool has controls: ${JSON.stringify(line).slice(0, 500)}`);
  }
}

async function useInPrograms(random, tools, names, most) {
  const { value: lisp, error } = await outcomeOf(["agent"], "Lisp", () => new Lisp({ tools, data: { v: 1 } }));
  if (error !== undefined) return `program ${error.code}`;
  let outcome = "program";
  for (const tool of names.slice(0, 3)) {
    const args = random.pick(["", " {}", ' {:text "x"}', " 1", ' :text "x"', ' "x" 2']);
    const { error: problem } = await lisp.run(`(def r (tool/${tool}${args})) (println r) (count (str r))`);
    if (problem?.kind === "internal") throw new Fault(`a program ends with ${problem.message}`);
    checkPrintable(problem?.message ?? "", "the error of a program");
    outcome = problem === null ? "program ok" : `program ${problem.kind}`;
  }
  Lisp.fromJSON(JSON.stringify(lisp.toJSON()), { tools });
  lisp.dispose();
  if (names.length > 0) await outcomeOf(["call"], "execute", () => tools[names[0]].execute(value(random, most), {}));
  return outcome;
}

async function useInChat(random, tools, names) {
  let step = 0;
  const llm = ({ messages, tools: offered = [] }) => {
    checkNames(
      offered.map((tool) => tool.name),
      "a request",
    );
    checkSent(messages);
    if (step++ > 1) return "Done.";
    const toolCalls = Array.from({ length: 1 + random.below(2) }, (_, index) => ({
      id: random.pick(["1", `c${index}`, ""]),
      name:
        names.length > 0 && random.chance(0.8) ? random.pick(names) : random.pick(NAMES.filter((each) => each !== "")),
      args: random.pick([{}, { text: "x" }, value(random, 50)]),
    }));
    return { content: "", toolCalls };
  };
  const made = await outcomeOf(["agent"], "Agent", () => new Agent({ llm, tools, onWarning }));
  if (made.error !== undefined) return `chat ${made.error.code}`;
  const { error } = await outcomeOf(["chat"], "chat", () => made.value.chat("Go", { maxSteps: 4 }));
  checkConversation(made.value);
  return error === undefined ? "chat ok" : `chat ${error.code}`;
}

async function useInRun(random, tools, names) {
  const llm = ({ turn }) => {
    if (turn > 2 || names.length === 0) return "```clojure\n(return 1)\n```";
    return `\`\`\`clojure\n(def x${turn} (tool/${random.pick(names)} {:text "x"}))\n(println x${turn})\n\`\`\``;
  };
  const made = await outcomeOf(["agent"], "SubAgent", () => new SubAgent({ mission: "Go", llm, tools, maxTurns: 4 }));
  if (made.error !== undefined) return `run ${made.error.code}`;
  const { value: step, error } = await outcomeOf(["agent"], "run", () => made.value.run());
  if (error !== undefined) return `run ${error.code}`;
  formatTrace(step);
  JSON.parse(JSON.stringify(step));
  checkPrintable(step.fail?.message ?? "", "the failure of a run");
  return step.ok ? "run ok" : `run ${step.fail.reason}`;
}

/** Checks what a model is sent: names of calls and results are plain. */
function checkSent(messages) {
  for (const { toolCalls = [], toolName } of messages) {
    for (const call of toolCalls)
      if (CONTROLS.test(call.name)) throw new Fault(`a request has the call ${JSON.stringify(call.name)}`);
    if (toolName !== undefined && CONTROLS.test(toolName))
      throw new Fault(`a request has a result of ${JSON.stringify(toolName)}`);
  }
}

/** The conversation can be saved, loaded and sent. */
function checkConversation(agent) {
  const { conversation } = agent;
  const saved = JSON.stringify(conversation);
  if (JSON.stringify(Conversation.fromJSON(saved)) !== saved)
    throw new Fault("a saved conversation is not what was saved");
  const sent = openai.to(conversation.repair().conversation);
  for (const { tool_calls: calls = [] } of sent)
    checkNames(
      calls.map((call) => call.function.name),
      "a message for OpenAI",
    );
}

// Endpoints of models.

/**
 * Starts the endpoint for {@link hostileServer}. It plays one script after the other.
 *
 * @returns its `url`, `play(script)`, which counts the requests in `script.requests`, and `close()`.
 */
export async function hostileEndpoint() {
  let script = null;
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const bodies = [];
    request.on("data", (chunk) => bodies.push(chunk));
    request.on("end", () => {
      script.requests.push({ path: request.url, body: Buffer.concat(bodies).toString() });
      script.answer(response, request).catch(() => response.destroy());
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: `${origin}/v1`,
    play(next) {
      script = next;
    },
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

const chunk = (delta, more = {}) => ({ choices: [{ index: 0, delta, ...more }] });

function usage(random) {
  const number = () => random.pick([1, 0, -1, 1e308, "5", null, [], {}, 2 ** 53, 1.5]);
  if (random.chance(0.2)) return value(random, 20);
  return {
    prompt_tokens: number(),
    completion_tokens: number(),
    total_tokens: number(),
    prompt_tokens_details: random.pick([null, { cached_tokens: number() }, 5]),
  };
}

function toolCall(random, most, index) {
  const args = random.chance(0.3) ? { text: "x" } : value(random, most);
  const call = {
    index: random.pick([index, index, index, 0, -1, 1e9, null, "0", undefined]),
    id: random.pick([`c${index}`, `c${index}`, "same", "", null, undefined, 5, text(random, 100)]),
    type: random.pick(["function", undefined, "custom", 5]),
    function: {
      name: random.chance(0.5) ? "search" : name(random, most),
      arguments: random.chance(0.1) ? args : json(random, args),
    },
  };
  if (random.chance(0.05)) call.function = value(random, 20);
  return random.chance(0.03) ? value(random, 20) : call;
}

const FINISH = ["stop", "stop", "tool_calls", "length", "content_filter", "", null, 5, "no-reason", {}];

/** The objects of a reply: events, or one completion. */
function replyObjects(random, most, streams) {
  const calls = random.chance(0.5)
    ? Array.from({ length: 1 + random.below(3) }, (_, index) => toolCall(random, most, index))
    : [];
  const content = random.pick([
    text(random, most),
    json(random, value(random, most)),
    "Done.",
    '{"answer":"x","score":1}',
    "```clojure\n(return 1)\n```",
    null,
    5,
    [{ type: "text", text: "a" }, value(random, 20)],
    "",
  ]);
  const finish_reason = random.chance(0.6) ? (calls.length > 0 ? "tool_calls" : "stop") : random.pick(FINISH);
  if (!streams) {
    const message = { role: random.pick(["assistant", "assistant", "user", 5]), content };
    if (calls.length > 0) message.tool_calls = random.chance(0.9) ? calls : value(random, 20);
    if (random.chance(0.1)) message.refusal = value(random, 20);
    const whole = {
      id: value(random, 10),
      model: random.pick(["m", 5, text(random, 20)]),
      choices: [{ index: 0, message, finish_reason }],
      usage: usage(random),
    };
    if (random.chance(0.1)) whole.choices = value(random, 20);
    return [whole];
  }
  const objects = [];
  if (typeof content === "string") {
    const length = Math.max(1, Math.ceil(content.length / (1 + random.below(20))));
    for (let at = 0; at < content.length; at += length)
      objects.push(chunk({ content: content.slice(at, at + length) }));
  } else objects.push(chunk({ content }));
  for (const call of calls) objects.push(chunk({ tool_calls: [call] }));
  if (random.chance(0.2))
    objects.splice(
      random.below(objects.length + 1),
      0,
      random.pick([
        value(random, 20),
        { error: value(random, 20) },
        { choices: [] },
        chunk(value(random, 20)),
        { object: "error", message: "overloaded" },
      ]),
    );
  if (random.chance(0.9)) objects.push(chunk({}, { finish_reason }));
  objects.push({ choices: [], usage: usage(random) });
  return objects;
}

function bytesOf(random, most, streams) {
  const objects = replyObjects(random, most, streams);
  if (!streams) return Buffer.from(json(random, objects[0]));
  const end = random.pick(["\n\n", "\n\n", "\r\n\r\n", "\r\r", "\n", "\n\r"]);
  const lead = random.pick(["data: ", "data: ", "data:", "data", "event: x\ndata: ", "id: 1\nretry: 99999999\ndata: "]);
  const events = objects.map(
    (object) => `${lead}${random.chance(0.03) ? json(random, object) : (JSON.stringify(object) ?? "null")}${end}`,
  );
  if (random.chance(0.2))
    events.unshift(
      random.pick([
        ": comment\n\n",
        "\ufeff",
        "\n".repeat(sizeOf(random, most)),
        `: ${text(random, most)}\n`,
        "error: {}\n\n",
      ]),
    );
  if (random.chance(0.8)) events.push(`data: [DONE]${end}`);
  if (random.chance(0.1)) events.push(events[0] ?? "");
  return Buffer.from(events.join(""));
}

const TYPES = [
  "text/event-stream",
  "text/event-stream; charset=utf-8",
  "application/json",
  "text/html",
  "",
  "application/octet-stream",
  "TEXT/EVENT-STREAM",
];

/** The answers of an endpoint to any number of requests. */
function endpointScript(random, most, streams, aborter) {
  const script = { requests: [], sent: 0, answer: null };
  script.answer = async (response) => {
    const headers = { "content-type": random.chance(0.7) ? TYPES[streams ? 0 : 2] : random.pick(TYPES) };
    const write = (bytes) =>
      new Promise((resolve) => {
        if (response.destroyed) return resolve(false);
        script.sent += bytes.length;
        response.write(bytes, () => resolve(!response.destroyed));
      });
    switch (random.below(16)) {
      case 0:
        response.writeHead(random.pick([301, 302, 307, 308]), {
          location: random.pick([
            "/v1/again",
            "/",
            "http://127.0.0.1:1/x",
            "javascript:alert(1)",
            "http://[",
            "",
            "//example.invalid/",
            "data:,x",
          ]),
        });
        return void response.end();
      case 1: {
        const status = random.pick([201, 204, 400, 401, 404, 413, 422, 429, 500, 503, 529, 599]);
        response.writeHead(status, {
          ...headers,
          "retry-after": random.pick(["0", "-1", "abc", "0.0001", "Thu, 01 Jan 1970 00:00:00 GMT"]),
        });
        return void response.end(
          random.pick([
            text(random, most),
            json(random, { error: value(random, 100) }),
            '{"error":{"message":"stream_options"}}',
            "<html>",
          ]),
        );
      }
      case 2:
        response.writeHead(200, headers);
        return void response.end(
          json(
            random,
            random.pick([
              { error: { message: text(random, 200), code: value(random, 5) } },
              { detail: value(random, 50) },
              value(random, most),
            ]),
          ),
        );
      case 3: {
        const packed = gzipSync(random.chance(0.1) ? Buffer.alloc(most, " ") : bytesOf(random, most, streams));
        if (random.chance(0.3)) packed[random.below(packed.length)] ^= 255;
        response.writeHead(200, {
          ...headers,
          "content-encoding": random.pick(["gzip", "gzip", "br", "deflate", "gzip, gzip", "none"]),
        });
        return void response.end(packed.subarray(0, random.chance(0.2) ? random.below(packed.length) : packed.length));
      }
      case 4: {
        // A stream that goes on, up to the size, and is then silent: the caller has to end it.
        response.writeHead(200, { "content-type": "text/event-stream" });
        const piece = Buffer.from(
          random
            .pick([`data: ${JSON.stringify(chunk({ content: "x" }))}\n\n`, ": x\n\n", "\n", "data: x", " "])
            .repeat(200),
        );
        for (let left = sizeOf(random, most); left > 0; left -= piece.length) if (!(await write(piece))) return;
        return void aborter.abort();
      }
    }
    const bytes = bytesOf(random, most, streams);
    response.writeHead(200, headers);
    const isCut = random.chance(0.15);
    const end = isCut ? random.below(bytes.length + 1) : bytes.length;
    // Pieces end anywhere, within characters too.
    const pieces = random.chance(0.5) ? 1 : 1 + random.below(12);
    for (let at = 0; at < end; ) {
      const next = Math.min(end, at + 1 + random.below(Math.ceil((2 * end) / pieces)));
      if (!(await write(bytes.subarray(at, next)))) return;
      at = next;
      if (pieces > 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (isCut && random.chance(0.5)) response.destroy();
    else response.end();
  };
  return script;
}

const search = { signature: "(text :string?) -> :any", run: () => "found" };

/** The calls of a model, with the most requests that each may send: redirections, repeated options and repairs. */
const USES = {
  chat: [(llm, signal) => chatWith(llm, (agent) => agent.chat("Go", { maxSteps: 3, signal })), 3],
  stream: [
    (llm, signal) =>
      chatWith(llm, async (agent) => {
        const stream = agent.stream("Go", { maxSteps: 3, signal });
        for await (const _ of stream);
      }),
    3,
  ],
  object: [
    (llm, signal) =>
      chatWith(llm, (agent) => agent.generateObject("Go", { type: "object" }, { maxRepairs: 1, maxSteps: 2, signal })),
    4,
  ],
  predict: [
    (llm, signal) =>
      new Predict("question -> answer: str, score: int", { llm, maxRepairs: 1 }).call({ question: "?" }, { signal }),
    2,
  ],
  run: [
    async (llm, signal) => {
      const step = await new SubAgent({ mission: "Go", llm, maxTurns: 2, tools: { search } }).run({
        signal,
      });
      formatTrace(step);
      JSON.parse(JSON.stringify(step));
      return step;
    },
    4,
  ],
};

async function chatWith(llm, act) {
  const agent = new Agent({ llm, tools: { search }, onWarning });
  try {
    return await act(agent);
  } finally {
    checkConversation(agent);
  }
}

/** Requests that one request of a caller may become: five redirections, and once more without `stream_options`. */
const PER_REQUEST = 2 * 6;

async function modelEndpoint(random, endpoint, most) {
  const streams = random.chance(0.7);
  const aborter = new AbortController();
  const script = endpointScript(random, most, streams, aborter);
  endpoint.play(script);
  const llm = fetchModel(endpoint.url, {
    model: "m",
    maxRetries: 0,
    ...(streams ? {} : { stream: false }),
  });
  const [use, mostRequests] = USES[random.pick(Object.keys(USES))];
  const { error } = await outcomeOf(["chat"], "a call of the model", () => use(llm, aborter.signal));
  if (script.requests.length > PER_REQUEST * mostRequests)
    throw new Fault(`the endpoint got ${script.requests.length} requests`);
  for (const { body } of script.requests) {
    for (const { tool_calls: calls = [], name: speaker } of body === "" ? [] : JSON.parse(body).messages) {
      checkNames(
        calls.map((call) => call.function.name),
        "a request to the endpoint",
      );
      if (speaker !== undefined) checkNames([speaker], "a request to the endpoint");
    }
  }
  return error === undefined ? "model ok" : `model ${error.code}`;
}
