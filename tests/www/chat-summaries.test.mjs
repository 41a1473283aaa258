// The Chat tab: sources of summaries, and the resulting conversation.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import * as turnfold from "../js/everything.mjs";
import { CHAT, chatLink, copied, inResult, onChat, plan, resultLine, shape, talk, text, words } from "./chat.mjs";
import { startEndpoint } from "./endpoint.mjs";
import { eventually } from "./eventually.mjs";
import { stateIn } from "./link.mjs";
import { sharedVisit, visit } from "./visit.mjs";

describe("summaries", () => {
  const messages = talk(20);
  const parameters = { compressionStrategy: turnfold.chunked(8), provider: "openai" };
  const expected = turnfold.planHistory(new turnfold.Conversation({ messages }), parameters);
  const state = { messages: text(messages), strategy: "chunked", options: { size: "8" } };

  it("written by hand are shown beside the exact requests", () =>
    onChat({ ...state, summarizer: "typed" })(async (visitor, page) => {
      await plan(page, /^3 requests/);
      for (const [place, request] of expected.requests.entries()) {
        const shown = page.locator(".request").nth(place);
        await shown.locator("summary").click();
        await shown.locator("pre").first().waitFor();
        const texts = await shown.locator("pre").evaluateAll((all) => all.map(({ textContent }) => textContent));
        assert.deepEqual(
          texts,
          request.messages.map(({ content }) => content),
        );
      }
      await eventually.deepEqual(
        () => copied(visitor, page, "Copy the messages of request 2"),
        expected.requests[1].messages,
      );
      await eventually.equal(() => resultLine(page), "3 of 3 summary texts are missing.");
      await visitor.field("Summary for request 1").fill("One.");
      await visitor.field("Summary for request 2").fill("Two.");
      await page.getByText("1 of 3 summary texts is missing.").waitFor();
      await visitor.field("Summary for request 3").fill("far too long for that ".repeat(300));
      // The summary is not used, and its messages stay.
      await page.getByText("Applied “A summary per group”: 2 summaries inserted.").waitFor();
      await eventually.match(
        () => words(page.locator(".chat-result")),
        /a summary has \d+ tokens, and the \d+ messages it would replace have \d+; they stay/,
      );
      await visitor.field("Summary for request 3").fill("Three.");
      await page.getByText("Applied “A summary per group”: 3 summaries inserted.").waitFor();
      const made = turnfold.applyPlan(expected, ["One.", "Two.", "Three."]);
      await eventually.deepEqual(() => copied(visitor, page, "Copy the report"), JSON.parse(text(made.report)));
      await eventually.deepEqual(
        () => copied(visitor, page, "Copy the result as Turnfold"),
        JSON.parse(text(made.conversation.toJSON())),
      );
    }));

  it("scripted are the same for each request, and can be edited", () =>
    onChat(state)(async (visitor, page) => {
      await page.getByText("Applied “A summary per group”: 3 summaries inserted.").waitFor();
      await visitor.field("Scripted summary").fill("Nothing of note.");
      await inResult(page).filter({ hasText: "Nothing of note." }).nth(2).waitFor();
    }));

  it("give a result that can be copied in every format", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      const own = await copied(visitor, page, "Copy the result as Turnfold");
      const conversation = turnfold.Conversation.fromJSON(own);
      assert.equal(conversation.messages.length, 21);
      await eventually.deepEqual(
        () => copied(visitor, page, "Copy the result as OpenAI"),
        turnfold.openai.to(conversation),
      );
      await eventually.deepEqual(
        () => copied(visitor, page, "Copy the result as Anthropic"),
        turnfold.anthropic.to(conversation),
      );
      await eventually.deepEqual(
        () => copied(visitor, page, "Copy the result as AI SDK"),
        turnfold.aiSdk.to(conversation),
      );
    }));

  it("give a result that “Use as input” makes the input, which can be undone", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.press("Use as input");
      await shape(page, /^Detected: Turnfold · 21 messages/);
      // A summary alone is not summarised again.
      await plan(page, /^Nothing changes: there is nothing to summarise\.$/);
      await eventually.match(
        () => words(page.locator("#history .chat-message", { hasText: "Summary of" })),
        /Summary of 40 earlier/,
      );
      await visitor.press("Undo");
      await shape(page, "60 messages");
      await plan(page, /40 summarised/);
    }));
});

describe("an endpoint", () => {
  const KEY = "sk-chat-secret";
  const servers = [];
  const serve = async (...given) => {
    const server = await startEndpoint(...given);
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  const messages = talk(20);
  const chat = { messages: text(messages), strategy: "chunked", options: { size: "8" }, summarizer: "endpoint" };
  const fillIn = async (visitor, address) => {
    await visitor.field("Address").fill(address);
    await visitor.field("Model name").fill("tiny");
    await visitor.field("Key").fill(KEY);
  };
  const ask = async (address, journey) =>
    onChat(chat)(async (visitor, page) => {
      await fillIn(visitor, address);
      await visitor.press("Ask the endpoint");
      await journey(visitor, page);
    });
  const told = (page, said) => page.locator(".chat-result .field-problem", { hasText: said }).waitFor();

  it("is asked for all summaries in parallel, and its answers are applied", async () => {
    const waiting = [];
    const server = await serve((reply, { body }) => {
      const first = /\[(\d+)\]/.exec(body.messages[1].content)[1];
      waiting.push(() => reply.stream(`What was said from ${first} on.`));
      // All requests arrive before the first one is answered.
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
    await ask(server.address, async (visitor, page) => {
      await page.getByText("Applied “A summary per group”: 3 summaries inserted.").waitFor();
      const requests = turnfold.planHistory(new turnfold.Conversation({ messages }), {
        compressionStrategy: turnfold.chunked(8),
      }).requests;
      const sent = server.requests.map(({ body }) => body.messages);
      for (const request of requests)
        assert.ok(sent.some((each) => JSON.stringify(each) === JSON.stringify(request.messages)));
      assert.equal(server.requests[0].headers.authorization, `Bearer ${KEY}`);
      await eventually.deepEqual(
        () => page.locator(".request-answer").allInnerTexts(),
        requests.map(({ covers }) => `What was said from ${covers[0] + 1} on.`),
      );
      // The answers are edited by hand, and are then part of the page's state.
      await visitor.press("Edit them");
      await visitor.field("Summary for request 2").fill("Other words.");
      await inResult(page).filter({ hasText: "Other words." }).waitFor();
      const fragment = await visitor.linkOnce(({ chat }) => JSON.stringify(chat).includes("Other words."));
      assert.ok(!(await stateIn(fragment)).includes(KEY));
      assert.deepEqual(await page.evaluate(() => ({ ...localStorage, ...sessionStorage })), {});
    });
  });

  it("must be called again after a change of the plan", async () => {
    const server = await serve((reply) => reply.stream("Short."));
    await ask(server.address, async (visitor, page) => {
      await page.getByText("Applied “A summary per group”: 3 summaries inserted.").waitFor();
      await visitor.field("Group size").fill("10");
      await page.getByText("The endpoint has not been asked yet.").waitFor();
      await visitor.press("Ask the endpoint");
      await page.getByText("Applied “A summary per group”: 2 summaries inserted.").waitFor();
      assert.equal(server.requests.length, 5);
    });
  });

  const failures = [
    ["a refusal", (reply) => reply.send(401, { error: { message: `No ${KEY}` } }), /does not accept the key/],
    ["an empty summary", (reply) => reply.stream("  "), /empty summary/],
    [
      "a summary that is cut off",
      (reply) => {
        reply.open().piece("It was");
        reply.event({ choices: [{ index: 0, delta: {}, finish_reason: "length" }] });
        reply.response.end("data: [DONE]\n\n");
      },
      /cut off/,
    ],
    [
      "a connection that ends",
      (reply) => {
        reply.open().piece("It");
        // The result does not depend on whether the chunk was read before that.
        setTimeout(() => reply.cut(), 50);
      },
      /the connection ended before the reply did/,
    ],
  ];
  describe("that fails", () => {
    let answer;
    const onPage = sharedVisit(
      chatLink(chat).then((fragment) => ({ fragment })),
      async (visitor) => {
        const server = await serve((reply, asked) => answer(reply, asked));
        await fillIn(visitor, server.address);
      },
    );
    for (const [what, refuse, said] of failures)
      it(
        `with ${what} leaves the conversation unchanged and can be called again`,
        onPage(async (visitor, page) => {
          answer = refuse;
          await visitor.press("Ask the endpoint");
          await told(page, said);
          const problem = await words(page.locator(".chat-result .field-problem"));
          assert.match(problem, /the conversation is unchanged/);
          assert.ok(!problem.includes(KEY));
          await eventually.equal(() => inResult(page).count(), 0);
          answer = (reply) => reply.stream("Short.");
          await visitor.press("Ask again");
          await page.getByText("Applied “A summary per group”: 3 summaries inserted.").waitFor();
          // The browser's own messages about failed requests are ignored.
          visitor.ignoreErrors(/401|ERR_INCOMPLETE/);
          // The answers are those of a plan, and are forgotten when it changes.
          await visitor.field("Group size").fill("10");
          await page.getByText("The endpoint has not been asked yet.").waitFor();
          await visitor.field("Group size").fill("8");
          await plan(page, /^3 requests/);
          await page.getByText("The endpoint has not been asked yet.").waitFor();
        }),
      );
  });

  it("is stopped by hand, and by a change of the plan", async () => {
    const server = await serve((reply) => reply.open().piece("It is"));
    await ask(server.address, async (visitor, page) => {
      await page.locator(".request-answer", { hasText: "It is" }).nth(2).waitFor();
      await page.locator(".agent-status", { hasText: "Asking: 3 of 3 answers come in …" }).waitFor();
      await visitor.press("Stop");
      await told(page, "Stopped: the conversation is unchanged.");
      assert.equal(await server.requests[0].gone, true);
      await visitor.press("Ask again");
      await page.locator(".request-answer", { hasText: "It is" }).nth(2).waitFor();
      await visitor.field("Group size").fill("10");
      await visitor.sees("The plan has changed, so the endpoint’s answers are not used.");
      assert.equal(await server.requests[5].gone, true);
      await page.getByText("The endpoint has not been asked yet.").waitFor();
    });
  });

  it("missing settings are marked and focused", () =>
    onChat(chat)(async (visitor) => {
      await visitor.press("Ask the endpoint");
      await visitor.focusOn("Address");
      await visitor.sees("The endpoint is not set up yet: correct the marked fields.");
      await visitor.sees("Write the model’s name as the endpoint knows it");
    }));
});
