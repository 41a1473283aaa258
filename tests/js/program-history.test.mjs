// Long histories of programs are compressed and limited as those of chats, in whole turns.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chunked, History, lastNMessages, Predict, wholeHistory } from "turnfold";
import { ChainOfThought, ReAct } from "turnfold/predict";

const signature = "question: str, history: History -> answer: str";

function historyOf(turns) {
  return new History(
    Array.from({ length: turns }, (_, i) => ({
      question: `What does part number ${i} of the catalogue cost, and how many of them are left?`,
      answer: `Part ${i} costs ${i * 10} euros, and there are ${i} of them left in the store.`,
    })),
  );
}

/** A model that answers, and records its requests. */
function model(reply = "Answer: yes") {
  const requests = [];
  const llm = (request) => {
    requests.push(request);
    return request.purpose === "summary" ? { content: "a short summary", usage: { inputTokens: 7 } } : reply;
  };
  return { requests, llm };
}

const roles = ({ messages }) => messages.map(({ role }) => role[0]).join("");

test("without parameters the whole history is sent", async () => {
  const { llm, requests } = model();
  const { report } = await new Predict(signature).run({ question: "And now?", history: historyOf(60) }, { llm });
  assert.equal(requests[0].messages.length, 121);
  assert.equal(report, null);
});

test("history and onWarning of the program are the defaults of its calls", async () => {
  const told = [];
  const limit = (size) => ({ maxHistorySize: { limit: size, target: 1 } });
  for (const Type of [Predict, ChainOfThought]) {
    const { llm, requests } = model("Reasoning: -\nAnswer: yes");
    const program = new Type(signature, { llm, history: limit(5), onWarning: (text) => told.push(text) });
    const inputs = { question: "And now?", history: historyOf(30) };
    await program.call(inputs);
    await program.call(inputs, { history: undefined, onWarning: undefined });
    await program.call(inputs, { history: limit(9) });
    assert.deepEqual(
      requests.map(({ messages }) => messages.length),
      [5, 5, 9],
    );
  }
  const failing = { history: { compressionStrategy: wholeHistory() }, onWarning: (text) => told.push(text) };
  const { llm } = model();
  await new Predict(signature, { ...failing, llm }).call(
    { question: "And now?", history: historyOf(30) },
    { llm: ({ purpose }) => (purpose === "summary" ? "long ".repeat(5000) : "Answer: yes") },
  );
  assert.ok(told.length > 0);
  for (const options of [{ history: { maxHistorySize: 0 } }, { history: { history: {} } }, { onWarning: 5 }]) {
    assert.throws(() => new Predict(signature, options), { code: "invalid_option" });
  }
});

test("a summary precedes the turns that remain, and the request is unchanged", async () => {
  for (const [compressionStrategy, expected] of [
    [wholeHistory(), "u"],
    [lastNMessages(4), "uuaua"],
    [lastNMessages(3), "uuaua"],
    [chunked(10), "uu"],
  ]) {
    const { llm, requests } = model();
    const program = new Predict(signature);
    const inputs = { question: "And now?", history: historyOf(10) };
    const { report, usage } = await program.run(inputs, {
      llm,
      history: { compressionStrategy, keepAtLeast: 0 },
      onWarning() {},
    });
    const sent = requests.at(-1);
    assert.equal(roles(sent), `${expected}u`, compressionStrategy.name);
    assert.deepEqual(sent.messages.at(-1), program.messages({ question: "And now?" }).at(-1));
    assert.match(sent.messages[0].content, /^Summary of \d+ earlier messages:/);
    assert.equal(report.outcome, "applied");
    assert.equal(usage.inputTokens, 7 * report.llmCalls);
    assert.deepEqual(
      sent.messages.filter(({ content }) => content.includes("summary of")),
      [],
    );
    for (const message of sent.messages) assert.deepEqual(Object.keys(message), ["role", "content"]);
  }
});

test("limits drop whole turns, and demos and instructions stay", async () => {
  const demos = [{ question: "One?", answer: "1" }];
  for (const adapter of ["default", "chat", "json"]) {
    const { llm, requests } = model('{"answer": "yes"}');
    const program = new Predict(signature, { adapter, demos, llm });
    const alone = program.messages({ question: "And now?" });
    for (const size of [alone.length, alone.length + 1, alone.length + 7]) {
      await program.call(
        { question: "And now?", history: historyOf(30) },
        { history: { maxHistorySize: { limit: size, target: 1 } } },
      );
      const { messages } = requests.at(-1);
      assert.equal(messages.length, size - ((size - alone.length) % 2));
      const [first, last] = [alone.slice(0, -1), alone.slice(-1)];
      assert.deepEqual(messages.slice(0, first.length), first);
      assert.deepEqual(messages.slice(-1), last);
      const turns = messages.slice(first.length, -1);
      assert.ok(turns.every(({ role }, at) => role === (at % 2 ? "assistant" : "user")));
    }
    await assert.rejects(
      program.call({ question: "And now?", history: historyOf(30) }, { history: { maxTokens: 5 } }),
      { code: "request_over_budget" },
    );
  }
});

test("a history is cut to the target of maxTokens, and that cut stays until the limit is exceeded again", async () => {
  const program = new Predict(signature, { llm: model().llm });
  let before = [];
  const cuts = [];
  for (let turns = 1; turns <= 40; turns++) {
    const inputs = { question: "And now?", history: historyOf(turns) };
    const { messages, report } = await program.run(inputs, { history: { maxTokens: 800 } });
    assert.ok(report.tokens.after <= 800);
    const sent = messages.slice(0, -1).map(({ content }) => content);
    // Between two cuts, each request begins with all turns of the previous request.
    if (!before.every((content, index) => content === sent[index])) cuts.push([turns, report.tokens.after]);
    before = sent;
  }
  assert.ok(cuts.length >= 2, JSON.stringify(cuts));
  for (const [index, [turns, after]] of cuts.entries()) {
    assert.ok(after <= 0.7 * 800 + 60, `cut ${index} left ${after} tokens`);
    assert.ok(index === 0 || turns - cuts[index - 1][0] >= 4, JSON.stringify(cuts));
  }
});

test("ChainOfThought and ReAct compress the history once per call", async () => {
  const history = historyOf(10);
  const thinking = model("Reasoning: so\nAnswer: yes");
  await new ChainOfThought(signature, { llm: thinking.llm }).call(
    { question: "Now?", history },
    { history: { compressionStrategy: wholeHistory() } },
  );
  assert.deepEqual(
    thinking.requests.map(({ purpose }) => purpose),
    ["summary", "answer"],
  );

  const requests = [];
  const llm = (request) => {
    requests.push(request);
    if (request.purpose === "summary") return "a short summary";
    if (request.purpose === "extraction") return "Answer: yes";
    return requests.length < 4
      ? 'Next_thought: I look\nNext_tool_name: look\nNext_tool_args: {"at": "x"}'
      : "Next_thought: enough\nNext_tool_name: finish\nNext_tool_args: {}";
  };
  const agent = new ReAct(signature, { tools: { look: ["(at :string) -> :string", () => "seen"] }, llm });
  const { outputs, report } = await agent.run(
    { question: "Now?", history },
    { history: { compressionStrategy: wholeHistory() } },
  );
  assert.equal(outputs.answer, "yes");
  assert.equal(report.outcome, "applied");
  assert.equal(requests.filter(({ purpose }) => purpose === "summary").length, 1);
  assert.ok(
    requests.slice(1).every(({ messages }) => messages.some(({ content }) => content.startsWith("Summary of 18 "))),
  );
});

test("a failed summary and invalid options reject the call", async () => {
  const program = new Predict(signature);
  const inputs = { question: "Now?", history: historyOf(10) };
  const history = { compressionStrategy: wholeHistory() };
  const fails = ({ purpose }) => {
    if (purpose === "summary") throw new Error("no connection");
    return "Answer: yes";
  };
  await assert.rejects(program.call(inputs, { llm: fails, history }), { code: "compression_failed" });
  await assert.rejects(program.call(inputs, { llm: fails, history: { maxHistorySize: 0 } }), {
    code: "invalid_option",
  });
  await assert.rejects(program.call(inputs, { llm: fails, history: { maxHistory: 5 } }), { code: "invalid_option" });
  await assert.rejects(program.call(inputs, { llm: fails, onWarning: 5 }), { code: "invalid_option" });
  const without = new Predict("question -> answer");
  await assert.rejects(without.call({ question: "Now?" }, { llm: fails, history }), { code: "invalid_option" });
  const { llm } = model();
  assert.deepEqual(await program.call({ question: "Now?" }, { llm, history }), { answer: "yes" });
  assert.deepEqual(await program.call({ question: "Now?", history: null }, { llm, history }), { answer: "yes" });
});
