// turnfoldPrepareStep when a summary fails, a call is aborted, or the input is invalid.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, stepCountIs, tool } from "ai";
import { turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import { type HistoryReport, TurnfoldError, wholeHistory } from "turnfold/chat";
import { z } from "zod";
import { chat, pairsIn, scripted } from "./scripted.js";

test("a summary that fails ends the call, with the report and the cause", async () => {
  const cause = new Error("no connection");
  const { model, requests } = scripted(
    () => ({ text: "Yes." }),
    () => ({ error: cause }),
  );
  const prepareStep = turnfoldPrepareStep({ compressionStrategy: wholeHistory() });
  await assert.rejects(generateText({ model, messages: chat(8), prepareStep }), (error) => {
    assert.ok(TurnfoldError.isInstance(error));
    assert.equal(error.code, "compression_failed");
    assert.equal(error.details.problem, "model");
    assert.match(error.message, /no connection/);
    return true;
  });
  assert.equal(requests.length, 0);
});

test("onSummaryError: send sends the messages as they are and warns", async () => {
  const { model, requests } = scripted(
    () => ({ text: "Yes." }),
    () => ({ text: "" }),
  );
  const [warnings, reports]: [string[], HistoryReport[]] = [[], []];
  const messages = chat(8);
  const { text } = await generateText({
    model,
    messages,
    prepareStep: turnfoldPrepareStep({
      compressionStrategy: wholeHistory(),
      onSummaryError: "send",
      onWarning: (warning) => warnings.push(warning),
      onReport: (report) => reports.push(report),
    }),
  });
  assert.equal(text, "Yes.");
  assert.equal(requests[0]?.prompt.length, messages.length);
  assert.match(warnings[0] ?? "", /the history is sent as it is, because a summary failed: wholeHistory: .*empty/);
  assert.equal(reports[0]?.outcome, "unchanged");
  assert.equal(reports[0]?.messages.length, messages.length);
});

test("retry asks for a summary again", async () => {
  const { model, summaries } = scripted(
    () => ({ text: "Yes." }),
    (_, number) => (number === 0 ? { error: new Error("busy") } : { text: "About lamps." }),
  );
  const prepareStep = turnfoldPrepareStep({
    compressionStrategy: wholeHistory(),
    retry: { attempts: 2, delayMs: () => 1 },
  });
  await generateText({ model, messages: chat(8), prepareStep });
  assert.equal(summaries.length, 2);
});

test("an aborted signal ends the request for a summary; the call rejects as an aborted call of the AI SDK", async () => {
  const controller = new AbortController();
  const { model, requests } = scripted(
    () => ({ text: "Yes." }),
    () => {
      setTimeout(() => controller.abort(), 5);
      return { until: new Promise(() => {}) };
    },
  );
  const prepareStep = turnfoldPrepareStep({ compressionStrategy: wholeHistory(), signal: controller.signal });
  await assert.rejects(
    generateText({ model, messages: chat(8), prepareStep, abortSignal: controller.signal }),
    (error) => (error as Error).name === "AbortError",
  );
  assert.equal(requests.length, 0);
});

test("results with class instances and big integers are managed as the JSON that is sent", async () => {
  class Money {
    constructor(readonly cents: number) {}
    toJSON() {
      return { euros: this.cents / 100 };
    }
  }
  const { model, requests } = scripted((_, number) =>
    number < 2 ? { calls: [[`c${number}`, "price", {}]] } : { text: "Done." },
  );
  const price = tool({ inputSchema: z.object({}), execute: async () => new Money(1250) });
  const { text } = await generateText({
    model,
    tools: { price },
    prompt: "How much?",
    stopWhen: stepCountIs(5),
    prepareStep: turnfoldPrepareStep({ maxTokens: 4000 }),
  });
  assert.equal(text, "Done.");
  assert.deepEqual(pairsIn(requests.at(-1) as never).results, ["c0", "c1"]);
});

test("options are checked when the function is made", () => {
  const refused = (make: () => unknown, option: string) =>
    assert.throws(make, (error) => {
      assert.ok(TurnfoldError.isInstance(error), String(error));
      assert.equal(error.code, "invalid_option");
      assert.equal(error.details.option ?? error.details.path, option);
      return true;
    });
  const wrong = (options: object) => () => turnfoldPrepareStep({ ...options });
  refused(() => turnfoldPrepareStep({ maxTokenz: 5 } as never), "maxTokenz");
  refused(wrong({ llm: "gpt" }), "llm");
  refused(wrong({ cache: { at: [] } }), "at");
  refused(wrong({ cache: { ttl: "2h" } }), "cache.ttl");
  refused(wrong({ cache: { breakpoints: 5 } }), "cache.breakpoints");
  refused(wrong({ signal: {} }), "signal");
  refused(wrong({ tools: 5 }), "tools");
  refused(wrong({ report: () => {} }), "report");
  for (const parameters of [undefined, null, 5, "maxTokens"]) {
    assert.throws(() => turnfoldPrepareStep(parameters as never), { code: "invalid_option" });
  }
});

test("steps that can't be read are refused with a TurnfoldError", async () => {
  const prepareStep = turnfoldPrepareStep({ maxTokens: 500 }) as (step: unknown) => Promise<unknown>;
  const { proxy, revoke } = Proxy.revocable({ role: "user", content: "Hi" }, {});
  revoke();
  const getter = {
    role: "user",
    get content() {
      throw new Error("no");
    },
  };
  for (const messages of [
    undefined,
    "Hi",
    5,
    [null],
    [5],
    [proxy],
    [getter],
    [{ role: "user", content: 5 }],
    [{ role: 1 }],
  ]) {
    await assert.rejects(prepareStep({ messages, model: "m", stepNumber: 0, steps: [] }), (error) => {
      assert.ok(TurnfoldError.isInstance(error), String(error));
      return true;
    });
  }
  for (const step of [undefined, null, 5]) await assert.rejects(prepareStep(step), { code: "invalid_option" });
  for (const instructions of [5, [5], { content: 5 }, Symbol("no")]) {
    await assert.rejects(prepareStep({ messages: chat(1), instructions, stepNumber: 0, steps: [] }), (error) =>
      TurnfoldError.isInstance(error),
    );
  }
});

test("onReport that throws does not end the call", async () => {
  const { error } = console;
  const errors: unknown[] = [];
  console.error = (given) => errors.push(given);
  try {
    const { model } = scripted(() => ({ text: "Yes." }));
    const thrown = new Error("in the report");
    const prepareStep = turnfoldPrepareStep({
      onReport: () => {
        throw thrown;
      },
    });
    assert.equal((await generateText({ model, prompt: "Hi", prepareStep })).text, "Yes.");
    assert.deepEqual(errors, [thrown]);
  } finally {
    console.error = error;
  }
});
