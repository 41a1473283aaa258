// retry: the errors of a model callback after which it is called again, and the delays.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, manageHistory, Predict, SubAgent, TurnfoldError, wholeHistory } from "turnfold";
import { anthropic } from "turnfold/formats/anthropic";
import { fetchModel } from "turnfold/models/fetch";
import { openaiModel } from "turnfold/models/openai";
import { bundled } from "./bundled.mjs";
import { refuses } from "./refuses.mjs";

const { retryAfter } = await bundled("model", ["retry"]);

const failure = (members, options) => Object.assign(new Error("it failed", options), members);

/** The number of calls of a callback that throws the error, and the error of the whole call. */
async function attemptsAt(error, retry = {}) {
  let requestCount = 0;
  const agent = new Agent({
    llm: () => {
      requestCount++;
      throw error;
    },
    retry: { attempts: 3, ...retry },
  });
  const thrown = await agent.chat("Hello").then(
    () => assert.fail("it did not reject"),
    (thrown) => thrown,
  );
  assert.ok(TurnfoldError.isInstance(thrown), thrown.stack);
  return { requestCount, thrown };
}

suite("retry.when", () => {
  const passing = {
    "a status that may pass": [408, 409, 429, 500, 502, 503, 504, 529].flatMap((status) => [
      failure({ status }),
      failure({ statusCode: status }),
      failure({ code: status }),
      failure({ code: String(status) }),
      failure({ response: { status } }),
      failure({ $metadata: { httpStatusCode: status } }),
      failure({}, { cause: failure({ status }) }),
      failure({}, { cause: failure({}, { cause: { statusCode: status } }) }),
      failure({ lastError: failure({ statusCode: status }), errors: [] }),
    ]),
    "a broken connection": [
      "ECONNRESET",
      "ECONNREFUSED",
      "ETIMEDOUT",
      "EPIPE",
      "ENOTFOUND",
      "EAI_AGAIN",
      "UND_ERR_SOCKET",
    ].flatMap((code) => [failure({ code }), new TypeError("fetch failed", { cause: failure({ code }) })]),
    "neither status nor code": [
      new Error("busy"),
      new TypeError("fetch failed"),
      new DOMException("late", "TimeoutError"),
      "busy",
      undefined,
      null,
      7,
      { message: "busy" },
      failure({ status: "UNAVAILABLE", code: 14 }),
    ],
  };
  for (const [what, errors] of Object.entries(passing)) {
    test(`by default repeats the request after ${what}`, async () => {
      for (const error of errors) assert.equal((await attemptsAt(error)).requestCount, 3, JSON.stringify(error));
    });
  }

  test("by default does not repeat the request after other statuses", async () => {
    for (const status of [400, 401, 402, 403, 404, 405, 410, 413, 418, 422, 425, 451]) {
      for (const error of [
        failure({ status }),
        failure({ statusCode: status }),
        failure({ code: status }),
        failure({ response: { status } }),
        failure({ response: { data: { error: { code: status } } } }),
        failure({ body: { errors: [{ code: status }] } }),
        failure({}, { cause: failure({ status }) }),
        // The outermost status decides.
        failure({ status }, { cause: failure({ status: 500, code: "ECONNRESET" }) }),
      ]) {
        const { requestCount, thrown } = await attemptsAt(error);
        assert.equal(requestCount, 1, `${status}`);
        assert.deepEqual([thrown.code, thrown.details.attempts, thrown.cause], ["llm_error", 1, error]);
      }
    }
  });

  test("by default does not repeat a request that is too long for the model, with any status", async () => {
    for (const members of [{ status: 500 }, { status: 429 }, {}]) {
      const error = failure({ ...members, code: "context_length_exceeded" });
      assert.equal((await attemptsAt(error)).requestCount, 1);
    }
  });

  test("replaces the default", async () => {
    const seen = [];
    const when = (error) => {
      seen.push(error.status);
      return error.status === 400;
    };
    assert.equal((await attemptsAt(failure({ status: 400 }), { when })).requestCount, 3);
    assert.equal((await attemptsAt(failure({ status: 503 }), { when })).requestCount, 1);
    // The last attempt needs no decision.
    assert.deepEqual(seen, [400, 400, 503]);
  });

  test("that throws ends the call with an error that names both", async () => {
    const broken = new Error("no rule");
    const { requestCount, thrown } = await attemptsAt(failure({ status: 503 }), {
      when: () => {
        throw broken;
      },
    });
    assert.equal(requestCount, 1);
    assert.match(thrown.message, /it failed; and retry\.when threw: no rule/);
    assert.deepEqual([thrown.code, thrown.cause], ["llm_error", broken]);
  });

  test("must be a function", () => {
    for (const when of [true, 3, "always", null, {}]) {
      assert.throws(() => new Agent({ llm: () => "", retry: { when } }), {
        code: "invalid_option",
        details: { option: "retry.when" },
      });
    }
  });

  test("also applies to summaries, Predict and SubAgent", async () => {
    let requestCount = 0;
    const llm = () => {
      requestCount++;
      throw failure({ status: 400 });
    };
    const retry = { attempts: 3 };
    const conversation = new Conversation({
      messages: ["user", "assistant"].map((role) => ({ role, content: "The parcel is late. ".repeat(9) })),
    });
    const parameters = { compressionStrategy: wholeHistory(), minMessages: 0, keepAtLeast: 0 };
    await assert.rejects(manageHistory(conversation, parameters, { llm, retry }), { code: "compression_failed" });
    await assert.rejects(new Predict("question -> answer", { llm, retry }).call({ question: "?" }), {
      code: "llm_error",
    });
    const step = await new SubAgent({ mission: "m", llm, retry }).run();
    assert.equal(step.fail.reason, "llm_error");
    assert.equal(requestCount, 3);
  });

  test("handles errors whose members throw", async () => {
    const hostile = new Proxy(new Error("hidden"), {
      get: () => {
        throw new Error("no");
      },
    });
    assert.equal((await attemptsAt(hostile)).requestCount, 3);
    const circular = failure({});
    circular.cause = circular;
    assert.equal((await attemptsAt(circular)).requestCount, 3);
  });

  test("by default does not repeat a request after a mistake in the callback, and the hint says what to correct", async () => {
    const chat = new Conversation({ messages: [{ role: "user", content: "Hello" }] });
    const shape = "give a string, { content, usage }, or an async iterable of texts";
    const mistakes = [
      [() => ({ choices: [] }), "a model gives a text, got an object", shape],
      [async () => 5, "a model gives a text, got 5", shape],
      [() => ReadableStream.from([7]), "a model gives a text, got 7", shape],
      [
        () => ({ content: "", toolCalls: [{ name: "a" }] }),
        "toolCalls must be a list of { id, name, args }, got an array",
        null,
      ],
      [() => anthropic.to(chat, { cache: { time: "1h" } }), 'cache has no "time"', "there are breakpoints, ttl, at"],
    ];
    for (const [llm, problem, hint] of mistakes) {
      for (const attempts of [1, 3]) {
        let requestCount = 0;
        const counted = (request) => {
          requestCount++;
          return llm(request);
        };
        const program = new Predict("question -> answer", { llm: counted, retry: { attempts } });
        await assert.rejects(program.call({ question: "?" }), (error) => {
          assert.deepEqual(
            [error.code, error.message, error.hint, error.details.attempts, requestCount],
            ["llm_error", `the callback llm has a mistake: ${problem}`, hint, 1, 1],
          );
          return true;
        });
      }
    }
  });

  test("a setting of another kind is refused, with an example for a function", () => {
    const cases = [
      [{ attempts: 0 }, "retry.attempts", null],
      [{ delayMs: 500 }, "retry.delayMs", "delayMs: (attempt) => 500 * 2 ** attempt"],
      [{ when: true }, "retry.when", "when: (error) => error.status === 429"],
    ];
    for (const [retry, option, hint] of cases) {
      const { details, hint: given } = refuses(() => new Predict("question -> answer", { retry }), "invalid_option");
      assert.deepEqual([details.option, given], [option, hint]);
    }
  });

  test("a stream that ended too early is asked for again", async () => {
    let requestCount = 0;
    const create = async () => {
      requestCount++;
      return ReadableStream.from([{ choices: [{ delta: { content: "Hel" } }] }]);
    };
    const llm = openaiModel({ chat: { completions: { create } } }, { model: "m" });
    const ask = (retry) => new Predict("question -> answer", { llm, retry }).call({ question: "?" });
    await assert.rejects(ask({ attempts: 3 }), { message: /could not be asked: the stream ended before/, hint: null });
    assert.equal(requestCount, 3);
    await assert.rejects(ask(undefined), { hint: /^retry: / });
  });

  test("a transient error without retries has a hint at retry", async () => {
    const hintAt = async (error) => (await attemptsAt(error, { attempts: 1 })).thrown.hint;
    assert.match(await hintAt(failure({ status: 503 })), /^retry: /);
    assert.doesNotMatch(await hintAt(failure({ status: 400 })), /retry:/);
  });
});

suite("Retry-After", () => {
  test("is read from headers of every form", () => {
    const read = (members) => retryAfter(failure(members));
    assert.equal(read({ headers: new Headers({ "retry-after": "2" }) }), 2000);
    assert.equal(read({ headers: { "Retry-After": "1.5" } }), 1500);
    assert.equal(read({ headers: { "retry-after": 3 } }), 3000);
    assert.equal(read({ responseHeaders: { "retry-after": "2" } }), 2000);
    assert.equal(read({ response: { headers: new Headers({ "retry-after": "2" }) } }), 2000);
    assert.equal(retryAfter(failure({}, { cause: failure({ headers: { "retry-after": "2" } }) })), 2000);
    assert.equal(read({ headers: { "retry-after-ms": "250", "retry-after": "9" } }), 250);
    const date = new Date(Date.now() + 30_000).toUTCString();
    const wait = read({ headers: { "retry-after": date } });
    assert.ok(wait > 27_000 && wait <= 30_000, `${wait}`);
  });

  test("is ignored when it is invalid", () => {
    for (const given of ["", "soon", "-5", new Date(0).toUTCString(), Number.NaN, null, undefined, {}]) {
      assert.equal(retryAfter(failure({ headers: { "retry-after": given } })), 0, String(given));
    }
    for (const headers of [null, 3, "retry-after: 2", [], new Map()]) assert.equal(retryAfter({ headers }), 0);
    const hostile = new Proxy({}, { ownKeys: () => assert.fail("no") });
    assert.equal(retryAfter({ headers: hostile }), 0);
  });

  test("and delayMs: the longer delay applies", async () => {
    const waited = async (headers, delayMs) => {
      const begun = performance.now();
      await attemptsAt(failure({ status: 429, headers }), { attempts: 2, delayMs });
      return performance.now() - begun;
    };
    assert.ok((await waited({ "retry-after-ms": "60" }, undefined)) >= 55);
    assert.ok((await waited({ "retry-after": "0.06" }, () => 1)) >= 55);
    assert.ok((await waited({ "retry-after-ms": "1" }, () => 60)) >= 55);
    assert.ok((await waited({ "retry-after-ms": "60" }, () => Number.NaN)) >= 55);
  });

  test("is limited to a minute, and an abort ends the wait", async (context) => {
    const waits = [];
    const { setTimeout } = globalThis;
    context.mock.method(globalThis, "setTimeout", (act, wait) => {
      waits.push(wait);
      return setTimeout(act, Math.min(wait, 1));
    });
    await attemptsAt(failure({ status: 429, headers: { "retry-after": "7200" } }), { attempts: 2 });
    assert.deepEqual(waits, [60_000]);
    context.mock.restoreAll();
    const stop = new AbortController();
    const agent = new Agent({
      llm: () => {
        setTimeout(() => stop.abort(), 5);
        throw failure({ status: 429, headers: { "retry-after": "7200" } });
      },
      retry: { attempts: 2 },
    });
    await assert.rejects(agent.chat("Hello", { signal: stop.signal }), { code: "aborted" });
  });
});

suite("fetchModel and a busy server", () => {
  const completion = { choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] };

  /** A callback for a server with these answers, `[status, headers, error]`, and then a completion; and the requests. */
  function busyServer(answers, options) {
    const requests = [];
    const fetch = async (_address, init) => {
      const [status, headers = {}, error = { message: "it is busy" }] = answers[requests.length] ?? [200];
      requests.push(init);
      return new Response(JSON.stringify(status === 200 ? completion : { error }), { status, headers });
    };
    return { llm: fetchModel("http://localhost/v1", { model: "m", fetch, ...options }), requests };
  }

  /** The waits in milliseconds, none of which takes place. */
  function recordWaits(context) {
    const waits = [];
    const { setTimeout } = globalThis;
    context.mock.method(globalThis, "setTimeout", (act, wait) => {
      waits.push(wait);
      return setTimeout(act, 0);
    });
    return waits;
  }

  const invoke = (llm, retry) => new Agent({ llm, retry }).chat("Hello").then(({ text }) => text);

  for (const [answers, expected] of [
    [[[429]], [500]],
    [
      [[503], [503]],
      [500, 1000],
    ],
    [[[429, { "retry-after": "2" }]], [2000]],
    [[[503, { "retry-after-ms": "700" }]], [700]],
    [[[503, { "retry-after": "0" }]], [500]],
    [[[429, { "retry-after": "7200" }]], [60_000]],
  ]) {
    test(`sends the request again after ${JSON.stringify(answers)}`, async (context) => {
      const waits = recordWaits(context);
      const { llm, requests } = busyServer(answers);
      assert.equal(await invoke(llm), "Hi.");
      assert.deepEqual(waits, expected);
      assert.ok(requests.every(({ body }) => body === requests[0].body));
    });
  }

  test("reads a Retry-After that is a date", async (context) => {
    const waits = recordWaits(context);
    const { llm } = busyServer([[503, { "retry-after": new Date(Date.now() + 30_000).toUTCString() }]]);
    assert.equal(await invoke(llm), "Hi.");
    assert.ok(waits[0] > 20_000 && waits[0] <= 30_000, `${waits}`);
  });

  test("sends it three times at most, or as often as maxRetries says", async (context) => {
    const waits = recordWaits(context);
    const busy = Array.from({ length: 9 }, () => [503]);
    for (const [options, expected] of [
      [{}, 3],
      [{ maxRetries: 0 }, 1],
      [{ maxRetries: 4 }, 5],
    ]) {
      const { llm, requests } = busyServer(busy, options);
      await assert.rejects(invoke(llm), /503: it is busy/);
      assert.equal(requests.length, expected);
    }
    assert.deepEqual(waits, [500, 1000, 500, 1000, 2000, 4000]);
    for (const maxRetries of [-1, 1.5, "2"]) {
      assert.throws(() => busyServer([], { maxRetries }), {
        code: "invalid_option",
        details: { option: "maxRetries" },
      });
    }
  });

  test("retry of the caller replaces these attempts, and does not multiply them", async (context) => {
    recordWaits(context);
    for (const [retry, expected] of [
      [{ attempts: 2 }, 2],
      [{ attempts: 5 }, 5],
      [{ attempts: 1 }, 3],
      [{}, 3],
    ]) {
      const { llm, requests } = busyServer(Array.from({ length: 9 }, () => [429]));
      await assert.rejects(invoke(llm, retry), { code: "llm_error" });
      assert.equal(requests.length, expected, JSON.stringify(retry));
    }
  });

  test("other refusals are not sent again, nor is a request that is too long", async () => {
    const tooLong = { message: "Request too large for m on tokens per minute (TPM): Limit 6000, Requested 9000" };
    for (const answer of [[400], [401], [408], [500], [502], [429, {}, tooLong]]) {
      const { llm, requests } = busyServer([answer]);
      await assert.rejects(invoke(llm), { code: "llm_error" });
      assert.equal(requests.length, 1, `${answer[0]}`);
    }
  });

  test("an abort ends the wait", async () => {
    const stop = new AbortController();
    const { llm, requests } = busyServer([[503, { "retry-after": "7200" }]]);
    const answer = new Agent({ llm }).chat("Hello", { signal: stop.signal });
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    setImmediate(() => stop.abort());
    await assert.rejects(answer, { code: "aborted" });
    assert.equal(requests.length, 1);
    const reason = new Error("no more");
    const own = new AbortController();
    const { llm: direct } = busyServer([[503, { "retry-after": "7200" }]]);
    const request = { messages: [{ role: "user", content: "Go" }], purpose: "answer", signal: own.signal };
    const first = direct(request)[Symbol.asyncIterator]().next();
    setImmediate(() => own.abort(reason));
    await assert.rejects(first, reason);
  });
});
