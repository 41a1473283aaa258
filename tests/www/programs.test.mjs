// The tab of typed calls: a signature, the messages for it, and the outputs of replies.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { inflateRawSync } from "node:zlib";
import * as turnfold from "../js/everything.mjs";
import { startEndpoint } from "./endpoint.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { overflow, visit } from "./visit.mjs";

const PROGRAMS = "#tab=programs";
const programsLink = (programs, more = {}) => linkTo({ programs, ...more }, "programs");
const onPrograms = (programs, more) => async (journey) =>
  visit({ fragment: await programsLink(programs, more) }, journey);

/** Named values in the form of the state. */
const cells = (values) => Object.entries(values).map(([name, text]) => ({ name, text }));
const turns = (...list) => list.map((values) => ({ values: cells(values) }));

const bridge = {
  signature: "question, history: History -> answer: str, year: int",
  inputs: cells({ question: "And how long did that take?" }),
  history: turns(
    { question: "When was it begun?", answer: "In January 1933.", year: "1933" },
    { question: "And opened?", answer: "In May 1937.", year: "1937" },
  ),
  replies: ["Answer: Four years.\nYear: 1937"],
};
const bridgeHistory = [
  { question: "When was it begun?", answer: "In January 1933.", year: 1933 },
  { question: "And opened?", answer: "In May 1937.", year: 1937 },
];

const code = (page, title) => page.getByRole("region", { name: title, exact: true }).locator("pre").innerText();
const output = (page, name) => page.locator(`[data-output="${name}"] .run-value`).innerText();
const origins = (page) => page.locator(".program-messages .origin").allInnerTexts();
/** The messages of a request of the last call, numbered from 1. */
const sentWith = async (page, number) => {
  const request = page.locator(".sent-list > li").nth(number - 1);
  await request.locator("summary").click();
  await request.locator("details pre").first().waitFor();
  return request.locator("details pre").allInnerTexts();
};
const problemAt = (page, id) => page.locator(`[id="${id}-problem"]`);

describe("a signature", () => {
  it("gives messages, TypeScript types and JSON Schemas while it is typed", () =>
    onPrograms({})(async (visitor, page) => {
      await visitor.sees("the signature is empty (write `question -> answer`)");
      const text = 'review: str, limit: Optional[int] -> mood: Literal["good", "bad"], tags: list[str]';
      await visitor.write("Signature", text);
      await visitor.sees("Read as arrow form: review, limit → mood, tags");
      const program = new turnfold.Predict(text);
      const messages = (given) => program.messages(given).map(({ role, content }) => ({ role, text: content }));
      await eventually.deepEqual(() => visitor.messages(), messages({ review: "" }));
      await visitor.field("review").fill("Bright.\nLimit: 5");
      await eventually.deepEqual(() => visitor.messages(), messages({ review: "Bright.\nLimit: 5" }));
      await visitor.field("limit").fill("3");
      await eventually.deepEqual(() => visitor.messages(), messages({ review: "Bright.\nLimit: 5", limit: 3 }));
      const tokens = turnfold.estimate.count(program.messages({ review: "Bright.\nLimit: 5", limit: 3 })[0].content);
      await page.getByText(`1 message, about ${tokens} tokens`).first().waitFor();
      await eventually.equal(
        () => code(page, "TypeScript"),
        `type Inputs = {
  review: string;
  limit?: number | null;
};

type Outputs = {
  mood: "good" | "bad";
  tags: string[];
};`,
      );
      const { signature } = program;
      await eventually.deepEqual(
        async () => JSON.parse(await code(page, "JSON Schema of the outputs")),
        signature.jsonSchema(),
      );
      await eventually.deepEqual(
        async () => JSON.parse(await code(page, "JSON Schema of the inputs")),
        signature.jsonSchema("input"),
      );
    }));

  it("is accepted in the notation of turns", () =>
    onPrograms({})(async (visitor, page) => {
      await visitor.write("Signature", "(query :string) -> {items [{id :int, note :string?}]}");
      await visitor.sees("Read as notation of turns: query → items");
      await eventually.match(() => code(page, "TypeScript"), /items: \{ id: number; note\?: string \| null \}\[\];/);
    }));

  it("that is invalid is marked, with the types that are possible", () =>
    onPrograms({ signature: "question -> answer", inputs: cells({ question: "Why?" }) })(async (visitor, page) => {
      const before = await visitor.messages();
      const content = await visitor.write("Signature", "question: strng\n-> answer");
      const problem = problemAt(page, "program-signature");
      await problem
        .filter({ hasText: /^Line 1, column 11: expected a type, found `strng` \(the types are / })
        .waitFor();
      await eventually.equal(() => content.getAttribute("aria-invalid"), "true");
      await eventually.equal(() => page.locator(".code-problem").innerText(), "strng");
      await visitor.sees("These are the last valid messages: correct the marked fields.");
      await eventually.deepEqual(() => visitor.messages(), before);
      await eventually.equal(() => visitor.field("question").inputValue(), "Why?");
      await visitor.write("Signature", "(a :int) -> :int");
      await problem.filter({ hasText: "a program returns named outputs" }).waitFor();
      await visitor.write("Signature", "question -> history: History");
      await problem.filter({ hasText: "a history is no output" }).waitFor();
      await visitor.write("Signature", "question -> answer");
      await problem.waitFor({ state: "detached" });
    }));

  it("has a field for each input, by its type", () =>
    onPrograms({
      signature: 'q: str, n: int, on: bool, tone: Literal["kind", "dry"], tags: list[str], past: History -> a',
    })(async (visitor, page) => {
      await problemAt(page, "program-input-n").filter({ hasText: "missing, expected int" }).waitFor();
      await visitor.field("n").fill("many");
      await problemAt(page, "program-input-n").filter({ hasText: 'expected int, got string "many"' }).waitFor();
      await visitor.field("n").fill("12345678901234567890");
      await page.getByLabel("on", { exact: true }).selectOption("false");
      await page.getByLabel("tone", { exact: true }).selectOption({ label: "dry" });
      await visitor.write("tags", '["a", 1');
      await problemAt(page, "program-input-tags").filter({ hasText: "The text ends before this list does" }).waitFor();
      await visitor.write("tags", '["a", {}]');
      await problemAt(page, "program-input-tags").filter({ hasText: "[1]: expected string" }).waitFor();
      await visitor.write("tags", '["a", "b"]');
      await eventually.equal(() => page.locator("#messages .field-problem").count(), 0);
      await eventually.match(
        () => visitor.userMessage(),
        /N: 12345678901234567890\nOn: false\nTone: dry\nTags: \["a","b"\]$/,
      );
    }));

  it("follows program, adapter, instructions, descriptions and demos", () =>
    onPrograms({ ...bridge, demos: turns({ question: "Who?", answer: "Strauss.", year: "1917" }) })(
      async (visitor, page) => {
        const given = { question: "And how long did that take?", history: new turnfold.History(bridgeHistory) };
        const demos = [{ question: "Who?", answer: "Strauss.", year: 1917 }];
        const shows = async (program) =>
          await eventually.deepEqual(
            () => visitor.messages(),
            program.messages(given).map(({ role, content }) => ({ role, text: content })),
          );
        await shows(new turnfold.Predict(bridge.signature, { demos }));
        await visitor.choose("ChainOfThought");
        await shows(new turnfold.ChainOfThought(bridge.signature, { demos }));
        await eventually.match(() => code(page, "TypeScript"), /type Outputs = \{\n {2}reasoning: string;/);
        await visitor.choose("json");
        await visitor.field("Instructions").fill("Be short.");
        await visitor.toggleGroup("Descriptions");
        await visitor.field("Description of year").fill("the year that it is about");
        const described = {
          inputs: turnfold.parseSignature(bridge.signature).inputs,
          outputs: [
            { name: "answer", type: "str" },
            { name: "year", type: "int", description: "the year that it is about" },
          ],
        };
        await shows(new turnfold.ChainOfThought(described, { demos, adapter: "json", instructions: "Be short." }));
        await visitor.toggleGroup("Demos");
        await visitor.press("Add demo");
        await visitor.focusOn("question of demo 2");
        await page.keyboard.type("Where?");
        await page.locator(".pair-problem", { hasText: /^invalid_demo: it has none of the outputs/ }).waitFor();
      },
    ));
});

describe("a history", () => {
  it("of N turns adds exactly 2N messages before the request, which does not change", () =>
    onPrograms(bridge)(async (visitor, page) => {
      const alone = new turnfold.Predict(bridge.signature).messages({ question: "And how long did that take?" });
      const check = async (count) => {
        const all = await visitor.messages();
        assert.equal(all.length, 2 * count + 1);
        assert.deepEqual(
          all.map(({ role }) => role),
          [...Array.from({ length: count }, () => ["user", "assistant"]).flat(), "user"],
        );
        assert.equal(all.at(-1).text, alone[0].content);
      };
      await check(2);
      await eventually.deepEqual(() => origins(page), ["turn 1", "turn 1", "turn 2", "turn 2", "request"]);
      await visitor.press("Add turn");
      await visitor.focusOn("question of turn 3");
      await page.keyboard.type("Who built it?");
      await visitor.field("answer of turn 3").fill("Strauss,\nYear: 1");
      await check(3);
      await eventually.equal(async () => (await visitor.messages()).at(-2).text, "Answer: Strauss,\n  Year: 1");
      await visitor.press("Move turn 3 up");
      await eventually.equal(async () => (await visitor.messages())[2].text, "Question: Who built it?");
      await visitor.press("Duplicate turn 1");
      await check(4);
      await visitor.press("Delete turn 1");
      await visitor.press("Delete turn 1");
      await visitor.press("Delete turn 1");
      await visitor.press("Delete turn 1");
      await check(0);
    }));

  it("with an invalid turn marks the turn and its fields", () =>
    onPrograms(bridge)(async (visitor, page) => {
      await visitor.press("Turn 2");
      await visitor.field("answer of turn 2").fill("");
      await eventually.equal(async () => (await visitor.messages())[3].text, "Year: 1937");
      await visitor.field("year of turn 2").fill("");
      await page
        .locator(".pair", { hasText: "Turn 2" })
        .locator(".pair-problem", { hasText: /^invalid_history_element: it has none of the outputs \(it holds / })
        .waitFor();
      await page.getByText("A turn needs at least one of answer, year").waitFor();
      await eventually.equal(() => visitor.field("answer of turn 2").getAttribute("aria-invalid"), "true");
      await visitor.sees("These are the last valid messages");
      await visitor.press("Call");
      await visitor.sees("The call can’t be made yet: correct the marked fields.");
      // Wait for the focus, because text that is filled in earlier would be entered in another field.
      const focusIsInTurn = () => page.evaluate(() => document.activeElement.id.startsWith("program-history-"));
      await eventually.equal(focusIsInTurn, true);
      await visitor.field("question of turn 2").fill("");
      await page.locator(".pair-problem", { hasText: "it has none of the inputs" }).waitFor();
    }));

  it("can be pasted as JSON or as a saved History", () =>
    onPrograms({ ...bridge, history: [] })(async (visitor, page) => {
      await visitor.toggleGroup("History as JSON");
      const paste = (json) => visitor.write("History as JSON", typeof json === "string" ? json : JSON.stringify(json));
      const problem = problemAt(page, "program-history-text");
      await paste(new turnfold.History(bridgeHistory).toJSON());
      await page.getByText("2 turns").first().waitFor();
      const shown = await visitor.messages();
      await paste("5");
      await problem.filter({ hasText: "invalid_history_value: the messages of a history must be a list" }).waitFor();
      await paste([bridgeHistory[0], "no turn"]);
      await problem.filter({ hasText: /column \d+: invalid_history_element: element 1 of the history is/ }).waitFor();
      await eventually.equal(() => page.locator(".code-problem").innerText(), '"no turn"');
      await paste('[{"question": "x",}]');
      await problem.filter({ hasText: "Remove the comma before this: nothing follows it" }).waitFor();
      // Invalid input changes nothing.
      await eventually.deepEqual(() => visitor.messages(), shown);
      const odd = [{ question: null, answer: "", year: "last year", source: { page: 3 } }];
      await paste(odd);
      await page.getByText("1 turn", { exact: true }).first().waitFor();
      const program = new turnfold.Predict(bridge.signature);
      const expected = program.messages({ question: "", history: new turnfold.History(odd) });
      await eventually.deepEqual(
        async () => (await visitor.messages()).slice(0, 2).map(({ text }) => text),
        expected.slice(0, 2).map(({ content }) => content),
      );
      await visitor.press("Turn 1");
      await visitor.sees("Not in the signature: left out of the messages");
      await visitor.press("Delete source of turn 1");
      await eventually.doesNotMatch(() => visitor.read("History as JSON"), /source/);
    }));

  it("can be added to a signature without one", () =>
    onPrograms({ signature: "(question :string) -> {answer :string}", inputs: cells({ question: "Why?" }) })(
      async (visitor) => {
        await visitor.press("Add one");
        await visitor.sees("Read as arrow form: question, history → answer");
        await visitor.press("Add turn");
        await visitor.focusOn("question of turn 1");
      },
    ));
});

describe("a call", () => {
  it("with scripted replies shows the outputs, and becomes a turn of the history", () =>
    onPrograms(bridge)(async (visitor, page) => {
      await visitor.press("Call");
      await visitor.sees("The call returned its outputs.");
      await eventually.equal(() => output(page, "answer"), "Four years.");
      await eventually.equal(() => output(page, "year"), "1937");
      await eventually.equal(() => page.locator(".sent-reply").innerText(), "Answer: Four years.\nYear: 1937");
      await eventually.deepEqual(
        () => sentWith(page, 1),
        (await visitor.messages()).map(({ text }) => text),
      );
      await visitor.press("Add this call to the history");
      await visitor.focusOn("question");
      await visitor.sees("The call is turn 3 of the history now.");
      await eventually.equal(async () => (await visitor.messages()).length, 7);
      await eventually.equal(async () => (await visitor.messages())[5].text, "Answer: Four years.\nYear: 1937");
      await visitor.press("Undo");
      await page.getByText("2 turns").first().waitFor();
    }));

  it("repeats the request after an unusable reply, up to maxRepairs, and shows its problems", () =>
    onPrograms({ ...bridge, replies: ["Answer: Four years.\nYear: none", "Answer: Four years.\nYear: 1937"] })(
      async (visitor, page) => {
        await visitor.press("Call");
        await visitor.sees("The call returned its outputs.");
        await eventually.equal(() => output(page, "year"), "1937");
        await visitor.sees("asked 2 times");
        const repair = page.locator(".sent-list > [data-repair]");
        await eventually.equal(
          () => repair.locator(".sent-problem").innerText(),
          'What is wrong with it:\n- year: expected int, got string "none"',
        );
        await visitor.toggleGroup("Limits");
        await visitor.field("maxRepairs").fill("0");
        await visitor.toggleGroup("Limits");
        await visitor.press("Call again");
        const failure = page.locator(".program-result .run-part").first();
        await failure.filter({ hasText: "output_parse_failed" }).waitFor();
        await eventually.match(
          () => failure.innerText(),
          /the model's reply can't be used: year: expected int.*maxRepairs: 1/s,
        );
        await visitor.sees("asked once");
        await visitor.toggleGroup("Limits");
        await visitor.field("maxRepairs").fill("some");
        await visitor.toggleGroup("Limits");
        await visitor.press("Call again");
        await visitor.focusOn("maxRepairs");
      },
    ));

  it("fails with llm_error when the scripted replies end", () =>
    onPrograms({ ...bridge, replies: [] })(async (visitor, page) => {
      await visitor.press("Call");
      await page.locator(".program-result", { hasText: "llm_error" }).waitFor();
      await visitor.sees("the script has no reply 1: add one under “Model”");
    }));

  it("asks the user with the model “You”, and can be stopped", () =>
    onPrograms(bridge, { model: "you" })(async (visitor, page) => {
      await visitor.press("Call");
      await visitor.focusOn("Your reply to request 1");
      await visitor.sees("Request 1, the outputs, waits for your reply.");
      await page.keyboard.type("Answer: Long.");
      await page.keyboard.press("ControlOrMeta+Enter");
      await visitor.focusOn("Your reply to request 2");
      await visitor.sees("Request 2, the outputs once more, waits for your reply.");
      await page.keyboard.type('{"answer": "Long", "year": 1937}');
      await visitor.press("Send");
      await visitor.sees("The call returned its outputs.");
      await eventually.equal(() => output(page, "answer"), "Long");
      await visitor.press("Call again");
      await visitor.focusOn("Your reply to request 1");
      await visitor.press("Stop");
      await page.locator('.program-result[data-outcome="stopped"]', { hasText: "the call has no result" }).waitFor();
      await page.locator('.notice[data-tone="info"]', { hasText: "Stopped: the call has no result." }).waitFor();
    }));

  it("of a ReAct calls the page's tools", () =>
    visit({ fragment: PROGRAMS }, async (visitor, page) => {
      await visitor.press("ReAct, with a tool");
      await visitor.sees("The page’s tools have exchange_rate now.");
      await visitor.press("Call");
      await visitor.sees("The call returned its outputs.");
      await eventually.equal(() => output(page, "euros"), "265");
      const step = await page.locator('[data-step="1"]').innerText();
      assert.match(step, /exchange_rate\(\{"from":"CHF","to":"EUR"\}\) returned 1\.06/);
      await eventually.equal(() => page.locator(".sent-list > li").count(), 3);
      await visitor.toggleGroup("Tools");
      await visitor.field("Name of tool 4").fill("finish");
      await visitor.sees('invalid_tool: no tool may be called "finish", which ends the steps');
    }));

  it("compresses a history that is too long", () =>
    onPrograms({
      ...bridge,
      history: turns(
        ...Array.from({ length: 8 }, (_, at) => ({ question: `Question ${at}?`, answer: `Answer ${at}.` })),
      ),
      strategy: "lastNMessages",
      options: { n: "4" },
    })(async (visitor, page) => {
      await visitor.press("Call");
      await visitor.sees("The call returned its outputs.");
      await visitor.sees(/Applied “Keep the last messages”: 1 summary inserted/);
      const sent = await sentWith(page, 2);
      assert.equal(sent.length, 6);
      assert.match(sent[0], /^Summary of 12 earlier messages:\n\nIn short: /);
      assert.equal(sent[1], "Question: Question 6?");
      await eventually.equal(async () => (await visitor.messages()).length, 17);
    }));
});

describe("an endpoint", () => {
  const servers = [];
  const serve = async (answer) => {
    const server = await startEndpoint(answer);
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  const ask = async (address, journey) =>
    onPrograms(bridge, { model: "endpoint" })(async (visitor, page) => {
      await visitor.field("Address").fill(address);
      await visitor.field("Model name").fill("tiny");
      await visitor.field("Key").fill("sk-programs");
      await visitor.press("Call");
      await journey(visitor, page);
    });

  it("is sent the shown messages, and its reply is shown while it arrives", async () => {
    let goOn;
    const seen = new Promise((resolve) => {
      goOn = resolve;
    });
    const server = await serve(async (reply) => {
      reply.open().piece("Answer: Vier ");
      await seen;
      reply.piece("Jahre – grüßt 世界.\nYear: 1937");
      reply.end();
    });
    await ask(server.address, async (visitor, page) => {
      await page.locator(".sent-reply", { hasText: /^Answer: Vier $/ }).waitFor();
      await visitor.sees("The reply to request 1 comes in …");
      goOn();
      await visitor.sees("The call returned its outputs.");
      await eventually.equal(() => output(page, "answer"), "Vier Jahre – grüßt 世界.");
      await visitor.sees("100 tokens in");
      const [{ body, headers }] = server.requests;
      assert.deepEqual(
        body.messages,
        (await visitor.messages()).map(({ role, text }) => ({ role, content: text })),
      );
      assert.equal(headers.authorization, "Bearer sk-programs");
      assert.doesNotMatch(page.url(), /sk-programs/);
    });
  });

  it("that fails says why, and one that hangs is stopped", async () => {
    const server = await serve((reply, { number }) =>
      number === 1 ? reply.send(404, { error: { message: "no such model" } }) : reply.open().piece("Answer:"),
    );
    await ask(server.address, async (visitor, page) => {
      const failure = page.locator(".program-result .run-part").first();
      await failure.filter({ hasText: "llm_error" }).waitFor();
      await eventually.match(() => failure.innerText(), /no such model/);
      await visitor.press("Call again");
      await page.locator(".sent-reply", { hasText: "Answer:" }).waitFor();
      await visitor.press("Stop");
      await page.locator(".program-result", { hasText: "stopped" }).waitFor();
      assert.equal(await server.requests[1].gone, true);
      // The browser's own messages about failed requests are ignored.
      visitor.expectErrors(/404/);
    });
  });

  it("missing settings are marked and focused", () =>
    onPrograms(bridge, { model: "endpoint" })(async (visitor) => {
      await visitor.press("Call");
      await visitor.focusOn("Address");
      await visitor.sees("The endpoint is not set up yet: correct the marked fields.");
    }));
});

describe("the state of the tab", () => {
  it("is saved in the link and restored from it", async () => {
    let fragment;
    let shown;
    await visit({ fragment: PROGRAMS }, async (visitor, _page) => {
      await visitor.press("Chain of thought, in Japanese");
      await visitor.choose("json");
      await visitor.field("Instructions").fill("短く。");
      await visitor.press("Turn 2");
      await visitor.field("question of turn 2").fill("新大阪から京都までは？");
      shown = await visitor.messages();
      fragment = await visitor.linkOnce(({ programs }) => JSON.stringify(programs).includes("新大阪から京都までは"));
      assert.match(fragment, /^#v1=[\w-]+&tab=programs$/);
      const saved = inflateRawSync(Buffer.from(/=([\w-]+)&/.exec(fragment)[1], "base64url")).toString();
      const { programs } = JSON.parse(saved);
      // A link has no default values.
      const names = "adapter history inputs instructions kind replies signature";
      assert.equal(Object.keys(programs).sort().join(" "), names);
      assert.deepEqual(programs.history[1].values[1], { name: "minutes", text: "50" });
    });
    await visit({ fragment }, async (visitor) => {
      await eventually.deepEqual(() => visitor.messages(), shown);
      await eventually.equal(() => visitor.field("Instructions").inputValue(), "短く。");
      await visitor.showTab("Turns");
      // The tools are those of the page, which a ReAct may call.
      await eventually.match(() => visitor.userMessage(), /^;; === tool\/ ===\ntool\/delivery-note/);
    });
  });

  it("is the first example for a link without programs", async () =>
    visit({ fragment: await linkTo({ mission: "Count" }, "programs") }, async (visitor) => {
      await visitor.sees("Read as arrow form: question, history → answer, year");
      await visitor.showTab("Turns");
      await eventually.equal(() => visitor.field("Mission").inputValue(), "Count");
    }));

  it("can be set by examples, which can be undone", () =>
    visit({ fragment: PROGRAMS }, async (visitor) => {
      const first = await visitor.messages();
      assert.equal(first.length, 5);
      for (const title of ["A plain signature", "Chain of thought, in Japanese", "A signature with history"]) {
        await visitor.press(title);
        await visitor.sees(`Opened “${title}”`);
        await visitor.press("Call");
        await visitor.sees("The call returned its outputs.");
      }
      await eventually.deepEqual(() => visitor.messages(), first);
      await visitor.press("A plain signature");
      await visitor.press("Undo");
      await eventually.deepEqual(() => visitor.messages(), first);
    }));

  it("can be set by the page's list of examples, and by links to an example", () =>
    visit({}, async (visitor, page) => {
      const sentence = page.getByRole("complementary", { name: "What to look at" });
      const first = await visitor.messages();
      await visitor.openExample("A signature with history");
      await page.getByRole("tab", { name: "Typed calls", selected: true }).waitFor();
      await page.locator(".program-messages .message").nth(4).waitFor();
      await eventually.match(() => sentence.innerText(), /can only be answered with the turns before it/);
      await eventually.deepEqual(() => origins(page), ["turn 1", "turn 1", "turn 2", "turn 2", "request"]);
      const shown = await visitor.messages();
      await page.waitForFunction(() => location.hash === "#example=follow-up&tab=programs");
      await visit({ fragment: "#example=follow-up&tab=programs" }, async (other, otherPage) => {
        await otherPage.locator(".program-messages .message").nth(4).waitFor();
        await eventually.deepEqual(() => other.messages(), shown);
        await other.press("A signature with history");
        await eventually.deepEqual(() => other.messages(), shown);
      });
      await visitor.press("Undo");
      await visitor.showTab("Turns");
      await page.locator(".turn").first().waitFor();
      await eventually.deepEqual(() => visitor.messages(), first);
    }));
});

describe("for everyone", () => {
  it("works by keyboard alone", () =>
    onPrograms(bridge)(async (visitor, page) => {
      await visitor.tabTo("Signature");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("question, history: History -> answer");
      await visitor.tabTo("Add turn");
      await page.keyboard.press("Enter");
      await visitor.focusOn("question of turn 3");
      await page.keyboard.type("Who paid?");
      await page.keyboard.press("Tab");
      await visitor.focusOn("answer of turn 3");
      await page.keyboard.type("The counties.");
      await visitor.tabTo("Call");
      await page.keyboard.press("Enter");
      await visitor.sees("The call returned its outputs.");
      await visitor.tabTo("Add this call to the history");
      await page.keyboard.press("Enter");
      await visitor.focusOn("question");
      await eventually.equal(async () => (await visitor.messages()).length, 9);
      const up = page.getByRole("button", { name: "Move turn 4 up" });
      await up.focus();
      for (const place of ["Move turn 3 up", "Move turn 2 up", "Move turn 1 up"]) {
        await page.keyboard.press("Enter");
        await visitor.focusOn(place);
      }
    }));

  const repaired = { ...bridge, replies: ["Answer: Four years.", ...bridge.replies] };
  const crowded = {
    ...bridge,
    kind: "react",
    demos: turns({ question: "Who?", answer: "Strauss.", year: "1917" }),
    descriptions: cells({ question: "what is asked" }),
  };

  it(`has no axe violations`, async () =>
    visit({ fragment: await programsLink(repaired), height: 1600 }, async (visitor, page) => {
      await visitor.press("Call");
      await visitor.sees("The call returned its outputs.");
      await page.locator(".sent-problem").waitFor();
      await visitor.press("Turn 1");
      for (const group of await page.locator(".group-toggle").all()) await group.click();
      await page.locator(".sent-list summary").first().click();
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.field("answer of turn 1").fill("");
      await visitor.field("year of turn 1").fill("");
      await page.locator(".pair-problem").waitFor();
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }));

  it(`fits 360 px and has no axe violations`, async () =>
    visit({ fragment: await programsLink(crowded), width: 360, height: 740 }, async (visitor, page) => {
      for (const group of await page.locator("#history .group-toggle").all()) await group.click();
      await visitor.press("Demo 1");
      await eventually.equal(() => page.locator("#messages").isVisible(), false);
      await eventually.equal(() => overflow(page), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await page.getByRole("navigation").getByRole("button", { name: "Call" }).click();
      await visitor.press("Turn 1");
      await page.locator("#call-program").click();
      await page.locator(".program-result").waitFor();
      await eventually.equal(() => page.locator("#history").isVisible(), false);
      await eventually.equal(() => overflow(page), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }));
});
