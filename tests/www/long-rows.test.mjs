// Virtual lists of rows in turns, programs, runs and comparisons.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { elements, many, scrollTo } from "./lists.mjs";
import { overflow, sharedVisit, visit } from "./visit.mjs";

const COUNT = 1000;
const MAX_ELEMENTS = 5000;

/** Waits for the lists whose names begin with `names`, and checks the number of elements in the page. */
async function hasLists(page, names) {
  for (const name of names) {
    const rows = page.locator(`[data-list^="${name}"][data-virtual] > [data-index]`);
    await rows.first().waitFor({ state: "attached" });
  }
  assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
}

/** Opens a state with these lists. */
const withLists = (state, tab, names, journey, { before } = {}) =>
  linkTo(state, tab).then((fragment) =>
    visit({ fragment, height: 900 }, async (visitor, page) => {
      await before?.(visitor, page);
      await hasLists(page, names);
      await journey(visitor, page);
    }),
  );

/** Searches for a row and goes to the first match. */
const find = async (page, label, words) => {
  const box = page.getByRole("searchbox", { name: label, exact: true });
  await box.fill(words);
  await page
    .locator(".find-in-list", { has: box })
    .getByText(/ contains? this$/)
    .waitFor();
  await box.press("Enter");
};

/** True when the whole element is visible. */
const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Animation frames in which rows that scrolling has rendered are measured. */
const FRAMES = 20;

/**
 * Presses the button after the end of a list. Scrolling to it renders the last rows; measuring them must not move the button, because
 * no click is made when it moves between press and release.
 */
const pressAfterList = async (visitor, page, name) => {
  const tops = await page.getByRole("button", { name, exact: true }).evaluate(async (button, frames) => {
    button.scrollIntoView({ block: "center" });
    const seen = [button.getBoundingClientRect().top];
    for (let frame = 0; frame < frames; frame++) {
      await new Promise((painted) => requestAnimationFrame(painted));
      seen.push(button.getBoundingClientRect().top);
    }
    return seen;
  }, FRAMES);
  const moved = tops.filter((top) => Math.abs(top - tops[0]) > 1);
  assert.deepEqual(moved, [], `“${name}” was at ${tops[0]}`);
  await visitor.press(name);
};

describe("a turn with a thousand calls and prints", () => {
  const turns = [
    {
      program: "(def a 1)",
      calls: many(COUNT, (index) => ({ name: "search", args: `{:query "item ${index}"}`, result: `[${index}]` })),
      prints: many(COUNT, (index) => `line ${index}`),
      memory: "{:a 1}",
    },
    { program: "(def b 1)", memory: "{:b 1}" },
  ];
  const open = {
    before: async (visitor) => {
      await visitor.toggleTurn(1);
    },
  };
  const withTurn = (journey) => withLists({ mission: "Count", turns }, "turns", ["calls-", "prints-"], journey, open);
  const tool = (page, number) => page.getByRole("textbox", { name: `Tool of call ${number} of turn 1`, exact: true });

  const onPage = sharedVisit(
    linkTo({ mission: "Count", turns }).then((fragment) => ({ fragment, height: 900 })),
    open.before,
  );

  it(
    "has few of them in the page, and all can be found by their words",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await hasLists(page, ["calls-", "prints-"]);
      assert.equal(await page.locator(".call-row").first().getAttribute("aria-setsize"), String(COUNT));
      await find(page, "Find a call of turn 1", "item 777");
      await visitor.sees("call 778, 1 of 1");
      await eventually.equal(() => isInView(tool(page, 778)), true);
      await find(page, "Find a print of turn 1", "500");
      await visitor.sees(/^print 500, 1 of /);
      const print = page.getByRole("textbox", { name: "Print 500 of turn 1", exact: true });
      await eventually.equal(() => isInView(print), true);
      assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }),
  );

  it(
    "fits 360 pixels",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 360, height: 900 });
      await visitor.press("History");
      await hasLists(page, ["calls-"]);
      await find(page, "Find a call of turn 1", "500");
      await eventually.equal(() => isInView(tool(page, 500)), true);
      assert.equal(await overflow(page), 0);
    }),
  );

  it("keeps the focused row, and undo returns to it", () =>
    withTurn(async (visitor, page) => {
      await find(page, "Find a call of turn 1", "600");
      await tool(page, 600).focus();
      await page.keyboard.press("End");
      await page.keyboard.type("a");
      await scrollTo(page, "#history", 0);
      await eventually.equal(() => tool(page, 1).isVisible(), true);
      await page.keyboard.type("b");
      await eventually.equal(() => tool(page, 600).inputValue(), "searchab");
      await page.locator("#mission").focus();
      await scrollTo(page, "#history", 0);
      await eventually.equal(() => tool(page, 600).count(), 0);
      await page.locator("#mission").press("ControlOrMeta+z");
      await visitor.focusOn("Tool of call 600 of turn 1");
      await eventually.match(() => tool(page, 600).inputValue(), /^searcha?$/);
    }));

  it("focuses a new row, and can delete rows", () =>
    withTurn(async (visitor, page) => {
      await pressAfterList(visitor, page, "Add call");
      await visitor.focusOn(`Tool of call ${COUNT + 1} of turn 1`);
      await eventually.equal(() => isInView(tool(page, COUNT + 1)), true);
      await page.keyboard.type("last");
      await visitor.press(`Delete call ${COUNT} of turn 1`);
      await eventually.equal(() => tool(page, COUNT).inputValue(), "last");
      await page.getByText(`${COUNT.toLocaleString("en")} calls`).waitFor({ state: "attached" });
    }));
});

describe("a turn with a thousand invalid calls", () => {
  const calls = many(COUNT, (index) => ({ name: "search", args: "{:query 1}", result: `[${index}` }));
  const state = { mission: "Count", turns: [{ program: "(def a 1)", calls, memory: "{:a 1}" }] };

  it("has few elements in the page, and each problem leads to its field", () =>
    withLists(state, "turns", ["problems"], async (visitor, page) => {
      await eventually(async () => {
        await scrollTo(page, "#messages", "end");
        assert.equal(await page.locator(`[data-list="problems"] > [aria-posinset="${COUNT}"]`).count(), 1);
      });
      await page.locator(`[data-list="problems"] > [aria-posinset="${COUNT}"] button`).click();
      await visitor.focusOn(`Result of call ${COUNT} of turn 1`);
      assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
    }));
});

describe("a program with a thousand earlier turns and demos", () => {
  const turns = many(COUNT, (index) => ({
    values: [
      { name: "question", text: `question ${index}` },
      { name: "answer", text: `answer ${index}` },
    ],
  }));
  const state = {
    programs: { signature: "question, history: History -> answer", kind: "predict", demos: turns, history: turns },
  };
  const open = {
    before: async (visitor) => {
      await visitor.toggleGroup("Demos");
    },
  };
  const turnList = (page) => page.getByRole("list", { name: "Turns of the history" });

  const onPage = sharedVisit(
    linkTo(state, "programs").then((fragment) => ({ fragment, height: 900 })),
    open.before,
  );

  it(
    "has few elements in the page, and turns, demos and messages can be found",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await hasLists(page, ["history", "demos", "program-messages"]);
      await find(page, "Find a turn", "question 640");
      await visitor.sees("turn 641, 1 of 1");
      await eventually.equal(
        () => isInView(turnList(page).getByRole("button", { name: "Turn 641", exact: true })),
        true,
      );
      await find(page, "Find a demo", "321");
      await visitor.sees(/^demo 321, 1 of /);
      await eventually.equal(
        () =>
          isInView(page.getByRole("list", { name: "Demos" }).getByRole("button", { name: "Demo 321", exact: true })),
        true,
      );
      await find(page, "Find a message", "answer 999");
      await visitor.sees(/^message [\d,]+, 1 of 2$/);
      assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }),
  );

  it(
    "fits 360 pixels",
    onPage(async (_, page) => {
      await page.setViewportSize({ width: 360, height: 900 });
      const side = (name) => page.getByRole("navigation").getByRole("button", { name }).click();
      await side("Signature");
      await hasLists(page, ["demos"]);
      await find(page, "Find a demo", "500");
      assert.equal(await overflow(page), 0);
      await side("Call");
      await find(page, "Find a turn", "500");
      assert.equal(await overflow(page), 0);
    }),
  );

  it("can be edited far from its beginning", () =>
    withLists(
      state,
      "programs",
      ["history", "demos", "program-messages"],
      async (visitor, page) => {
        await find(page, "Find a turn", "500");
        await turnList(page).getByRole("button", { name: "Turn 500", exact: true }).click();
        const answer = page.getByRole("textbox", { name: "answer of turn 500", exact: true });
        await answer.fill("forty-two");
        await visitor.press("Move turn 500 down");
        await visitor.focusOn("Move turn 501 down");
        const moved = page.getByRole("textbox", { name: "answer of turn 501", exact: true });
        await eventually.equal(() => moved.inputValue(), "forty-two");
        await pressAfterList(visitor, page, "Add turn");
        await visitor.focusOn(`question of turn ${COUNT + 1}`);
        // The list is in the pane of the turns, which scrolls to it.
        await find(page, "Find a message", "forty-two");
        await visitor.sees(/^message [\d,]+, 1 of 1$/);
      },
      open,
    ));
});

describe("a thousand replies of a scripted model", () => {
  const state = { mission: "Count", model: "scripted", replies: many(COUNT, (index) => `(def r${index} ${index})`) };
  const open = {
    before: async (visitor) => {
      await visitor.toggleGroup("Replies");
    },
  };

  it("have few elements in the page, and can be found, moved and added", () =>
    withLists(
      state,
      "run",
      ["replies"],
      async (visitor, page) => {
        const reply = (number) => page.getByRole("textbox", { name: `Reply to turn ${number}`, exact: true });
        await find(page, "Find a reply", "def r3");
        await visitor.sees("reply 4, 1 of 111");
        await find(page, "Find a reply", "r700");
        await eventually.equal(() => isInView(reply(701)), true);
        await visitor.press("Move reply 701 up");
        await visitor.focusOn("Move reply 700 up");
        await eventually.equal(() => reply(700).inputValue(), "(def r700 700)");
        await pressAfterList(visitor, page, "Add reply");
        await visitor.focusOn(`Reply to turn ${COUNT + 1}`);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      },
      open,
    ));
});

describe("other lists without a limit", () => {
  it("has few elements: a thousand tools", () =>
    withLists(
      { mission: "Count", tools: many(COUNT, (index) => ({ name: `tool${index}` })) },
      "turns",
      ["tools"],
      async (visitor, page) => {
        await find(page, "Find a tool", "tool900");
        const nameOf = (number) => page.getByRole("textbox", { name: `Name of tool ${number}`, exact: true });
        await eventually.equal(() => isInView(nameOf(901)), true);
        await pressAfterList(visitor, page, "Add tool");
        await visitor.focusOn(`Name of tool ${COUNT + 1}`);
      },
      {
        before: async (visitor) => {
          await visitor.toggleGroup("Tools");
        },
      },
    ));

  it("has few elements: a program with hundreds of calls", () =>
    withLists(
      {
        tools: [{ name: "f", signature: "(n :int) -> :int", answer: "1" }],
        program: "(count (map (fn [n] (tool/f {:n n})) (range 900)))",
      },
      "repl",
      ["calls of run 1", "calls of run 2"],
      async (_, page) => {
        assert.equal(await page.locator(".run-calls > li").first().getAttribute("aria-setsize"), "900");
      },
      {
        before: async (visitor, page) => {
          for (const run of ["Run 1", "Run 2"]) {
            await visitor.press("Run");
            await page.getByRole("heading", { name: run, exact: true }).waitFor();
          }
        },
      },
    ));

  it("has few elements: a signature of hundreds of fields, which can be found and to which undo returns", () => {
    const inputs = many(400, (index) => `topic${index}`);
    const outputs = many(400, (index) => `answer${index}`);
    const valuesOf = (names) => names.map((name) => ({ name, text: `About ${name}` }));
    return withLists(
      {
        programs: {
          signature: `${inputs.join(", ")}, history: History -> ${outputs.join(", ")}`,
          inputs: valuesOf(inputs),
          history: [{ values: valuesOf([...inputs, ...outputs]) }],
        },
      },
      "programs",
      ["program-inputs", "program-descriptions", "inputs of turn 1", "outputs of turn 1"],
      async (visitor, page) => {
        await visitor.sees(/topic19, 381 more → answer0, .*, answer19, 380 more$/);
        await find(page, "Find an output of turn 1", "answer333");
        const answer = page.getByRole("textbox", { name: "answer333 of turn 1", exact: true });
        await eventually.equal(() => isInView(answer), true);
        await answer.fill("Another");
        await find(page, "Find an input", "topic222");
        await eventually.equal(() => isInView(visitor.field("topic222")), true);
        await eventually.equal(() => answer.count(), 0);
        assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
        await page.getByRole("button", { name: "Undo" }).first().click();
        await visitor.focusOn("answer333 of turn 1");
        await eventually.equal(() => answer.inputValue(), "About answer333");
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      },
      {
        before: async (visitor, page) => {
          await visitor.toggleGroup("Descriptions");
          await page.locator(".turn-toggle").click();
        },
      },
    );
  });

  it("has few elements: a comparison of thousands of lines, whose folded lines can be unfolded", () =>
    withLists(
      {
        mission: "Count",
        strategy: "none",
        options: { maxTurns: String(COUNT + 5) },
        turns: many(COUNT, (index) => ({ program: `(def x${index} ${index})`, prints: [`found ${index}`] })),
      },
      "turns",
      ["differences"],
      async (_, page) => {
        await page.locator(".diff-fold").first().click();
        await eventually.equal(
          () =>
            page
              .locator(".diff-row")
              .count()
              .then((count) => count < 200),
          true,
        );
        assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
      },
      {
        before: async (_, page) => {
          await page.getByLabel("Compare with").selectOption("strategy single-user-coalesced");
        },
      },
    ));
});

describe("a list without virtual rows", () => {
  const focused = (page) => page.evaluate(() => document.activeElement.textContent);

  it("shows the first of thousands of problems of a program, and more of them on request", async () => {
    const program = many(2000, (index) => `(missing${index})`).join("\n");
    await visit({ fragment: await linkTo({ program }, "repl"), height: 900 }, async (visitor, page) => {
      const problems = page.locator("#repl-program .field-problem p", { hasText: "missing" });
      await visitor.sees("1,900 more problems");
      assert.equal(await problems.count(), 100);
      await visitor.press("1,900 more problems");
      await eventually.equal(() => problems.count(), 200);
      await visitor.sees("1,800 more problems");
      assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
    });
  });

  it("keeps the focus when the last of its rows are requested by keyboard", async () => {
    const program = many(250, (index) => `(missing${index})`).join("\n");
    await visit({ fragment: await linkTo({ program }, "repl"), height: 900 }, async (_, page) => {
      await page.getByRole("button", { name: "150 more problems" }).focus();
      await page.keyboard.press("Enter");
      await eventually.equal(() => focused(page), "50 more problems");
      await page.keyboard.press("Enter");
      await eventually.match(() => focused(page), /missing200\b/);
      assert.equal(await page.getByRole("button", { name: /more problems/ }).count(), 0);
    });

    const text = "A long text. ".repeat(40);
    const content = many(120, (index) => ({ type: "text", text: `${index} ${text}` }));
    const chat = { messages: JSON.stringify([{ role: "user", content }]) };
    await visit({ fragment: await linkTo({ chat }, "chat"), height: 900 }, async (_, page) => {
      await page.getByRole("button", { name: "20 more parts" }).first().focus();
      await page.keyboard.press("Enter");
      const part = () => page.evaluate(() => document.activeElement.closest("[data-piece]")?.textContent);
      await eventually.match(part, /^100 A long text/);
      await page.keyboard.press("Enter");
      await eventually.equal(() => focused(page), "Less");
    });
  });

  it("shows the first of thousands of calls of a message, and one that is searched for", async () => {
    const calls = many(2000, (index) => ({
      id: `c${index}`,
      type: "function",
      function: { name: "search", arguments: `{"item":${index}}` },
    }));
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: calls },
    ];
    const chat = { messages: JSON.stringify(messages) };
    await visit({ fragment: await linkTo({ chat }, "chat"), height: 900 }, async (visitor, page) => {
      await visitor.sees("1,900 more parts");
      const pieces = page.locator("#chat-message-2 [data-piece]");
      assert.equal(await pieces.count(), 100);
      assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);
      await page.getByRole("searchbox", { name: "Search the messages" }).fill('"item":777}');
      await page.locator("#chat-message-2 mark").waitFor();
      await eventually.equal(() => pieces.count(), 778);
    });
  });
});
