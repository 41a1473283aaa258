// Replies of servers as they are sent: the cases of tests/wire/streams.md, with fetchModel and with the client of OpenAI.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import OpenAI from "openai";
import { fetchModel, openaiModel, TurnfoldError } from "turnfold";
import { bundled } from "./bundled.mjs";
import { caseOf, textsOf } from "./cases.mjs";
import { serve } from "./loopback.mjs";

const { callModel, isTransient } = await bundled("model", ["model", "retry"]);

const TYPES = { sse: "text/event-stream; charset=utf-8", json: "application/json", html: "text/html" };
const ENDS = { crlf: "\r\n", cr: "\r" };

const file = join(import.meta.dirname, "..", "wire", "streams.md");
const cases = caseOf(readFileSync(file, "utf8"))
  .sections.slice(1)
  .map((section) => {
    const [{ info, text }] = section.blocks;
    const [reply] = textsOf(section, "reply").map(JSON.parse);
    const [byClient = reply] = textsOf(section, "reply openaiModel").map(JSON.parse);
    return { name: section.heading, reply, byClient, ...responseOf(info, text) };
  });

/** The bytes of a response and their type, by the words of a block. */
function responseOf(info, text) {
  const [kind, ...words] = info.split(" ");
  assert.ok(kind in TYPES, `${info} begins with the kind of a body`);
  const isUnfinished = kind !== "sse" || words.includes("unfinished");
  const type = words.find((word) => word.includes("/")) ?? TYPES[kind];
  const end = ENDS[words.find((word) => word in ENDS)] ?? "\n";
  const mark = words.includes("bom") ? "\uFEFF" : "";
  return { type, bytes: Buffer.from(mark + (isUnfinished ? text : `${text}\n\n`).replaceAll("\n", end)) };
}

/** What a callback replies, in the form of the cases. */
async function replyOf(llm) {
  const request = { messages: [{ role: "user", content: "Go" }], purpose: "answer" };
  try {
    const { content: text, toolCalls, finishReason, usage } = await callModel(llm, request);
    // The other name of `cacheReadTokens`.
    delete usage.cachedTokens;
    return {
      text,
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      finishReason,
      ...(Object.keys(usage).length > 0 ? { usage } : {}),
    };
  } catch ({ cause }) {
    const code = TurnfoldError.isInstance(cause) ? cause.code : null;
    return { error: cause.message, code, isTransient: isTransient(cause) };
  }
}

/** Compares a reply with that of a case, in which an id that was made is null, and an error is a part of the message. */
function check(actual, expected, how) {
  const made = (expected.toolCalls ?? []).flatMap(({ id }, index) => (id === null ? [index] : []));
  const ids = (actual.toolCalls ?? []).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "every call has an id of its own");
  for (const index of made) assert.match(ids[index] ?? "", /^call_\w+$/, how);
  const toolCalls = actual.toolCalls?.map((call, index) => (made.includes(index) ? { ...call, id: null } : call));
  const error = "error" in expected && actual.error?.includes(expected.error) ? expected.error : actual.error;
  const compared = { ...actual, ...(toolCalls && { toolCalls }), ...("error" in actual && { error }) };
  assert.deepEqual(compared, expected, how);
}

suite("fetchModel reads", () => {
  const read = (type, pieces) => {
    const respond = async () => new Response(ReadableStream.from(pieces), { headers: { "content-type": type } });
    return replyOf(fetchModel("http://localhost/v1", { model: "m", fetch: respond }));
  };

  for (const { name, type, bytes, reply } of cases) {
    test(name, async () => {
      check(await read(type, [bytes]), reply, "whole");
      check(
        await read(
          type,
          Array.from(bytes, (byte) => Uint8Array.of(byte)),
        ),
        reply,
        "byte by byte",
      );
      for (let at = 1; at < bytes.length; at++) {
        check(await read(type, [bytes.subarray(0, at), bytes.subarray(at)]), reply, `split at byte ${at}`);
      }
    });
  }
});

suite("openaiModel reads with the client of OpenAI", () => {
  let server;
  let sent;

  before(async () => {
    server = await serve((_request, _body, response) => {
      response.writeHead(200, { "content-type": sent.type });
      response.end(sent.bytes);
    });
  });

  after(() => server.close());

  for (const { name, type, bytes, byClient } of cases) {
    test(name, async () => {
      sent = { type, bytes };
      const client = new OpenAI({ baseURL: server.origin, apiKey: "key", maxRetries: 0, logLevel: "off" });
      check(await replyOf(openaiModel(client, { model: "m" })), byClient, "openaiModel");
    });
  }
});

test("each case has a name of its own, and a reply", () => {
  assert.ok(cases.length > 80, `${cases.length} cases`);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  for (const { name, reply } of cases) assert.ok("error" in reply || "text" in reply, name);
});
