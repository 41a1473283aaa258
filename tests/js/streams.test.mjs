// Replies of servers as they are sent: the cases of tests/wire/streams.md, with fetchModel and with the client of OpenAI.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import OpenAI from "openai";
import { TurnfoldError } from "turnfold";
import { fetchModel } from "turnfold/models/fetch";
import { openaiModel } from "turnfold/models/openai";
import { bundled } from "./bundled.mjs";
import { caseOf, textsOf } from "./cases.mjs";
import { serve } from "./loopback.mjs";
import { seeded } from "./random.mjs";

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

/** How servers number the calls of a stream: the members `id` and `index` of the pieces, the first one of a call and later ones. */
const STYLES = {
  "an index, and an id once": (id, index) => [{ id, index }, { index }],
  "an index, and an id in every piece": (id, index) => [
    { id, index },
    { id, index },
  ],
  "an index, and no id": (_, index) => [{ index }, { index }],
  "index 0, and an id once": (id) => [
    { id, index: 0 },
    { index: 0, id: "" },
  ],
  "index 0, and an id in every piece": (id) => [
    { id, index: 0 },
    { id, index: 0 },
  ],
  "no index, and an id once": (id) => [{ id }, { id: null }],
  "index 0, and another id in later pieces": (id, _, piece) => [
    { id, index: 0 },
    { id: `${id}-${piece}`, index: 0 },
  ],
};

for (const [style, membersOf] of Object.entries(STYLES)) {
  test(`random calls in random pieces are those that were made, with ${style}`, async () => {
    const { below, pick, chance } = seeded(7);
    const text = () => pick(["", "a", '"', "}{", "{}", "\\", "é🦊", "}", "[{", " "]).repeat(below(3));
    const value = (depth) => {
      if (depth === 0 || chance(0.4)) return pick([text(), below(9), true, null]);
      const items = Array.from({ length: below(3) }, () => value(depth - 1));
      return chance(0.5) ? items : Object.fromEntries(items.map((item) => [text(), item]));
    };
    for (let round = 0; round < 300; round++) {
      const calls = Array.from({ length: 1 + below(4) }, (_, index) => ({
        id: `c${index}`,
        name: pick(["get", "get_all", "now"]),
        args: { [text()]: value(2), n: index },
      }));
      const pieces = calls.flatMap(({ id, name, args }, index) => {
        const json = JSON.stringify(args, null, pick([0, 1]));
        const cuts = [0, ...Array.from({ length: below(6) }, () => below(json.length)).sort((a, b) => a - b)];
        const first = { name, arguments: chance(0.5) ? "" : null };
        const later = cuts.map((from, at) => ({ arguments: json.slice(from, cuts[at + 1] ?? json.length) }));
        return [first, ...later].map((given, piece) => ({
          ...membersOf(id, index, piece)[Math.min(piece, 1)],
          function: given,
        }));
      });
      const chunks = [
        ...pieces.map((piece) => ({ choices: [{ delta: { tool_calls: [piece] } }] })),
        { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      ];
      const create = async () => ReadableStream.from(chunks);
      const { toolCalls } = await replyOf(openaiModel({ chat: { completions: { create } } }, { model: "m" }));
      const hasIds = membersOf("id", 0, 0)[0].id !== undefined;
      const seen = hasIds ? toolCalls : toolCalls.map((call, index) => ({ ...call, id: `c${index}` }));
      assert.deepEqual(seen, calls, `round ${round}`);
    }
  });
}

test("each case has a name of its own, and a reply", () => {
  assert.ok(cases.length > 80, `${cases.length} cases`);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  for (const { name, reply } of cases) assert.ok("error" in reply || "text" in reply, name);
});
