import assert from "node:assert/strict";
import { test } from "node:test";
import { Renderer, Turn, TurnfoldError, toMessages } from "turnfold";
import { readConversation } from "turnfold/audit";
import { readClojure, toClojure, typeOf } from "turnfold/lisp";
import { fn, keyword, normalizeCompression } from "turnfold/turns";
import { revoked } from "./revoked.mjs";

const turn = Turn.success({ program: "(def x 1)", memory: { x: 1 } });
const render = (options) => toMessages([turn], null, { mission: "m", ...options });

const TRAPS = ["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor"];
const boom = new RangeError("boom");

/** Values that throw when they are read in some way. */
const unreadable = [
  ...[{}, [], () => 1].map(revoked),
  ...[{ a: 1 }, [1]].flatMap((target) =>
    TRAPS.map((trap) => {
      const fail = () => {
        throw boom;
      };
      return new Proxy(target, { [trap]: fail });
    }),
  ),
  new Proxy(
    {},
    {
      ownKeys() {
        throw revoked({});
      },
      get() {
        throw revoked({});
      },
    },
  ),
];

/** Every place where a value of the host is read. */
const places = {
  $: typeOf,
  "$.a[0]": (given) => typeOf({ a: [given] }),
  "$[entry 0]": (given) => typeOf(new Map([[given, 1]])),
  "options of toClojure": (given) => toClojure(1, given),
  "limit of toClojure": (given) => toClojure(1, { limit: given }),
  "text of readClojure": readClojure,
  "name of a keyword": keyword,
  "what describes a function": fn,
  "a successful turn": Turn.success,
  "a failed turn": Turn.failure,
  "a saved turn": Turn.fromJSON,
  "part of a saved turn": (given) => Turn.fromJSON({ ...turn.toJSON(), result: given }),
  ...Object.fromEntries(
    ["number", "rawResponse", "program", "prints", "toolCalls", "memory", "docs", "defined"].flatMap((member) => [
      [member, (given) => Turn.success({ [member]: given })],
      [`${member} of a failed turn`, (given) => Turn.failure({ result: "no", [member]: given })],
    ]),
  ),
  result: (given) => Turn.failure({ result: given }),
  "prints[0]": (given) => Turn.success({ prints: [given] }),
  "toolCalls[0]": (given) => Turn.success({ toolCalls: [given] }),
  "toolCalls[0].args": (given) => Turn.success({ toolCalls: [{ name: "f", args: given }] }),
  "toolCalls[0].result": (given) => Turn.success({ toolCalls: [{ name: "f", result: given }] }),
  "memory.x": (given) => Turn.success({ memory: { x: given } }),
  turns: (given) => toMessages(given, null, { mission: "m" }),
  "turns[1]": (given) => toMessages([turn, given], null, { mission: "m" }),
  "memory of toMessages": (given) => toMessages([turn], given, { mission: "m" }),
  "the options": (given) => toMessages([turn], null, given),
  data: (data) => render({ data }),
  tools: (tools) => render({ tools }),
  "tools.f": (f) => render({ tools: { f } }),
  "tools.f as a pair": (given) => render({ tools: { f: [given, given] } }),
  "schema of a tool": (inputSchema) => render({ tools: { f: { inputSchema } } }),
  fieldDescriptions: (fieldDescriptions) => render({ fieldDescriptions }),
  signature: (signature) => render({ signature }),
  compression: (compression) => render({ compression }),
  "options of compression": (given) => render({ compression: ["rolling-window", given] }),
  "counter of compression": (counter) => render({ compression: ["aggressive", { counter }] }),
  "compression to normalize": normalizeCompression,
  "messages of a strategy": (given) => render({ compression: { name: "s", toMessages: () => given } }),
  "content of a strategy": (given) => {
    const toMessages = () => [{ role: "user", content: [given] }];
    new Renderer({ mission: "m", compression: { name: "s", toMessages } }).render();
  },
  "thrown by a strategy": (given) => {
    const toMessages = () => {
      throw given;
    };
    render({ compression: { name: "s", toMessages } });
  },
  "options of a renderer": (given) => new Renderer(given),
  "turns of a renderer": (given) => new Renderer({ mission: "m" }, given),
  "turn of a renderer": (given) => new Renderer({ mission: "m" }).push(given),
  "changes of a renderer": (given) => new Renderer({ mission: "m" }).setOptions(given),
  "the recording": readConversation,
  "list of a recording": (given) => readConversation([given]),
  "messages of a recording": (messages) => readConversation({ messages }),
  "messages of a saved conversation": (messages) => readConversation({ version: 1, messages }),
  "content of a recorded message": (content) => readConversation([{ role: "user", content }]),
  "content of Gemini": (given) => readConversation({ contents: [given] }),
  "part of Gemini": (given) => readConversation({ contents: [{ role: "user", parts: [given] }] }),
  "member of a part of Gemini": (x) => readConversation({ contents: [{ role: "user", parts: [{ x }] }] }),
  "mapping of ChatGPT": (mapping) => readConversation({ mapping }),
  "node of ChatGPT": (a) => readConversation({ mapping: { a } }),
  "message of ChatGPT": (message) => readConversation({ mapping: { a: { message } } }),
  "steps of a trajectory": (steps) => readConversation({ schema_version: "ATIF-v1.4", steps }),
  "message of a trajectory": (message) =>
    readConversation({ schema_version: "ATIF-v1.4", steps: [{ source: "user", message }] }),
  "message of a session": (message) => readConversation([{ sessionId: "s", type: "user", message }]),
  "content of LangChain": (content) => readConversation([{ type: "human", content }]),
  "item of Responses": (given) => readConversation({ input: [{ type: "reasoning" }, given] }),
  "turns of a saved step": (turns) => readConversation({ turns }),
  "memory of a renderer": (given) => new Renderer({ mission: "m" }).render(given),
};

test("unreadable values are refused with a TurnfoldError in every place", () => {
  for (const [place, give] of Object.entries(places)) {
    for (const given of unreadable) {
      try {
        give(given);
      } catch (error) {
        assert.ok(TurnfoldError.isInstance(error), `${place}: ${error}`);
        assert.notEqual(error.code, "internal", `${place}: ${error.message}`);
      }
    }
  }
});

test("the error names the path and has the thrown value as its cause", () => {
  const check = (place, code, given, path = place) => {
    try {
      places[place](given);
    } catch (error) {
      assert.deepEqual([error.code, error.details.path], [code, path], error.message);
      assert.ok(error.cause === boom || error.cause instanceof TypeError, `${place}: ${error.cause}`);
      return;
    }
    assert.fail(`${place} was taken`);
  };
  const opaque = new Proxy(
    { a: 1 },
    Object.fromEntries(
      TRAPS.map((trap) => [
        trap,
        () => {
          throw boom;
        },
      ]),
    ),
  );
  for (const given of [revoked({}), opaque]) {
    for (const place of ["$", "$.a[0]", "$[entry 0]", "memory", "memory.x", "toolCalls[0].args", "data"]) {
      check(place, "invalid_value", given);
    }
    for (const place of ["result", "docs", "toolCalls[0]", "turns[1]"]) check(place, "invalid_turn", given);
    check("a successful turn", "invalid_turn", given, "the turn");
    check("a saved turn", "invalid_turn", given, "the saved turn");
    check("the options", "invalid_option", given);
    check("tools", "invalid_option", given);
    check("tools.f", "invalid_option", given);
    check("compression", "invalid_option", given);
    check("the recording", "invalid_recording", given);
  }
  for (const place of ["prints", "toolCalls", "defined", "turns"]) check(place, "invalid_turn", revoked([]));
});

test("isInstance returns a boolean for any value", () => {
  for (const given of unreadable) assert.equal(TurnfoldError.isInstance(given), false);
});
