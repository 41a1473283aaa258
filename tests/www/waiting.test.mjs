// Runs of the Run tab that wait for a person.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { startEndpoint } from "./endpoint.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo, stateIn } from "./link.mjs";
import { inContext, origin, visit, WIDTHS, wordsOf } from "./visit.mjs";

const EXAMPLE = "#example=refunds&tab=run";

const calls = (page) => page.locator(".waiting-turn:not(.waiting-beside) .open-call");
const linesOf = async (page) =>
  (await calls(page).locator(".open-call-line").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
const resultOf = (page) => wordsOf(page.locator(".result"));
const turnsOf = (page) =>
  page.locator(".turn[data-turn]").evaluateAll((cards) => cards.map((card) => card.dataset.outcome));
const begin = (page) => page.getByRole("button", { name: "Run", exact: true }).click();

/** Runs the example until it waits. */
async function wait(page) {
  await begin(page);
  await calls(page).nth(1).waitFor();
}

const answer = async (visitor) => {
  await visitor.press("Answer: sign");
  await visitor.press("Answer the call");
};

const paying = {
  mission: "Pay",
  tools: [
    { name: "pay", signature: "(euros :int, to :string) -> :int", answer: "({ euros }) => euros", needsApproval: true },
  ],
  signature: "() -> :int",
  replies: ['(def paid (tool/pay {:euros 900 :to "Ann"}))', "(return paid)"],
};

describe("a run that waits", () => {
  it("shows its open calls at the turn and at the messages, and goes on when all are answered", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      await visitor.focusOn("refund asks before it runs");
      await page.locator('[role="status"]', { hasText: "Turn 2 waits: refund, sign." }).waitFor();
      await eventually.deepEqual(
        () => linesOf(page),
        [
          "tool/refund {:euros 900 :order 23} asks before it runs",
          'tool/sign {:letter "Dear Cleo, your Monitor arrived broken. We are sorry."} answers later',
        ],
      );
      await page.getByRole("heading", { name: "Turn 2 waits: its request", exact: true }).waitFor();
      assert.match(await wordsOf(page.locator(".waiting-beside")), /tool\/refund .* Decide tool\/sign .* Decide/);
      assert.deepEqual(await turnsOf(page), ["success"]);
      assert.equal(await page.locator(".result").count(), 0);
      await visitor.press("Decide about sign");
      await visitor.focusOn("sign answers later");
      await visitor.press("Decide");
      await visitor.focusOn("refund asks before it runs");

      // One answer: the run goes on as far as it can, and waits again.
      await visitor.press("Approve: refund");
      await eventually.equal(() => calls(page).count(), 1);
      await visitor.focusOn("sign answers later");
      await visitor.sees("Done: refund approved.");
      await visitor.press("Answer: sign");
      await page.waitForSelector('.cm-content[aria-label="Result of sign"]:focus');
      assert.equal(await visitor.read("Result of sign"), '"Signed: Dora"');
      await page.keyboard.press("ControlOrMeta+Enter");
      await visitor.sees("The agent returned after 3 turns.");
      await eventually.match(() => resultOf(page), /returned 3 turns 5 calls .* \{:euros 929 :refunded \[17 21 23\]\}/);
      await eventually.deepEqual(() => turnsOf(page), ["success", "success", "success"]);
      assert.equal(await page.locator(".waiting-turn").count(), 0);
      await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
      await eventually.equal(() => calls(page).count(), 1);
      await eventually.deepEqual(() => turnsOf(page), ["success"]);
    }));

  it("a denied call fails its turn with the reason, and the agent goes on without it", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      await visitor.press("Deny: refund");
      await visitor.focusOn("Reason to deny refund");
      await page.keyboard.insertText("Ask for the receipt first");
      await page.keyboard.press("Enter");
      await visitor.sees("Done: refund denied.");
      await answer(visitor);
      await visitor.sees("The agent returned after 3 turns.");
      await eventually.match(() => resultOf(page), /\{:euros 29 :refunded \[17 21\]\}/);
      await eventually.deepEqual(() => turnsOf(page), ["success", "failure", "success"]);
      await visitor.toggleTurn(2);
      await eventually.match(() => visitor.field("Message").inputValue(), /denied: Ask for the receipt first/);
    }));

  it("refuses edited arguments at their place, and calls the tool with those that fit", async () =>
    visit({ fragment: await linkTo(paying, "run") }, async (visitor, page) => {
      await begin(page);
      await visitor.press("Edit arguments: pay");
      const field = "Arguments of pay";
      assert.match(await visitor.read(field), /^\{\s+"euros": 900,\s+"to": "Ann"\s+\}$/);
      await visitor.write(field, '{"euros": 40,\n "to": }');
      await visitor.press("Approve with these");
      await visitor.sees("Line 2, column 8: A value is missing before this");
      await visitor.focusOn(field);
      await visitor.write(field, '{"to": "Ann",\n "euros": "forty"}');
      await page.locator(".code-problem").first().waitFor({ state: "detached" });
      await page.keyboard.press("ControlOrMeta+Enter");
      await visitor.sees('Line 2, column 11: euros: expected int, got string "forty"');
      assert.deepEqual(await turnsOf(page), []);
      await visitor.write(field, '{"to": "Ann", "euros": 40}');
      await visitor.press("Approve with these");
      await visitor.sees("The agent returned after 2 turns.");
      await eventually.match(() => resultOf(page), /Value 40/);
    }));

  it("takes an error as the answer of a call, which the program can catch", async () =>
    visit(
      {
        fragment: await linkTo(
          { ...paying, replies: ['(return (try (tool/pay {:euros 1 :to "x"}) (catch Exception e -1)))'] },
          "run",
        ),
      },
      async (visitor, page) => {
        await begin(page);
        await visitor.press("Answer by hand: pay");
        await visitor.write("Result of pay", "[1");
        await visitor.press("Answer the call");
        await visitor.sees(/^Line 1, column 1: /);
        await visitor.choose("Error");
        await visitor.field("Error of pay").fill("the bank is closed");
        await visitor.press("Answer the call");
        await visitor.sees("The agent returned after 1 turn.");
        await eventually.match(() => resultOf(page), /Value -1/);
      },
    ));

  it("answers many calls at once, and asks only about those that meet the tool's condition", async () =>
    visit(
      {
        fragment: await linkTo(
          { ...paying, replies: ['(return (reduce + (pmap (fn [n] (tool/pay {:euros n :to "Ann"})) (range 120))))'] },
          "run",
        ),
      },
      async (visitor, page) => {
        await visitor.toggleGroup("Tools");
        const condition = page.getByRole("textbox", { name: "Asks only if, of tool 1" });
        await condition.fill("euros > 9");
        await visitor.sees(/^Write a JavaScript function, such as/);
        await condition.fill("({ euros }) => euros > 9");
        await begin(page);
        await visitor.sees("Turn 1 waits: pay (110 times).");
        await eventually.equal(() => page.getByRole("button", { name: "Approve: pay" }).count(), 100);
        await visitor.press("Approve all 110");
        await eventually.match(() => resultOf(page), /returned 1 turn 120 calls .* Value 7140/);
        await page.getByRole("checkbox", { name: "Asks before it runs" }).uncheck();
        await begin(page);
        await eventually.match(() => resultOf(page), /returned 1 turn 120 calls .* Value 7140/);
      },
    ));

  it("ends when its turn is asked for again, and other tabs call its tools without asking", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      await visitor.press("Ask again for turn 2");
      await eventually.equal(() => calls(page).count(), 2);
      assert.deepEqual(await turnsOf(page), ["success"]);
      await visitor.showTab("REPL");
      await visitor.write("Program", '[(:euros (tool/refund {:order 1 :euros 900})) (tool/sign {:letter "Dear"})]');
      await begin(page);
      await eventually.match(() => visitor.run(1), /Value \[900 "Signed: Dora"\]/);
    }));

  it("is operated by keyboard", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await page.getByRole("button", { name: "Run", exact: true }).focus();
      await page.keyboard.press("Enter");
      await visitor.focusOn("refund asks before it runs");
      await visitor.tabTo("Approve: refund");
      await page.keyboard.press("Enter");
      await visitor.focusOn("sign answers later");
      await visitor.tabTo("Deny: sign");
      await page.keyboard.press("Space");
      await visitor.focusOn("Reason to deny sign");
      await page.keyboard.press("Enter");
      await visitor.sees("The agent returned after 3 turns.");
      await eventually.equal(() => visitor.focused(), "Run");
    }));

  it("fits the window, and has no violations for axe", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await visitor.toggleGroup("Tools");
      await wait(page);
      await visitor.press("Edit arguments: refund");
      await visitor.press("Answer: sign");
      await page.waitForSelector('.cm-content[aria-label="Result of sign"]:focus');
      await visitor.fits(...WIDTHS);
    }));
});

describe("a waiting run that is left", () => {
  it("is continued from a link in another browser, which runs nothing by itself", async () => {
    let fragment;
    await visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      fragment = await visitor.linkOnce(({ waiting }) => waiting !== undefined);
    });
    await inContext({}, async (context) => {
      const page = await context.newPage();
      await page.goto(`${origin()}/${fragment}`);
      await calls(page).nth(1).waitFor();
      await page.waitForTimeout(300);
      assert.deepEqual(await turnsOf(page), ["success"]);
      assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
      await page.getByRole("button", { name: "Approve: refund" }).click();
      await page.getByRole("button", { name: "Answer: sign" }).click();
      await page.getByRole("button", { name: "Answer the call" }).click();
      await eventually.match(() => resultOf(page), /\{:euros 929 :refunded \[17 21 23\]\}/);
    });
  });

  it("is kept in this browser, and in a file", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await page.getByRole("switch", { name: "Keep my work in this browser" }).check();
      await wait(page);
      await eventually(async () => {
        const [{ fragment }] = JSON.parse(await page.evaluate(() => localStorage.getItem("turnfold-kept")));
        assert.match(await stateIn(fragment), /"waiting":/);
      });
      await page.reload();
      await calls(page).nth(1).waitFor();
      await visitor.press("Share");
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download JSON")]);
      const content = await readFile(await download.path(), "utf8");
      await page.keyboard.press("Escape");
      await visitor.press("Deny all 2");
      await visitor.sees("The agent returned after 3 turns.");
      await visitor.paste(content);
      await calls(page).nth(1).waitFor();
      await visitor.press("Approve: refund");
      await answer(visitor);
      await eventually.match(() => resultOf(page), /:refunded \[17 21 23\]/);
    }));

  it("is continued from its saved step, with tools that ask and answer later", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Save step")]);
      const buffer = await readFile(await download.path());
      await visitor.openExample("Expenses: two failed turns, recovered");
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Load step")]);
      await chooser.setFiles({ name: "step.json", mimeType: "application/json", buffer });
      await eventually.equal(() => calls(page).count(), 2);
      await eventually.deepEqual(() => turnsOf(page), ["success"]);
      await visitor.toggleGroup("Tools");
      const checked = (name) =>
        page.getByRole("checkbox", { name }).evaluateAll((boxes) => boxes.map((box) => box.checked));
      await eventually.deepEqual(() => checked("Asks before it runs"), [false, true, false]);
      await eventually.deepEqual(() => checked("Answers later"), [false, false, true]);
      await visitor.press("Deny all 2");
      await visitor.sees(/The agent (failed|returned) after/);
      await eventually.equal(async () => (await turnsOf(page))[1], "failure");
    }));

  it("its texts are searched for secrets, and it goes on with what replaces them", async () =>
    visit(
      {
        fragment: await linkTo(
          {
            ...paying,
            replies: ['(def paid (tool/pay {:euros 900 :to (str "cleo.long" "@" "lamps.shop")}))', "(return paid)"],
          },
          "run",
        ),
      },
      async (visitor, page) => {
        await begin(page);
        await calls(page).first().waitFor();
        await visitor.press("Share");
        const panel = page.locator("#share-panel");
        await panel.getByText("cleo.long@lamps.shop").waitFor();
        await panel.getByRole("button", { name: /^Blank/ }).click();
        await eventually.match(async () => (await linesOf(page))[0], /:to "email-1@example\.com"/);
        await page.keyboard.press("Escape");
        const state = JSON.parse(await stateIn(await visitor.linkOnce(({ waiting }) => waiting !== undefined)));
        assert.doesNotMatch(JSON.stringify(state), /cleo\.long@/);
        assert.match(state.waiting, /email-1@example\.com/);
      },
    ));

  it("says why it can't be read, and keeps the rest of the state", async () =>
    visit({ fragment: await linkTo({ ...paying, waiting: '{"version": 1}' }, "run") }, async (visitor, page) => {
      await visitor.sees(/^The run that waits can’t be read: this is not what toJSON/);
      await begin(page);
      await eventually.equal(() => calls(page).count(), 1);
      const state = JSON.parse(await stateIn(await visitor.linkOnce(({ waiting }) => waiting !== undefined)));
      const { calls: open } = JSON.parse(state.waiting).waiting;
      for (const [member, value, problem] of [
        ["info", `${"[".repeat(5000)}${"]".repeat(5000)}`, "is nested more than 1000 levels deep"],
        ["path", '"ab"', "is no call that waits"],
      ]) {
        const changed = JSON.stringify([{ ...open[0], [member]: "?" }]).replace('"?"', value);
        const waiting = state.waiting.replace(JSON.stringify(open), changed);
        assert.notEqual(waiting, state.waiting);
        await visitor.openLink(await linkTo({ ...state, waiting }, "run"));
        await page.locator(".field-problem", { hasText: problem }).waitFor();
      }
    }));

  it("goes on with its own turns when those of the page were edited", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      await visitor.toggleTurn(1);
      await visitor.write("Result of turn 1", "7");
      await visitor.sees("The turns above were edited since. The run goes on with its own, which replace them.");
      await visitor.press("Deny all 2");
      await visitor.sees("The agent returned after 3 turns.");
      await visitor.toggleTurn(1);
      assert.equal(await visitor.read("Result of turn 1"), "nil");
    }));
});

describe("two decisions", () => {
  it("are compared: the messages after both, and what both returned", () =>
    visit({ fragment: EXAMPLE }, async (visitor, page) => {
      await wait(page);
      await visitor.press("Approve: refund");
      await eventually.equal(() => calls(page).count(), 1);
      await answer(visitor);
      await eventually.match(() => resultOf(page), /:refunded \[17 21 23\]/);
      assert.equal(await page.getByRole("button", { name: /^Compare with “/ }).count(), 0);
      await visitor.press("Back to the decision");
      await eventually.equal(() => calls(page).count(), 2);
      await visitor.focusOn("refund asks before it runs");
      assert.deepEqual(await turnsOf(page), ["success"]);
      await visitor.press("Deny: refund");
      await visitor.press("Deny the call");
      await answer(visitor);
      await eventually.match(() => resultOf(page), /:refunded \[17 21\]/);
      await visitor.press("Compare with “refund approved, sign answered”");
      const sum = page.locator(".diff-sum");
      await eventually.match(
        () => wordsOf(sum),
        /^Against refund approved, sign answered: returned \{:euros 929 :refunded \[17 21 23\]\}, \d+ tokens there, \d+ tokens here: \d+ lines/,
      );
      await eventually.match(() => wordsOf(page.locator(".diff-lines")), /refund\(\{:euros 900 :order 23\}\)/);
      assert.match(
        await page
          .locator("ins")
          .allInnerTexts()
          .then((lines) => lines.join("\n")),
        /denied/,
      );
      assert.equal(await page.locator(".diff-cache, .diff-break").count(), 0);
      // Before the decision, both are the same.
      await page.getByRole("slider", { name: /As the model saw it/ }).fill("1");
      await eventually.match(() => wordsOf(sum), /no differences\.$/);
      await visitor.press("Back to the decision");
      await eventually.equal(() => calls(page).count(), 2);
    }));
});

describe("an endpoint", () => {
  const servers = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  it("is asked after an answer, and never before", async () => {
    const server = await startEndpoint((reply, { number }) =>
      reply.stream(number === 1 ? '(def paid (tool/pay {:euros 900 :to "Ann"}))' : "(return paid)"),
    );
    servers.push(server);
    await visit({ fragment: await linkTo({ ...paying, model: "endpoint" }, "run") }, async (visitor, page) => {
      await visitor.field("Address").fill(server.address);
      await visitor.field("Model name").fill("test-1");
      await begin(page);
      await calls(page).first().waitFor();
      await visitor.press("Deny: pay");
      await visitor.press("Edit arguments: pay");
      await page.waitForTimeout(300);
      assert.equal(server.requests.length, 1);
      await visitor.press("Approve: pay");
      await eventually.match(() => resultOf(page), /Value 900/);
      assert.equal(server.requests.length, 2);
      visitor.ignoreErrors(/Failed to load resource|CORS policy/);
    });
  });
});
