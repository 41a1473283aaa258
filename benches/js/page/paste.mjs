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

/** Milliseconds from the key that pastes to the paint with the number of messages and the plan. */
export async function pasteTime(browser, origin, characters) {
  const messages = chatOf(characters);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    serviceWorkers: "block",
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    await page.goto(`${origin}/`);
    await page.locator(".message").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(messages));
    await page.evaluate(
      (sentence) => {
        globalThis.shown = new Promise((done) => {
          addEventListener(
            "paste",
            () => {
              const start = performance.now();
              const look = () => {
                const isShown = document.querySelector(".chat-shape")?.textContent.includes(sentence);
                if (isShown && document.querySelector(".chat-plan") !== null) done(performance.now() - start);
                else requestAnimationFrame(look);
              };
              requestAnimationFrame(look);
            },
            { capture: true, once: true },
          );
        });
      },
      `${messages.length.toLocaleString("en")} messages`,
    );
    await page.keyboard.press("ControlOrMeta+v");
    return { messages: messages.length, shown: await page.evaluate(() => globalThis.shown) };
  } finally {
    await context.close();
  }
}
