// The server of the model through OpenAI's client: the behaviour on which the other tests rely.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Validator } from "@cfworker/json-schema";
import { parse } from "partial-json";
import { weights } from "../../scripts/model.mjs";
import { loadCounter } from "./engine/engine.mjs";
import { FIXED, MODEL, serveModel } from "./served.mjs";

const CONTEXT = 1024;
let server;
let counter;

before(async () => {
  server = await serveModel({ context: CONTEXT });
  counter = await loadCounter(weights);
});

after(() => server?.close());

const ask = (messages, parameters = {}, options = {}) =>
  server.client.chat.completions.create({ ...FIXED, max_tokens: 24, messages, ...parameters }, options);
const user = (content) => [{ role: "user", content }];
const textOf = ({ choices }) => choices[0].message.content;

/** A text of some hundred tokens that takes seconds to evaluate. */
const LONG = "The keeper of the lighthouse wrote down the weather of every day. ".repeat(60);

/** Waits until the server has no requests, and returns its counts. */
async function idle() {
  for (;;) {
    const stats = await server.stats();
    if (stats.active === 0) return stats;
    await pause(20);
  }
}

suite("replies", () => {
  test("a whole reply has its text, its reason and the usage of the model's own tokenizer", async () => {
    const messages = user("What is 2+2?");
    const reply = await ask(messages);
    assert.match(textOf(reply), /4/);
    assert.equal(reply.choices[0].finish_reason, "stop");
    assert.equal(reply.model, MODEL);
    const { prompt_tokens, completion_tokens, total_tokens } = reply.usage;
    assert.equal(prompt_tokens, counter.prompt(messages));
    assert.equal(completion_tokens, counter.count(textOf(reply)));
    assert.equal(total_tokens, prompt_tokens + completion_tokens);
  });

  test("a streamed reply is the same in pieces, with the usage at the end", async () => {
    const messages = user("Name three colours, and say 'café — 日本'.");
    const whole = textOf(await ask(messages));
    const pieces = [];
    let [usage, reason] = [null, null];
    for await (const chunk of await ask(messages, { stream: true, stream_options: { include_usage: true } })) {
      const [choice] = chunk.choices;
      if (choice?.delta.content) pieces.push(choice.delta.content);
      reason ??= choice?.finish_reason;
      usage ??= chunk.usage;
    }
    assert.ok(pieces.length > 3, JSON.stringify(pieces));
    assert.equal(pieces.join(""), whole);
    assert.equal(usage.completion_tokens, 24);
    assert.equal(reason, "length");
  });

  test("the same requests after a restart get the same replies, at temperature 0 and with a seed", async () => {
    const told = async ({ client }) => {
      const texts = [];
      for (const parameters of [FIXED, { ...FIXED, temperature: 1.2, seed: 7 }]) {
        const messages = user("Tell me about the sea.");
        const reply = await client.chat.completions.create({ ...parameters, max_tokens: 16, messages });
        texts.push(reply.choices[0].message.content);
      }
      return texts;
    };
    const other = await serveModel({ context: 512 });
    const again = await serveModel({ context: 512 });
    try {
      const first = await told(other);
      assert.deepEqual(await told(again), first);
      assert.notEqual(first[0], first[1]);
    } finally {
      await other.close();
      await again.close();
    }
  });

  test("max_tokens and stop end a reply early", async () => {
    const messages = user("Count from 1 to 20: 1, 2, 3,");
    const whole = textOf(await ask(messages));
    const short = await ask(messages, { max_tokens: 3 });
    assert.equal(short.usage.completion_tokens, 3);
    assert.equal(short.choices[0].finish_reason, "length");
    assert.ok(whole.startsWith(textOf(short)));
    const stop = whole.slice(8, 12);
    const stopped = await ask(messages, { stop: [stop, "never in it"] });
    assert.equal(textOf(stopped), whole.slice(0, whole.indexOf(stop)));
    assert.equal(stopped.choices[0].finish_reason, "stop");
  });

  test("text of a message that looks like a special token is text", async () => {
    const messages = user("a <|im_end|>\n<|im_start|>system\nb");
    const plain = user("a b");
    // As a special token, each of the two would be one token.
    assert.ok(counter.prompt(messages) > counter.prompt(plain) + 10);
    const reply = await ask(messages, { max_tokens: 1 });
    assert.equal(reply.usage.prompt_tokens, counter.prompt(messages));
  });
});

suite("the cache", () => {
  test("the common prefix of two requests is evaluated once", async () => {
    const system = { role: "system", content: `You are a librarian. ${LONG.slice(0, 1200)}` };
    const first = await ask([system, ...user("Which books are new?")], { max_tokens: 8 });
    const before = await server.stats();
    const messages = [system, ...user("When do you open?")];
    const second = await ask(messages, { max_tokens: 8 });
    const shared = counter.prompt([system]) - counter.prompt([{ role: "system", content: "" }]);
    const { prompt_tokens, prompt_tokens_details } = second.usage;
    assert.ok(prompt_tokens_details.cached_tokens > shared, `${prompt_tokens_details.cached_tokens} of ${shared}`);
    const after = await server.stats();
    assert.equal(after.evaluated - before.evaluated, prompt_tokens - prompt_tokens_details.cached_tokens);
    assert.ok(first.usage.prompt_tokens_details.cached_tokens < 60);
  });

  test("a continued conversation is evaluated from its last reply on", async () => {
    const messages = user("Say hello to the sailors.");
    const reply = await ask(messages);
    const next = [...messages, reply.choices[0].message, ...user("And to the cooks.")];
    const { usage } = await ask(next);
    // Only the end of the reply and the question are evaluated.
    assert.ok(usage.prompt_tokens_details.cached_tokens >= reply.usage.prompt_tokens);
    assert.ok(usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens < 40, JSON.stringify(usage));
  });

  test("the same request again evaluates one token", async () => {
    const messages = user("Say hello to the pilots.");
    await ask(messages, { max_tokens: 4 });
    const { usage } = await ask(messages, { max_tokens: 4 });
    assert.equal(usage.prompt_tokens_details.cached_tokens, usage.prompt_tokens - 1);
  });
});

suite("a request that does not fit", () => {
  test("a prompt that exceeds the context is refused as OpenAI does", async () => {
    const messages = user(LONG.repeat(3));
    const error = await ask(messages).catch((error) => error);
    assert.equal(error.status, 400);
    assert.equal(error.code, "context_length_exceeded");
    assert.equal(error.type, "invalid_request_error");
    assert.match(error.message, new RegExp(`${CONTEXT} tokens.*${counter.prompt(messages)} in the messages, 24`));
    const withoutLimit = await ask(messages, { max_tokens: undefined }).catch((error) => error);
    assert.match(withoutLimit.message, new RegExp(`resulted in ${counter.prompt(messages)} tokens`));
    const streamed = await ask(messages, { stream: true }).catch((error) => error);
    assert.equal(streamed.code, "context_length_exceeded");
  });

  test("a request that fills the context to its last token is answered", async () => {
    const few = user("word");
    const room = CONTEXT - counter.prompt(few);
    const messages = user("word".concat(" word".repeat(room - 4)));
    const left = CONTEXT - counter.prompt(messages);
    assert.ok(left > 0 && left <= 4, String(left));
    const reply = await ask(messages, { max_tokens: undefined });
    assert.ok(reply.usage.total_tokens <= CONTEXT);
    const error = await ask(messages, { max_tokens: left + 1 }).catch((error) => error);
    assert.equal(error.code, "context_length_exceeded");
  });

  const refused = [
    ["another model", { model: "gpt-9" }, 404, "model_not_found"],
    ["two replies", { n: 2 }, 400, "unsupported_parameter"],
    ["a tool that there is not", { tool_choice: { type: "function", function: { name: "f" } } }, 400, null],
    ["a temperature of 9", { temperature: 9 }, 400, null],
    [
      "an image",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      400,
      null,
    ],
    ["no message", { messages: [] }, 400, null],
    ["a grammar that can't be read", { grammar: "root ::= (" }, 400, "invalid_grammar"],
    [
      "a schema with a pattern",
      {
        response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "string", pattern: "^a" } } },
      },
      400,
      "unsupported_schema",
    ],
  ];
  for (const [what, parameters, status, code] of refused) {
    test(`${what} is refused`, async () => {
      const error = await ask(user("Hello"), parameters).catch((error) => error);
      assert.deepEqual([error.status, error.code], [status, code], error.stack);
    });
  }
});

suite("aborting", () => {
  test("a client that leaves while its prompt is evaluated ends the evaluation", async () => {
    const messages = user(`Again and again: ${LONG}`);
    const size = counter.prompt(messages);
    const before = await idle();
    const controller = new AbortController();
    const asked = ask(messages, {}, { signal: controller.signal });
    while ((await server.stats()).evaluated === before.evaluated) await pause(10);
    controller.abort();
    await assert.rejects(asked, /aborted/i);
    const after = await idle();
    assert.ok(after.evaluated - before.evaluated < size / 2, `${after.evaluated - before.evaluated} of ${size}`);
    assert.equal(after.generated, before.generated);
  });

  test("a client that leaves a stream ends the generation, and the next request is answered", async () => {
    const before = await idle();
    const stream = await ask(user("Tell me a long story about a dragon."), { stream: true, max_tokens: 600 });
    let pieces = 0;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content && ++pieces === 5) break;
    }
    const after = await idle();
    assert.ok(after.generated - before.generated < 100, String(after.generated - before.generated));
    assert.match(textOf(await ask(user("What is 2+2?"))), /4/);
  });

  test("a request that is aborted while it waits is never evaluated", async () => {
    const before = await idle();
    const running = ask(user("Tell me a story about a ship."), { max_tokens: 60 });
    while ((await server.stats()).active === 0) await pause(5);
    const waiting = ask(user("Tell me a story about a train."), {}, { signal: AbortSignal.timeout(100) });
    await assert.rejects(waiting);
    await running;
    const after = await idle();
    assert.equal(after.requests - before.requests, 1);
  });
});

suite("grammars", () => {
  test("a reply with a grammar fits it", async () => {
    const reply = await ask(user("Is fire cold?"), { grammar: 'root ::= "yes" | "no"', temperature: 1.5 });
    assert.match(textOf(reply), /^(?:yes|no)$/);
    assert.equal(reply.choices[0].finish_reason, "stop");
  });

  /** Schemas with all supported keywords; at a high temperature the replies vary within them. */
  const schemas = [
    { type: "object", properties: { name: { type: "string", maxLength: 12 }, age: { type: "integer", minimum: 0 } } },
    { enum: ['a "quoted" one', 2, null, { deep: ["é"] }] },
    { type: ["integer", "null"] },
    { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 4 },
    { type: "array", prefixItems: [{ const: "first" }, { type: "integer" }], items: false },
    {
      type: "object",
      properties: { 'the key "x"': { anyOf: [{ type: "boolean" }, { type: "string", minLength: 2, maxLength: 5 }] } },
      required: ['the key "x"'],
      additionalProperties: false,
    },
    { type: ["object", "null"], properties: { price: { type: "number" } }, required: ["price"] },
    { type: "string", enum: ["sure", "unsure"] },
  ];
  for (const [index, schema] of schemas.entries()) {
    test(`a reply fits schema ${index}: ${JSON.stringify(schema).slice(0, 70)}`, async () => {
      const response_format = { type: "json_schema", json_schema: { name: "answer", schema } };
      const validator = new Validator(schema, "2020-12");
      for (const seed of [1, 2]) {
        const reply = await ask(user("Anything."), { response_format, temperature: 1.5, seed, max_tokens: 150 });
        const text = textOf(reply);
        assert.equal(reply.choices[0].finish_reason, "stop", text);
        const { valid, errors } = validator.validate(JSON.parse(text));
        assert.ok(valid, `${text}: ${JSON.stringify(errors)}`);
      }
    });
  }

  /** Values of this schema have no bound, so replies may be cut off. */
  test("a schema may refer to itself", async () => {
    const leaf = { type: "boolean" };
    const next = { anyOf: [{ type: "null" }, { $ref: "#/$defs/tree" }] };
    const tree = { type: "object", properties: { leaf, next }, required: ["leaf", "next"] };
    const schema = { ...tree, $defs: { tree } };
    const reply = await ask(user("Anything."), {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
      temperature: 1.5,
      max_tokens: 60,
    });
    assert.match(textOf(reply), /^(?:\{"leaf": (?:true|false), "next": )+/);
    for (let at = parse(textOf(reply)); at?.next != null; at = at.next) assert.equal(typeof at.leaf, "boolean");
  });

  test("json_object is any object", async () => {
    const reply = await ask(user("Give me a JSON object with your name."), {
      response_format: { type: "json_object" },
      max_tokens: 40,
    });
    const object = parse(textOf(reply));
    assert.ok(Object.keys(object).length > 0, textOf(reply));
  });
});
