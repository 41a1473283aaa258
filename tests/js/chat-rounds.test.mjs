// The history of a long tool loop after one question is managed while it runs, and its reply has every message.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, clearToolResults, countMessages, lastNMessages, wholeHistory } from "turnfold/chat";

const QUESTION = "Which of the fifty orders are late?";
const ROUNDS = 50;
const page = "The order left the warehouse on Monday and was seen in Leipzig on Tuesday. ".repeat(8);

/** An agent that looks up one order in each round, then answers. `failsAt` are the numbers of the requests that fail. */
function loop({ failsAt = [], ...more } = {}) {
  const requests = [];
  const ran = [];
  let requestCount = 0;
  const llm = ({ messages, purpose }) => {
    if (purpose !== "answer") return "Orders were looked up, none of them is late.";
    requestCount++;
    if (failsAt.includes(requestCount)) throw new Error("no connection");
    requests.push(messages);
    if (ran.length === ROUNDS) return "None.";
    return { content: "", toolCalls: [{ id: `call-${ran.length}`, name: "order", args: { id: ran.length } }] };
  };
  const order = ({ id }) => {
    ran.push(id);
    return `${id}: ${page}`;
  };
  const agent = new Agent({ system: "You help.", llm, tools: { order }, maxSteps: 100, onWarning: () => {}, ...more });
  return { agent, requests, ran };
}

const WAYS = {
  "clearToolResults({ keep: 2 })": { compressionStrategy: clearToolResults({ keep: 2 }) },
  maxTokens: { maxTokens: 2000 },
  maxHistorySize: { maxHistorySize: 12 },
  "lastNMessages(6) over a limit": { compressionStrategy: lastNMessages(6), maxTokens: 2000 },
  "wholeHistory over a limit": { compressionStrategy: wholeHistory(), maxHistorySize: 20 },
  "clearToolResults and a limit": { compressionStrategy: clearToolResults({ keep: 2 }), maxTokens: 2000 },
};

/** Checks that the messages are the whole exchange in order. */
function checkEverything(messages) {
  assert.equal(messages[0].content, QUESTION);
  assert.equal(messages.length, 1 + 2 * ROUNDS + 1);
  for (let id = 0; id < ROUNDS; id++) {
    assert.deepEqual(messages[1 + 2 * id].toolCalls, [{ id: `call-${id}`, name: "order", args: { id } }]);
    assert.equal(messages[2 + 2 * id].content, `${id}: ${page}`);
  }
  assert.equal(messages.at(-1).content, "None.");
}

function checkRequest(messages, ran, { maxTokens = Infinity, maxHistorySize = Infinity }) {
  assert.ok(messages.length <= maxHistorySize, `${messages.length} messages`);
  assert.ok(countMessages(messages).total <= maxTokens, `${countMessages(messages).total} tokens`);
  assert.deepEqual(new Conversation({ messages }).lint(), []);
  assert.equal(messages.filter(({ content }) => content === QUESTION).length, 1);
  // The model has not read the last result yet.
  if (ran > 0) assert.equal(messages.at(-1).content, `${ran - 1}: ${page}`);
}

for (const [name, parameters] of Object.entries(WAYS)) {
  suite(name, () => {
    test("manages the rounds of a running loop, and the reply has all of them", async () => {
      const { agent, requests, ran } = loop();
      const { messages, reports } = await agent.chat(QUESTION, parameters);
      assert.equal(ran.length, ROUNDS);
      for (const [round, sent] of requests.entries()) checkRequest(sent, round, parameters);
      const largest = Math.max(...requests.map((sent) => JSON.stringify(sent).length));
      assert.ok(largest < 12_000 + ROUNDS * 300, `${largest} characters`);
      assert.ok(reports.some(({ outcome }) => outcome === "applied" || outcome === "trimmed"));
      checkEverything(messages);
      checkEverything(agent.transcript.slice(1));
    });

    test("keeps the managed history when the loop fails, and runs no round again", async () => {
      const calm = loop();
      await calm.agent.chat(QUESTION, parameters);
      const made = loop({ failsAt: [1, 20, 21, 48] });
      for (let fails = 0; fails < 4; fails++) {
        const error = await made.agent.chat(QUESTION, parameters).then(
          () => assert.fail("it did not fail"),
          (error) => error,
        );
        assert.equal(error.code, "llm_error");
        assert.equal(error.details.messages.length, 1 + 2 * made.ran.length);
        const { messages } = made.agent.conversation;
        assert.equal(messages.filter(({ unfinished }) => unfinished).length, 1);
        const fresh = loop();
        fresh.agent.restore(JSON.parse(JSON.stringify(made.agent.checkpoint({ transcript: true }))));
        assert.deepEqual(fresh.agent.conversation.messages, messages);
        assert.deepEqual(fresh.agent.transcript, made.agent.transcript);
      }
      const { messages } = await made.agent.resume(parameters);
      assert.deepEqual(
        made.ran,
        Array.from({ length: ROUNDS }, (_, id) => id),
      );
      checkEverything(messages);
      checkEverything(made.agent.transcript.slice(1));
      for (const [round, sent] of made.requests.entries()) checkRequest(sent, round, parameters);
    });

    test("onFailure: discard removes the rounds of a failed loop", async () => {
      const made = loop({ failsAt: [30], onFailure: "discard" });
      await assert.rejects(made.agent.chat(QUESTION, parameters), ({ details }) => details.messages.length === 59);
      assert.deepEqual(
        made.agent.conversation.messages.map(({ role }) => role),
        ["system"],
      );
    });
  });
}

test("strategies of the host are not shown the question and the last round", async () => {
  const { agent, requests } = loop();
  const shown = [];
  const forget = {
    name: "forget",
    plan: (messages) => {
      shown.push(messages.map(({ content }) => content));
      return { keep: [0], drop: [...messages.keys()].slice(1) };
    },
  };
  const { messages } = await agent.chat(QUESTION, { compressionStrategy: forget, minMessages: 4, keepAtLeast: 0 });
  assert.ok(shown.length > 10, `${shown.length} times`);
  assert.ok(shown.every((contents) => contents[0] === "You help." && !contents.includes(QUESTION)));
  assert.ok(requests.every((sent) => sent.length <= 12));
  checkEverything(messages);
});

test("a question of several messages stays whole", async () => {
  const { agent, requests } = loop();
  const input = [
    { role: "user", content: "Here are the orders." },
    { role: "user", content: QUESTION },
  ];
  await agent.chat(input, { maxTokens: 1500 });
  for (const messages of requests) {
    assert.deepEqual(
      messages.slice(1, 3).map(({ content }) => content),
      ["Here are the orders.", QUESTION],
    );
  }
});

test("the repair of an object after many rounds still has its question", async () => {
  const { agent, requests } = loop();
  await assert.rejects(agent.generateObject(QUESTION, "-> late: int", { maxTokens: 1500 }), { code: "invalid_object" });
  const last = requests.at(-1);
  assert.equal(last.filter(({ content }) => content === QUESTION).length, 1);
  assert.equal(last.at(-2).content, "None.");
  assert.match(last.at(-1).content, /That object can't be used/);
});

test("the same frozen message may be the question twice", async () => {
  const { agent, requests } = loop();
  const [message] = new Conversation({ messages: [{ role: "user", content: QUESTION, timestamp: 0 }] }).messages;
  await agent.chat([message], { maxTokens: 1500 });
  const { messages } = await agent.chat([message]);
  assert.equal(messages[0], message);
  assert.equal(requests.at(-1).at(-1), message);
});
