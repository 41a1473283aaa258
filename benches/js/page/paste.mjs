// How long it takes from pasting a chat on the front page until its messages and their plan are shown.

const WORDS = "the order was sent to Oslo on Monday and has not arrived yet please look where it is".split(" ");

/** Messages of OpenAI whose JSON has about this many characters. */
export function chatOf(characters) {
  const messages = [];
  for (let length = 2, index = 0; length < characters; index++) {
    const words = Array.from({ length: 60 }, (_, at) => WORDS[(index * 7 + at * (1 + (index % 5))) % WORDS.length]);
    const message = { role: index % 2 === 0 ? "user" : "assistant", content: `${index}: ${words.join(" ")}` };
    messages.push(message);
    length += JSON.stringify(message).length + 1;
  }
  return messages;
}

/** The page counts as idle after this many milliseconds without a long task. */
const REST_MS = 1500;

/** Records the long tasks of a page from now on. */
export const noteTasks = (page) =>
  page.evaluate(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries())).observe({ type: "longtask" });
  });

/** Waits until the page is idle. Returns the milliseconds of all recorded long tasks, and of the longest. */
export const tasksUntilRest = (page) =>
  page.evaluate(async (rest) => {
    for (let quiet = performance.now(), last = quiet; performance.now() - quiet < rest; last = performance.now()) {
      await new Promise((next) => setTimeout(next, 5));
      if (performance.now() - last > 50) quiet = performance.now();
    }
    const times = globalThis.tasks.map(({ duration }) => duration);
    return { blocked: times.reduce((sum, time) => sum + time, 0), longest: Math.max(0, ...times) };
  }, REST_MS);

/** Opens the front page, and pastes messages. Returns the milliseconds from the key until their number and the plan are painted. */
export async function paste(page, origin, messages) {
  await page.goto(`${origin}/`);
  await page.locator(".message").first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(messages));
  await page.evaluate(
    (sentence) => {
      globalThis.shown = new Promise((done) => {
        addEventListener(
          "paste",
          ({ timeStamp }) => {
            const look = () => {
              const isShown = document.querySelector(".chat-shape")?.textContent.includes(sentence);
              if (!isShown || document.querySelector(".chat-plan") === null) requestAnimationFrame(look);
              // A frame callback runs before the page is laid out and painted.
              else requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
            };
            requestAnimationFrame(look);
          },
          { capture: true, once: true },
        );
      });
    },
    `${messages.length.toLocaleString("en")} messages`,
  );
  await noteTasks(page);
  await page.keyboard.press("ControlOrMeta+v");
  return page.evaluate(() => globalThis.shown);
}

/** A page that may use the clipboard. */
export async function withClipboard(browser, use) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    serviceWorkers: "block",
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    return await use(page);
  } finally {
    await context.close();
  }
}

/** Milliseconds until a pasted chat is painted, and milliseconds for which the page was blocked until it was idle. */
export const pasteTime = (browser, origin, characters) =>
  withClipboard(browser, async (page) => {
    const messages = chatOf(characters);
    const shown = await paste(page, origin, messages);
    const { blocked } = await tasksUntilRest(page);
    const elements = await page.evaluate(() => document.getElementsByTagName("*").length);
    return { messages: messages.length, shown, blocked, elements };
  });
