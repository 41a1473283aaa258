// The Run tab: runs of an agent whose model is a script, the user, or a server.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { startEndpoint } from "./endpoint.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo, stateIn } from "./link.mjs";
import { sharedVisit, visit, wordsOf } from "./visit.mjs";

const RUN = "#tab=run";

const runLink = (state) => linkTo(state, "run");

const resultOf = async (page) => wordsOf(page.locator(".result"));
const turnsOf = (page) => page.locator(".turn").evaluateAll((cards) => cards.map((card) => card.dataset.outcome));
const begin = (page) => page.getByRole("button", { name: "Run", exact: true }).click();
const status = (page, text) => page.locator(".agent-status", { hasText: text }).waitFor();
const title = (page, text) => page.getByRole("heading", { name: text, exact: true }).waitFor();

const counting = {
  mission: "Count",
  tools: [{ name: "draw", signature: "() -> :int", description: "The next number", answer: "3" }],
  data: "{:level :high}",
  signature: "() -> {n :int}",
};

describe("a scripted run", () => {
  it("adds its turns to the history and shows result, calls and trace, after failed turns too", () =>
    visit({ fragment: "#example=expenses&tab=run" }, async (visitor, page) => {
      await title(page, "Next request: turn 1");
      await begin(page);
      await visitor.sees("The agent returned after 4 turns.");
      await eventually.deepEqual(() => turnsOf(page), ["failure", "success", "failure", "success"]);
      await eventually.match(
        () => resultOf(page),
        /Result returned 4 turns 9 calls [\d.]+ m?s Value \{:refused \["Hotel, two nights"\] :total 298\.\d+\}/,
      );
      await title(page, "Next request: turn 5");
      await eventually.match(() => wordsOf(page.locator(".figure-run")), /^All 4 calls of the run: about [^.]*\$/);
      await eventually.match(() => visitor.userMessage(), /\(in-euros \[r\]\).*\n[\s\S]*rate\(\{:currency "USD"\}\)/);
      const trace = await visitor.copies(() => visitor.press("Copy trace"));
      assert.match(trace, /╭─ Turn 1 failed[\s\S]*no rate for usd[\s\S]*╭─ Return[\s\S]*╭─ Usage/);
      await visitor.toggleTurn(3);
      await eventually.match(() => visitor.field("Message").inputValue(), /total: expected float, got string/);
      // The run can be resumed from any of its turns.
      await visitor.press("Ask again for turn 3");
      await page.waitForFunction(() => document.activeElement.id === "run-agent");
      await page.locator(".notice", { hasText: "The agent returned after 4 turns." }).waitFor();
      await visitor.press("Undo");
      await eventually.equal(async () => (await turnsOf(page)).length, 4);
      await eventually.equal(() => page.locator(".result").count(), 0);
    }));

  it("calls tools whose answers are JavaScript functions, with a reply for each turn", () =>
    visit({ fragment: "#example=travel&tab=run" }, async (visitor, page) => {
      await begin(page);
      await page.locator(".result").waitFor();
      await eventually.match(() => resultOf(page), /^Result returned/);
      const turns = await page.locator(".turn").count();
      await visitor.toggleGroup("Replies");
      await eventually.equal(() => page.getByRole("textbox", { name: /^Reply to turn \d$/ }).count(), turns);
    }));

  it("uses the edited replies, and fails with llm_error after the last one", async () =>
    visit({ fragment: await runLink(counting) }, async (visitor, page) => {
      await visitor.toggleGroup("Replies");
      await visitor.press("Add reply");
      await visitor.focusOn("Reply to turn 1");
      await page.keyboard.insertText("(return {:n n})");
      await visitor.press("Add reply");
      await page.getByLabel("Reply to turn 2").fill("(def n (tool/draw))");
      await visitor.press("Move reply 2 up");
      await eventually.equal(() => page.getByLabel("Reply to turn 2").inputValue(), "(return {:n n})");
      await begin(page);
      await visitor.sees("The agent returned after 2 turns.");
      await eventually.match(() => resultOf(page), /Value \{:n 3\}/);
      await visitor.press("Delete reply 2");
      await begin(page);
      await visitor.sees("The agent failed after 1 turn: llm_error.");
      await eventually.match(
        () => resultOf(page),
        /Reason llm_error .*the script has no reply to turn 2: add one, and resume/,
      );
    }));

  it("“Run it and resume” resumes at turn 2 with an edited program, also after turns written by hand", () =>
    visit({ fragment: RUN }, async (visitor, page) => {
      // These turns have not run here, so their functions are compiled from their programs.
      await visitor.toggleTurn(4);
      await visitor.write(
        "Program of turn 4",
        `(def candidates (filter (fn [p] (and (in-stock? p) (< (:price p) 100))) electronics))
(return {:names (map :name candidates) :total (apply + (map :price candidates))})`,
      );
      await visitor.press("Run it and resume: the program of turn 4");
      await visitor.sees("The agent returned after 4 turns.");
      await eventually.match(() => resultOf(page), /4 turns 2 calls .* Value \{:names \["Mouse"\] :total 25\}/);
      await begin(page);
      await visitor.sees("The agent returned after 6 turns.");
      await visitor.toggleTurn(2);
      await visitor.write("Program of turn 2", '(return {:names ["none"] :total (count electronics)})');
      await visitor.press("Run it and resume: the program of turn 2");
      await visitor.sees("The agent returned after 2 turns.");
      await eventually.match(() => resultOf(page), /Value \{:names \["none"\] :total 4\}/);
      await eventually.deepEqual(() => turnsOf(page), ["success", "success"]);
      await visitor.press("Undo");
      await eventually.equal(async () => (await turnsOf(page)).length, 6);
    }));

  it("“Ask again” keeps values without a text form, such as closures", async () =>
    visit(
      {
        fragment: await runLink({
          ...counting,
          replies: [
            "(def scale (let [k 7] (fn [x] (* k x))))",
            "(def n (scale 6)) (println data/level)",
            "(return {:n n})",
          ],
        }),
      },
      async (visitor, page) => {
        await begin(page);
        await visitor.sees("The agent returned after 3 turns.");
        await visitor.press("Ask again for turn 2");
        await page.locator(".notice", { hasText: "returned after 3 turns" }).waitFor();
        await eventually.match(() => resultOf(page), /Value \{:n 42\}/);
        await eventually.match(() => visitor.userMessage(), /\n:high\n/);
      },
    ));

  it("shows why it can't begin: an unknown input of the mission, an invalid answer of a tool", async () =>
    visit({ fragment: await runLink({ ...counting, mission: "Count {{what}}" }) }, async (visitor) => {
      await visitor.sees(/the mission names what, which is no input/);
      await visitor.press("Run");
      await visitor.field("Mission").fill("Count");
      await visitor.toggleGroup("Tools");
      await visitor.field("Answer of tool 1").fill("(");
      await visitor.press("Run");
      await visitor.sees("Tools, data or limits can’t be read");
    }));

  it("stops when another example is opened", async () =>
    visit(
      {
        fragment: await runLink({
          ...counting,
          tools: [{ name: "draw", answer: "3", delay: "60000" }],
          replies: ["(tool/draw)"],
        }),
      },
      async (visitor, page) => {
        await begin(page);
        await status(page, "Turn 1 calls draw …");
        await visitor.press("Stop");
        await visitor.sees("Stopped after 1 turn.");
        await eventually.deepEqual(() => turnsOf(page), ["failure"]);
        await begin(page);
        await status(page, "Turn 1 calls draw …");
        await visitor.openExample("Log analysis, final turn, error standing");
        await page.locator(".agent-status:empty").waitFor({ state: "attached" });
        await eventually.equal(async () => (await turnsOf(page)).length, 4);
        await eventually.equal(() => page.locator(".result").count(), 0);
        await begin(page);
        await visitor.sees("The agent returned after 5 turns.");
      },
    ));

  it("“Save step” and “Load step” restore the run and its settings", () =>
    visit({ fragment: "#example=expenses&tab=run" }, async (visitor, page) => {
      await visitor.choose("rolling-window");
      await visitor.toggleGroup("Tune");
      await visitor.field("Turns kept").fill("3");
      await begin(page);
      await visitor.sees("The agent returned after 4 turns.");
      const [shown, message] = [await resultOf(page), await visitor.userMessage()];
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Save step")]);
      assert.equal(download.suggestedFilename(), "turnfold-step.json");
      const buffer = await readFile(await download.path());
      await visitor.openExample("Shopping, with a recovered error");
      const load = async (name, content) => {
        const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Load step")]);
        await chooser.setFiles({ name, mimeType: "application/json", buffer: content });
      };
      await load("step.json", buffer);
      await visitor.sees("Loaded the step of step.json.");
      await eventually.equal(() => resultOf(page), shown);
      await eventually.equal(() => visitor.userMessage(), message);
      await eventually.equal(() => visitor.field("Turns kept").inputValue(), "3");
      await page.getByRole("button", { name: "System prompt built in" }).waitFor();
      await eventually.deepEqual(() => turnsOf(page), ["failure", "success", "failure", "success"]);
      await load("broken.json", Buffer.from("{}"));
      await visitor.sees(/broken\.json can’t be loaded: this is not what toJSON/);
    }));
});

describe("the model “You”", () => {
  it("shows each request, and accepts a program or a text with a program, with completion and problems", async () =>
    visit({ fragment: await runLink({ ...counting, model: "you" }) }, async (visitor, page) => {
      await begin(page);
      await status(page, "Turn 1 waits for your reply.");
      await eventually.ok(() => page.getByRole("radio", { name: "Endpoint" }).isDisabled());
      await title(page, "Current request: turn 1");
      await eventually.match(
        () => visitor.userMessage(),
        /data\/level +; keyword, sample: :high\n[\s\S]*Turns left: 5/,
      );
      await page.waitForSelector('.cm-content[aria-label="Your reply to turn 1"]:focus');
      await page.keyboard.insertText("(cuont [1])");
      await visitor.sees(/^Line 1, column 2: .*cuont/);
      await visitor.write("Your reply to turn 1", "Prose is (no program: nothing is marked in it");
      await page.locator(".code-problem").first().waitFor({ state: "detached" });
      await visitor.write("Your reply to turn 1", "(def counted (tool/draw)) (println counted)");
      await page.keyboard.press("ControlOrMeta+Enter");

      await status(page, "Turn 2 waits for your reply.");
      await eventually.deepEqual(() => turnsOf(page), ["success"]);
      await eventually.match(
        () => visitor.userMessage(),
        /counted +; = integer\n[\s\S]*;; Output:\n3\n[\s\S]*Turns left: 4/,
      );
      await page.waitForSelector('.cm-content[aria-label="Your reply to turn 2"]:focus');
      await page.keyboard.insertText("That was it.\n\n```clojure\n");
      await page.keyboard.type("(return {:n coun");
      const options = page.getByRole("listbox", { name: "Completions" }).getByRole("option");
      await options.filter({ hasText: /^counted$/ }).click();
      await page.keyboard.insertText("})\n```\n");
      await visitor.press("Send");
      await visitor.sees("The agent returned after 2 turns.");
      await eventually.match(() => resultOf(page), /Value \{:n 3\}/);
      await visitor.toggleTurn(2);
      await eventually.match(() => page.getByLabel("Reply", { exact: true }).inputValue(), /^That was it\.\n/);
    }));

  it("stops while a turn waits for a reply, and resumes there", async () =>
    visit({ fragment: await runLink({ ...counting, model: "you" }) }, async (visitor, page) => {
      await begin(page);
      await visitor.write("Your reply to turn 1", "(def x 5)");
      await visitor.press("Send");
      await status(page, "Turn 2 waits for your reply.");
      await visitor.press("Stop");
      await visitor.sees("Stopped after 1 turn.");
      await eventually.match(() => resultOf(page), /stopped .* Reason aborted/);
      assert.equal(await page.locator(".result").getAttribute("data-outcome"), "stopped");
      await visitor.press("Resume at turn 2");
      await visitor.write("Your reply to turn 2", "(return {:n x})");
      await visitor.press("Send");
      await visitor.sees("The agent returned after 2 turns.");
    }));
});

describe("an endpoint", () => {
  const servers = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const serve = async (answer, options) => {
    const server = await startEndpoint(answer, options);
    servers.push(server);
    return server;
  };

  const KEY = "sk-secret-7d1f";

  const endpointPage = runLink({ ...counting, model: "endpoint" }).then((fragment) => ({ fragment }));
  const onPage = sharedVisit(endpointPage);

  /** Fills in an endpoint, and ignores the browser's own messages about failed requests. */
  const asking = (address, journey) => async (visitor, page) => {
    await visitor.field("Address").fill(address);
    await visitor.field("Model name").fill("test-1");
    await page.getByLabel("Key", { exact: true }).fill(KEY);
    await journey(visitor, page);
    visitor.ignoreErrors(/Failed to load resource|CORS policy/);
  };
  /** A journey in a visit of its own. */
  const ask = async (address, journey) => visit(await endpointPage, asking(address, journey));
  /** A journey that runs the agent from its first turn, and does not depend on earlier runs. */
  const askOnPage = (address, journey) => onPage(asking(address, journey))();

  it("is sent the shown messages, streams its reply, and reports usage", async () => {
    const steps = [];
    const gate = () => new Promise((open) => steps.push(open));
    const server = await serve(async (reply, { number }) => {
      if (number === 2) return reply.stream("(return {:n n})");
      reply.open().piece("I ask the tool.\n\n```clo");
      await gate();
      reply.piece("jure\n(def n (tool/draw)) ; ");
      await reply.torn('data: {"choices":[{"delta":{"content":"世界\\n```"}}]}\r\n\r\n');
      reply.end();
    });
    await ask(server.address, async (visitor, page) => {
      await visitor.field("Temperature").fill("0.5");
      await begin(page);
      await status(page, "The reply to turn 1 comes in …");
      await page.locator(".stream", { hasText: "I ask the tool." }).waitFor();
      const [asked] = server.requests;
      await eventually.deepEqual(
        async () => (await visitor.messages()).map(({ role }) => role),
        asked.body.messages.map(({ role }) => role),
      );
      await eventually.equal(() => visitor.userMessage(), asked.body.messages[1].content);
      steps[0]();
      await visitor.sees("The agent returned after 2 turns.");
      const { messages, ...others } = asked.body;
      assert.equal(messages[0].role, "system");
      assert.deepEqual(others, {
        model: "test-1",
        temperature: 0.5,
        stream: true,
        stream_options: { include_usage: true },
      });
      assert.equal(asked.headers.authorization, `Bearer ${KEY}`);
      await eventually.match(
        () => resultOf(page),
        /2 turns 1 call 200 tokens in, 128 of them cached 20 tokens out .*\{:n 3\}/,
      );

      // The key is only in the request.
      await eventually.match(() => page.locator(".turn-preview").first().innerText(), /; 世界/);
      const trace = await visitor.copies(() => visitor.press("Copy trace"));
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Save step")]);
      const link = await visitor.linkOnce(({ turns }) => turns?.length === 2);
      await page.getByRole("switch").check();
      await page.waitForFunction(() => localStorage.getItem("turnfold-kept")?.includes("#v1="));
      const kept = await page.evaluate(async () => ({
        address: location.href,
        storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
        databases: JSON.stringify(await indexedDB.databases()),
        history: JSON.stringify(history.state),
      }));
      kept.trace = trace;
      kept.step = await readFile(await download.path(), "utf8");
      const [stored, ...elsewhere] = JSON.parse(kept.storage);
      assert.deepEqual(Object.keys(stored), ["turnfold-kept"]);
      kept.last = await stateIn(JSON.parse(stored["turnfold-kept"])[0].fragment);
      kept.linked = await stateIn(link);
      assert.equal(JSON.parse(kept.last).mission, JSON.parse(kept.linked).mission);
      for (const [where, text] of Object.entries(kept)) assert.ok(!text.includes(KEY), where);
      assert.deepEqual([...elsewhere, kept.databases], [{}, "", "[]"]);
      // The link contains the kind of model, and nothing of the endpoint.
      await visitor.openLink(link);
      await page.getByRole("radio", { name: "Endpoint" }).waitFor({ state: "attached" });
      await eventually.ok(() => page.getByRole("radio", { name: "Endpoint" }).isChecked());
      for (const label of ["Address", "Model name", "Temperature"])
        await eventually.equal(() => visitor.field(label).inputValue(), "");
      await eventually.equal(() => page.getByLabel("Key", { exact: true }).inputValue(), "");
    });
  });

  it("is sent exactly the messages that were shown, with every strategy", async () => {
    const replies = ["(def a (tool/draw)) (println a)", "I try.\n\n```clojure\n(ops a)\n```", "(return {:n a})"];
    let held = null;
    const server = await serve(async (reply, { body }) => {
      await new Promise((release) => {
        held = { messages: body.messages, release };
      });
      reply.stream(replies.shift() ?? "(return {:names [(:name (first picks))] :total (int (stars (first picks)))})");
    });
    const shownAndSent = async (visitor, page, turn) => {
      await title(page, `Current request: turn ${turn}`);
      await eventually.ok(() => held !== null);
      const { messages, release } = held;
      held = null;
      await eventually(async () =>
        assert.deepEqual(
          (await visitor.messages()).map(({ role, text }) => ({
            role,
            content: role === "system" ? messages[0].content : text,
          })),
          messages,
        ),
      );
      release();
    };
    const script = [...replies];
    await ask(server.address, async (visitor, page) => {
      for (const strategy of await page
        .locator(".strategy-bar select")
        .first()
        .locator("option")
        .evaluateAll((all) => all.map((each) => each.value))) {
        replies.splice(0, 3, ...script);
        await visitor.choose(strategy);
        await begin(page);
        for (const turn of [1, 2, 3]) await shownAndSent(visitor, page, turn);
        await page.locator(".result", { hasText: "{:n 3}" }).waitFor();
      }
      // Turns written by hand, whose functions are compiled from their programs.
      await visitor.openExample("Shopping, with a recovered error");
      await visitor.choose("Endpoint");
      const before = await visitor.messages();
      await visitor.press("Resume at turn 6");
      await title(page, "Current request: turn 6");
      await eventually.deepEqual(() => visitor.messages(), before);
      await shownAndSent(visitor, page, 6);
      await page.locator(".result", { hasText: ':names ["Mouse"] :total 4' }).waitFor();
    });
  });

  it("is stopped in the middle of a reply, and the request can be repeated", async () => {
    const server = await serve((reply, { number }) => {
      if (number === 2) return reply.stream("(return {:n 1})");
      reply.open().piece("(def x ");
    });
    await askOnPage(server.address, async (visitor, page) => {
      await begin(page);
      await page.locator(".stream", { hasText: "(def x" }).waitFor();
      await visitor.press("Stop");
      await visitor.sees("Stopped after 0 turns.");
      assert.equal(await server.requests[0].gone, true);
      await begin(page);
      await visitor.sees("The agent returned after 1 turn.");
    });
  });

  let cut;
  const refusals = [
    [
      "a key that is not accepted",
      (reply) => reply.send(401, { error: { message: `Incorrect API key provided: ${KEY}.` } }),
      /does not accept the key: .* \(401\)\. It says: Incorrect API key provided: …\./,
    ],
    [
      "too many requests",
      (reply) => reply.send(429, { error: { message: "Rate limit" } }, { "retry-after": "20" }),
      /too many requests, .*wait 20 s, .* \(429\)\. It says: Rate limit/,
    ],
    [
      "a page in place of an answer",
      (reply) => reply.send(200, "<p>Welcome</p>"),
      /gave text\/html, which is no reply of a model: check the address/,
    ],
    ["an unknown model", (reply) => reply.send(404, { detail: "no such model" }), /check .*the model’s name.* \(404\)/],
    ["its own failure", (reply) => reply.send(503, "<h1>Sorry</h1>"), /the endpoint itself failed: .* \(503\)$/],
    [
      "a reply that is cut off",
      (reply) => {
        reply.open().piece("(return");
        cut = () => reply.cut();
      },
      /the connection ended before the reply did, after 7 characters/,
      async (page) => {
        await page.locator(".stream", { hasText: "(return" }).waitFor();
        cut();
      },
    ],
    [
      "an error in its stream",
      (reply) =>
        reply
          .open()
          .event({ error: { message: "overloaded" } })
          .response.end(),
      /the model could not be asked: overloaded/,
    ],
    [
      "a stream of nonsense",
      (reply) => reply.open().write("data: {oops\n\n").response.end(),
      /JSON that can.t be read: \{oops/,
    ],
    ["another protocol", (reply) => reply.send(200, { text: "hi" }), /must be a chat completion, got an object/],
  ];
  it("failures are explained without showing the key: status codes, cut connections, other protocols", async () => {
    let refusal;
    const server = await serve((reply) => refusal(reply));
    await askOnPage(server.address, async (visitor, page) => {
      for (const [what, answer, told, meanwhile] of refusals) {
        refusal = answer;
        await begin(page);
        await meanwhile?.(page);
        await eventually.match(() => wordsOf(page.locator(".result .run-part-body")), told, what);
        const reason = await wordsOf(page.locator(".result .run-part-body"));
        assert.ok(!reason.includes(KEY), what);
        assert.match(reason, /^llm_error the model could not be asked: /, what);
        await eventually.ok(async () => (await visitor.userMessage()).startsWith("Count"));
      }
      assert.equal(server.requests.length, refusals.length);
    });
  });

  it("a redirect to another address does not get the key", async () => {
    const other = await serve((reply) => reply.stream("(return {:n 1})"));
    const location = `${other.address}/chat/completions`;
    const server = await serve((reply) => reply.send(307, "", { location }));
    await askOnPage(server.address, async (visitor, page) => {
      await begin(page);
      await visitor.sees(/the address redirects to another one, to which the key is not sent/);
    });
    assert.deepEqual([server.requests.length, other.requests.length], [1, 0]);
  });

  it("missing CORS headers and an unreachable server are distinguished", async () => {
    const closed = await serve(() => {}, { cors: false });
    await askOnPage(closed.address, async (visitor, page) => {
      await begin(page);
      await visitor.sees(/answers, but does not allow requests from this page \(CORS\)/);
      const gone = await startEndpoint(() => {});
      await gone.close();
      await visitor.field("Address").fill(gone.address);
      await begin(page);
      await page.locator(".result", { hasText: "nothing answers at http://127.0.0.1:" }).waitFor();
    });
    assert.equal(closed.requests.length, 0);
  });

  it("may answer without streaming, reject stream_options, or stop at its token limit", async () => {
    const server = await serve((reply, { body, number }) => {
      if (number === 1) {
        const content = [
          { type: "thinking", thinking: [] },
          { type: "text", text: "(def n 8)" },
        ];
        const message = { role: "assistant", content };
        return reply.send(200, { choices: [{ message, finish_reason: "length" }], usage: { prompt_tokens: 5 } });
      }
      if ("stream_options" in body) return reply.send(400, { error: { message: "unknown field: stream_options" } });
      return reply
        .open()
        .write('data:{"choices":[{"delta":{"content":"(return {:n n})"},"finish_reason":"stop"}]}')
        .response.end();
    });
    await askOnPage(server.address, async (visitor, page) => {
      await begin(page);
      await visitor.sees("The agent returned after 2 turns.");
      assert.equal(server.requests.length, 3);
      await eventually.match(() => resultOf(page), /0 calls 5 tokens in [\d.]+ m?s/);
      await eventually.match(() => resultOf(page), /Warnings 1 Turn 1: the model reached its token limit/);
    });
  });

  it("missing settings are marked and focused", async () =>
    visit({ fragment: await runLink({ ...counting, model: "endpoint" }) }, async (visitor, page) => {
      await eventually.equal(() => page.locator("[aria-invalid]").count(), 0);
      await begin(page);
      for (const label of ["Address", "Model name"])
        await eventually.equal(() => visitor.field(label).getAttribute("aria-invalid"), "true");
      await visitor.focusOn("Address");
      await visitor.field("Temperature").fill("hot");
      await visitor.field("Address").fill("ftp://example.com");
      await visitor.field("Model name").fill("m");
      await eventually.equal(() => visitor.field("Model name").getAttribute("aria-invalid"), null);
      for (const label of ["Address", "Temperature"])
        await eventually.equal(() => visitor.field(label).getAttribute("aria-invalid"), "true");
      await eventually.equal(() => page.locator(".result").count(), 0);
    }));
});

describe("the Run tab", () => {
  it("works by keyboard alone, and announces the progress of the agent", async () =>
    visit({ fragment: await runLink(counting) }, async (visitor, page) => {
      const tabTo = async (wanted) => {
        for (let steps = 0; steps < 40; steps++) {
          const name = await page.evaluate(() => document.activeElement.id || document.activeElement.value);
          if (name === wanted) return;
          await page.keyboard.press("Tab");
        }
        assert.fail(`Tab never reached ${wanted}`);
      };
      await page.evaluate(() => {
        globalThis.said = [];
        const listen = (region) =>
          new MutationObserver(() => globalThis.said.push(region.textContent)).observe(region, {
            childList: true,
            characterData: true,
            subtree: true,
          });
        for (const region of document.querySelectorAll('[role="status"]')) listen(region);
      });
      await page.getByRole("tab", { name: "Run" }).focus();
      await tabTo("scripted");
      await page.keyboard.press("ArrowRight");
      await eventually.ok(() => page.getByRole("radio", { name: "You" }).isChecked());
      await tabTo("run-agent");
      await page.keyboard.press("Enter");
      for (const program of ["(def a (tool/draw))", "(return {:n a})"]) {
        await page.waitForSelector('.cm-content[aria-label^="Your reply"]:focus');
        await page.keyboard.insertText(program);
        await page.keyboard.press("ControlOrMeta+Enter");
        await page.locator(".cm-content", { hasText: program }).waitFor({ state: "detached" });
      }
      await visitor.sees("The agent returned after 2 turns.");
      await eventually.match(
        () => page.evaluate(() => globalThis.said.join("\n")),
        /Turn 1 waits for your reply\.[\s\S]*Turn 2 waits[\s\S]*The agent returned after 2 turns\./,
      );
    }));

  it("is restored from a link with its script", async () => {
    const replies = ["(def x 1)", "(return {:n x})"];
    await visit({ fragment: await runLink({ ...counting, replies }) }, async (visitor, page) => {
      await visitor.toggleGroup("Replies");
      await eventually.equal(() => page.getByLabel("Reply to turn 2").inputValue(), "(return {:n x})");
      await visitor.choose("You");
      await visitor.openLink(await visitor.linkOnce(({ model }) => model === "you"));
      await page.waitForSelector(".agent-run");
      await eventually.ok(() => page.getByRole("radio", { name: "You" }).isChecked());
      await visitor.choose("Scripted replies");
      await begin(page);
      await visitor.sees("The agent returned after 2 turns.");
    });
  });

  it("fits 1280 px and 360 px and has no axe violations", () =>
    visit({ fragment: "#example=expenses&tab=run", width: 360 }, async (visitor, page) => {
      for (const group of await page.locator("#history .group-toggle").all()) await group.click();
      await begin(page);
      await page.locator(".result").waitFor();
      await visitor.toggleTurn(3);
      await visitor.fits(1280, 360);
      await visitor.choose("Endpoint");
      await visitor.field("Temperature").fill("hot");
      await begin(page);
      await visitor.fits(1280, 360);
      await visitor.choose("You");
      await begin(page);
      await visitor.write("Your reply to turn 1", "(cuont 1)");
      await page.locator(".code-problem").first().waitFor();
      await visitor.fits(1280, 360);
      await visitor.press("Messages");
      await title(page, "Current request: turn 1");
      await visitor.fits(360);
    }));
});
