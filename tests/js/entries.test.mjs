// The entries with a part of the crate give the same results as turnfold, and copies of the package accept each other's objects.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { chats, linesOf, parametersOf, summariesFor } from "./chats.mjs";
import { copyOf } from "./copies.mjs";
import * as whole from "./everything.mjs";

const formats = ["openai", "anthropic"].map((name) => `entries/formats/${name}.js`);
/** A copy of the package with chat.wasm alone. */
const light = await copyOf("chat.js", "predict.js", ...formats);
/** A copy with the two wasms of turnfold/audit. */
const auditing = await copyOf("audit.js");

function attempt(act) {
  try {
    return { value: act() };
  } catch (error) {
    assert.ok(light.TurnfoldError.isInstance(error), error.stack);
    const { code, message, hint, details } = error;
    return { error: { code, message, hint, details } };
  }
}

/** All results of an entry for a chat with parameters, as JSON. */
function givenBy({ Conversation, planHistory, applyPlan }, messages, one, context) {
  const conversation = new Conversation({ messages });
  const planned = attempt(() => planHistory(conversation, parametersOf(one.given), context));
  const { value: plan } = planned;
  const requests = plan?.requests.length ?? 0;
  const texts =
    requests === 0 ? [] : summariesFor(requests, one.summaries.length > 0 ? one.summaries : ["{n} is done."]);
  const applied = plan === undefined ? null : attempt(() => applyPlan(plan, texts));
  return JSON.stringify([conversation, conversation.lint({ provider: "anthropic" }), planned, applied]);
}

for (const { name, title, lines, context, tries } of chats()) {
  test(`turnfold/chat gives the bytes of turnfold for ${name}: ${title}`, () => {
    let messages = lines;
    for (const one of tries) {
      messages = (one.isContinued ? messages : lines).concat(linesOf(one.added, messages.at(-1)?.message.timestamp));
      const given = messages.map(({ message }) => message);
      assert.equal(givenBy(light, given, one, context), givenBy(whole, given, one, context), one.heading);
    }
  });
}

const wholeByName = new Map(Object.entries(whole));

const entries = ["", "/turns", "/chat", "/predict", "/lisp", "/audit", "/gateway"].map((path) => `turnfold${path}`);
for (const entry of entries) {
  test(`${entry} has at most 25 values, which are those of the other entries, with the same name property`, async () => {
    const { init: _, ...names } = await import(entry);
    for (const [name, value] of Object.entries(names)) {
      assert.equal(value, wholeByName.get(name), name);
      if (/^[A-Z]./.test(name)) assert.equal(value.name, name);
    }
    const count = Object.keys(names).length;
    assert.ok(count > 6 && count <= 25, String(count));
  });
}

test("without an entry that brings a wasm, a call that needs one names the entry", async () => {
  const { openai } = await copyOf("entries/formats/openai.js");
  const conversation = openai.from([{ role: "user", content: "Hello" }]);
  assert.deepEqual(openai.to(conversation), [{ role: "user", content: "Hello" }]);
  assert.throws(
    () => conversation.lint(),
    (error) => error.code === "not_initialized" && /from "turnfold\/chat"$/.test(error.hint),
  );
});

test("turnfold/predict compresses histories with the wasm of turnfold/chat", async () => {
  const alone = await copyOf("predict.js");
  const both = await copyOf("predict.js", "chat.js");
  const called = ({ Predict, History }) => {
    const turn = (n) => ({ question: `Question ${n}?`, answer: `Answer ${n}.` });
    const history = new History([1, 2, 3, 4].map(turn));
    const options = { history: { maxHistorySize: 2 }, llm: () => "Answer: yes" };
    const program = () => new Predict("question, history: History -> answer: str", options);
    return async () => (await program().run({ question: "Still?", history })).report.outcome;
  };
  await assert.rejects(called(alone), ({ code, hint }) => code === "not_initialized" && /turnfold\/chat/.test(hint));
  assert.equal(await called(both)(), await called(whole)());
});

test("turnfold/chat and turnfold/audit give the tokens and bills of turnfold", () => {
  const texts = ["", "Hello, world!", "Grüße, 世界 🌍", "const x = () => 0x1f;\n\n\t// …", "a".repeat(5000)];
  for (const text of texts) {
    assert.equal(light.estimate.count(text), whole.estimate.count(text));
    assert.equal(light.estimateCl100k.count(text), whole.estimateCl100k.count(text));
  }
  const requests = texts.map((content) => ({ messages: [{ role: "user", content }], output: content }));
  for (const prices of ["anthropic", "openai", { input: 3, tiers: [{ above: 100, input: 6 }] }]) {
    assert.deepEqual(auditing.bill(requests, prices), whole.bill(requests, prices));
  }
});

test("turnfold/chat gives the signatures and schemas of turnfold", () => {
  const texts = [
    "(query :string, limit :int?) -> {items [{id :int, price :float?}]}",
    'review, history: History -> mood: Literal["good", "bad"], score: float, tags: list[str]',
    "() -> [:keyword]",
    "(query :strin) -> :any",
    "question ->",
  ];
  const values = [
    { mood: "Good", score: "4.5", tags: "a" },
    { items: [{ ID: "7", price: null }] },
    [":a", "b c"],
    3n,
    null,
  ];
  const facts = ({ parseSignature }, text) => {
    const { value: signature, error } = attempt(() => parseSignature(text));
    if (signature === undefined) return { error };
    return {
      ...JSON.parse(JSON.stringify(signature)),
      text: String(signature),
      schemas: ["input", "output"].map((side) => signature.jsonSchema(side)),
      coerced: values.map((value) => [attempt(() => signature.check(value)), attempt(() => signature.coerce(value))]),
    };
  };
  for (const text of texts) assert.deepEqual(facts(light, text), facts(whole, text));
});

test("an Agent of turnfold/chat calls tools by their signatures, and returns an object that fits one", async () => {
  const asked = async ({ Agent, lastNMessages, parseSignature }) => {
    const requests = [];
    const replies = [
      { content: "", toolCalls: [{ id: "1", name: "search", args: { query: "lamp", limit: "2" } }] },
      { content: '{"name": "Desk lamp", "price": "42.75"}' },
    ];
    const called = [];
    const agent = new Agent({
      system: "You help.",
      tools: {
        search: {
          signature: "(query :string, limit :int?) -> [{name :string, price :float}]",
          description: "Searches the catalogue.",
          run: (args) => {
            called.push(args);
            return [{ name: "Desk lamp", price: 42.75 }];
          },
        },
      },
      llm: ({ messages, tools, schema }) => {
        requests.push(JSON.stringify({ messages, tools, schema }).replaceAll(/"timestamp":\d+/g, '"timestamp":0'));
        return replies.shift();
      },
    });
    const schema = parseSignature("-> {name :string, price :float}");
    const parameters = { compressionStrategy: lastNMessages(2), minMessages: 0 };
    const { object } = await agent.generateObject("The cheapest lamp?", schema, parameters);
    return { object, called, requests };
  };
  const given = await asked(light);
  assert.deepEqual(given.object, { name: "Desk lamp", price: 42.75 });
  assert.deepEqual(given.called, [{ query: "lamp", limit: 2 }]);
  assert.deepEqual(given, await asked(whole));
});

test("turnfold/audit measures the recordings of turnfold", () => {
  const folder = join(root, "tests", "saved");
  const chat = ["Hello", "Which lamps are there?", "And chairs?"].flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: `Answer to ${content}` },
  ]);
  const texts = readdirSync(folder)
    .filter((each) => each.endsWith(".json"))
    .map((path) => readFileSync(join(folder, path), "utf8"));
  for (const text of [...texts, JSON.stringify(chat)]) {
    const facts = ({ readConversation, needRecall, compareCosts }) => {
      const { format, conversation, step } = readConversation(text);
      return JSON.stringify([format, needRecall(step ?? conversation), compareCosts(step ?? conversation)]);
    };
    assert.equal(facts(auditing), facts(whole));
  }
});

test("objects made with a part of the crate go on in an entry with all of it that is imported later", () => {
  const program = `
    import { Renderer, Turn } from "turnfold/turns";
    import { Conversation, planHistory } from "turnfold/chat";
    const turn = Turn.success({ program: "(def x 1)", memory: { x: 1 }, result: 1 });
    const renderer = new Renderer({ mission: "m" });
    renderer.push(turn);
    const before = JSON.stringify(renderer.render().messages);
    const conversation = new Conversation({ messages: [{ role: "user", content: "Hello" }] });
    const planned = JSON.stringify(planHistory(conversation, {}));
    const { Lisp, Turn: same } = await import("turnfold");
const { typeOf } = await import("turnfold/lisp");
    const results = [
      same === Turn,
      JSON.stringify(renderer.render().messages) === before,
      JSON.stringify(planHistory(conversation, {})) === planned,
      typeOf(turn.memory.x),
      (await new Lisp().run("(+ 1 2)")).value,
    ];
    renderer.push(turn);
    console.log(JSON.stringify([...results, renderer.render().messages.length > 0]));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
  assert.equal(String(output), '[true,true,true,"integer",3,true]\n');
});

for (const [from, to, title] of [
  [whole, light, "a copy with chat.wasm takes what one with turnfold.wasm made"],
  [light, whole, "a copy with turnfold.wasm takes what one with chat.wasm made"],
]) {
  const conversation = from.openai.from([
    { role: "system", content: "You help." },
    { role: "user", content: "Which lamps are there?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "a long result ".repeat(200) },
    { role: "assistant", content: "Two." },
    { role: "user", content: "And chairs?" },
  ]);

  test(`${title}: conversations`, async () => {
    assert.ok(conversation instanceof to.Conversation);
    const own = to.Conversation.fromJSON(conversation.toJSON());
    const parameters = { compressionStrategy: to.clearToolResults({ keep: 0 }), minMessages: 0 };
    const managed = await to.manageHistory(conversation, parameters);
    assert.equal(JSON.stringify(managed), JSON.stringify(await to.manageHistory(own, parameters)));
    assert.equal(managed.report.outcome, "applied");
    const plan = to.planHistory(conversation, parameters);
    assert.equal(JSON.stringify(plan), JSON.stringify(to.planHistory(own, parameters)));
    assert.deepEqual(to.anthropic.to(conversation), to.anthropic.to(own));
    assert.deepEqual(to.foldAdvice(conversation), to.foldAdvice(own));
    const llm = ({ messages }) => String(messages.length);
    const agent = new to.Agent({ conversation, llm });
    assert.equal((await agent.chat("Hello")).text, "7");
    assert.equal(to.resultTool(conversation).run.length, 1);
    // The result is accepted by the first entry again.
    const back = await from.manageHistory(managed.conversation, { maxHistorySize: 3 });
    assert.ok(back.conversation.messages.length <= 3);
  });

  test(`${title}: strategies, counters, signatures, calibrations and errors`, () => {
    const plan = to.planHistory(conversation, {
      compressionStrategy: from.clearToolResults({ keep: 0 }),
      minMessages: 0,
      counter: from.calibrate(from.estimate, [{ counted: 100, reported: 150 }]),
    });
    assert.equal(plan.outcome, "ready");
    const signature = from.parseSignature("(question :string) -> {name :string}");
    assert.deepEqual(to.parseSignature(signature).jsonSchema(), signature.jsonSchema());
    const { error } = attempt(() => from.planHistory(conversation, { maxTokens: -1 }));
    assert.equal(error.code, "invalid_option");
    try {
      from.planHistory(conversation, { maxTokens: -1 });
    } catch (thrown) {
      assert.ok(to.TurnfoldError.isInstance(thrown));
    }
  });

  test(`${title}: but a plan is only accepted by the copy that made it`, () => {
    const plan = from.planHistory(conversation, { compressionStrategy: from.clearToolResults({ keep: 0 }) });
    assert.throws(
      () => to.applyPlan(plan, []),
      (error) => error.code === "invalid_plan" && /of another copy/.test(error.hint),
    );
  });
}

test("objects that only look like a conversation are refused", () => {
  const conversation = new light.Conversation({ messages: [{ role: "user", content: "Hello" }] });
  const looks = [{ ...conversation }, { messages: conversation.messages }, Object.create(light.Conversation.prototype)];
  for (const given of looks) {
    assert.throws(
      () => whole.planHistory(given, {}),
      (error) => error.code === "invalid_argument",
    );
  }
  const forged = Object.create(light.Conversation.prototype, { messages: { value: [{ role: 5 }] } });
  assert.throws(
    () => whole.planHistory(forged, {}),
    (error) => error.code === "invalid_message" && error.details.path === "conversation.messages[0].role",
  );
});
