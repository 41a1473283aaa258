// The frame of the page: its first paint, the initial view, and navigation.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { stateOf } from "./history.mjs";
import { linkTo } from "./link.mjs";
import { inContext, origin, sharedVisit, visit } from "./visit.mjs";

describe("before the page is loaded", () => {
  /** Opens the page; `handle` handles the requests for these files. */
  const open = ({ files, handle, query = "", isWaiting = false, ...options }, journey) =>
    inContext(options, async (context, errors) => {
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      if (isWaiting) await page.clock.install();
      await page.route(files, handle);
      await page.goto(`${origin()}/${query}`, { waitUntil: "commit" });
      await journey(page, errors);
    });

  const never = { files: "**/assets/**", handle: () => {} };

  it("the document alone shows what the page is and the ways to begin", () =>
    open(never, async (page) => {
      await page.getByText("Edit a turn, and see the message to the model change as you type.").waitFor();
      await page.getByText("Loading the playground …").waitFor();
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length === 1);
      await eventually.equal(
        () => page.getByRole("link", { name: "Paste your chat" }).getAttribute("href"),
        "#tab=chat",
      );
      // The style sheet is inlined.
      await eventually.equal(
        () => page.locator(".header").evaluate((header) => getComputedStyle(header).display),
        "flex",
      );
      assert.equal(await page.locator('link[rel="stylesheet"]').count(), 0);
    }));

  it("a link and a frame do not show the introduction", async () => {
    await open({ ...never, query: "#example=logs" }, async (page) => {
      await page.getByText("Loading the playground …").waitFor();
      assert.equal(await page.locator(".lead").isVisible(), false);
    });
    await open({ ...never, query: "?embed&theme=dark" }, async (page) => {
      await page.getByText("Loading the playground …").waitFor();
      assert.equal(await page.locator(".header").isVisible(), false);
      assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    });
  });

  it("the page says when the wasm can’t be loaded, and can try again", () => {
    let refusals = 0;
    const handle = (route) => (refusals++ < 2 ? route.abort() : route.continue());
    return open({ files: "**/*.wasm", handle }, async (page, errors) => {
      errors.expect(/Failed to (?:load resource|fetch)/);
      await page.getByText("The playground could not be loaded").waitFor();
      refusals = 2;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".message").first().waitFor();
    });
  });

  it("the page says when its script does not arrive, or not for long", async () => {
    const said = (page) => page.locator("#shell-status").innerText();
    const handle = (route) => route.abort();
    await open({ files: "**/assets/index-*.js", handle }, async (page, errors) => {
      await eventually.match(() => said(page), /^The playground could not be loaded: \S+ did not arrive\. Try again$/);
      errors.expect(/Failed to load resource/);
    });
    await open({ ...never, isWaiting: true }, async (page) => {
      await page.getByText("Loading the playground …").waitFor();
      await page.clock.fastForward(20_000);
      await eventually.match(
        () => said(page),
        /^The playground could not be loaded: it has not arrived after 20 seconds/,
      );
    });
  });

  it("a browser that is too old or runs no scripts gets one sentence", async () => {
    for (const javaScriptEnabled of [true, false])
      await inContext({ javaScriptEnabled }, async (context) => {
        const page = await context.newPage();
        await page.addInitScript(() => {
          delete Map.groupBy;
        });
        await page.goto(`${origin()}/`, { waitUntil: "networkidle" });
        const text = await page.locator("body").innerText();
        assert.match(text.trim(), /^The playground needs JavaScript, in Chrome or Edge 123, [^\n]+\.$/);
      });
  });

  it("the wasm is requested once, as wasm, and no script carries it", () => {
    const requests = [];
    const handle = async (route) => {
      const response = await route.fetch();
      requests.push([new URL(route.request().url()).pathname, (await response.body()).length]);
      await route.fulfill({ response });
    };
    return open({ files: "**/assets/**", handle }, async (page) => {
      await page.locator(".message").first().waitFor();
      await page.waitForLoadState("networkidle");
      assert.equal(requests.filter(([path]) => path.endsWith(".wasm")).length, 1);
      const scripts = requests.filter(([path]) => path.endsWith(".js"));
      assert.ok(scripts.length > 1, `${scripts.length} scripts`);
      assert.deepEqual(
        scripts.filter(([, length]) => length > 500_000),
        [],
      );
      // The page requests its worker when it is idle, and the handler may be in the middle of that.
      await page.unrouteAll({ behavior: "wait" });
    });
  });
});

describe("the first view", () => {
  it("is the turns with the message below them when they do not fit beside each other", async () => {
    for (const width of [360, 768])
      await visit({ width, height: 740, details: false }, async (visitor, page) => {
        await eventually.equal(() => page.locator("#history").isVisible(), true);
        await eventually.equal(() => page.locator(".message").first().isVisible(), true);
        const boxes = await Promise.all(["#history", "#messages"].map((id) => page.locator(id).boundingBox()));
        assert.ok(boxes[0].y + boxes[0].height <= boxes[1].y + 1);
        // Only the Turns tab shows both sides first.
        await visitor.showTab("Run");
        await eventually.equal(() => page.locator("#messages").isVisible(), false);
        await visitor.press("Messages");
        await visitor.showTab("Turns");
        await visitor.press("History");
        await eventually.equal(() => page.locator("#messages").isVisible(), false);
        await visitor.showTab("Run");
        await eventually.equal(() => page.locator("#history").isVisible(), false);
      });
  });

  it("has the message high and fills most of the height with it", () =>
    visit({ fragment: "", width: 1440, height: 900, details: false }, async (_, page) => {
      const seen = () =>
        page.locator(".messages").evaluate((messages) => {
          const [{ top, bottom }, pane] = [messages, document.getElementById("messages")].map((each) =>
            each.getBoundingClientRect(),
          );
          return { top, visible: Math.min(bottom, pane.bottom) - top };
        });
      await eventually.ok(async () => (await seen()).top < 180);
      await eventually.ok(async () => (await seen()).visible > 680);
    }));

  it("is the message in a frame", () =>
    visit({ fragment: "?embed#example=logs", width: 600, height: 500, details: false }, async (_, page) => {
      const { y } = await page.locator('.message[data-role="user"]').boundingBox();
      assert.ok(y < 440, `the message begins at ${y}`);
      assert.equal(await page.locator(".lead").count(), 0);
    }));

  it("leads from a problem to its field on the other side", () =>
    visit({ width: 360, height: 740 }, async (visitor, page) => {
      await visitor.press("History");
      await visitor.field("Mission").waitFor();
      await visitor.toggleGroup("Output and turns");
      await visitor.field("Turns allowed").fill("many");
      await visitor.toggleGroup("Output and turns");
      await page.locator("nav.sides").getByRole("button", { name: "Messages" }).click();
      await page.locator(".problems .link").click();
      await visitor.focusOn("Turns allowed");
      await eventually.equal(() => visitor.field("Turns allowed").isVisible(), true);
    }));

  it("has its options under “Tune”, which names the changes", () =>
    visit({}, async (visitor, page) => {
      await eventually.equal(() => visitor.field("Prints").count(), 0);
      await visitor.toggleGroup("Tune");
      await visitor.field("Prints").fill("1");
      await page.getByLabel("Tool results").check();
      await visitor.toggleGroup("Tune");
      await page.getByRole("button", { name: /^Tune 2 changed · All turns fold/ }).waitFor();
    }));
});

describe("a hint", () => {
  const look = (page) => page.getByRole("complementary", { name: "What to look at" }).count();

  it("disappears when its subject is changed, and comes back with it", () =>
    visit({}, async (visitor, page) => {
      await eventually.equal(() => look(page), 1);
      await visitor.press("Cache");
      await page.locator(".cache-view").waitFor();
      await eventually.equal(() => look(page), 1);
      const top = async () => (await page.locator("#messages").boundingBox()).y;
      const before = await top();
      await visitor.press("Delete turn 3");
      await eventually.equal(() => look(page), 0);
      assert.equal(await top(), before);
      await visitor.pressKeys("ControlOrMeta+z");
      await eventually.equal(() => look(page), 1);
      await visitor.choose("none");
      await eventually.equal(() => look(page), 0);
      await visitor.press("Reset it");
      await eventually.equal(() => look(page), 1);
    }));

  it("about another strategy stays when that strategy is chosen", () =>
    visit({ fragment: "#example=orders" }, async (visitor, page) => {
      await visitor.choose("none");
      await eventually.match(() => visitor.userMessage(), /./);
      await eventually.equal(() => look(page), 1);
      await visitor.field("Mission").fill("Another");
      await eventually.equal(() => look(page), 0);
    }));
});

describe("a chosen turn", () => {
  it("scrolls its line into view", async () => {
    const turns = Array.from({ length: 60 }, (_, index) => ({
      program: `(def x${index} ${index})\n(println "number" ${index})`,
      prints: [`number ${index}`],
      memory: `{:x${index} ${index}}`,
    }));
    const state = { mission: "Count", options: { printlnLimit: "60" }, turns };
    await visit({ fragment: await linkTo(state), height: 600 }, async (visitor, page) => {
      const line = page.locator('.segment[data-kind="output"][data-turns="2"]');
      const inView = () =>
        line.evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          const pane = document.getElementById("messages").getBoundingClientRect();
          return top >= pane.top && bottom <= pane.bottom;
        });
      await page.locator("#messages").evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      await visitor.toggleTurn(2);
      await eventually.ok(() =>
        page.locator('[data-turns~="2"]').evaluateAll((lit) => {
          const pane = document.getElementById("messages").getBoundingClientRect();
          return lit.some((element) => {
            const { top, bottom, height } = element.getBoundingClientRect();
            return height > 0 && bottom - 16 > pane.top && top + 16 < pane.bottom;
          });
        }),
      );
      await page.locator("#messages").evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      // The same turn, chosen by a part that only one line shows.
      await page.getByRole("textbox", { name: "Print 1 of turn 2", exact: true }).click();
      await eventually.ok(inView);
    });
  });
});

describe("the border between the sides", () => {
  const width = (page) => page.locator("#history").evaluate((pane) => pane.getBoundingClientRect().width);

  it("is dragged, and moved by keyboard", () =>
    visit({ width: 1000 }, async (visitor, page) => {
      const border = page.getByRole("separator", { name: "Width of History" });
      await eventually.equal(() => width(page), 420);
      const { x, y, width: thick, height } = await border.boundingBox();
      await page.mouse.move(x + thick / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(300, y + 20, { steps: 4 });
      await page.mouse.up();
      await eventually.equal(() => width(page), 300);
      await page.mouse.move(700, 300);
      await eventually.equal(() => width(page), 300);
      await page.keyboard.press("ArrowRight");
      await eventually.equal(() => width(page), 330);
      await page.keyboard.press("Home");
      await eventually.equal(() => width(page), 200);
      await page.keyboard.press("End");
      await eventually.equal(() => width(page), 800);
      await eventually.equal(() => border.getAttribute("aria-valuenow"), "80");
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await border.dblclick();
      await eventually.equal(() => width(page), 420);
      await visitor.showTab("REPL");
      await page.getByRole("separator", { name: "Width of Program" }).focus();
      await page.keyboard.press("Home");
      const program = page.getByRole("region", { name: "Program" });
      await eventually.equal(async () => (await program.boundingBox()).width, 200);
    }));
});

describe("notices", () => {
  it("overlay the page and do not move it", () =>
    visit({}, async (visitor, page) => {
      const top = async () => (await page.locator("#messages").boundingBox()).y;
      const before = await top();
      await visitor.press("Delete turn 5");
      await visitor.sees("Turn 5 deleted.");
      assert.equal(await top(), before);
      await visitor.press("Close this note");
      assert.equal(await top(), before);
    }));
});

describe("the first key", () => {
  it("skips the header, and does not change the address", () =>
    visit({ fragment: "#example=logs" }, async (_, page) => {
      await page.keyboard.press("Tab");
      await page.getByRole("link", { name: "Skip to the content" }).waitFor();
      await page.keyboard.press("Enter");
      await eventually.equal(() => page.evaluate(() => document.activeElement.id), "main");
      assert.equal(new URL(page.url()).hash, "#example=logs");
      await page.keyboard.press("Tab");
      await eventually.ok(() => page.evaluate(() => document.activeElement.closest("#main") !== null));
    }));
});

describe("touch targets", () => {
  const onPage = sharedVisit({ width: 360, height: 740 });
  for (const [tab, sides] of [
    ["Turns", ["Messages", "History"]],
    ["Run", ["Agent", "Messages"]],
    ["REPL", []],
    ["Chat", ["Conversation", "Plan"]],
    ["Typed calls", []],
  ])
    it(
      `on the tab ${tab} are at least 24 px high and wide at 360 px`,
      onPage(async (visitor, page) => {
        await visitor.showTab(tab);
        for (const side of sides.length > 0 ? sides : [null]) {
          if (side !== null) await page.locator("nav.sides").getByRole("button", { name: side, exact: true }).click();
          // Groups may hold groups.
          const closed = page.locator('.group-toggle[aria-expanded="false"]:visible');
          await page.locator("#main .pane:visible").first().waitFor();
          for (let left = await closed.count(); left > 0; left = await closed.count()) await closed.first().click();
          const small = () =>
            page.evaluate(() => {
              const controls = [...document.querySelectorAll("a, button, input, select, textarea, summary")];
              return controls
                .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.matches(".skip"))
                .map((control) => [
                  control,
                  (control.matches("[type=checkbox], [type=radio]") && control.closest("label")) || control,
                ])
                .filter(([, shown]) => {
                  const { width, height } = shown.getBoundingClientRect();
                  return width < 24 || height < 24;
                })
                .map(([control]) => control.outerHTML.slice(0, 120));
            });
          await eventually.deepEqual(small, []);
        }
      }),
    );
});

describe("texts and names", () => {
  it("are shown without leading blank lines, and their text is unchanged", async () => {
    const reply = "\n\n  \n```clojure\n(def a 1)\n```";
    const state = stateOf({ strategy: "none", turns: [{ program: "(def a 1)", reply, memory: "{:a 1}" }] });
    await visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.unfold(page.locator('.message-toggle[aria-expanded="false"]'));
      await eventually.ok(async () => (await visitor.messages()).some(({ text }) => text === reply));
      const shown = page.locator('.message[data-role="assistant"] .section-text').first();
      await eventually.match(() => shown.innerText(), /^```clojure/);
    });
  });

  it("are in natural order in the memory", () =>
    visit({ fragment: "#tab=repl" }, async (visitor, page) => {
      await visitor.write("Program", "(def x10 1) (def x2 2) (def y 3) (def x1 4)");
      await visitor.pressKeys("ControlOrMeta+Enter");
      await eventually.deepEqual(() => page.locator(".memory tbody th").allInnerTexts(), ["x1", "x2", "x10", "y"]);
    }));
});
