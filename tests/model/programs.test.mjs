// Predict and SubAgent with a real model. A model of this size writes programs only under a grammar.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { History, Predict, replay, SubAgent } from "turnfold";
import { fetchModel } from "turnfold/models/fetch";
import { openaiModel } from "turnfold/models/openai";
import { weights } from "../../scripts/model.mjs";
import { loadCounter } from "./engine/engine.mjs";
import { FIXED, serveModel } from "./served.mjs";

let server;
let counter;

before(async () => {
  server = await serveModel({ context: 4096 });
  counter = await loadCounter(weights);
});

after(() => server?.close());

const modelOf = (parameters) => openaiModel(server.client, { ...FIXED, max_tokens: 120, ...parameters });

suite("Predict", () => {
  // A model of this size never ends a list.
  const SIGNATURE = 'review: str -> mood: Literal["good", "bad"], score: int, sure: bool, price: Optional[float]';
  const REVIEWS = ["Bright, and easy to set up.", "It broke after a week.", "", "三百円でした。", "```json\n{}\n```"];

  for (const [name, llm] of Object.entries({
    openaiModel: () => modelOf(),
    fetchModel: () => fetchModel(server.baseURL, { ...FIXED, max_tokens: 120 }),
  })) {
    test(`outputs fit the schema that the adapter json sends, without a repair: ${name}`, async () => {
      const judge = new Predict(SIGNATURE, { adapter: "json", maxRepairs: 0, llm: llm() });
      for (const review of REVIEWS) {
        const { outputs, warnings, usage } = await judge.run({ review });
        assert.ok(["good", "bad"].includes(outputs.mood), JSON.stringify(outputs));
        assert.ok(Number.isInteger(outputs.score));
        assert.equal(typeof outputs.sure, "boolean");
        assert.ok(outputs.price === null || Number.isFinite(outputs.price));
        assert.deepEqual(warnings, [], "nothing had to be converted");
        assert.equal(usage.calls, 1);
      }
    });
  }

  test("outputs in lines fit a grammar of the same fields", async () => {
    const grammar = 'root ::= "Mood: " ("good" | "bad") "\\nScore: " [1-5]';
    const judge = new Predict('review: str -> mood: Literal["good", "bad"], score: int', {
      maxRepairs: 0,
      llm: modelOf({ grammar }),
    });
    const { mood, score } = await judge.call({ review: REVIEWS[0] });
    assert.match(mood, /^(?:good|bad)$/);
    assert.ok(score >= 1 && score <= 5);
  });

  test("a reply that does not fit is repaired once, and then is in the error", async () => {
    const judge = new Predict("question: str -> height: int", { llm: modelOf({ grammar: 'root ::= "Height: tall"' }) });
    await assert.rejects(judge.call({ question: "How high is it?" }), (error) => {
      assert.equal(error.code, "output_parse_failed");
      assert.equal(error.details.attempts, 2);
      assert.equal(error.details.reply, "Height: tall");
      return true;
    });
  });

  test("a history stays within maxTokens by the model's tokenizer, and between two cuts the cache has its turns", async () => {
    const LIMIT = 420;
    const ask = new Predict('question, history: History -> answer: Literal["yes", "no"], sure: bool', {
      adapter: "json",
      maxRepairs: 0,
      llm: modelOf(),
    });
    let history = new History();
    let before = [];
    let cuts = 0;
    for (let index = 1; index <= 12; index++) {
      const question = `Is ship number ${index} in the harbour of the old town older than ship number ${index + 1}?`;
      const { outputs, messages, usage } = await ask.run(
        { question, history },
        // The model's template adds some tokens to each message that the counter does not count.
        { history: { maxTokens: LIMIT - 40, counter } },
      );
      assert.ok(usage.inputTokens <= LIMIT, `question ${index}: ${usage.inputTokens}`);
      const turns = messages.slice(0, -1).map(({ content }) => content);
      if (before.every((content, place) => content === turns[place])) {
        // The cache has all turns of the previous request, but not its question at the end.
        const known = before.length === 0 ? 0 : counter.prompt(messages.slice(0, before.length)) - 5;
        assert.ok(usage.cacheReadTokens >= known, `question ${index}: ${usage.cacheReadTokens} of ${known}`);
      } else cuts++;
      before = turns;
      history = history.append({ question, ...outputs });
    }
    assert.ok(cuts >= 1 && cuts <= 3, `${cuts} cuts`);
  });
});

suite("SubAgent", () => {
  const program = (body) => `root ::= "\`\`\`clojure\\n" ${body} "\\n\`\`\`"`;

  test("a program that the grammar forces is run, and returns", async () => {
    const grammar = program('"(return (" ("+" | "-" | "*") " data/a data/b))"');
    const agent = new SubAgent({
      mission: "Add up a and b",
      signature: "(a :int, b :int) -> :int",
      llm: modelOf({ grammar }),
    });
    const step = await agent.run({ data: { a: 40, b: 2 } });
    assert.ok([42, 38, 80].includes(step.return), JSON.stringify(step.return));
    assert.equal(step.turns.length, 1);
    assert.equal(step.usage.inputTokens, counter.prompt(step.messagesAt(1)));
  });

  test("many turns with tools and failures: the run ends with each strategy, and requests have the counted tokens", async () => {
    // Programs that define, print, call, fail or use undefined names.
    const statement = [
      '"(def n" [0-9] " (tool/look {:hall " [0-9] "}))"',
      '"(println n" [0-9] ")"',
      '"(def sum (reduce + (map :ships [n" [0-9] " n" [0-9] "])))"',
      '"(tool/look {:hall \\"" [a-z]{3} "\\"})"',
    ].join(" | ");
    const grammar = `${program("statement")}\nstatement ::= ${statement}`;
    for (const compression of [false, true, "journal"]) {
      const looked = [];
      const agent = new SubAgent({
        mission: "Count the ships in all halls",
        signature: "() -> :int",
        tools: {
          look: [
            "(hall :int) -> {hall :int, ships :int}",
            ({ hall }) => looked.push(hall) && { hall, ships: hall * 3 },
          ],
        },
        compression,
        maxTurns: 4,
        llm: modelOf({ grammar, temperature: 1, max_tokens: 200 }),
      });
      const before = (await server.stats()).evaluated;
      const step = await agent.run();
      const evaluated = (await server.stats()).evaluated - before;
      assert.equal(step.ok, false);
      assert.equal(step.fail.reason, "max_turns_exceeded");
      assert.equal(step.turns.length, 4);
      const sent = step.turns.map((_, index) => counter.prompt(step.messagesAt(index + 1)));
      assert.equal(
        step.usage.inputTokens,
        sent.reduce((sum, tokens) => sum + tokens, 0),
      );
      assert.equal(evaluated, step.usage.inputTokens - step.usage.cacheReadTokens);
      const replayed = await replay(agent, step);
      assert.deepEqual(
        replayed.turns.map(({ program }) => program),
        step.turns.map(({ program }) => program),
      );
      console.log(
        `compression ${compression}: ${step.usage.inputTokens} tokens sent, ${evaluated} evaluated, ` +
          `${step.turns.filter(({ success }) => !success).length} failures, ${looked.length} calls`,
      );
    }
  });

  test("without a grammar the model writes no program, and the run fails with a reason", async () => {
    const agent = new SubAgent({
      mission: "Add up a and b",
      signature: "(a :int, b :int) -> :int",
      maxTurns: 2,
      llm: modelOf({ max_tokens: 40 }),
    });
    const step = await agent.run({ data: { a: 40, b: 2 } });
    assert.equal(step.turns.length, 2);
    if (!step.ok) assert.equal(typeof step.fail.message, "string");
    assert.ok(step.usage.outputTokens > 0);
  });
});
