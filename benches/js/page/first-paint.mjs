// How long a first visitor waits, from the request for the page.

/** “Slow 4G” of Chromium's developer tools. */
const slow4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (0.9 * 1.6e6) / 8,
  uploadThroughput: (0.9 * 0.75e6) / 8,
};

/** Milliseconds until something is painted, and until the first message is shown. */
export async function firstPaint(browser, origin, { slow = true } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    if (slow) await devtools.send("Network.emulateNetworkConditions", slow4G);
    await page.goto(`${origin}/`, { waitUntil: "commit" });
    await page.locator('.message[data-role="user"] .section-text').first().waitFor();
    const ready = await page.evaluate(() => performance.now());
    const paint = await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]);
    return { painted: await paint.evaluate(({ startTime }) => startTime), ready };
  } finally {
    await context.close();
  }
}
