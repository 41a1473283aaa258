// When a provider refuses a request as too long, the history is managed to the provider's limit and the request is repeated once.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, chunked, countMessages, lastNMessages } from "turnfold/chat";

const sentence = "The parcel left the depot in Leipzig yesterday and comes before noon, unless it rains.";
const conversation = new Conversation({
  messages: Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index}. ${sentence}`,
  })),
});

/** Refusals of providers, with the limit and the size of the request. */
const refusals = {
  "the limit and the size": (limit, asked) =>
    `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${asked} tokens.`,
  "the limit": (limit) => `The input token count exceeds the maximum number of tokens allowed ${limit}.`,
  "no number": () => "Your input exceeds the context window of this model.",
};

/** A model with a context window; records its requests, in its own tokens, and its refusals. */
function model({
  window = 1000,
  factor = 1,
  refusal = refusals["the limit and the size"],
  status = 400,
  usage = false,
} = {}) {
  const requests = [];
  const llm = ({ messages, tools, purpose }) => {
    if (purpose !== "answer") return "Parcels come before noon.";
    const size = Math.round(countMessages(messages, { tools }).total * factor);
    requests.push(size);
    if (size > window) throw Object.assign(new Error(refusal(window, size)), { status });
    return usage ? { content: "Noted.", usage: { inputTokens: size } } : "Noted.";
  };
  return { llm, requests };
}

function agentFor(llm, options = {}) {
  const warnings = [];
  const agent = new Agent({ llm, conversation, onWarning: (text) => warnings.push(text), ...options });
  return { agent, warnings };
}

suite("a request that is refused as too long", () => {
  for (const [what, refusal] of Object.entries(refusals)) {
    for (const parameters of [
      { maxTokens: 100_000 },
      { maxHistorySize: 1000 },
      { compressionStrategy: lastNMessages(50) },
      { compressionStrategy: chunked(10), maxTokens: 100_000 },
    ]) {
      test(`is repeated within the provider's limit: ${what}, ${Object.keys(parameters)}`, async () => {
        const { llm, requests } = model({ refusal, window: 1100 });
        const { agent, warnings } = agentFor(llm);
        const reply = await agent.chat("And now?", parameters);
        assert.equal(reply.text, "Noted.");
        assert.equal(requests.length, 2);
        assert.ok(requests[1] <= 1100 && requests[1] > 50, `${requests}`);
        const last = reply.reports.at(-1);
        assert.equal(reply.reports.length, 2);
        assert.ok(last.outcome === "trimmed" || last.outcome === "applied", last.outcome);
        const warning = last.warnings.find((text) => text.startsWith("the provider refused"));
        assert.ok(warning !== undefined && warnings.includes(warning), `${warnings}`);
        // The next call starts from the managed history.
        assert.ok(agent.conversation.messages.length < conversation.messages.length);
        assert.equal((await agent.chat("Thank you.", parameters)).text, "Noted.");
      });
    }
  }

  test("is repeated by the provider's counts, not those of the agent", async () => {
    for (const factor of [0.7, 1.3, 1.8]) {
      for (const calibrate of [true, false]) {
        const { llm, requests } = model({ factor });
        const { agent } = agentFor(llm, { calibrate });
        await agent.chat("And now?", { maxTokens: 100_000 });
        assert.equal(requests.length, 2);
        assert.ok(requests[1] <= 1010, `${factor}: ${requests}`);
      }
    }
  });

  test("calibrates the agent to its provider's counts", async () => {
    const { llm } = model({ factor: 1.3 });
    const { agent } = agentFor(llm);
    const { reports } = await agent.chat("And now?", { maxTokens: 100_000 });
    assert.deepEqual(
      reports.map(({ tokens }) => Math.round(tokens.factor * 10) / 10),
      [1, 1.3],
    );
  });

  test("keeps reserveTokens free, unless they exceed the window", async () => {
    const { llm, requests } = model();
    await agentFor(llm).agent.chat("And now?", { maxTokens: 100_000, reserveTokens: 400 });
    assert.ok(requests[1] <= 600, `${requests}`);
    const wide = model();
    await agentFor(wide.llm).agent.chat("And now?", { maxTokens: 100_000, reserveTokens: 20_000 });
    assert.ok(wide.requests[1] <= 1000, `${wide.requests}`);
  });

  test("is not repeated without parameters, which never change the history", async () => {
    const { llm, requests } = model();
    const { agent, warnings } = agentFor(llm);
    await assert.rejects(agent.chat("And now?"), (error) => {
      assert.equal(error.code, "llm_error");
      assert.match(error.hint, /too long for the model/);
      return true;
    });
    assert.deepEqual([requests.length, warnings], [1, []]);
    assert.deepEqual(agent.conversation.messages.slice(0, 60), conversation.messages);
  });

  test("is repeated once, for any retry option", async () => {
    let requestCount = 0;
    const llm = () => {
      requestCount++;
      throw Object.assign(new Error(refusals["no number"]()), { status: 400 });
    };
    for (const [retry, times] of [
      [{}, 2],
      [{ attempts: 3 }, 2],
      [{ attempts: 2, when: () => true }, 4],
    ]) {
      requestCount = 0;
      const { agent } = agentFor(llm, { retry });
      await assert.rejects(agent.chat("And now?", { maxTokens: 100_000 }), { code: "llm_error" });
      assert.equal(requestCount, times);
    }
  });

  test("is repeated once for each request of a tool loop", async () => {
    const sizes = [];
    let window = 1000;
    const llm = ({ messages, tools }) => {
      const size = countMessages(messages, { tools }).total;
      sizes.push(size);
      if (size > window) throw new Error(refusals["the limit and the size"](window, size));
      if (sizes.length > 3) return "Done.";
      window = 700;
      return { content: "", toolCalls: [{ id: `${sizes.length}`, name: "look", args: {} }] };
    };
    const { agent } = agentFor(llm, { tools: { look: () => "nothing" } });
    const { text, reports } = await agent.chat("Look.", { maxTokens: 100_000 });
    assert.equal(text, "Done.");
    assert.equal(sizes.length, 4);
    assert.equal(reports.length, 4);
    assert.ok(sizes[1] <= 1000 && sizes[3] <= 700, `${sizes}`);
  });

  test("is repeated in a long loop of tools behind one question, whose rounds are managed", async () => {
    const sizes = [];
    let rounds = 0;
    const llm = ({ messages, tools }) => {
      const size = countMessages(messages, { tools }).total;
      sizes.push(size);
      if (size > 2000) throw new Error(refusals["the limit and the size"](2000, size));
      if (++rounds === 40) return "Done.";
      return { content: "", toolCalls: [{ id: `${rounds}`, name: "look", args: {} }] };
    };
    const tools = { look: () => `${sentence} `.repeat(10) };
    const agent = new Agent({ llm, tools, maxSteps: 50, onWarning: () => {} });
    const { text, steps } = await agent.chat("Look.", { maxTokens: 100_000 });
    assert.deepEqual([text, steps.length, rounds], ["Done.", 40, 40]);
    assert.ok(sizes.length > 41, "it was refused more than once");
    assert.ok(sizes.filter((size) => size > 2000).length < 12, "what was cut stays cut for a while");
    assert.deepEqual(agent.conversation.lint(), []);
  });

  test("is the error of the call when no message can be dropped", async () => {
    const { llm, requests } = model();
    const { agent } = agentFor(llm);
    const question = `${sentence} `.repeat(100);
    await assert.rejects(agent.chat(question, { maxTokens: 100_000 }), (error) => {
      assert.equal(error.code, "llm_error");
      assert.match(error.cause.message, /maximum context length is 1000/);
      return true;
    });
    assert.equal(requests.length, 1);
  });

  test("is the error of the call when the summaries for the repetition fail", async () => {
    let calls = 0;
    const llm = ({ purpose }) => {
      calls++;
      if (purpose === "summary") throw new Error("no summary");
      throw new Error(refusals["no number"]());
    };
    const { agent } = agentFor(llm);
    const parameters = { compressionStrategy: lastNMessages(10), when: "overLimit", maxTokens: 100_000 };
    await assert.rejects(agent.chat("And now?", parameters), { code: "llm_error" });
    assert.equal(calls, 2);
  });

  test("is repeated in streams, where the refusal precedes the first chunk", async () => {
    const { llm, requests } = model();
    const streaming = async function* (request) {
      yield await llm(request);
    };
    const { agent } = agentFor(streaming);
    const streamed = agent.stream("And now?", { maxTokens: 100_000 });
    let all = "";
    for await (const piece of streamed) all += piece;
    assert.deepEqual([all, requests.length], ["Noted.", 2]);
    let begun = 0;
    const late = agentFor(async function* () {
      begun++;
      yield "half";
      throw new Error(refusals["no number"]());
    });
    await assert.rejects(late.agent.stream("And now?", { maxTokens: 100_000 }).done, { code: "llm_error" });
    assert.equal(begun, 1);
  });

  test("is not repeated after an abort", async () => {
    const stop = new AbortController();
    const { agent } = agentFor(({ purpose }) => {
      if (purpose === "summary") {
        stop.abort();
        return new Promise(() => {});
      }
      throw new Error(refusals["no number"]());
    });
    const parameters = {
      compressionStrategy: lastNMessages(10),
      when: "overLimit",
      maxTokens: 100_000,
      signal: stop.signal,
    };
    await assert.rejects(agent.chat("And now?", parameters), { code: "aborted" });
  });
});
