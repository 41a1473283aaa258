// Random messages of each provider: unusual ones for round trips, whole conversations for conversions from one provider to
// another; and the facts of a conversation that a conversion must keep.

import assert from "node:assert/strict";

const WORDS = ["", " ", "x", "Grüße ✓", "a\nb", "{", "data:", "https://example.org", "😀".repeat(9)];
const png = "iVBORw0KGgoAAAANSUhEUg==";

function some(random, max, make) {
  return Array.from({ length: random.below(max + 1) }, (_, index) => make(index));
}

/** The members from `member` with this probability, otherwise none. */
function maybe(random, probability, member) {
  return random.chance(probability) ? member() : {};
}

function json(random, depth = 3) {
  const leaves = [() => null, () => random.pick(WORDS), () => random.below(1000) / 8, () => random.chance(0.5)];
  const inner = [
    () => some(random, 3, () => json(random, depth - 1)),
    () =>
      Object.fromEntries(
        some(random, 3, () => [random.pick(["a", "b", "1", "toString", ""]), json(random, depth - 1)]),
      ),
  ];
  return random.pick(depth === 0 ? leaves : [...leaves, ...inner])();
}

function bag(random) {
  return Object.fromEntries(
    some(random, 3, () => [random.pick(["q", "limit", "2", "1", "constructor"]), json(random)]),
  );
}

const text = (random) => random.pick(WORDS);
const id = (random) => `c${random.below(6)}`;
const name = (random) => random.pick(["search", "read", "look-up_2"]);
const mark = (random) => maybe(random, 0.2, () => ({ cache_control: random.pick([null, { type: "ephemeral" }]) }));
const options = (random) =>
  maybe(random, 0.2, () => ({ providerOptions: random.pick([undefined, { a: bag(random) }]) }));
const unknown = (random) =>
  maybe(random, 0.15, () => ({ [random.pick(["vendor", "name", "detail", "id"])]: json(random) }));
const hologram = (random) => ({ type: random.pick(["hologram", "custom", "tool_use", "thinking"]), x: json(random) });

/** Arguments of a call as text: valid JSON in several layouts, cut off JSON, or other text. */
function args(random) {
  const value = random.chance(0.7) ? bag(random) : json(random);
  return random.pick([
    () => JSON.stringify(value),
    () => JSON.stringify(value),
    () => JSON.stringify(value, null, 2),
    () => ` ${JSON.stringify(value)}\n`,
    () => JSON.stringify(value).slice(0, -1),
    () => text(random),
  ])();
}

const openAIPart = (random) =>
  random.pick([
    () => ({ type: "text", text: text(random), ...mark(random), ...unknown(random) }),
    () => ({
      type: "image_url",
      image_url: {
        url: random.pick([`data:image/png;base64,${png}`, "https://example.org/a.png", "data:x", ""]),
        ...maybe(random, 0.3, () => ({ detail: "low" })),
      },
      ...unknown(random),
    }),
    () => ({ type: "input_audio", input_audio: { data: png, format: random.pick(["wav", "mp3", "ogg", ""]) } }),
    () => ({
      type: "file",
      file: {
        ...maybe(random, 0.7, () => ({ file_data: random.pick([png, `data:application/pdf;base64,${png}`, ""]) })),
        ...maybe(random, 0.5, () => ({ filename: text(random) })),
        ...maybe(random, 0.2, () => ({ file_id: "file-1" })),
      },
    }),
    () => hologram(random),
  ])();

function openAIMessage(random) {
  const texts = () => some(random, 3, () => ({ type: "text", text: text(random), ...mark(random) }));
  const called = () => ({ name: name(random), arguments: args(random) });
  const call = () =>
    random.pick([
      () => ({ id: id(random), type: "function", function: called(), ...unknown(random) }),
      () => ({ id: id(random), type: "custom", custom: { name: name(random), input: text(random) } }),
      () => ({ id: id(random), type: "other", other: json(random) }),
    ])();
  return random.pick([
    () => ({ role: random.pick(["system", "developer"]), content: random.pick([text(random), texts()]) }),
    () => ({ role: "user", content: random.pick([text(random), some(random, 3, () => openAIPart(random))]) }),
    () => ({
      role: "assistant",
      ...maybe(random, 0.8, () => ({ content: random.pick([null, text(random), texts()]) })),
      ...maybe(random, 0.5, () => ({ tool_calls: some(random, 3, call) })),
      ...maybe(random, 0.2, () => ({ refusal: random.pick([null, "no"]) })),
      ...maybe(random, 0.1, () => ({ audio: { id: "a" } })),
      ...maybe(random, 0.2, () => ({ function_call: random.pick([null, called()]) })),
      ...unknown(random),
    }),
    () => ({
      role: "tool",
      tool_call_id: id(random),
      content: random.pick([text(random), texts()]),
      ...unknown(random),
    }),
    () => ({ role: "function", name: name(random), content: random.pick([null, text(random)]) }),
  ])();
}

function anthropicBlock(random, depth = 1) {
  const source = () =>
    random.pick([
      { type: "base64", media_type: random.pick(["image/png", "application/pdf", "text/plain"]), data: png },
      { type: "url", url: random.pick(["https://example.org/a.png", "", "x"]) },
      { type: "file", file_id: "f" },
      { type: "text", media_type: "text/plain", data: text(random) },
      { type: "content", content: "x" },
    ]);
  return random.pick([
    () => ({ type: "text", text: text(random), ...mark(random), ...unknown(random) }),
    () => ({ type: "image", source: source(), ...mark(random) }),
    () => ({
      type: "document",
      source: source(),
      ...maybe(random, 0.4, () => ({ title: random.pick([null, "t", ""]) })),
      ...maybe(random, 0.2, () => ({ context: "c", citations: { enabled: true } })),
    }),
    () => ({ type: "thinking", thinking: text(random), ...maybe(random, 0.8, () => ({ signature: "s" })) }),
    () => ({ type: "redacted_thinking", data: text(random) }),
    () => ({ type: "tool_use", id: id(random), name: name(random), input: bag(random), ...mark(random) }),
    () => ({
      type: "tool_result",
      tool_use_id: id(random),
      ...maybe(random, 0.8, () => ({
        content:
          depth === 0 || random.chance(0.4) ? text(random) : some(random, 3, () => anthropicBlock(random, depth - 1)),
      })),
      ...maybe(random, 0.4, () => ({ is_error: random.chance(0.5) })),
      ...mark(random),
    }),
    () => ({ type: "server_tool_use", id: id(random), name: "web_search", input: bag(random) }),
    () => ({ type: "hologram", x: json(random) }),
  ])();
}

function aiSdkMessage(random) {
  const data = () =>
    random.pick([
      png,
      "https://example.org/a.png",
      new URL("https://example.org/a.png"),
      new Uint8Array(some(random, 5, () => random.below(256))),
      Buffer.from("ab"),
      new ArrayBuffer(2),
    ]);
  const mediaType = () => random.pick(["image/png", "image/*", "application/pdf", "text/plain"]);
  const result = () => ({
    type: "tool-result",
    toolCallId: id(random),
    toolName: name(random),
    output: random.pick([
      { type: random.pick(["text", "error-text"]), value: text(random) },
      { type: random.pick(["json", "error-json"]), value: json(random) },
      { type: "execution-denied", ...maybe(random, 0.5, () => ({ reason: "no" })) },
      {
        type: "content",
        value: some(random, 3, () =>
          random.pick([
            { type: "text", text: text(random), ...options(random) },
            { type: "image-data", data: png, mediaType: "image/png" },
            { type: "file-url", url: "https://example.org" },
            { type: "media", data: png, mediaType: "image/png" },
            { type: "custom" },
          ]),
        ),
      },
    ]),
    ...options(random),
  });
  const said = () => ({ type: "text", text: text(random), ...options(random), ...unknown(random) });
  const file = () => ({ type: "file", data: data(), mediaType: mediaType(), ...options(random) });
  const image = () => ({ type: "image", image: data(), ...maybe(random, 0.5, () => ({ mediaType: mediaType() })) });
  const call = () => ({
    type: "tool-call",
    toolCallId: id(random),
    toolName: name(random),
    input: json(random),
    ...options(random),
    ...maybe(random, 0.2, () => ({ providerExecuted: true })),
  });
  const thought = () => ({
    type: "reasoning",
    text: text(random),
    ...maybe(random, 0.3, () => ({ providerOptions: { anthropic: { signature: "s" } } })),
  });
  const list = (...makes) => some(random, 4, () => random.pick(makes)());
  return random.pick([
    () => ({ role: "system", content: text(random), ...options(random) }),
    () => ({
      role: "user",
      content: random.pick([text(random), list(said, file, image, () => hologram(random))]),
      ...options(random),
      ...unknown(random),
    }),
    () => ({
      role: "assistant",
      content: random.pick([text(random), list(said, file, thought, call, result, () => hologram(random))]),
      ...options(random),
      ...unknown(random),
    }),
    () => ({
      role: "tool",
      content: list(result, () => ({ type: "tool-approval-response", approvalId: "a", approved: true })),
      ...options(random),
    }),
  ])();
}

function geminiPart(random) {
  const named = () => ({ ...maybe(random, 0.7, () => ({ id: id(random) })), name: name(random) });
  const media = () =>
    random.pick([
      () => ({ inlineData: { data: png, mimeType: random.pick(["image/png", "application/pdf", "audio/wav"]) } }),
      () => ({ fileData: { fileUri: random.pick(["https://example.org/a.png", "gs://a/b", "files/a", ""]) } }),
      () => ({ fileData: { fileUri: "https://example.org/a", mimeType: "image/png", displayName: "a" } }),
    ])();
  const signed = () => maybe(random, 0.3, () => ({ thoughtSignature: "c2ln" }));
  return random.pick([
    () => ({ text: text(random), ...signed(), ...unknown(random) }),
    () => ({ text: text(random), thought: random.chance(0.7), ...signed() }),
    () => ({ ...media(), ...signed(), ...maybe(random, 0.2, () => ({ thought: true })) }),
    () => ({ functionCall: { ...named(), ...maybe(random, 0.8, () => ({ args: bag(random) })) }, ...signed() }),
    () => ({
      functionResponse: {
        ...named(),
        response: random.pick([
          { output: json(random) },
          { output: text(random) },
          { error: random.pick([json(random), text(random)]) },
          bag(random),
        ]),
        ...maybe(random, 0.2, () => ({ parts: some(random, 2, media) })),
      },
    }),
    () => ({ executableCode: { language: "PYTHON", code: text(random) }, ...signed() }),
    () => ({ codeExecutionResult: { outcome: "OUTCOME_OK", output: text(random) } }),
    () => ({ hologram: json(random) }),
  ])();
}

/** Lists of any messages that a provider may have, including unusual ones. */
export const randomMessages = {
  openai: (random) => some(random, 6, () => openAIMessage(random)),
  anthropic: (random) => ({
    ...maybe(random, 0.5, () => ({
      system: random.pick([
        text(random),
        some(random, 2, () => ({ type: "text", text: text(random), ...mark(random) })),
      ]),
    })),
    messages: some(random, 6, () => ({
      role: random.pick(["user", "assistant"]),
      content: random.pick([text(random), some(random, 4, () => anthropicBlock(random))]),
      ...unknown(random),
    })),
  }),
  gemini: (random) => ({
    ...maybe(random, 0.5, () => ({
      systemInstruction: random.pick([
        text(random),
        { parts: some(random, 2, () => ({ text: text(random) })) },
        { role: "user", parts: [{ text: text(random) }] },
        some(random, 2, () => text(random)),
      ]),
    })),
    contents: some(random, 6, () => ({
      role: random.pick(["user", "model"]),
      parts: some(random, 4, () => geminiPart(random)),
      ...unknown(random),
    })),
  }),
  aiSdk: (random) => some(random, 6, () => aiSdkMessage(random)),
};

// ── conversations ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The texts, calls and results of a conversation, independent of a provider. */
function script(random) {
  let count = 0;
  const next = (what) => `${what} ${++count}`;
  return {
    system: some(random, 2, () => next("system")),
    rounds: some(random, 5, () => ({
      user: next("user"),
      image: random.chance(0.3),
      steps: some(random, 2, () => ({
        text: random.chance(0.5) ? next("step") : null,
        calls: some(random, 3, () => ({ id: next("call"), name: "search", input: bag(random) })),
      })).filter(({ calls }) => calls.length > 0),
      answer: next("answer"),
      thought: random.chance(0.3) ? next("thought") : null,
    })),
  };
}

const resultOf = ({ id }) => `result of ${id}`;

/** Whole conversations, with whole pairs, of the parts that all providers have. */
export const conversationOf = {
  openai(random) {
    const { system, rounds } = script(random);
    return [
      ...system.map((content) => ({ role: random.pick(["system", "developer"]), content })),
      ...rounds.flatMap(({ user, image, steps, answer, thought }) => [
        {
          role: "user",
          content: image
            ? [
                { type: "text", text: user },
                { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
              ]
            : user,
        },
        ...steps.flatMap(({ text, calls }) => [
          {
            role: "assistant",
            content: text,
            refusal: null,
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(input, null, random.below(3)) },
            })),
          },
          ...calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: resultOf(call) })),
        ]),
        { role: "assistant", content: answer, ...(thought && { reasoning_content: thought }) },
      ]),
    ];
  },

  anthropic(random) {
    const { system, rounds } = script(random);
    return {
      ...(system.length > 0 && { system: system.map((text) => ({ type: "text", text })) }),
      messages: rounds.flatMap(({ user, image, steps, answer, thought }) => [
        {
          role: "user",
          content: image
            ? [
                { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
                { type: "text", text: user },
              ]
            : user,
        },
        ...steps.flatMap(({ text, calls }, index) => [
          {
            role: "assistant",
            content: [
              ...(thought ? [{ type: "thinking", thinking: `${thought} ${index}`, signature: "s" }] : []),
              ...(text === null ? [] : [{ type: "text", text }]),
              ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
            ],
          },
          {
            role: "user",
            content: calls.map((call) => ({
              type: "tool_result",
              tool_use_id: call.id,
              content: random.chance(0.5) ? resultOf(call) : [{ type: "text", text: resultOf(call) }],
            })),
          },
        ]),
        { role: "assistant", content: answer },
      ]),
    };
  },

  gemini(random) {
    const { system, rounds } = script(random);
    return {
      ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
      contents: rounds.flatMap(({ user, image, steps, answer, thought }) => [
        {
          role: "user",
          parts: [{ text: user }, ...(image ? [{ inlineData: { data: png, mimeType: "image/png" } }] : [])],
        },
        ...steps.flatMap(({ text, calls }, index) => [
          {
            role: "model",
            parts: [
              ...(thought ? [{ text: `${thought} ${index}`, thought: true }] : []),
              ...(text === null ? [] : [{ text }]),
              ...calls.map(({ id, name, input }, place) => ({
                functionCall: { id, name, args: input },
                ...(place === 0 && { thoughtSignature: "c2ln" }),
              })),
            ],
          },
          {
            role: "user",
            parts: calls.map((call) => ({
              functionResponse: { id: call.id, name: call.name, response: { output: resultOf(call) } },
            })),
          },
        ]),
        { role: "model", parts: [{ text: answer }] },
      ]),
    };
  },

  aiSdk(random) {
    const { system, rounds } = script(random);
    return [
      ...system.map((content) => ({ role: "system", content })),
      ...rounds.flatMap(({ user, image, steps, answer, thought }) => [
        {
          role: "user",
          content: [
            { type: "text", text: user },
            ...(image ? [{ type: "image", image: new Uint8Array(Buffer.from(png, "base64")) }] : []),
          ],
        },
        ...steps.flatMap(({ text, calls }) => {
          const inside = random.chance(0.2);
          const results = calls.map((call) => ({
            type: "tool-result",
            toolCallId: call.id,
            toolName: call.name,
            output: { type: "text", value: resultOf(call) },
          }));
          return [
            {
              role: "assistant",
              content: [
                ...(thought ? [{ type: "reasoning", text: thought }] : []),
                ...calls.map(({ id, name, input }) => ({
                  type: "tool-call",
                  toolCallId: id,
                  toolName: name,
                  input,
                  // Only providers put results in the message of their calls.
                  ...(inside && { providerExecuted: true }),
                })),
                ...(inside ? results : []),
                ...(text === null ? [] : [{ type: "text", text }]),
              ],
            },
            ...(inside ? [] : [{ role: "tool", content: results }]),
          ];
        }),
        { role: "assistant", content: answer },
      ]),
    ];
  },
};

// ── facts that a conversion keeps ────────────────────────────────────────────────────────────────────────────────────

function partsOf({ content }) {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** All calls of a conversation, in parts and in toolCalls: id, name, arguments. */
export function callsOf(messages) {
  return messages.flatMap((message) => [
    ...partsOf(message)
      .filter(({ type }) => type === "tool-call")
      .map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input]),
    ...(message.toolCalls ?? []).map(({ id, name, args }) => [id, name, args]),
  ]);
}

/** All results: id and text. */
export function answersOf(messages) {
  const text = (parts) => parts.map(({ text }) => text).join("");
  const outputText = ({ type, value }) => {
    if (type === "content") return text(value);
    return type === "json" ? JSON.stringify(value) : value;
  };
  return messages.flatMap((message) => [
    ...(message.toolCallId === undefined ? [] : [[message.toolCallId, text(partsOf(message))]]),
    ...partsOf(message)
      .filter(({ type }) => type === "tool-result")
      .map(({ toolCallId, output }) => [toolCallId, outputText(output)]),
  ]);
}

/** The facts of a conversation that every provider can express. Text between calls may move to the front of its message. */
export function factsOf(messages) {
  const said = messages.filter(({ toolCallId }) => toolCallId === undefined);
  return {
    texts: said.flatMap((message) =>
      partsOf(message)
        .filter(({ type, text }) => type === "text" && text !== "")
        .map(({ text }) => `${message.role}: ${text}`),
    ),
    images: said.flatMap((message) => partsOf(message).filter(({ type }) => type === "image")).length,
    calls: callsOf(messages),
    answers: answersOf(messages),
  };
}

/** Checks the rule of the provider's server: the results of calls directly follow the message of the calls. */
export const checkPairs = {
  openai(messages) {
    for (const [index, { role, tool_calls: calls = [], tool_call_id: answered }] of messages.entries()) {
      const behind = messages.slice(index + 1, index + 1 + calls.length);
      assert.deepEqual(
        behind.map(({ tool_call_id }) => tool_call_id),
        calls.map(({ id }) => id),
      );
      if (role !== "tool") continue;
      const before = messages.slice(0, index).findLast((message) => message.role !== "tool");
      assert.ok(before?.tool_calls?.some(({ id }) => id === answered));
    }
  },

  anthropic({ messages }) {
    const ids = (message, type, member) =>
      message === undefined || typeof message.content === "string"
        ? []
        : message.content.filter((block) => block.type === type).map((block) => block[member]);
    for (const [index, message] of messages.entries()) {
      assert.ok(message.content.length > 0);
      assert.deepEqual(ids(messages[index + 1], "tool_result", "tool_use_id"), ids(message, "tool_use", "id"));
      const results = ids(message, "tool_result", "tool_use_id");
      if (results.length > 0) assert.equal(message.role, "user");
      for (const block of message.content.slice(0, results.length)) {
        if (results.length > 0) assert.equal(block.type, "tool_result");
      }
    }
    if (messages.length > 0) assert.deepEqual(ids(messages[0], "tool_result", "tool_use_id"), []);
  },

  gemini({ contents }) {
    const named = (content, type) =>
      (content?.parts ?? []).filter((part) => part[type] !== undefined).map((part) => [part[type].id, part[type].name]);
    for (const [index, content] of contents.entries()) {
      assert.equal(content.role, index % 2 === 0 ? "user" : "model");
      assert.ok(content.parts.length > 0);
      assert.deepEqual(named(contents[index + 1], "functionResponse"), named(content, "functionCall"));
      const calls = content.parts.filter(({ functionCall }) => functionCall !== undefined);
      for (const [place, { thoughtSignature }] of calls.entries())
        assert.equal(thoughtSignature !== undefined, place === 0);
    }
    assert.deepEqual(named(contents[0], "functionResponse"), []);
  },

  aiSdk(messages) {
    let open = [];
    for (const { role, content } of messages) {
      if (role !== "tool") assert.deepEqual(open, []);
      for (const part of typeof content === "string" ? [] : content) {
        if (part.type === "tool-call") open.push(part.toolCallId);
        if (part.type === "tool-result") {
          assert.ok(open.includes(part.toolCallId));
          open = open.filter((id) => id !== part.toolCallId);
        }
      }
    }
    assert.deepEqual(open, []);
  },
};
