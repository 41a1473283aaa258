import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

const REPL = "#tab=repl";

describe("the tabs", () => {
  it("are switched by mouse and keyboard, and are part of the address", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      const tab = (name) => page.getByRole("tab", { name, exact: true });
      await eventually.equal(() => tab("Turns").getAttribute("aria-selected"), "true");
      await tab("REPL").click();
      await page.getByRole("tabpanel", { name: "REPL" }).waitFor();
      await eventually.equal(() => page.locator(".turn").count(), 0);
      await page.waitForFunction(() => location.hash === "#tab=repl");
      await visitor.openExample("Fifty emails, triaged unseen");
      await page.waitForFunction(() => location.hash === "#example=emails&tab=repl");
      await page.reload();
      await page.getByRole("tabpanel", { name: "REPL" }).waitFor();
      await eventually.equal(
        () => page.getByRole("button", { name: "Examples: Fifty emails, triaged unseen" }).count(),
        1,
      );

      await tab("REPL").focus();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tabpanel", { name: "Chat" }).waitFor();
      await eventually.ok(() => tab("Chat").evaluate((element) => element === document.activeElement));
      await page.keyboard.press("End");
      await page.getByRole("tabpanel", { name: "Typed calls" }).waitFor();
      await page.keyboard.press("ArrowRight");
      await eventually.equal(() => tab("Turns").getAttribute("aria-selected"), "true");
      await eventually.ok(() => tab("Turns").evaluate((element) => element === document.activeElement));
      await eventually.match(() => visitor.userMessage(), /^Triage the inbox/);
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("tabpanel", { name: "Typed calls" }).waitFor();
      await page.keyboard.press("Home");
      await page.waitForFunction(() => location.hash === "#example=emails");
      await eventually.equal(() => tab("REPL").getAttribute("tabindex"), "-1");
    }));
});

describe("the REPL", () => {
  it("runs a program and shows value, prints, fuel, time and memory, which the next program can use", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.press("Run");
      await eventually.match(() => visitor.run(1), /value \["Mouse" "Desk"/i);
      await eventually.match(() => visitor.run(1), /prints 1 6 of 7 products are within 400/i);
      await eventually.match(() => visitor.run(1), /[\d,]+ fuel [\d.]+ ms/);
      await eventually.match(() => visitor.memory(), /affordable list\[6\] \[\{:category/);
      await visitor.write("Program", "(defn twice [x] (* 2 x))\n(twice (count affordable))");
      await visitor.pressKeys("ControlOrMeta+Enter");
      await eventually.match(() => visitor.run(2), /value 12/i);
      await visitor.press("Edit the program of run 1");
      await page.locator('.cm-content[aria-label="Program"]', { hasText: "affordable" }).waitFor();
      await visitor.write("Program", "(* 2 (count affordable))");
      await eventually.match(() => visitor.memory(), /twice #fn\[...\] \(defn twice/);
      // A change of data keeps the memory and its functions.
      await visitor.toggleGroup("Data");
      await visitor.write("Data", '{"limit": 21}');
      await visitor.write("Program", "(twice data/limit)");
      await visitor.press("Run");
      await eventually.match(() => visitor.run(3), /value 42/i);
      await visitor.press("Reset memory");
      await visitor.sees("Nothing is defined yet.");
      await visitor.write("Program", "(twice 1)");
      await visitor.press("Run");
      await eventually.match(() => visitor.run(1), /unbound_var .*`twice` is not defined/);
    }));

  it("shows an error with its kind, message, hint and place, and marks it in the program until that changes", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      const content = await visitor.write("Program", '(println "so far")\n(+ 1 {:a 2})');
      await visitor.press("Run");
      const text = await visitor.run(1);
      assert.match(text, /failed/);
      assert.match(text, /Error type_error Line 2, column 1: /i);
      assert.match(text, /prints 1 so far/i);
      await page.locator(".code-problem").first().waitFor();
      await eventually.equal(() => content.getAttribute("aria-invalid"), "true");
      await page.locator(".code-problem").first().hover();
      await page.locator(".cm-tooltip .cm-diagnostic").waitFor();
      await visitor.write("Program", "(+ 1 2)");
      await page.locator(".code-problem").first().waitFor({ state: "detached" });
    }));

  it("marks problems while a program is typed, without running it", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.write("Program", "(cuont [1 2])\n(inc 1 2)");
      await page.waitForFunction(() => document.querySelectorAll(".code-problem").length >= 2);
      await eventually.equal(() => page.locator(".run").count(), 0);
      await visitor.sees(/^Line 1, column 2: .*cuont/);
      await visitor.write("Program", "(count [1 2])");
      await page.locator(".code-problem").first().waitFor({ state: "detached" });
    }));

  it("completes names on Ctrl+Space and while typing, and shows their documentation", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.write("Program", "(tool/");
      await page.keyboard.press("Control+Space");
      const options = page.getByRole("listbox", { name: "Completions" }).getByRole("option");
      await options.first().waitFor();
      const expected = ["tool/get-inventory", "tool/reserve", "tool/search-reviews"];
      await eventually.deepEqual(async () => (await options.allTextContents()).toSorted(), expected);
      const names = await options.allTextContents();
      // For a moment after it is opened, the list ignores keys.
      await eventually.equal(() => page.locator(".cm-tooltip-autocomplete-disabled").count(), 0);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const content = page.locator('.cm-content[aria-label="Program"]');
      await eventually.equal(() => content.textContent(), `(${names[1]}`);
      await visitor.write("Program", "");
      await page.keyboard.type("(red");
      await options.filter({ hasText: /^reduce$/ }).waitFor();
      await page.locator(".completion-doc", { hasText: "reduce" }).waitFor();
      await page.keyboard.press("Escape");
      await eventually.equal(() => options.count(), 0);
      await visitor.write("Program", "(reduce + [1 2])");
      await page.mouse.move(0, 0);
      await content.hover({ position: { x: 40, y: 12 } });
      await page.locator(".cm-tooltip-hover .completion-doc", { hasText: "(reduce f coll)" }).waitFor();
    }));

  it("calls tools that are values, JavaScript functions, delayed, absent or broken", async () => {
    const tools = [
      { name: "value", answer: '{"a": [1, null]}' },
      { name: "double", signature: "(n :int) -> :int", answer: "async ({ n }) => n * 2", delay: "60" },
      { name: "pair", answer: "(a, b) => [a, b]" },
      { name: "broken", answer: '() => { throw new Error("out of order") }' },
      { name: "code", answer: "() => () => 1" },
      { name: "unread", answer: "() => 1 +* 2" },
      { name: "absent" },
    ];
    await visit({ fragment: await linkTo({ tools, program: "(tool/double 21)" }, "repl") }, async (visitor) => {
      await visitor.press("Run");
      await eventually.match(() => visitor.run(1), /tool\/double \{:n 21\} → 42 ([6-9]\d|\d{3,}) ms/);
      await eventually.match(() => visitor.run(1), /value 42/i);
      const cases = [
        ["(tool/value)", /value \{:a \[1 nil\]\}/i],
        ["(tool/pair 1.5 :k)", /value \[1\.5 "k"\]/i],
        ["(tool/broken)", /tool_error .*out of order/],
        ["(tool/code)", /tool_error .*it returned a value that can’t be copied/],
        ["(tool/absent)", /tool_error .*it has no answer/],
        ["(tool/unread)", /tool_error .*Unexpected token '\*'/],
        ["(tool/unread)", /tool_error .*Unexpected token '\*'/],
        ["(pmap (fn [n] (tool/double n)) [1 2 3])", /calls 3 .*value \[2 4 6\]/i],
      ];
      for (const [index, [program, expected]] of cases.entries()) {
        await visitor.write("Program", program);
        await visitor.press("Run");
        await eventually.match(() => visitor.run(index + 2), expected);
      }
    });
  });

  it("marks invalid answers, delays and limits, and does not run with them", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.toggleGroup("Tools");
      const marked = (label) =>
        page.waitForFunction((wanted) => {
          const field =
            document.querySelector(`[aria-label="${wanted}"]`) ??
            [...document.querySelectorAll("label")].find((label) => label.textContent === wanted)?.control;
          return field?.getAttribute("aria-invalid") === "true";
        }, label);
      await visitor.field("Answer of tool 3").fill("(reserved");
      await marked("Answer of tool 3");
      await visitor.press("Run");
      await visitor.sees("Tools, data or limits can’t be read");
      await eventually.equal(() => page.locator(".run").count(), 0);
      await visitor.field("Answer of tool 3").fill("nil");
      await visitor.field("Delay of tool 3 in milliseconds").fill("soon");
      await marked("Delay of tool 3 in milliseconds");
      await visitor.field("Delay of tool 3 in milliseconds").fill("5");
      await visitor.toggleGroup("Limits");
      await visitor.field("Loop rounds").fill("few");
      await marked("Loop rounds");
      await visitor.field("Loop rounds").fill("3");
      await visitor.write("Program", "(loop [n 0] (if (< n 9) (recur (inc n)) n))");
      await visitor.press("Run");
      await eventually.match(() => visitor.run(1), /loop_limit_exceeded .*3 times/);
      // They do not affect the messages.
      await visitor.field("Answer of tool 3").fill("(");
      await visitor.showTab("Turns");
      await eventually.match(() => visitor.userMessage(), /^Find well-reviewed/);
      await eventually.equal(() => page.getByText("These are the last valid messages.").count(), 0);
    }));

  it("has a default in every limit", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.toggleGroup("Limits");
      const fields = await page.locator(".option input").all();
      assert.equal(fields.length, 9);
      for (const field of fields) await eventually.match(() => field.getAttribute("placeholder"), /^\d{1,3}(,\d{3})*$/);
      await visitor.field("Fuel").fill("50");
      await visitor.write("Program", "(reduce + (range 1000))");
      await visitor.press("Run");
      await eventually.match(() => visitor.run(1), /fuel_exceeded/);
    }));

  for (const [what, answer] of [
    ["a tool that takes long", "1"],
    ["a function that never ends", "() => { for (;;); }"],
  ]) {
    it(`stops ${what}, and runs the next program`, async () => {
      const delay = answer === "1" ? "60000" : "";
      const state = {
        tools: [
          { name: "slow", answer, delay },
          { name: "quick", answer: "() => 2" },
        ],
        program: "(tool/slow)",
      };
      await visit({ fragment: await linkTo(state, "repl") }, async (visitor) => {
        await visitor.press("Run");
        await visitor.sees("Running …");
        await visitor.press("Stop");
        await eventually.match(() => visitor.run(1), /aborted/);
        await visitor.write("Program", "(tool/quick)");
        await visitor.press("Run");
        await eventually.match(() => visitor.run(2), /value 2/i);
      });
    });
  }

  it("stops a function that never ends by itself, and ignores messages that a function sends", async () => {
    const state = {
      tools: [
        { name: "endless", answer: "() => { for (;;); }" },
        {
          name: "noisy",
          answer: "() => { postMessage(null); postMessage('loaded'); postMessage({ id: 1e9 }); return 3; }",
        },
      ],
      program: "(tool/endless)",
    };
    await visit({ fragment: await linkTo(state, "repl"), clock: true }, async (visitor, page) => {
      await visitor.press("Run");
      await visitor.sees("Running …");
      await page.clock.fastForward(10_000);
      await eventually.match(() => visitor.run(1), /the function did not answer within 10 seconds and was stopped/);
      await visitor.write("Program", "(tool/noisy)");
      await visitor.press("Run");
      await eventually.match(() => visitor.run(2), /value 3/i);
    });
  });

  it("stops a long-running program", () =>
    visit({ fragment: REPL }, async (visitor, page) => {
      await visitor.toggleGroup("Limits");
      await visitor.field("Loop rounds").fill("999999999999");
      await visitor.field("Fuel").fill("999999999999");
      await visitor.field("Time, ms").fill("60000");
      await visitor.write("Program", "(loop [] (recur))");
      await visitor.press("Run");
      await visitor.press("Stop");
      await eventually.match(() => visitor.run(1), /^Run 1 stopped .*aborted/);
      assert.equal(await page.locator(".run").getAttribute("data-outcome"), "stopped");
    }));

  it("functions from a link have no access to the page or the network", async () => {
    const answers = {
      network: "async () => { try { await fetch('https://example.com/'); return 'open' } catch { return 'shut' } }",
      page: "() => typeof document",
      origin: "() => self.origin",
    };
    const tools = Object.entries(answers).map(([name, answer]) => ({ name, answer }));
    await visit(
      { fragment: await linkTo({ tools, program: "[(tool/network) (tool/page) (tool/origin)]" }, "repl") },
      async (visitor) => {
        await visitor.press("Run");
        await eventually.match(() => visitor.run(1), /value \["shut" "undefined" "null"\]/i);
        assert.deepEqual(visitor.foreignRequests, []);
      },
    );
  });

  it("is restored from a link", async () => {
    const limits = { fuel: "1234" };
    const tools = [{ name: "x", answer: "[1 2]", delay: "7" }];
    await visit({ fragment: await linkTo({ tools, program: "(tool/x)", limits }, "repl") }, async (visitor, page) => {
      await visitor.toggleGroup("Limits");
      await visitor.toggleGroup("Tools");
      await eventually.equal(() => visitor.field("Fuel").inputValue(), "1234");
      await eventually.equal(() => visitor.field("Answer of tool 1").inputValue(), "[1 2]");
      await eventually.equal(() => visitor.field("Delay of tool 1 in milliseconds").inputValue(), "7");
      await page.locator('.cm-content[aria-label="Program"]').getByText("(tool/x)").waitFor();
    });
  });

  it("fits 1280 px and 360 px and has no axe violations", () =>
    visit({ fragment: REPL, width: 360 }, async (visitor, page) => {
      for (const group of await page.locator(".group-toggle").all()) await group.click();
      await visitor.press("Run");
      await visitor.run(1);
      await visitor.write("Program", "(tool/get-inventory)\n(+ 1 :a)\n(cuont 1)");
      await visitor.press("Run");
      await visitor.run(2);
      await page.locator(".code-problem").first().waitFor();
      await visitor.fits(1280, 360);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await visitor.focusEnd("Program");
        await page.keyboard.press("Control+Space");
        await page.getByRole("listbox", { name: "Completions" }).waitFor();
        await eventually.deepEqual(() => visitor.axeFindings(), [], `${width} px`);
        await page.keyboard.press("Escape");
      }
    }));
});
