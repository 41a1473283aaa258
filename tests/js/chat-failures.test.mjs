// Failures of a model at every request of every plan: the conversation is the same afterwards, byte for byte.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  Conversation,
  chunked,
  History,
  lastNMessages,
  manageHistory,
  Predict,
  TurnfoldError,
  wholeHistory,
} from "turnfold";
import { planHistory } from "turnfold/chat";
import { chats, parametersOf, summariesFor } from "./chats.mjs";

const boom = new RangeError("boom");

/** What a model does instead of answering; `problem` is the problem in the details of the error. */
const failures = {
  throws: {
    problem: "model",
    answer: () => {
      throw boom;
    },
  },
  rejects: {
    problem: "model",
    answer: async () => {
      throw boom;
    },
  },
  "rejects with nothing": { problem: "model", answer: () => Promise.reject() },
  "gives nothing": { problem: "model", answer: () => undefined },
  "gives a number": { problem: "model", answer: () => 3 },
  "gives an empty text": { problem: "empty", answer: () => "" },
  "gives blanks": { problem: "empty", answer: () => ({ content: " \n\t\u00a0" }) },
  "is cut off": { problem: "cut_off", answer: () => ({ content: "The user", finishReason: "length" }) },
  "is filtered": { problem: "refused", answer: () => ({ content: "The user", finishReason: "content_filter" }) },
  "is broken off": { problem: "error", answer: () => ({ content: "The user", finishReason: "error" }) },
  declines: { problem: "refused", answer: () => "I'm sorry, but I can't help with that." },
  "repeats its instructions": { problem: "repeats_instructions", answer: ({ messages }) => messages[0].content },
  "calls a tool": {
    problem: "empty",
    answer: () => ({ content: null, toolCalls: [{ id: "c1", name: "price", args: {} }] }),
  },
  "breaks off while it streams": {
    problem: "model",
    answer: async function* () {
      yield "The user";
      throw boom;
    },
  },
  "streams nothing": { problem: "empty", answer: async function* () {} },
};

/** Every plan of the case files that requests summaries, with the summaries of a model without failures. */
function* plans() {
  for (const { name, lines, context, tries } of chats()) {
    for (const one of tries.filter(({ isContinued, result }) => !isContinued && result?.includes("inserted"))) {
      if (one.added !== "") continue;
      const conversation = new Conversation({ messages: lines.map(({ message }) => message) });
      const parameters = parametersOf(one.given);
      const plan = planHistory(conversation, parameters, context);
      const texts = summariesFor(plan.requests.length, one.summaries);
      yield { name: `${name}, ${one.heading}`, conversation, parameters, context, plan, texts };
    }
  }
}

/** A model that answers the requests of a plan, except the one at `position`. */
function modelFor({ plan, texts }, position, answer) {
  let requestCount = -1;
  return (request) => {
    requestCount++;
    return requestCount === position ? answer(request) : texts[requestCount % plan.requests.length];
  };
}

async function rejected(promise) {
  const error = await promise.then(
    () => assert.fail("it did not reject"),
    (error) => error,
  );
  assert.ok(TurnfoldError.isInstance(error), error.stack);
  return error;
}

test("a failed summary changes nothing, and the error names the problem", async () => {
  let tried = 0;
  for (const one of plans()) {
    const { name, conversation, parameters, context, plan } = one;
    const before = JSON.stringify(conversation);
    for (const position of plan.requests.keys()) {
      for (const [does, { problem, answer }] of Object.entries(failures)) {
        const model = modelFor(one, position, answer);
        let calls = 0;
        const llm = (request) => {
          calls++;
          return model(request);
        };
        const error = await rejected(manageHistory(conversation, parameters, { ...context, llm }));
        const where = `${name}: ${does} at ${position}: ${error.message}`;
        assert.equal(error.code, "compression_failed", where);
        assert.equal(error.details.problem, problem, where);
        assert.equal(typeof error.details.strategy, "string", where);
        assert.ok(error.message.startsWith(error.details.strategy), where);
        assert.equal(error.details.request, position, where);
        if (problem === "model") assert.equal(error.cause.code, "llm_error", where);
        const { report } = error.details;
        assert.deepEqual([report.outcome, report.inserted, report.llmCalls], ["unchanged", 0, calls], where);
        assert.ok(
          report.messages.every(({ fate }, index) => fate === "kept" && conversation.messages[index]),
          where,
        );
        assert.equal(report.messages.length, conversation.messages.length);
        assert.equal(report.tokens.before, report.tokens.after);
        assert.equal(JSON.stringify(conversation), before, where);
        tried++;
      }
    }
    // Managing it again succeeds.
    const { report } = await manageHistory(conversation, parameters, {
      ...context,
      llm: modelFor(one, -1),
      onWarning: () => {},
    });
    assert.ok(report.inserted > 0);
  }
  assert.ok(tried > 500, `only ${tried}`);
});

test("an abort ends a request that hangs, and leaves the conversation unchanged", async () => {
  for (const one of plans()) {
    const { conversation, parameters, context, plan } = one;
    const before = JSON.stringify(conversation);
    for (const position of plan.requests.keys()) {
      const controller = new AbortController();
      const reason = new Error("enough");
      const signals = [];
      const hangs = ({ signal }) => {
        signals.push(signal);
        setTimeout(() => controller.abort(reason));
        return new Promise(() => {});
      };
      const llm = modelFor(one, position, hangs);
      const error = await rejected(
        manageHistory(conversation, parameters, { ...context, llm, signal: controller.signal }),
      );
      assert.equal(error.code, "aborted");
      assert.equal(error.cause, reason);
      assert.equal(error.details.report.outcome, "unchanged");
      assert.equal(typeof error.details.strategy, "string");
      assert.equal(signals[0].aborted, true);
      assert.equal(JSON.stringify(conversation), before);
    }
  }
});

const sentence = "The parcel left the depot in Leipzig yesterday and comes before noon.";
const long = new Conversation({
  messages: Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index}. ${sentence}`,
  })),
});

test("a failed request aborts the others", async () => {
  const signals = [];
  const parameters = { compressionStrategy: wholeHistory(), summaryMaxTokens: 600 };
  const error = await rejected(
    manageHistory(long, parameters, {
      llm: ({ signal }) => {
        signals.push(signal);
        if (signals.length === 2) throw boom;
        return new Promise(() => {});
      },
    }),
  );
  assert.equal(error.code, "compression_failed");
  assert.equal(error.cause.cause, boom);
  assert.ok(signals.length > 2);
  signals.splice(1, 1);
  assert.ok(signals.every(({ aborted }) => aborted));
});

test("with an aborted signal the model is not called", async () => {
  const signal = AbortSignal.abort("no");
  const error = await rejected(
    manageHistory(long, { compressionStrategy: wholeHistory() }, { signal, llm: () => assert.fail("asked") }),
  );
  assert.deepEqual([error.code, error.cause], ["aborted", "no"]);
});

test("the error of an Agent and of Predict has the usage of summaries that failed", async () => {
  const usage = { inputTokens: 1000, outputTokens: 10 };
  const paid = { inputTokens: 2000, outputTokens: 20 };
  let summaries = 0;
  const llm = () => ({ content: ++summaries === 2 ? "" : "Parcels are late.", usage });
  const history = { compressionStrategy: chunked(10), concurrency: 1 };
  const agent = new Agent({ llm, conversation: long, onWarning: () => {} });
  const stream = agent.stream("And now?", history);
  const totals = [];
  const reading = (async () => {
    for await (const event of stream.events) if (event.type === "usage") totals.push(event.total);
  })().catch(() => {});
  const failed = await rejected(stream.done);
  await reading;
  assert.deepEqual([failed.code, failed.details.usage, totals], ["compression_failed", paid, [paid]]);
  assert.equal(failed.details.report.llmCalls, 2);
  summaries = 0;
  const turns = Array.from({ length: 30 }, (_, index) => ({ question: `${index} ${sentence}`, answer: sentence }));
  const asking = new Predict("question, history: History -> answer", { llm });
  const { details } = await rejected(
    asking.call({ question: "And now?", history: new History(turns) }, { history, onWarning: () => {} }),
  );
  const { inputTokens, outputTokens, calls } = details.usage;
  assert.deepEqual({ inputTokens, outputTokens, calls }, { ...paid, calls: 2 });
});

test("a model may answer when it is asked again", async () => {
  let requestCount = 0;
  const llm = () => {
    if (++requestCount < 3) throw boom;
    return "Parcels are late.";
  };
  const parameters = { compressionStrategy: lastNMessages(4) };
  const { report } = await manageHistory(long, parameters, { llm, retry: { attempts: 3 } });
  assert.deepEqual([requestCount, report.inserted, report.llmCalls], [3, 1, 1]);
});

test("an onWarning that throws does not change the result", async () => {
  const { error } = console;
  const told = [];
  console.error = (thrown) => told.push(thrown);
  try {
    const { conversation } = await manageHistory(
      long,
      { compressionStrategy: wholeHistory(), keepAtLeast: 0 },
      {
        llm: () => "Parcels are late.",
        onWarning: () => {
          throw boom;
        },
      },
    );
    assert.equal(conversation.messages.length, 1);
  } finally {
    console.error = error;
  }
  assert.deepEqual(told, [boom]);
});

test("warnings go to the console unless onWarning is given", async () => {
  const { warn } = console;
  const told = [];
  console.warn = (text) => told.push(text);
  try {
    await manageHistory(
      long,
      { compressionStrategy: wholeHistory(), keepAtLeast: 0 },
      { llm: () => "Parcels are late." },
    );
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(told, ["wholeHistory left 1 message in the conversation, and context may be lost"]);
});

test("without llm, a strategy that needs a model is refused with an error that says so", async () => {
  const error = await rejected(manageHistory(long, { compressionStrategy: wholeHistory() }));
  assert.equal(error.code, "missing_llm");
  assert.equal(error.details.option, "llm");
  assert.deepEqual([error.details.report.outcome, error.details.report.llmCalls], ["unchanged", 0]);
  // Limits need no model.
  const { report } = await manageHistory(long, { maxHistorySize: 10 });
  assert.deepEqual([report.outcome, report.llmCalls], ["trimmed", 0]);
});

test("two runs at the same time are independent", async () => {
  const before = JSON.stringify(long);
  let release;
  const waiting = new Promise((resolve) => {
    release = resolve;
  });
  const parameters = { compressionStrategy: lastNMessages(4) };
  const first = manageHistory(long, parameters, { llm: () => waiting.then(() => "The first.") });
  const second = await manageHistory(long, parameters, { llm: () => "The second." });
  // A message appended meanwhile is not in the first result, and is not lost.
  const longer = long.append({ role: "user", content: "And now?" });
  release();
  assert.match((await first).conversation.messages[0].content, /The first\./);
  assert.match(second.conversation.messages[0].content, /The second\./);
  assert.equal(longer.messages.length, 41);
  assert.equal(JSON.stringify(long), before);
});
