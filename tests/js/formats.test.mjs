// Converts messages of OpenAI, Anthropic, Gemini and the AI SDK to conversations and back, and from one format to another.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { convertToModelMessages, modelMessageSchema } from "ai";
import { TurnfoldError } from "turnfold";
import { aiSdk as turnfoldAISDK } from "turnfold/formats/ai-sdk";
import { openai as turnfoldOpenAI } from "turnfold/formats/openai";
import { accepted, detectFormat, formats } from "./formats-module.mjs";
import { fixtures } from "./message-fixtures.mjs";
import { seeded, share } from "./random.mjs";
import { answersOf, callsOf, checkPairs, conversationOf, factsOf, randomMessages } from "./random-messages.mjs";
import { refuses } from "./refuses.mjs";
import { revoked } from "./revoked.mjs";

const names = Object.keys(formats);
const { openai, anthropic, gemini, aiSdk } = formats;

/** All objects in a value that are not frozen. */
function changeable(value, found = new Set()) {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  for (const inner of Object.values(value)) changeable(inner, found);
  return found;
}

const shown = (value) => inspect(value, { depth: Infinity, maxArrayLength: Infinity });

function frozen(value) {
  for (const inner of changeable(value)) if (!ArrayBuffer.isView(inner)) Object.freeze(inner);
  return value;
}

function roundTrips(name, messages) {
  const { from, to } = formats[name];
  const before = shown(messages);
  const neutral = from(frozen(messages));
  const back = to(frozen(neutral));
  const expected = accepted[name](messages);
  assert.deepStrictEqual(back, expected);
  assert.equal(shown(messages), before);
  const shared = (left, right) => [...changeable(left)].filter((inner) => changeable(right).has(inner));
  assert.deepEqual(shared(neutral, messages), []);
  assert.deepEqual(shared(back, neutral), []);
  // The result is an ordinary conversation: converting it back also works after it was saved.
  assert.deepStrictEqual(to(from(back)), expected);
  return neutral;
}

for (const name of names) {
  suite(`messages of ${name} are converted back unchanged`, () => {
    for (const [title, messages] of Object.entries(fixtures[name])) {
      test(title, () => {
        roundTrips(name, messages);
        // JSON has no form for bytes.
        if (title === "images and files") return;
        const saved = JSON.stringify(formats[name].from(messages));
        const wire = JSON.stringify(accepted[name](messages));
        assert.deepEqual(JSON.parse(JSON.stringify(formats[name].to(JSON.parse(saved)))), JSON.parse(wire));
      });
    }

    test("random messages", () => {
      for (let seed = 1; seed <= share(400); seed++) {
        const random = seeded(seed);
        const messages = randomMessages[name](random);
        try {
          roundTrips(name, messages);
        } catch (error) {
          error.message = `seed ${seed}: ${error.message}`;
          throw error;
        }
      }
    });
  });
}

test("lists of Anthropic's messages are converted back to the members of a request", () => {
  const { messages } = fixtures.anthropic["calls between texts, and their results"];
  assert.deepStrictEqual(anthropic.to(anthropic.from(messages)), { messages });
  const request = { model: "m", max_tokens: 1, system: "s", messages: [] };
  assert.deepStrictEqual(anthropic.to(anthropic.from(request)), { system: "s", messages: [] });
});

suite("the messages of a converted conversation", () => {
  test("have calls and results in the members of this package", () => {
    const { from } = openai;
    const [called, answered] = from([
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: '{"q":"a"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "found" },
    ]);
    assert.deepEqual(called, {
      role: "assistant",
      content: "I look.",
      toolCalls: [{ id: "c1", name: "search", args: { q: "a" } }],
    });
    assert.deepEqual(answered, { role: "tool", content: "found", toolCallId: "c1" });
    assert.deepEqual(anthropic.from(fixtures.anthropic["calls between texts, and their results"])[1], {
      role: "user",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "search", output: { type: "text", value: "found" } },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "search",
          output: { type: "text", value: "" },
          original: { format: "anthropic", absent: ["content"] },
        },
        { type: "text", text: "and?" },
      ],
    });
  });

  test("keep in original only what no other member can express", () => {
    const [message] = openai.from([{ role: "developer", content: "a long prompt" }]);
    assert.deepEqual(message, {
      role: "system",
      content: "a long prompt",
      original: { format: "openai", members: { role: "developer" } },
    });
  });

  test("mostly have no member original", () => {
    const plain = [
      ["openai", "calls beside text, and their results"],
      ["openai", "empty texts"],
      ["openai", "refusals"],
      ["anthropic", "a system prompt of blocks"],
      ["anthropic", "texts with marks and citations"],
      ["aiSdk", "calls between texts, and their results"],
      ["aiSdk", "images and files"],
      ["aiSdk", "results of every sort"],
    ];
    for (const [name, title] of plain) {
      assert.doesNotMatch(JSON.stringify(formats[name].from(fixtures[name][title])), /"original"/, title);
    }
  });

  test("are written with the edits of a host", () => {
    const [called, , ...rest] = openai.from([
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: " {} " } }] },
      { role: "developer", content: "x" },
      { role: "developer", content: "y" },
    ]);
    const [developer] = rest;
    const edited = { ...called, toolCalls: [{ ...called.toolCalls[0], args: { a: 1 } }] };
    assert.equal(openai.to([edited])[0].tool_calls[0].function.arguments, '{"a":1}');
    assert.deepEqual(openai.to([{ ...developer, content: "z" }]), [{ role: "developer", content: "z" }]);
    const [answer] = anthropic.from([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "long", is_error: false }] },
    ]);
    const [part] = answer.content;
    const stub = { ...answer, content: [{ ...part, output: { type: "text", value: "[cleared]" } }] };
    const [{ content }] = anthropic.to([stub]).messages;
    assert.deepEqual([content[0].tool_use_id, content[0].content], ["c", "[cleared]"]);
    const own = [
      { type: "compaction", content: "They said hello." },
      { type: "mcp_tool_use", id: "m1", name: "f", server_name: "s", input: {} },
      { type: "mcp_tool_result", tool_use_id: "m1", is_error: false, content: "long" },
    ];
    const [{ content: blocks }] = anthropic.from([{ role: "assistant", content: own }]);
    assert.deepEqual(blocks, own);
    const cleared = [...own.slice(0, 2), { ...own[2], content: "[cleared]" }];
    assert.deepEqual(anthropic.to([{ role: "assistant", content: cleared }]).messages[0].content, cleared);
    for (const block of own) assert.equal(detectFormat([{ role: "assistant", content: [block] }]), "anthropic");
  });

  test("are written for Anthropic without the reasoning that servers return beside the content", () => {
    const history = [{ role: "assistant", content: "x", reasoning: "hm", reasoning_details: [{ text: "hm" }] }];
    assert.deepEqual(openai.to(openai.from(history)), history);
    assert.deepEqual(anthropic.to(openai.from(history)).messages, [{ role: "assistant", content: "x" }]);
  });

  test("are written without the members of this package", () => {
    const messages = [
      { role: "user", content: "TL;DR of 3 messages", timestamp: 1, summary: { covers: 3, strategy: "wholeHistory" } },
      { role: "user", content: [{ type: "text", text: "x" }], pinned: true, timestamp: new Date(5) },
    ];
    const plain = [
      { role: "user", content: "TL;DR of 3 messages" },
      { role: "user", content: [{ type: "text", text: "x" }] },
    ];
    assert.deepStrictEqual(openai.to(messages), plain);
    assert.deepStrictEqual(aiSdk.to(messages), plain);
    assert.deepStrictEqual(anthropic.to(messages), { messages: plain });
    // They are read from providers' messages, because a host marks the messages that it stores.
    assert.equal(openai.from([{ role: "user", content: "x", pinned: true }])[0].pinned, true);
    // This also holds for a message with members that only `original` keeps.
    assert.deepStrictEqual(openai.to(openai.from([{ role: "developer", content: "x", pinned: true }])), [
      { role: "developer", content: "x" },
    ]);
  });
});

suite("from one provider to another", () => {
  for (const source of names) {
    for (const target of names.filter((name) => name !== source)) {
      test(`${source} to ${target}: texts, calls, answers and images stay, and pairs are whole`, () => {
        for (let seed = 1; seed <= share(200); seed++) {
          const messages = conversationOf[source](seeded(seed));
          const neutral = formats[source].from(messages);
          const there = formats[target].to(neutral);
          try {
            checkPairs[source](messages);
            checkPairs[target](there);
            assert.deepEqual(factsOf(formats[target].from(there)), factsOf(neutral));
          } catch (error) {
            error.message = `seed ${seed}: ${error.message}\n${JSON.stringify(messages)}\n${JSON.stringify(there)}`;
            throw error;
          }
        }
      });
    }
  }

  test("the AI SDK accepts the converted messages", () => {
    for (let seed = 1; seed <= 100; seed++) {
      for (const source of ["openai", "anthropic", "gemini"]) {
        for (const message of aiSdk.to(formats[source].from(conversationOf[source](seeded(seed))))) {
          const { success, error } = modelMessageSchema.safeParse(message);
          assert.ok(success, `${JSON.stringify(message)}: ${error}`);
        }
      }
    }
  });

  test("parallel results are one message where the target requires it", () => {
    const messages = fixtures.openai["calls beside text, and their results"];
    const neutral = openai.from(messages);
    assert.deepEqual(anthropic.to(neutral).messages, [
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "search", input: { q: "a" } },
          { type: "tool_use", id: "c2", name: "search", input: { q: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "found" },
          { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "none" }] },
        ],
      },
      { role: "assistant", content: "Done." },
    ]);
    assert.deepEqual(
      aiSdk.to(neutral).map(({ role, content }) => [role, content.length]),
      [
        ["assistant", 3],
        ["tool", 2],
        ["assistant", 5],
      ],
    );
  });

  test("results follow their calls directly, also when a message of the AI SDK has both", () => {
    const neutral = aiSdk.from(fixtures.aiSdk["calls between texts, and their results"]);
    assert.deepEqual(
      openai.to(neutral).map(({ role, content, tool_call_id }) => [role, tool_call_id ?? content]),
      [
        [
          "assistant",
          [
            { type: "text", text: "first" },
            { type: "text", text: "then" },
          ],
        ],
        ["tool", "c3"],
        ["assistant", [{ type: "text", text: "last" }]],
        ["tool", "c1"],
        ["tool", "c2"],
      ],
    );
  });

  test("thinking with Anthropic's signature survives the AI SDK and back", () => {
    const given = fixtures.anthropic.thinking;
    const through = anthropic.to(aiSdk.from(aiSdk.to(anthropic.from(given))));
    const [{ content }] = given.messages;
    // Anthropic refuses thinking without a signature.
    assert.deepEqual(
      through.messages[0].content,
      content.filter(({ thinking }) => thinking !== "unsigned"),
    );
    assert.deepEqual(openai.to(anthropic.from(given)), [{ role: "assistant", content: "x" }]);
  });

  test("Anthropic's cache marks survive the AI SDK and back", () => {
    const given = fixtures.anthropic["a system prompt of blocks"];
    const there = aiSdk.to(anthropic.from(given));
    assert.deepEqual(there, [
      { role: "system", content: "Be brief." },
      {
        role: "system",
        content: "Be kind.",
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } },
      },
    ]);
    assert.deepEqual(anthropic.to(aiSdk.from(there)), given);
  });

  test("Anthropic's cache marks on toolCalls are written on the calls", () => {
    const marks = { cacheControl: { type: "ephemeral" } };
    const call = { id: "c", name: "f", args: {}, providerOptions: { anthropic: marks } };
    const [message] = anthropic.to([{ role: "assistant", content: null, toolCalls: [call] }]).messages;
    assert.deepEqual(message.content, [
      { type: "tool_use", id: "c", name: "f", input: {}, cache_control: marks.cacheControl },
    ]);
  });

  test("titles, contexts and citations of Anthropic's documents survive the AI SDK and back", () => {
    const source = { type: "url", url: "https://example.org/a.pdf" };
    const document = { type: "document", source, title: "t", context: "c", citations: { enabled: true } };
    const given = { messages: [{ role: "user", content: [document] }] };
    const there = aiSdk.to(anthropic.from(given));
    assert.deepEqual(there[0].content[0].providerOptions, {
      anthropic: { context: "c", citations: { enabled: true } },
    });
    assert.deepEqual(anthropic.to(aiSdk.from(there)), given);
    const held = [{ type: "document", source: { type: "text", media_type: "text/plain", data: "x" }, context: "c" }];
    const neutral = anthropic.from([{ role: "user", content: held }]);
    refuses(() => openai.to(neutral), "unsupported_part", "messages[0].content[0].context");
  });

  test("empty texts beside calls, which Anthropic refuses, are omitted for Anthropic", () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "f", input: undefined };
    const neutral = aiSdk.from([{ role: "assistant", content: [{ type: "text", text: "" }, call] }]);
    assert.deepEqual(anthropic.to(neutral).messages, [
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
    ]);
  });

  test("images and files are written in the form of each provider", () => {
    const bytes = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]);
    const neutral = aiSdk.from([
      {
        role: "user",
        content: [
          { type: "image", image: bytes },
          { type: "image", image: new URL("https://example.org/a.png") },
          { type: "file", data: "JVBERi0xLjQK", mediaType: "application/pdf", filename: "a.pdf" },
          { type: "file", data: new TextEncoder().encode("Grüße"), mediaType: "text/plain" },
        ],
      },
    ]);
    const data = Buffer.from(bytes).toString("base64");
    const text = Buffer.from("Grüße").toString("base64");
    assert.deepEqual(openai.to(neutral)[0].content, [
      { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQK" } },
      { type: "file", file: { file_data: `data:text/plain;base64,${text}` } },
    ]);
    assert.deepEqual(anthropic.to(neutral).messages[0].content, [
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" },
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
    ]);
  });

  test("images that are files of the AI SDK are images, also at a URL and without a whole media type", () => {
    const base64 = "iVBORw0KGgo=";
    const url = "https://example.com/a.png";
    const inline = [base64, { type: "data", data: base64 }, { type: "data", data: Buffer.from(base64, "base64") }];
    for (const mediaType of ["image/png", "image/*", "image"]) {
      for (const data of [...inline, url, new URL(url), { type: "url", url: new URL(url) }]) {
        const history = [{ role: "user", content: [{ type: "file", data, mediaType, filename: "a.png" }] }];
        const messages = aiSdk.from(history);
        assert.deepEqual(aiSdk.to(messages), history);
        const isInline = inline.includes(data);
        const source = isInline ? { type: "base64", media_type: "image/png", data: base64 } : { type: "url", url };
        const image_url = isInline ? `data:image/png;base64,${base64}` : url;
        assert.deepEqual(anthropic.to(messages).messages[0].content, [{ type: "image", source }]);
        assert.deepEqual(openai.to(messages)[0].content, [{ type: "image_url", image_url: { url: image_url } }]);
        const [{ content }] = turnfoldOpenAI.responses.to(turnfoldAISDK.from(history));
        assert.deepEqual(content, [{ type: "input_image", image_url, detail: "auto" }]);
      }
    }
    const text = { type: "file", data: { type: "text", text: "Grüße" }, mediaType: "text/plain" };
    const [{ content }] = anthropic.to(aiSdk.from([{ role: "user", content: [text] }])).messages;
    assert.deepEqual(content[0].source, { type: "text", media_type: "text/plain", data: "Grüße" });
  });

  test("a refusal is converted to text", () => {
    const neutral = openai.from(fixtures.openai.refusals);
    const said = ["I can't.", "x", "I won't."].map((text) => ({
      role: "assistant",
      content: [{ type: "text", text }],
    }));
    said[1].content = "x";
    assert.deepEqual(anthropic.to(neutral).messages, said);
    assert.deepEqual(aiSdk.to(neutral), said);
  });

  const hostile = [
    ["openai", fixtures.anthropic["tools that Anthropic runs"], "messages[0].content[0]", 0],
    ["aiSdk", fixtures.anthropic["tools that Anthropic runs"], "messages[0].content[0]", 0],
    ["openai", fixtures.anthropic["results of every sort"], "messages[0].content[5].output.value[3]", 0],
    ["anthropic", fixtures.openai.files, "messages[0].content[0]", 0],
    ["aiSdk", fixtures.openai.files, "messages[0].content[0]", 0],
    ["anthropic", fixtures.openai.audio, "messages[0].content[0]", 0],
    ["aiSdk", fixtures.openai.audio, "messages[1].audio", 1],
    ["anthropic", fixtures.openai["a role that is unknown"], "messages[0].role", 0],
    ["aiSdk", fixtures.openai["a role that is unknown"], "messages[0].role", 0],
    [
      "openai",
      fixtures.aiSdk["images and files"].map((message) => ({
        ...message,
        content: message.content.filter(({ image, data }) => (image ?? data)?.length > 20),
      })),
      "messages[1].content[0]",
      1,
    ],
  ];
  test("bytes and objects of other realms are converted", () => {
    const [message] = runInNewContext(
      '[{ role: "user", content: [{ type: "image", image: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) }] }]',
    );
    const [{ content }] = openai.to(aiSdk.from([message]));
    assert.deepEqual(content, [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }]);
  });

  test("parts that the target can't express are refused with their path, its name and a hint", () => {
    const targets = { openai: "OpenAI", anthropic: "Anthropic", gemini: "Gemini", aiSdk: "the AI SDK" };
    for (const [target, messages, path, index] of hostile) {
      const source = names.find((name) => Object.values(fixtures[name]).includes(messages)) ?? "aiSdk";
      const refused = refuses(() => formats[target].to(formats[source].from(messages)), "unsupported_part", path);
      assert.equal(refused.details.index, index);
      assert.ok(refused.hint.length > 10);
      assert.ok(refused.message.endsWith(`${targets[target]} has no place`), refused.message);
    }
  });

  test("content that is neither a text nor parts is refused with its path and what it must be", () => {
    for (const read of [formats.openai.from, formats.openai.to]) {
      const { message } = refuses(() => read([{ role: "user", content: 5 }]), "invalid_message", "messages[0].content");
      assert.equal(message, "messages[0].content must be a text, a list of parts, or null, got 5");
    }
  });
});

/** Runs `convert`, which may throw a TurnfoldError with one of these codes; returns whether it succeeded. */
function convertsOrRefuses(convert, ...codes) {
  try {
    convert();
    return true;
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), error?.stack);
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.equal(typeof error.details.path, "string");
    return false;
  }
}

test("random messages of one provider are converted to another or refused", () => {
  for (const source of names) {
    for (const target of names) {
      let through = 0;
      for (let seed = 1; seed <= share(150); seed++) {
        const neutral = formats[source].from(randomMessages[source](seeded(seed)));
        through += convertsOrRefuses(() => formats[target].to(neutral), "unsupported_part") ? 1 : 0;
      }
      assert.ok(through > 10, `${source} to ${target}: ${through}`);
    }
  }
});

test("messages with an invalid member are converted or refused", () => {
  const wrong = [
    undefined,
    null,
    5,
    "",
    "x",
    [],
    {},
    [null],
    [[]],
    [{}],
    [{ type: "text" }],
    { type: "x" },
    1n,
    Symbol("x"),
  ];
  const conversations = [
    ...names.map((name) => ({ via: "from", name, make: conversationOf[name] })),
    ...names.map((name) => ({ via: "to", name, make: (random) => formats[name].from(conversationOf[name](random)) })),
  ];
  for (const { via, name, make } of conversations) {
    for (let seed = 1; seed <= share(150); seed++) {
      const random = seeded(seed);
      const messages = make(random);
      const inner = [...changeable(messages)].filter(
        (value) => Object.keys(value).length > 0 && !ArrayBuffer.isView(value),
      );
      if (inner.length === 0) continue;
      const holder = random.pick(inner);
      holder[random.pick(Object.keys(holder))] = random.pick(wrong);
      for (const target of via === "from" ? [name] : names) {
        convertsOrRefuses(() => formats[target][via](messages), "invalid_message", "unsupported_part");
      }
      detectFormat(messages);
    }
  }
});

suite("input that is not a list of messages", () => {
  const circular = { role: "user", content: "x" };
  circular.self = [circular];
  const throwing = Object.defineProperty({ role: "user" }, "content", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  let deep = "x";
  for (let level = 0; level < 5000; level++) deep = [deep];
  class Message {
    role = "user";
    content = "x";
  }
  const user = (content) => [{ role: "user", content }];
  const all = [
    [undefined, "messages"],
    [null, "messages"],
    ["Hello", "messages"],
    [5, "messages"],
    [new Map(), undefined],
    [revoked([]), "messages"],
    [["Hello"], "messages[0]"],
    [[null], "messages[0]"],
    [[{ content: "x" }], "messages[0].role"],
    [[{ role: 5, content: "x" }], "messages[0].role"],
    [[new Message()], "messages[0]"],
    [[throwing], "messages[0].content"],
    [[circular], "messages[0].self[0]"],
    [user(5), "messages[0].content"],
    [user({ text: "x" }), "messages[0].content"],
    [user(["x"]), "messages[0].content[0]"],
    [user([{ text: "x" }]), "messages[0].content[0].type"],
    [user([{ type: "text" }]), "messages[0].content[0].text"],
    [user([{ type: "text", text: () => "x" }]), "messages[0].content[0].text"],
    [user([{ type: "x", data: Symbol("x") }]), "messages[0].content[0].data"],
    [user([{ type: "x", data: new Float32Array(1) }]), "messages[0].content[0].data"],
    [user([{ type: "x", data: new Map() }]), "messages[0].content[0].data"],
    [user([{ type: "x", data: deep }]), undefined],
  ];
  const read = names.filter((name) => name !== "gemini");
  for (const name of names) {
    test(`is refused by ${name}, in both directions`, () => {
      for (const [messages, path] of all) {
        if (read.includes(name)) {
          const { details } = refuses(() => formats[name].from(messages), "invalid_message", path);
          assert.equal(typeof (details.expected ?? details.path), "string");
        }
        refuses(() => formats[name].to(messages), "invalid_message", path);
        assert.equal(detectFormat(messages) === null || path?.startsWith("messages[0].content[0].text"), true);
      }
    });
  }

  test("contents of Gemini are refused by the other formats, with a hint", () => {
    const contents = [{ role: "user", parts: [{ text: "x" }] }];
    for (const name of read) {
      assert.match(
        refuses(() => formats[name].from(contents), "invalid_message", "messages[0].content").hint,
        /gemini\.from/,
      );
    }
    assert.equal(detectFormat(contents), "gemini");
  });

  test("is refused by gemini: contents", () => {
    const content = (...parts) => [{ role: "user", parts }];
    for (const [contents, path] of [
      [undefined, "contents"],
      [null, "contents"],
      [5, "contents"],
      [{ contents: {} }, "contents"],
      [revoked([]), "contents"],
      [["Hello"], "contents[0]"],
      [[{ role: "user" }], "contents[0].parts"],
      [[{ role: "user", parts: "Hello" }], "contents[0].parts"],
      [[{ role: "assistant", parts: [{ text: "x" }] }], "contents[0].role"],
      [[{ role: "user", content: "x" }], "contents[0].parts"],
      [[{ role: "user", parts: [{ text: "x" }], toolCalls: [] }], "contents[0].toolCalls"],
      [content("x"), "contents[0].parts[0]"],
      [content({ functionCall: {} }), "contents[0].parts[0].functionCall.name"],
      [content({ functionResponse: { name: 5 } }), "contents[0].parts[0].functionResponse.name"],
      [content({ text: "x", vendor: new Map() }), "contents[0].parts[0].vendor"],
      [content({ text: "x", vendor: deep }), undefined],
      [{ systemInstruction: 5, contents: [] }, "systemInstruction"],
    ]) {
      const { details } = refuses(() => gemini.from(contents), "invalid_message", path);
      assert.equal(typeof (details.expected ?? details.path), "string");
    }
  });

  test("members of each provider are checked", () => {
    const called = (call) => [{ role: "assistant", content: null, tool_calls: [call] }];
    const own = { role: "assistant", content: "x", toolCalls: [] };
    const wrong = [
      ["openai", called("c"), "messages[0].tool_calls[0]"],
      ["openai", called({ type: "function", function: {} }), "messages[0].tool_calls[0].id"],
      ["openai", called({ id: "c", type: "function" }), "messages[0].tool_calls[0].function"],
      ["openai", called({ id: "c", type: "function", function: {} }), "messages[0].tool_calls[0].function.name"],
      [
        "openai",
        called({ id: "c", type: "function", function: { name: "f", arguments: {} } }),
        "messages[0].tool_calls[0].function.arguments",
      ],
      ["openai", [{ role: "assistant", tool_calls: {} }], "messages[0].tool_calls"],
      ["openai", [{ role: "assistant", function_call: "f" }], "messages[0].function_call"],
      ["openai", [{ role: "assistant", function_call: { name: "f" } }], "messages[0].function_call.arguments"],
      [
        "openai",
        [{ ...called({ type: "function", function: {} })[0], function_call: { name: "f", arguments: "{}" } }],
        "messages[0].tool_calls[0].id",
      ],
      ["openai", [{ role: "tool", content: "x" }], "messages[0].tool_call_id"],
      ["openai", [{ role: "function", content: "x" }], "messages[0].name"],
      ["openai", [own], "messages[0].toolCalls"],
      ["anthropic", [own], "messages[0].toolCalls"],
      ["aiSdk", [own], "messages[0].toolCalls"],
      ["anthropic", { system: 5, messages: [] }, "system"],
      ["anthropic", { system: ["x"], messages: [] }, "system[0]"],
      ["anthropic", { system: "x" }, "messages"],
      ["anthropic", [{ role: "tool", content: "x" }], "messages[0].role"],
      ["anthropic", [{ role: "user", content: null }], "messages[0].content"],
      ["anthropic", [{ role: "user", content: [{ type: "tool_result" }] }], "messages[0].content[0].tool_use_id"],
      ["aiSdk", [{ role: "developer", content: "x" }], "messages[0].role"],
      ["aiSdk", [{ role: "tool", content: "x" }], "messages[0].content"],
      ["aiSdk", [{ role: "user", content: null }], "messages[0].content"],
      ["aiSdk", [{ role: "tool", content: [{ type: "tool-result" }] }], "messages[0].content[0].toolCallId"],
    ];
    for (const [name, messages, path] of wrong) {
      const { details, message } = refuses(() => formats[name].from(messages), "invalid_message", path);
      assert.match(message, /must be .*, got /);
      assert.equal(details.path, path);
    }
    for (const name of names) {
      refuses(() => formats[name].to([{ role: "tool", content: "x" }]), "invalid_message", "messages[0].toolCallId");
      refuses(
        () => formats[name].to([{ role: "assistant", content: null, toolCalls: [{ id: "c" }] }]),
        "invalid_message",
        "messages[0].toolCalls[0].name",
      );
    }
  });

  test("aiSdk reads UI messages as convertToModelMessages does; other formats refuse them with a hint", async () => {
    const messages = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] },
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "text", text: "I look." },
          { type: "tool-f", toolCallId: "c", state: "output-available", input: { a: 1 }, output: { b: 2 } },
        ],
      },
    ];
    for (const name of names.filter((name) => name !== "aiSdk")) {
      assert.match(refuses(() => formats[name].from(messages), "invalid_message").hint, /aiSdk\.from/);
    }
    const converted = await convertToModelMessages(messages);
    assert.deepEqual(callsOf(roundTrips("aiSdk", converted)), [["c", "f", { a: 1 }]]);
    for (const given of [converted, messages]) assert.deepEqual(answersOf(aiSdk.from(given)), [["c", '{"b":2}']]);
  });

  test("members with inherited names, such as __proto__, are ordinary members", () => {
    const messages = JSON.parse('[{"role":"user","content":"x","__proto__":{"polluted":true},"constructor":1}]');
    for (const name of names.filter((name) => name !== "gemini")) {
      const neutral = formats[name].from(messages);
      assert.equal(neutral[0].polluted, undefined);
      assert.ok(Object.hasOwn(neutral[0], "__proto__"));
      assert.equal({}.polluted, undefined);
      const back = formats[name].to(neutral);
      assert.equal(JSON.stringify(back.messages ?? back), JSON.stringify(messages));
    }
    const contents = JSON.parse(
      '[{"role":"user","parts":[{"text":"x"}],"__proto__":{"polluted":true},"constructor":1}]',
    );
    assert.equal(JSON.stringify(gemini.to(gemini.from(contents)).contents), JSON.stringify(contents));
    assert.equal({}.polluted, undefined);
  });

  test("an invalid `original` is ignored", () => {
    for (const original of [5, null, [], {}, { format: "openai" }, { format: "openai", members: 5, absent: 5 }]) {
      assert.deepEqual(openai.to([{ role: "user", content: "x", original }]), [{ role: "user", content: "x" }]);
    }
    const lying = { format: "openai", members: { role: "tool", content: { x: 1 } }, absent: ["role"] };
    assert.deepEqual(openai.to([{ role: "user", content: "x", original: lying }]), [{ role: "user", content: "x" }]);
  });

  test("tens of thousands of messages are converted", () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: "x",
    }));
    for (const name of names) {
      const neutral = name === "gemini" ? messages : formats[name].from(messages);
      const back = formats[name].to(neutral);
      assert.equal((back.messages ?? back.contents ?? back).length, messages.length);
      assert.equal(formats[name].from(back).length, messages.length);
    }
  });
});

suite("detectFormat", () => {
  const plain = [
    "texts, without a system prompt",
    "empty texts",
    "no messages",
    "parts of text",
    "texts of all roles",
    // OpenAI's requests begin so.
    "a system message at the front",
  ];

  for (const name of names) {
    test(`recognizes messages of ${name}`, () => {
      for (const [title, messages] of Object.entries(fixtures[name])) {
        if (plain.includes(title) || title.includes("unknown") || title.startsWith("arguments")) continue;
        if (name === "openai" && title === "no content, and content that is null") continue;
        assert.equal(detectFormat(messages), name === "aiSdk" ? "ai-sdk" : name, title);
      }
    });
  }

  test("recognizes a format by each role, member and type that only it has", () => {
    const signs = {
      openai: {
        role: ["developer", "function"],
        member: ["tool_calls", "tool_call_id", "function_call", "refusal", "reasoning_content"],
        type: ["image_url", "input_audio", "refusal"],
        part: ["file"],
      },
      anthropic: {
        type: [
          ..."compaction container_upload document mcp_tool_result mcp_tool_use redacted_thinking".split(" "),
          ..."search_result server_tool_use thinking tool_result tool_use".split(" "),
        ],
        part: ["source"],
      },
      "ai-sdk": {
        member: ["providerOptions"],
        type: "reasoning reasoning-file tool-approval-request tool-approval-response tool-call tool-result".split(" "),
        part: ["data", "image", "providerOptions"],
      },
    };
    const messageWith = {
      role: (role) => ({ role, content: "x" }),
      member: (name) => ({ role: "assistant", content: "x", [name]: {} }),
      type: (type) => ({ role: "assistant", content: [{ type }] }),
      part: (name) => ({ role: "user", content: [{ type: "file", [name]: {} }] }),
    };
    for (const [format, kinds] of Object.entries(signs))
      for (const [kind, names] of Object.entries(kinds))
        for (const name of names) assert.equal(detectFormat([messageWith[kind](name)]), format, `${kind} ${name}`);
  });

  test("returns openai for plain text messages, anthropic for a request with them", () => {
    assert.equal(detectFormat([{ role: "user", content: "Hello" }]), "openai");
    assert.equal(detectFormat({ messages: [{ role: "user", content: "Hello" }] }), "anthropic");
    assert.equal(detectFormat({ system: "x", messages: [] }), "anthropic");
    // Anthropic's system prompt is beside the messages, so these are requests to other providers; only the list is recognized.
    const openais = [
      { role: "system", content: "x" },
      { role: "user", content: "Hello" },
    ];
    for (const more of [{ model: "gpt-4o" }, { model: "claude-sonnet-5.5" }, {}]) {
      assert.equal(detectFormat({ messages: openais, ...more }), null);
    }
    assert.equal(detectFormat(openais), "openai");
    assert.equal(detectFormat({ model: "gpt-4o", messages: openais.slice(1) }), null);
    assert.equal(detectFormat({ model: "gpt-4o", system: "x", messages: openais.slice(1) }), "anthropic");
    assert.equal(detectFormat({ model: "us.anthropic.claude-v1", messages: openais.slice(1) }), "anthropic");
    const used = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
    assert.equal(detectFormat({ model: "kimi-k3", messages: [openais[1], used] }), "anthropic");
    const marked = [{ role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] }];
    assert.equal(detectFormat(marked), "anthropic");
    assert.equal(detectFormat([...marked, { role: "tool", tool_call_id: "c", content: "x" }]), "openai");
  });

  test("returns null for other input", () => {
    const none = [
      [],
      {},
      { messages: 5 },
      { system: 5, messages: [] },
      { messages: [{ role: "tool", tool_call_id: "c", content: "x" }] },
      [{ role: "assistant", content: "", toolCalls: [] }],
      [...fixtures.openai.images, ...fixtures.aiSdk.approvals],
      [...fixtures.openai.images, ...fixtures.anthropic.thinking.messages],
    ];
    for (const messages of none) assert.equal(detectFormat(messages), null, JSON.stringify(messages));
  });
});
