// Thinking that Claude signed comes back only while it is valid: a server that signs it checks what is before it.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  applyPlan,
  Conversation,
  clearToolResults,
  countMessages,
  digest,
  lastNMessages,
  manageHistory,
  planHistory,
  SummaryStore,
  wholeHistory,
} from "turnfold/chat";
import { anthropic } from "turnfold/formats/anthropic";
import { Claude } from "../wire/receivers/claude.mjs";
import { Refusal } from "../wire/refusal.mjs";
import { Tally } from "../wire/tally.mjs";
import { thinkingRequests } from "../wire/thinking.mjs";
import { share } from "./random.mjs";

const question = (text) => ({ role: "user", content: text });
const thought = (thinking = "hm") => ({ type: "thinking", thinking });
const call = (id) => ({ type: "tool_use", id, name: "search", input: { query: "parcel" } });
const result = (id, content = "found ".repeat(40)) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const request = (given, type = "adaptive") => ({
  model: "m",
  max_tokens: 9,
  thinking: type === "enabled" ? { type, budget_tokens: 1024 } : { type },
  ...(Array.isArray(given) ? { messages: given } : anthropic.to(given)),
});

/** Holds a conversation of rounds of calls; `send` is given the messages so far and returns what is sent. */
async function rounds(count, send, type) {
  const claude = new Claude();
  const messages = [question("Where is it?")];
  const sent = [];
  for (let round = 1; round <= count; round++) {
    const body = request(await send([...messages]), type);
    sent.push(body.messages);
    messages.push({ role: "assistant", content: claude.reply(body, [thought(`thought ${round}`), call(`c${round}`)]) });
    messages.push(result(`c${round}`));
  }
  return { claude, messages, sent };
}

/** For each answer in a request, whether its thinking is sent. */
const thinks = (messages) =>
  messages
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content.some(({ type }) => type === "thinking"));

const refusalOf = (act) => {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
};

suite("the server that signs", () => {
  const claude = new Claude();
  const messages = [question("Where is it?")];
  for (const id of ["a", "b", "c"]) {
    messages.push({ role: "assistant", content: claude.reply(request(messages), [thought(id), call(id)]) }, result(id));
  }
  const without = (index) =>
    messages.map((message, place) =>
      place === index ? { ...message, content: message.content.filter(({ type }) => type !== "thinking") } : message,
    );

  test("accepts what it signed, and thinking that is missing from the beginning or everywhere", () => {
    const none = messages.map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.filter(({ type }) => type !== "thinking") : content,
    }));
    for (const sent of [messages, without(1), none])
      assert.equal(
        refusalOf(() => claude.accept(request(sent))),
        null,
      );
  });

  test("refuses thinking after a change, after a gap, and thinking that is not its own", () => {
    const changed = messages.map((message, index) => (index === 2 ? result("a", "other") : message));
    assert.match(
      refusalOf(() => claude.accept(request(changed))),
      /^messages\.3\.content\.0: .* bound to a different conv/,
    );
    assert.match(
      refusalOf(() => claude.accept(request(without(3)))),
      /^messages\.5\.content\.0: .* is missing from/,
    );
    const other = messages.map((message, index) =>
      index === 1 ? { ...message, content: [{ ...thought("b"), signature: "other" }, call("a")] } : message,
    );
    assert.equal(
      refusalOf(() => claude.accept(request(other))),
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });

  test("with the thinking of older models refuses a last round without it, and checks nothing before it", () => {
    const changed = messages.map((message, index) => (index === 2 ? result("a", "other") : message));
    assert.equal(
      refusalOf(() => claude.accept(request(changed, "enabled"))),
      null,
    );
    assert.match(
      refusalOf(() => claude.accept(request(without(5), "enabled"))),
      /^messages\.5\.content\.0\.type: Expected/,
    );
  });
});

suite("manageHistory removes the thinking that is no longer valid", () => {
  const folding = { compressionStrategy: clearToolResults({ keep: 1, atLeast: 50 }), minMessages: 0, keepAtLeast: 0 };

  test("a conversation that is sent again keeps what a model thinks after a change", async () => {
    let conversation = new Conversation();
    let known = 0;
    const { sent } = await rounds(8, async (messages) => {
      conversation = conversation.append(...anthropic.from(messages.slice(known)).messages);
      known = messages.length;
      ({ conversation } = await manageHistory(conversation, folding));
      return conversation;
    });
    // The first results are cleared in the fourth request.
    assert.deepEqual(thinks(sent[2]), [true, true]);
    assert.deepEqual(thinks(sent[3]), [true, false, false]);
    assert.deepEqual(thinks(sent[4]), [true, false, false, true]);
  });

  test("with summaryStore, a history that is given as a whole each time keeps the same thinking", async () => {
    const summaryStore = new SummaryStore();
    const store = (messages) => manageHistory(anthropic.from(messages), folding, { summaryStore });
    const { sent } = await rounds(8, async (messages) => (await store(messages)).conversation);
    assert.deepEqual(thinks(sent[3]), [true, false, false]);
    assert.deepEqual(thinks(sent[4]), [true, false, false, true]);
  });

  test("without a store, a history that is given as a whole has no thinking after its first change", async () => {
    const manage = (messages) => manageHistory(anthropic.from(messages), folding);
    const { sent } = await rounds(8, async (messages) => (await manage(messages)).conversation);
    assert.deepEqual(thinks(sent[4]), [true, false, false, false]);
  });

  test('with thinking: "enabled", nothing is removed', async () => {
    const parameters = { ...folding, thinking: "enabled" };
    const manage = (messages) => manageHistory(anthropic.from(messages), parameters);
    const { sent } = await rounds(8, async (messages) => (await manage(messages)).conversation, "enabled");
    assert.deepEqual(thinks(sent[6]), Array(6).fill(true));
  });

  test("a new summary, dropped messages and a digest remove it too, and what providers compact does not", async () => {
    const { messages } = await rounds(5, async (messages) => messages);
    const llm = () => "A summary.";
    const kept = async (parameters, given = messages) => {
      const { conversation } = await manageHistory(
        anthropic.from(given),
        { minMessages: 0, keepAtLeast: 0, ...parameters },
        { llm },
      );
      return thinks(anthropic.to(conversation).messages);
    };
    assert.ok(thinks(messages).every(Boolean));
    for (const parameters of [
      { compressionStrategy: lastNMessages(4) },
      { compressionStrategy: digest({ keep: 1, head: 10, atLeast: 0 }), when: "always" },
      { maxHistorySize: 5 },
    ]) {
      const left = await kept(parameters);
      assert.ok(left.length > 0 && left.every((is) => !is), JSON.stringify({ parameters, left }));
    }
    const [asked, answer, ...rest] = messages;
    const compacted = { ...answer, content: [{ type: "compaction", content: "What was said." }, ...answer.content] };
    assert.deepEqual(await kept({}, [question("Before."), asked, compacted, ...rest]), Array(5).fill(true));
  });

  test("the report counts without it, and an answer of which nothing is left is dropped", async () => {
    const claude = new Claude();
    const first = claude.reply(request([question("Hi")]), [
      thought("a long thought ".repeat(9)),
      { type: "text", text: "Hi." },
    ]);
    const signed = { type: "redacted_thinking", data: "x" };
    const messages = [
      question("Old ".repeat(60)),
      { role: "assistant", content: "Yes." },
      question("Hi"),
      { role: "assistant", content: first },
      question("And?"),
      { role: "assistant", content: [signed] },
      question("So?"),
    ];
    const parameters = { compressionStrategy: lastNMessages(4), minMessages: 0 };
    const plan = planHistory(anthropic.from(messages), parameters);
    const { conversation, report } = applyPlan(plan, ["A summary."]);
    assert.deepEqual(
      conversation.messages.map(({ content }) => (typeof content === "string" ? content.slice(-10) : content)),
      ["A summary.", "Hi", [{ type: "text", text: "Hi." }], "And?", "So?"],
    );
    assert.equal(report.tokens.after, countMessages(conversation.messages).total);
    assert.deepEqual([report.messages[5].fate, report.messages[5].reason], ["dropped", "thinking"]);
    assert.equal(report.messages[3].fate, "kept");
  });

  test("a plan that needs no summary counts without it", async () => {
    const { messages } = await rounds(5, async (messages) => messages);
    const plan = planHistory(anthropic.from(messages), folding);
    const { conversation, report } = applyPlan(plan, []);
    assert.deepEqual(plan.tokens, report.tokens);
    assert.deepEqual(plan.messages, report.messages);
    assert.equal(plan.tokens.after, countMessages(conversation.messages).total);
  });

  test("thinking of other models stays", async () => {
    const reasoning = { type: "reasoning", text: "hm", providerOptions: { openai: { itemId: "rs_1" } } };
    const google = { type: "reasoning", text: "hm", providerOptions: { google: { thoughtSignature: "s" } } };
    const conversation = new Conversation({
      messages: [
        question("Old ".repeat(60)),
        { role: "assistant", content: "Yes." },
        question("Hi"),
        { role: "assistant", content: [reasoning, google, { type: "text", text: "Hi." }] },
        question("And?"),
      ],
    });
    const plan = planHistory(conversation, { compressionStrategy: lastNMessages(2), minMessages: 0 });
    const { conversation: sent } = applyPlan(plan, ["A summary."]);
    assert.ok(sent.messages.includes(conversation.messages[3]));
  });

  test("a request for a summary behind the conversation has none that earlier requests did not have", async () => {
    const claude = new Claude();
    const summaryStore = new SummaryStore();
    const asked = [];
    const llm = ({ messages, tools }) => {
      assert.notEqual(tools, undefined);
      const body = request(new Conversation({ messages }));
      asked.push(thinks(body.messages));
      claude.reply(body, [{ type: "text", text: "A summary." }]);
      return "A summary.";
    };
    const parameters = { compressionStrategy: wholeHistory(), summaryRequest: "behind", minMessages: 4 };
    const messages = [];
    for (let round = 1; round <= 8; round++) {
      messages.push(question(`Question ${round}? ${"long ".repeat(30)}`));
      const options = { llm, summaryStore, tools: [] };
      const { conversation } = await manageHistory(anthropic.from(messages), parameters, options);
      const blocks = [thought(`thought ${round}`), { type: "text", text: "An answer. ".repeat(9) }];
      messages.push({ role: "assistant", content: claude.reply(request(conversation), blocks) });
    }
    assert.ok(asked.length > 1, "there are several summaries");
    assert.ok(asked[0].every(Boolean));
  });

  test("an unknown type of thinking is refused", () => {
    const act = () => planHistory(new Conversation(), { thinking: "disabled" });
    assert.throws(act, { code: "invalid_option", message: 'thinking must be "adaptive" or "enabled", got "disabled"' });
  });
});

test("random conversations with thinking and calls, managed in every way, are accepted", async () => {
  const tally = new Tally();
  let returned = 0;
  const runs = share(150);
  for (let seed = 1; seed <= runs; seed++) {
    returned += (await thinkingRequests(seed, (sent) => tally.add(sent))).returned;
  }
  assert.deepEqual(tally.faults, []);
  assert.ok(
    tally.accepted > 4 * runs && returned > 2 * tally.accepted,
    `${tally.accepted} requests, ${returned} blocks`,
  );
});
