// How long it takes from a keystroke until its change is painted.

import { linkTo } from "../../../tests/www/link.mjs";
import { chatOf, noteTasks, paste, tasksUntilRest, withClipboard } from "./paste.mjs";

/** Milliseconds between two keys of a typist. */
const PAUSE_MS = 200;

/** Milliseconds of each key until its change is painted. */
async function typed(page, keys) {
  const times = [];
  for (let key = 0; key < keys; key++) {
    await page.evaluate(() => {
      globalThis.painted = new Promise((done) => {
        addEventListener(
          "keydown",
          ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp))),
          { capture: true, once: true },
        );
      });
    });
    await page.keyboard.press("x");
    times.push(await page.evaluate(() => globalThis.painted));
    await page.waitForTimeout(PAUSE_MS);
  }
  return times;
}

/** Milliseconds of each key that is typed into a text of a pasted chat, and of the longest task after the last one. */
export const chatKeyTimes = (browser, origin, { characters, keys }) =>
  withClipboard(browser, async (page) => {
    await paste(page, origin, chatOf(characters));
    await tasksUntilRest(page);
    await page.locator('.cm-content[aria-label="Messages as JSON"]').focus();
    await page.keyboard.press("ControlOrMeta+Home");
    // Places the cursor in the first text.
    for (let step = 0; step < 40; step++) await page.keyboard.press("ArrowRight");
    const times = await typed(page, keys);
    await noteTasks(page);
    await typed(page, 1);
    const { longest } = await tasksUntilRest(page);
    return { times, after: longest };
  });

const history = (turns) => ({
  mission: "Count",
  options: { maxTurns: String(turns + 5) },
  turns: Array.from({ length: turns }, (_, index) => ({
    program: `(def x${index % 60} (tool/search {:query "item ${index}"}))\n(println "found" ${index})`,
    prints: index % 3 === 0 ? [] : [`found ${index}`],
    calls: index % 10 === 0 ? [{ name: "search", args: `{:query "item ${index}"}`, result: "[]" }] : [],
    memory: `{:x${index % 60} [{:name "a${index}" :price ${index}} {:name "b" :price 2}]}`,
  })),
});

/** Milliseconds of each key that is typed into the field that `focus` focuses, and the number of elements of the page. */
async function keyTimesIn(browser, url, keys, focus) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    await focus(page);
    await page.keyboard.press("End");
    const times = await typed(page, keys);
    return { times, elements: await page.evaluate(() => document.getElementsByTagName("*").length) };
  } finally {
    await context.close();
  }
}

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const fieldOf = (page, name) => page.getByRole("textbox", { name, exact: true });
async function compare(page) {
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByLabel("Compare with").selectOption("strategy single-user-coalesced");
}

/** States with a long list each, and the function that focuses the field for typing. */
const longStates = {
  "1,000 turns": {
    // Numbered from 1; a turn with a print.
    state: history(1000),
    async focus(page) {
      await page.getByRole("searchbox", { name: "Find a turn" }).fill("999");
      await page.keyboard.press("Enter");
      await page.locator('.turn[data-turn="999"] .turn-toggle').click();
      await fieldOf(page, "Print 1 of turn 999").focus();
    },
  },
  "1,000 turns compared with another strategy": {
    state: { ...history(1000), strategy: "none" },
    async focus(page) {
      await compare(page);
      await page.locator(".diff-sum").waitFor();
      await fieldOf(page, "Mission").focus();
    },
  },
  "a turn with 1,000 calls and prints": {
    state: {
      mission: "Count",
      turns: [
        {
          program: "(def a 1)",
          calls: many(1000, (index) => ({ name: "search", args: `{:query "item ${index}"}`, result: `[${index}]` })),
          prints: many(1000, (index) => `line ${index}`),
          memory: "{:a 1}",
        },
        { program: "(def b 1)", memory: "{:b 1}" },
      ],
    },
    async focus(page) {
      await page.locator('.turn[data-turn="1"] .turn-toggle').click();
      await fieldOf(page, "Tool of call 3 of turn 1").focus();
    },
  },
  "data with 5,000 keys": {
    state: { mission: "Count", data: `{${many(5000, (index) => `:k${index} ${index}`).join("\n")}}` },
    focus: (page) => fieldOf(page, "Mission").focus(),
  },
  "1,000 earlier turns and demos of a program": {
    tab: "programs",
    state: {
      programs: {
        signature: "question, history: History -> answer",
        ...Object.fromEntries(
          ["history", "demos"].map((name) => [
            name,
            many(1000, (index) => ({
              values: ["question", "answer"].map((field) => ({ name: field, text: `${field} ${index}` })),
            })),
          ]),
        ),
      },
    },
    focus: (page) => fieldOf(page, "question").focus(),
  },
  "2,000 scripted replies": {
    tab: "run",
    state: { mission: "Count", model: "scripted", replies: many(2000, (index) => `(def r${index} ${index})`) },
    async focus(page) {
      await page.getByRole("button", { name: /^Replies/ }).click();
      await fieldOf(page, "Reply to turn 2").focus();
    },
  },
};

/** For each state with a long list: its name, the milliseconds of each key, and the number of elements of the page. */
export async function* longKeyTimes(browser, origin, { keys }) {
  for (const [name, { state, tab, focus }] of Object.entries(longStates))
    yield { name, ...(await keyTimesIn(browser, `${origin}/${await linkTo(state, tab)}`, keys, focus)) };
}
