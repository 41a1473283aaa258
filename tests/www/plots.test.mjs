// The plots of chats, and what all plots have: an image, colours for every setting, and room at every width.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { SubAgent } from "turnfold";
import { Conversation, clearToolResults, compareCosts, countMessages, estimate, needRecall } from "turnfold/audit";
import { chatLink, text } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { finding, plotArea, rowsOf } from "./plots.mjs";
import { messagesAfter, numberIn, sample } from "./sample.mjs";
import { overflow, sharedVisit, visit, WIDTHS, wordsOf } from "./visit.mjs";

/** Rounds that each read a file; the last one writes to the file that the first one found. */
const rounds = Array.from({ length: 24 }, (_, index) => [
  {
    role: "assistant",
    content: "",
    toolCalls: [
      {
        id: `c${index}`,
        name: "read_file",
        args: { path: index === 23 ? "src/first_place.ts" : `docs/part${index}.md` },
      },
    ],
  },
  {
    role: "tool",
    toolCallId: `c${index}`,
    toolName: "read_file",
    content: `${index === 0 ? "See src/first_place.ts for it. " : ""}${`Part ${index} says nothing of note. `.repeat(60)}`,
  },
]).flat();
const messages = [{ role: "system", content: "You read." }, { role: "user", content: "Read all." }, ...rounds];
const conversation = new Conversation({ messages });
const chat = { messages: text(messages), strategy: "clearToolResults", options: { keep: "3" } };
const parameters = { compressionStrategy: clearToolResults({ keep: 3 }) };
const fragment = async () => chatLink(chat);

describe("the plot of a chat", () => {
  const onPage = sharedVisit(fragment().then((fragment) => ({ fragment, width: 1440, height: 900 })));

  it(
    "has the tokens of each request by the kinds of its messages",
    onPage(async (_, page) => {
      const rows = await eventually(() => rowsOf(page, "run"));
      const requests = { none: [], cleared: [] };
      compareCosts(conversation, {
        strategies: { none: {}, cleared: parameters },
        onRequest: (name, request) => requests[name].push(request.messages),
      });
      const tokens = (list) => countMessages(list).messages.reduce((sum, size) => sum + size, 0);
      const columns = ["Tokens", "without a strategy"].map((column) => rows.map((row) => numberIn(row[column])));
      assert.deepEqual(columns, [requests.cleared.map(tokens), requests.none.map(tokens)]);
      const ofTools = requests.cleared.map((list) => tokens(list.filter(({ role }) => role === "tool")));
      assert.deepEqual(
        rows.map((row) => numberIn(row["tool results"])),
        ofTools,
      );
      assert.match(
        await finding(page, "run"),
        /^With “Clear old tool results”, requests go from [\d,]+ tokens in call 1 to /,
      );
    }),
  );
});

describe("the values that later calls need", () => {
  const [{ needs }] = needRecall(conversation, { strategies: { cleared: parameters } }).slice(1);

  it("are those of needRecall, and what was missing says why", async () =>
    visit({ fragment: await fragment(), width: 1440, height: 900 }, async (_, page) => {
      await page.getByRole("button", { name: /^What later calls needed/ }).click();
      const rows = await eventually(() => rowsOf(page, "needs"));
      assert.deepEqual(
        rows.map((row) => [
          numberIn(row["Used by message"]),
          row.Values,
          numberIn(row["Last in message"]),
          row["When it was used"],
        ]),
        [[49, "src/first_place.ts", 4, "not in the request"]],
      );
      assert.deepEqual(
        needs.map(({ atom, message, status }) => [atom, message, status]),
        [["src/first_place.ts", 3, "lost"]],
      );
      assert.match(
        await finding(page, "needs"),
        /^Calls use 1 value.* With “Clear old tool results”, 0 were in the request, and 1 was missing\.$/,
      );
      const area = plotArea(page, "needs");
      const { height } = await area.boundingBox();
      // The end of the arc, in the first result.
      await area.click({ position: { x: 14, y: height - 34 } });
      const why = page.locator(".need");
      assert.match(
        await wordsOf(why),
        /^“src\/first_place\.ts” was not in the request: the message was cleared by “Clear old tool results”\./,
      );
      await why.getByRole("button", { name: "Message 4, which has it" }).click();
      await eventually.ok(() => page.locator("#chat-message-4").evaluate((card) => card === document.activeElement));

      await page.locator(".strategy-bar select").first().selectOption("none");
      await eventually.equal(async () => (await rowsOf(page, "needs"))[0]["When it was used"], "in the request");
      assert.equal(await page.locator(".need").count(), 0);
      await area.press("End");
      assert.match(await wordsOf(why), /was in the request: the message was there, unchanged\./);
    }));
});

it("the costs of forty turns cross those without a strategy where the sentence says", async () =>
  visit({ fragment: "" }, async (_, page) => {
    await page.getByRole("button", { name: /^All strategies/ }).click();
    await page.locator(".strategy-table[aria-busy=false]").waitFor({ timeout: 60_000 });
    const rows = await eventually(() => rowsOf(page, "costs"));
    const [, turn, less, more] =
      /^“Journal” costs less than no strategy from turn (\d+) on: \$([\d.]+) instead of \$([\d.]+) after turn 40\./.exec(
        await finding(page, "costs"),
      );
    const dollars = (text) => Number(text.slice(1));
    assert.deepEqual([rows.at(-1).Journal, rows.at(-1)["No strategy"]], [`$${less}`, `$${more}`]);
    assert.ok(Number(less) < Number(more));
    for (const row of rows.slice(Number(turn) - 1))
      assert.ok(dollars(row.Journal) <= dollars(row["No strategy"]), row.Turn);
    const before = rows[Number(turn) - 2];
    assert.ok(
      dollars(before.Journal) >= 0.99 * dollars(before["No strategy"]),
      "it does not cost less in the turn before",
    );
    // The point is on the line of the last turn.
    await plotArea(page, "costs").press("End");
    await eventually.match(() => plotArea(page, "costs").getAttribute("aria-valuetext"), /^After turn 40: Journal \$/);
  }));

it("the messages of the request under the pointer are shown, and kept by a click", async () =>
  visit({ fragment: "", height: 900 }, async (visitor, page) => {
    await eventually(() => rowsOf(page, "run"));
    const area = plotArea(page, "run");
    const shown = async () => (await visitor.messages()).length;
    const all = await shown();
    const slider = page.getByRole("slider", { name: /As the model saw it/ });
    await area.scrollIntoViewIfNeeded();
    const place = await area.boundingBox();
    const over = (share) => page.mouse.move(place.x + place.width * share, place.y + place.height / 2);
    await over(0.1);
    await eventually.ok(async () => (await shown()) < all);
    // What is above the messages, and the plot itself, stay as they are.
    assert.deepEqual(await area.boundingBox(), place);
    assert.equal(await slider.inputValue(), "40");
    await page.mouse.move(0, 0);
    await eventually.equal(shown, all);
    await over(0.5);
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.move(0, 0);
    const kept = Number(await slider.inputValue());
    assert.ok(kept > 10 && kept < 30, `${kept}`);
    await eventually.ok(async () => (await shown()) < all);
  }));

describe("what fills the window", () => {
  const open = (page) => page.locator(".token-view-button", { hasText: "Window" }).click();
  const sizes = async (page) =>
    new Map(
      (await eventually(() => rowsOf(page, "fills"))).map((row) => [`${row.By}: ${row.What}`, numberIn(row.Tokens)]),
    );

  it("of a chat is told by tool and by file", async () =>
    visit({ fragment: await chatLink({ ...chat, strategy: "none" }) }, async (_, page) => {
      await open(page);
      const rows = await sizes(page);
      const contents = messages.filter(({ role }) => role === "tool").map(({ content }) => estimate.count(content));
      const results = contents.reduce((sum, tokens) => sum + tokens, 0);
      const ofTool = rows.get("By tool, calls and results: read_file");
      assert.ok(ofTool > results && ofTool < 1.1 * results, `${ofTool} of ${results}`);
      const first = rows.get("By file: docs/part0.md");
      assert.ok(first > contents[0] && first < contents[0] + 20, `${first} of ${contents[0]}`);
      assert.equal(rows.get("Other text, by role: user"), estimate.count("Read all."));
      await plotArea(page, "fills").press("ArrowDown");
      await plotArea(page, "fills").press("ArrowDown");
      assert.match(await plotArea(page, "fills").getAttribute("aria-valuetext"), /^By file: docs\/part0\.md, /);
    }));

  it("of turns is told by definition, tool and turn", async () =>
    visit({ fragment: await linkTo(sample) }, async (visitor, page) => {
      await open(page);
      const rows = await sizes(page);
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually.equal(() => overflow(page), 0);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      }
      const text = messagesAfter(sample)
        .map(({ content }) => content)
        .join("\n");
      for (const name of ["m", "z"]) {
        const line = text.split("\n").find((line) => line.startsWith(`${name} `));
        assert.equal(rows.get(`By definition: ${name}`), estimate.count(line), name);
      }
      const tool = text.split("\n").find((line) => line.startsWith("tool/find"));
      assert.equal(rows.get("By tool, with its description: find"), estimate.count(tool));
      assert.ok(rows.get("By turn: turn 4") > 5);
    }));
});

describe("the times of a run", () => {
  const replies = [
    "(def a (tool/x {:n 1}))",
    "(pmap (fn [n] (tool/x {:n n})) [1 2 3])",
    "(tool/broken {})",
    "(return a)",
  ];
  const step = async () => {
    const wait = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));
    const agent = new SubAgent({
      mission: "Wait",
      tools: {
        x: { signature: "(n :int) -> :int", run: () => wait(40).then(() => 3) },
        broken: {
          signature: "() -> :int",
          run: () => {
            throw new Error("it broke");
          },
        },
      },
      llm: () => wait(60).then(() => `\`\`\`clojure\n${replies.shift()}\n\`\`\``),
    });
    return agent.run();
  };

  it("are those that its step has, with calls that ran together below each other", async () => {
    const made = await step();
    const plain = made.toJSON();
    const { turns, log } = plain;
    await visit({ fragment: "#tab=run" }, async (visitor, page) => {
      const load = async (json) => {
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Load step" }).click(),
        ]);
        await chooser.setFiles({
          name: "step.json",
          mimeType: "application/json",
          buffer: Buffer.from(JSON.stringify(json)),
        });
        await page.locator(".result").waitFor();
      };
      await load(plain);
      const rows = await eventually(() => rowsOf(page, "timeline"));
      assert.deepEqual(
        rows.map(({ Turn, What }) => `${Turn} ${What}`),
        ["1 the model", "1 x", "2 the model", "2 x", "2 x", "2 x", "3 the model", "3 broken, failed", "4 the model"],
      );
      for (const [index, { at }] of turns.entries()) {
        const row = rows.filter(({ What }) => What === "the model")[index];
        assert.equal(row.Duration, `${log[index].at - at} ms`);
        assert.equal(row.After, `${at - turns[0].at} ms`);
      }
      const together = rows.slice(3, 6);
      assert.equal(new Set(together.map(({ After }) => After)).size, 1);
      assert.ok(numberIn(together[0].Duration) >= 39);
      assert.match(await finding(page, "timeline"), /of \d+ ms are the model’s\. 5 calls of tools take/);
      await plotArea(page, "timeline").press("ArrowRight");
      assert.match(await plotArea(page, "timeline").getAttribute("aria-valuetext"), /^Turn 1, after 0 ms: the model, /);

      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually.equal(() => overflow(page), 0);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      }

      // Nothing is shown where nothing is recorded.
      await load({ ...plain, turns: turns.map(({ at: _, ...turn }) => turn) });
      await eventually.equal(() => page.locator('[data-plot="timeline"]').count(), 0);
    });
  });
});

describe("an image of a plot", () => {
  it("can be saved of every plot", async () =>
    visit({ fragment: await fragment() }, async (_, page) => {
      await page.getByRole("button", { name: /^All strategies/ }).click();
      await page.getByRole("button", { name: /^What later calls needed/ }).click();
      await page.locator(".token-view-button", { hasText: "Window" }).click();
      const files = {
        run: "tokens-of-each-request.png",
        costs: "what-the-run-costs.png",
        needs: "what-later-calls-needed.png",
        fills: "what-fills-the-window.png",
      };
      for (const [name, file] of Object.entries(files)) {
        await eventually(() => rowsOf(page, name));
        const button = page.locator(`[data-plot="${name}"]`).getByRole("button", { name: "Save as PNG" });
        const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
        assert.equal(download.suggestedFilename(), file);
        assert.ok((await readFile(await download.path())).length > 10_000, name);
      }
    }));

  it("is a PNG with the size and the colours of the page", async () => {
    for (const colorScheme of ["light", "dark"])
      await visit({ colorScheme }, async (_, page) => {
        const button = page.locator('[data-plot="run"]').getByRole("button", { name: "Save as PNG" });
        const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
        assert.equal(download.suggestedFilename(), "tokens-of-each-request.png");
        const png = await readFile(await download.path());
        assert.deepEqual([...png.subarray(1, 4)].map((code) => String.fromCharCode(code)).join(""), "PNG");
        const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
        assert.ok(width === 1600 && height > 500 && height < 1200, `${width} x ${height}`);
        const corner = await page.evaluate(
          async (data) => {
            const image = new Image();
            image.src = data;
            await image.decode();
            const canvas = Object.assign(document.createElement("canvas"), {
              width: image.width,
              height: image.height,
            });
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
            const colours = new Set();
            for (let at = 0; at < pixels.length; at += 4 * 7) colours.add(pixels.subarray(at, at + 3).join());
            return { corner: pixels[0], colours: colours.size };
          },
          `data:image/png;base64,${png.toString("base64")}`,
        );
        assert.ok(colorScheme === "light" ? corner.corner > 240 : corner.corner < 40, `${corner.corner}`);
        assert.ok(corner.colours > 20, "nothing is drawn");
      });
  });
});

for (const options of [{}, { colorScheme: "dark" }, { forcedColors: "active" }])
  it(`every plot has room at every width and no axe violations, ${JSON.stringify(options)}`, async () =>
    visit({ ...options, fragment: await fragment() }, async (visitor, page) => {
      await page.getByRole("button", { name: /^All strategies/ }).click();
      await page.getByRole("button", { name: /^What later calls needed/ }).click();
      await page.locator(".token-view-button", { hasText: "Window" }).click();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        if (width === 360) await visitor.press("Plan");
        for (const name of ["run", "costs", "needs", "fills"]) {
          await rowsOf(page, name);
          await plotArea(page, name).press("End");
          await eventually.match(() => plotArea(page, name).getAttribute("aria-valuetext"), /\d/);
          const widths = () =>
            plotArea(page, name).evaluate((area) => [area.clientWidth, area.querySelector("svg").clientWidth]);
          await eventually.ok(async () => {
            const [area, svg] = await widths();
            return area > 200 && area === svg;
          });
        }
        assert.equal(await overflow(page), 0);
        if (width === 360 || width === 1440) await eventually.deepEqual(() => visitor.axeFindings(), []);
        if (width === 360) await visitor.press("Both");
      }
    }));
