// Requests to strict receivers: the cases of tests/wire, what the receivers refuse, and a share of the random requests of
// `npm run fuzz -- wire`.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { agentRequests } from "../wire/agents.mjs";
import { DIALECTS, randomHistory } from "../wire/histories.mjs";
import { NoForm, plainRequests } from "../wire/plain.mjs";
import { receivers } from "../wire/receivers.mjs";
import { Refusal } from "../wire/refusal.mjs";
import { Tally } from "../wire/tally.mjs";
import { formatRequests, formats, membersKnownTo, readers } from "../wire/traffic.mjs";
import { casesIn, check, updated } from "./cases.mjs";
import { seeded, share } from "./random.mjs";

const cases = casesIn("wire").filter(({ name }) => name !== "streams");

suite("receivers refuse what providers refuse", () => {
  for (const section of cases.find(({ name }) => name === "refused").sections.slice(1)) {
    test(section.heading, async () => {
      const { blocks } = section;
      assert.equal(blocks.length % 2, 0, "each request has an error");
      for (let index = 0; index < blocks.length; index += 2) {
        const [{ info, text }, expected] = blocks.slice(index, index + 2);
        assert.equal(expected.info, "error");
        const refusal = await refusalOf(receivers[info], JSON.parse(text));
        assert.equal(refusal?.message, expected.text);
      }
    });
  }
});

for (const one of cases.filter(({ name }) => name !== "refused")) {
  test(`${one.name}: ${one.title}`, async () => {
    const sections = [];
    for (const section of one.sections)
      sections.push(section.blocks.length > 0 ? await written(section) : section.lines.join("\n"));
    check("wire", one, sections);
  });
}

/** Returns a section with the requests that its history becomes now; each is accepted by its receiver. */
async function written(section) {
  const [given, ...requests] = section.blocks;
  const messages = JSON.parse(given.text);
  const blocks = [given];
  for (const { info } of requests) {
    const [name, ...words] = info.split(" ");
    const { provider, write } = formats[name];
    let text;
    try {
      const conversation = readers[given.info](messages);
      const sent = words.includes("repaired") ? conversation.repair({ provider }).conversation : conversation;
      const body = write(sent, words.includes("cached") ? { cache: {} } : {});
      const refusal = await refusalOf(
        receivers[name],
        body,
        name === given.info ? { known: membersKnownTo(name, messages) } : {},
      );
      text = refusal === null ? shown(body) : `refused: ${refusal.message}`;
    } catch (error) {
      if (error.code === undefined) throw error;
      text = `${error.code}: ${error.message}`;
    }
    assert.ok(!text.startsWith("refused"), `${section.heading}, ${info}: ${text}`);
    blocks.push({ info, text });
  }
  return updated(section, blocks);
}

async function refusalOf(accept, body, options) {
  try {
    await accept(body, options);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error;
  }
}

/** The content of a request as JSON, with a line for each message. */
function shown(body) {
  const { model: _model, max_tokens: _max, store: _store, ...rest } = Array.isArray(body) ? { messages: body } : body;
  const lines = Object.entries(rest).flatMap(([name, value]) => {
    const list = Array.isArray(value) ? value : [value];
    return [`${name}:`, ...list.map((item) => `  ${JSON.stringify(item)}`)];
  });
  return lines.join("\n");
}

suite("random requests are accepted", () => {
  /** Seeds of a test; `npm run fuzz -- wire` draws others. */
  const HISTORIES = share(4000);
  const AGENTS = share(500);

  test("histories in every dialect, managed and repaired, are accepted in every format", async () => {
    const tally = new Tally();
    for (let seed = 1; seed <= HISTORIES; seed++) await formatRequests(seed, (request) => tally.add(request));
    assert.deepEqual(tally.faults, []);
    assert.ok(tally.accepted > 3 * HISTORIES, `${tally.accepted} requests`);
    for (const format of Object.keys(formats)) {
      assert.ok(tally.senders.get(`${format}, repaired`) > HISTORIES / 2, `${format} is written`);
    }
    // Formats have no place for tools that another provider runs, nor for a history that it has encrypted.
    assert.ok(tally.thrown.get("unsupported_part") < tally.accepted / 30, JSON.stringify([...tally.thrown]));
  });

  test("every request of Agent, SubAgent and Predict is accepted, whatever the model and the tools return", async () => {
    const tally = new Tally();
    for (let seed = 1; seed <= AGENTS; seed++) await agentRequests(seed, (request) => tally.add(request));
    assert.deepEqual(tally.faults, []);
    assert.ok(tally.accepted > 2 * AGENTS, `${tally.accepted} requests`);
  });
});

suite("lint({ provider }) names what the provider refuses, and repair corrects it", () => {
  const SEEDS = share(1500);
  /** The kinds of problems without which the plainest request is accepted; receivers take other problems that are old rules. */
  const CONTENT_KINDS = [
    "lone_surrogate",
    "invalid_arguments",
    "invalid_tool_name",
    "blank_text_block",
    "empty_error",
    "ends_in_thinking",
    "trailing_whitespace",
    "too_many_cache_marks",
  ];

  for (const [provider, plain] of Object.entries(plainRequests)) {
    test(`random histories for ${provider}`, async () => {
      const found = new Map();
      let [sound, repaired] = [0, 0];
      const refusalOfPlain = async ({ messages }) => {
        try {
          return (await refusalOf(receivers[provider], plain(messages)))?.message ?? null;
        } catch (error) {
          if (error instanceof NoForm) return undefined;
          throw error;
        }
      };
      for (let seed = 1; seed <= SEEDS; seed++) {
        const random = seeded(seed);
        const dialect = random.pick(DIALECTS);
        const conversation = readers[dialect](randomHistory(random, dialect).messages);
        if (conversation.messages.every(({ role }) => role === "system")) continue;
        const where = `seed ${seed}, ${dialect}: ${JSON.stringify(conversation.messages)}`;
        const problems = conversation.lint({ provider });
        for (const { kind } of problems) found.set(kind, (found.get(kind) ?? 0) + 1);
        const refusal = await refusalOfPlain(conversation);
        if (problems.length === 0) {
          sound++;
          assert.ok(!refusal, `${refusal}\n${where}`);
          continue;
        }
        const kinds = JSON.stringify(problems.map(({ kind }) => kind));
        // Half of a character in JSON that is sent as a text reaches the provider as an escape.
        if (problems.every(({ kind }) => CONTENT_KINDS.slice(1).includes(kind)))
          assert.notEqual(refusal, null, `${kinds}\n${where}`);
        const { conversation: valid } = conversation.repair({ provider });
        assert.deepEqual(valid.lint({ provider }), [], where);
        assert.equal(valid.repair({ provider }).conversation, valid);
        const left = await refusalOfPlain(valid);
        if (left === undefined || valid.messages.every(({ role }) => role === "system")) continue;
        repaired++;
        assert.equal(left, null, `${where}\n${JSON.stringify(valid.messages)}`);
      }
      assert.ok(sound > SEEDS / 5 && repaired > SEEDS / 5, `${sound} sound, ${repaired} repaired`);
      const expected = provider === "anthropic" ? CONTENT_KINDS : CONTENT_KINDS.slice(0, 3);
      assert.deepEqual(
        CONTENT_KINDS.filter((kind) => found.has(kind)),
        expected,
      );
    });
  }
});
