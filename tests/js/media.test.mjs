// Images, files and encrypted data are neither counted nor shown as text: in every form in which formats have them, under
// every strategy, and whoever counts.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation, chunked, clearToolResults, digest, lastNMessages, wholeHistory } from "turnfold";
import { langchain } from "turnfold/adapters/langchain";
import { bill, needRecall } from "turnfold/audit";
import {
  applyPlan,
  countMessages,
  estimate,
  planHistory,
  retrieveFacts,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { seeded } from "./random.mjs";

/** Base64 with letters of both cases and digits, of about this many characters. */
function base64(length) {
  const { below } = seeded(11);
  return Buffer.from(Array.from({ length: Math.ceil((length * 3) / 4) }, () => below(256))).toString("base64");
}

const TINY = `iVBORw0KGgo${base64(85)}`;
const LARGE = `iVBORw0KGgo${base64(400_000)}`;
const DATA_RUN = /[A-Za-z0-9+/_-]{200}/;
/** Tokens of an image or a file. */
const MEDIA_TOKENS = 1000;

const url = (data, type = "image/png") => `data:${type};base64,${data}`;
const json = (data) => JSON.stringify({ shot: { mimeType: "image/png", data }, ok: true });
const text = (given) => ({ type: "text", text: given });

const user = (content) => [{ role: "user", content }];

const openaiCall = (args, result) => [
  { role: "user", content: "Take a picture." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "shoot", arguments: args } }],
  },
  { role: "tool", tool_call_id: "c", content: result },
];

const anthropicAnswer = (...content) => [
  { role: "user", content: "Look it up." },
  { role: "assistant", content },
];

const anthropicResult = (content) => [
  { role: "user", content: "Take a picture." },
  { role: "assistant", content: [{ type: "tool_use", id: "c", name: "shoot", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
];

const serverTool = (name, type, content) =>
  anthropicAnswer(
    { type: "server_tool_use", id: "srvtoolu_1", name, input: {} },
    { type, tool_use_id: "srvtoolu_1", content },
    text("There it is."),
  );

const item = (...items) => [{ role: "user", content: "Look it up." }, ...items];
const functionOutput = (output) =>
  item(
    { type: "function_call", call_id: "c", name: "shoot", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output },
  );

const aiSdkResult = (output, input = {}) => [
  { role: "user", content: "Take a picture." },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "shoot", input }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "shoot", output }] },
];

const bytes = (data) => new Uint8Array(Buffer.from(data, "base64"));
const pdf = (data) => ({ type: "base64", media_type: "application/pdf", data });

/** The forms of media by the formats that have them: functions from the data to messages. */
const FORMS = {
  neutral: {
    "an image": (data) => user([{ type: "image", image: data, mediaType: "image/png" }]),
    "an image as bytes": (data) => user([{ type: "image", image: bytes(data) }]),
    "a file": (data) => user([{ type: "file", data, mediaType: "application/pdf", filename: "a.pdf" }]),
    "a data URL in a text": (data) => user(`See ![a lamp](${url(data)}), please.`),
    "a data URL in HTML": (data) => user(`<p><img src="${url(data)}" alt="a lamp"></p>`),
    "a data URL in an answer": (data) => [...user("Draw a lamp."), { role: "assistant", content: url(data) }],
    "a text of base64 alone": (data) => user(data),
    "base64 in lines": (data) => user(`${data.match(/.{1,76}/g).join("\n")}\n`),
    "base64 in lines in JSON": (data) => user(JSON.stringify({ image: data.match(/.{1,76}/g).join("\n") })),
    "bytes in arguments": (data) => [
      ...user("Send it."),
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "send", args: { file: bytes(data) } }] },
      { role: "tool", toolCallId: "c", toolName: "send", content: "sent" },
    ],
    "base64 in arguments": (data) => [
      ...user("Send it."),
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "send", args: { image: data, to: "Ada" } }] },
      { role: "tool", toolCallId: "c", toolName: "send", content: "sent" },
    ],
    "the reason of a refusal": (data) => [
      ...user("Send it."),
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "send", args: {} }] },
      { role: "tool", toolCallId: "c", toolName: "send", content: `No: ${url(data)}`, isDenied: true },
    ],
    "the result of an MCP server": (data) => [
      ...user("Take a picture."),
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "shoot", args: {} }] },
      {
        role: "tool",
        toolCallId: "c",
        toolName: "shoot",
        content: JSON.stringify({ content: [{ type: "image", data, mimeType: "image/png" }, text("a lamp")] }),
      },
    ],
    "the resource of an MCP server": (data) => [
      ...user("Take a picture."),
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "shoot", args: {} }] },
      {
        role: "tool",
        toolCallId: "c",
        toolName: "shoot",
        content: JSON.stringify({ type: "resource", resource: { uri: "file:///a.bin", blob: data } }),
      },
    ],
  },
  openai: {
    image_url: (data) => user([text("See"), { type: "image_url", image_url: { url: url(data) } }]),
    input_audio: (data) => user([{ type: "input_audio", input_audio: { data, format: "wav" } }]),
    file: (data) => user([{ type: "file", file: { filename: "a.pdf", file_data: url(data, "application/pdf") } }]),
    "audio of an answer": (data) => [
      ...user("Say it."),
      { role: "assistant", content: null, audio: { id: "a", data, expires_at: 1, transcript: "It is here." } },
    ],
    "a data URL in a result": (data) => openaiCall("{}", `saved as ${url(data)}`),
    "JSON in a result": (data) => openaiCall("{}", json(data)),
    "JSON in the text parts of a result": (data) => openaiCall("{}", [text(json(data))]),
    "JSON in arguments": (data) => openaiCall(json(data), "done"),
    "arguments that were cut off": (data) => openaiCall(`{"image": "${url(data)}", "to`, "the arguments are no JSON"),
  },
  anthropic: {
    image: (data) => user([{ type: "image", source: { type: "base64", media_type: "image/png", data } }]),
    document: (data) => user([{ type: "document", source: pdf(data), title: "a.pdf" }]),
    "an image in a result": (data) =>
      anthropicResult([text("a lamp"), { type: "image", source: { type: "base64", media_type: "image/png", data } }]),
    "a document in a result": (data) => anthropicResult([{ type: "document", source: pdf(data) }]),
    "a data URL in a result": (data) => anthropicResult(url(data)),
    thinking: (data) => anthropicAnswer({ type: "thinking", thinking: "hm", signature: data }, text("It is here.")),
    redacted_thinking: (data) => anthropicAnswer({ type: "redacted_thinking", data }, text("It is here.")),
    web_search_tool_result: (data) =>
      serverTool("web_search", "web_search_tool_result", [
        { type: "web_search_result", title: "Lamps", url: "https://example.org", encrypted_content: data },
      ]),
    web_fetch_tool_result: (data) =>
      serverTool("web_fetch", "web_fetch_tool_result", {
        type: "web_fetch_result",
        url: "https://example.org/a.pdf",
        content: { type: "document", source: pdf(data) },
      }),
    code_execution_tool_result: (data) =>
      serverTool("code_execution", "code_execution_tool_result", {
        type: "code_execution_result",
        stdout: url(data),
        stderr: "",
        return_code: 0,
        content: [],
      }),
    encrypted_code_execution_result: (data) =>
      serverTool("code_execution", "code_execution_tool_result", {
        type: "encrypted_code_execution_result",
        encrypted_stdout: data,
        stderr: "",
        return_code: 0,
        content: [],
      }),
    bash_code_execution_tool_result: (data) =>
      serverTool("bash_code_execution", "bash_code_execution_tool_result", {
        type: "bash_code_execution_result",
        stdout: json(data),
        stderr: "",
        return_code: 0,
        content: [],
      }),
    mcp_tool_result: (data) =>
      anthropicAnswer(
        { type: "mcp_tool_use", id: "mcptoolu_1", name: "shoot", server_name: "camera", input: {} },
        { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [text(json(data))] },
        text("There it is."),
      ),
    "citations of a search": (data) =>
      anthropicAnswer({
        type: "text",
        text: "It is here.",
        citations: [
          {
            type: "web_search_result_location",
            cited_text: "here",
            url: "https://example.org",
            title: "Lamps",
            encrypted_index: data,
          },
        ],
      }),
    compaction: (data) =>
      anthropicAnswer({ type: "compaction", content: "They spoke of lamps.", encrypted_content: data }),
  },
  responses: {
    input_image: (data) => [{ role: "user", content: [{ type: "input_image", image_url: url(data), detail: "auto" }] }],
    input_file: (data) => [
      {
        role: "user",
        content: [{ type: "input_file", filename: "a.pdf", file_data: url(data, "application/pdf") }],
      },
    ],
    "an image in a result": (data) => functionOutput([{ type: "input_image", image_url: url(data), detail: "auto" }]),
    "a data URL in a result": (data) => functionOutput(`saved as ${url(data)}`),
    reasoning: (data) =>
      item(
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: data },
        { role: "assistant", content: "It is here." },
      ),
    compaction: (data) => item({ type: "compaction", id: "cmp_1", encrypted_content: data }),
    image_generation_call: (data) =>
      item({ type: "image_generation_call", id: "ig_1", status: "completed", result: data }),
    code_interpreter_call: (data) =>
      item({
        type: "code_interpreter_call",
        id: "ci_1",
        container_id: "cntr_1",
        status: "completed",
        code: "plot()",
        outputs: [
          { type: "logs", logs: "done" },
          { type: "image", url: url(data) },
        ],
      }),
    mcp_call: (data) =>
      item({
        type: "mcp_call",
        id: "mcp_1",
        server_label: "camera",
        name: "shoot",
        arguments: "{}",
        output: json(data),
      }),
    computer_call_output: (data) =>
      item(
        { type: "computer_call", id: "cu_1", call_id: "c", action: { type: "screenshot" }, pending_safety_checks: [] },
        {
          type: "computer_call_output",
          call_id: "c",
          output: { type: "computer_screenshot", image_url: url(data) },
        },
      ),
    custom_tool_call: (data) =>
      item(
        { type: "custom_tool_call", call_id: "c", name: "send", input: `to Ada: ${url(data)}` },
        { type: "custom_tool_call_output", call_id: "c", output: "sent" },
      ),
  },
  aiSdk: {
    image: (data) => user([{ type: "image", image: url(data) }]),
    "a file of bytes": (data) => user([{ type: "file", data: bytes(data), mediaType: "application/pdf" }]),
    "a file of an answer": (data) => [
      ...user("Draw a lamp."),
      { role: "assistant", content: [{ type: "file", data, mediaType: "image/png" }] },
    ],
    "reasoning-file": (data) => [
      ...user("Draw a lamp."),
      { role: "assistant", content: [{ type: "reasoning-file", data, mediaType: "image/png" }, text("It is here.")] },
    ],
    "the signature of reasoning": (data) => [
      ...user("Where is it?"),
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { google: { thoughtSignature: data } } },
          text("It is here."),
        ],
      },
    ],
    "image-data in a result": (data) =>
      aiSdkResult({ type: "content", value: [{ type: "image-data", data, mediaType: "image/png" }] }),
    "file-data in a result": (data) =>
      aiSdkResult({ type: "content", value: [{ type: "file-data", data, mediaType: "application/pdf" }] }),
    "media in a result": (data) =>
      aiSdkResult({ type: "content", value: [text("a lamp"), { type: "media", data, mediaType: "image/png" }] }),
    "a file in a result": (data) =>
      aiSdkResult({
        type: "content",
        value: [{ type: "file", data: { type: "data", data }, mediaType: "image/png" }],
      }),
    "JSON in a result": (data) => aiSdkResult({ type: "json", value: { screenshot: url(data) } }),
    "JSON of a search in a result": (data) =>
      aiSdkResult({ type: "json", value: [{ title: "Lamps", encryptedContent: data }] }),
    "a text in a failed result": (data) => aiSdkResult({ type: "error-text", value: `no place for ${url(data)}` }),
    "the reason of a refusal": (data) => aiSdkResult({ type: "execution-denied", reason: `No: ${url(data)}` }),
    "bytes in arguments": (data) => aiSdkResult({ type: "text", value: "sent" }, { file: bytes(data) }),
    "a file of a UI message": (data) => [
      { id: "1", role: "user", parts: [text("See"), { type: "file", mediaType: "image/png", url: url(data) }] },
    ],
    "the output of a UI message": (data) => [
      { id: "1", role: "user", parts: [text("Take a picture.")] },
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "tool-shoot", toolCallId: "c", state: "output-available", input: {}, output: { image: url(data) } },
        ],
      },
    ],
  },
  langchain: {
    image_url: (data) => [{ type: "human", content: [{ type: "image_url", image_url: { url: url(data) } }] }],
    "a standard block": (data) => [
      { type: "human", content: [{ type: "image", source_type: "base64", mime_type: "image/png", data }] },
    ],
    "JSON in a result": (data) => [
      { type: "human", content: "Take a picture." },
      { type: "ai", content: "", tool_calls: [{ type: "tool_call", id: "c", name: "shoot", args: {} }] },
      { type: "tool", tool_call_id: "c", content: json(data) },
    ],
  },
};

const READERS = {
  neutral: (messages) => new Conversation({ messages }),
  openai: openai.from,
  anthropic: anthropic.from,
  responses: openai.responses.from,
  aiSdk: aiSdk.from,
  langchain: langchain.from,
};

const STRATEGIES = {
  wholeHistory: () => wholeHistory(),
  lastNMessages: () => lastNMessages(2),
  chunked: () => chunked(2),
  wholeHistoryMultipleSystemMessages: () => wholeHistoryMultipleSystemMessages(),
  retrieveFacts: () => retrieveFacts([{ name: "lamps" }]),
  clearToolResults: () => clearToolResults({ keep: 0 }),
  digest: () => digest({ keep: 0 }),
};

/** A later part of the conversation, before which everything is summarized, cleared or folded. */
const LATER = [
  { role: "assistant", content: "It is done." },
  ...Array.from({ length: 3 }, (_, index) => [
    { role: "user", content: `Question ${index}.` },
    { role: "assistant", content: null, toolCalls: [{ id: `late_${index}`, name: "look", args: {} }] },
    { role: "tool", toolCallId: `late_${index}`, toolName: "look", content: `Found ${index}.` },
    { role: "assistant", content: `Answer ${index}.` },
  ]).flat(),
];

/** What is sent of a message: a cleared result keeps what it was in `original`. */
const sentText = ({ original: _, ...message }) =>
  JSON.stringify(message, (name, value) => (name === "original" ? undefined : value));

/** A counter that records the longest run of data in the texts that it is given. */
function recordingCounter() {
  const seen = { data: null };
  const count = (given) => {
    if (DATA_RUN.test(given)) seen.data = given.slice(0, 300);
    return estimate.count(given);
  };
  return { counter: { name: "recording", method: "estimate", count }, seen };
}

for (const [format, forms] of Object.entries(FORMS)) {
  suite(`media from ${format}`, () => {
    for (const [form, write] of Object.entries(forms)) {
      test(form, () => {
        const [tiny, large] = [TINY, LARGE].map((data) => READERS[format](write(data)));

        const [few, many] = [tiny, large].map(({ messages }) => countMessages(messages).total);
        assert.ok(many - few <= MEDIA_TOKENS, `${few} tokens with tiny data, ${many} with large`);
        const { counter, seen } = recordingCounter();
        assert.ok(countMessages(large.messages, { counter }).total - few <= MEDIA_TOKENS);
        assert.equal(seen.data, null, "a counter is given no data");

        const conversation = large.append(...LATER);
        const given = new Set(conversation.messages.map(sentText));
        for (const [name, strategy] of Object.entries(STRATEGIES)) {
          const plan = planHistory(conversation, {
            compressionStrategy: strategy(),
            when: "always",
            minMessages: 0,
            keepAtLeast: 1,
            counter,
          });
          for (const { messages } of plan.requests) assert.doesNotMatch(JSON.stringify(messages), DATA_RUN, name);
          const answers = plan.requests.map(() => "They spoke of lamps.");
          const { messages } = applyPlan(plan, answers).conversation;
          const made = messages.map(sentText).filter((message) => !given.has(message));
          assert.doesNotMatch(made.join("\n"), DATA_RUN, name);
        }
        assert.equal(seen.data, null, "a counter is given no data");
      });
    }
  });
}

test("needRecall counts notes in place of media, and finds no names in them", () => {
  const round = (id, content) => [
    { role: "assistant", content: null, toolCalls: [{ id, name: "look", args: { path: `src/${id}.ts` } }] },
    { role: "tool", toolCallId: id, toolName: "look", content },
  ];
  const messages = (data) => [
    { role: "user", content: "Look at them: src/a1.ts, src/b2.ts." },
    ...round("a1", url(data)),
    ...round("b2", json(data)),
    ...round("a1", "done"),
  ];
  const { counter, seen } = recordingCounter();
  const [few, many] = [TINY, LARGE].map((data) => {
    const [recall] = needRecall(new Conversation({ messages: messages(data) }), { counter, strategies: {} });
    return recall.tokens;
  });
  assert.ok(many - few <= 4 * MEDIA_TOKENS, `${few} and ${many} tokens`);
  assert.equal(seen.data, null);
});

test("the costs of requests count media as images", () => {
  const of = (data) =>
    ["One.", "Two."].map((end) => ({
      messages: [{ role: "user", content: `See ${url(data)} ${end}` }],
      output: url(data),
    }));
  const prices = { input: 1, output: 1 };
  const { counter, seen } = recordingCounter();
  const [few, many] = [TINY, LARGE].map((data) => bill(of(data), prices, { counter }));
  assert.ok(many.cost - few.cost <= 4 * MEDIA_TOKENS, `${few.cost} and ${many.cost}`);
  assert.equal(seen.data, null);
});
