// How long visitors of the playground wait: for the first paint on a slow network, for a pasted chat, and for a keystroke.
// Builds the playground and opens it in Chromium. `npm run bench -- page paste` runs one of the parts.

import { availableParallelism, loadavg } from "node:os";
import { openBrowser } from "../../tests/browser.mjs";
import { firstPaint } from "./page/first-paint.mjs";
import { pasteTime } from "./page/paste.mjs";
import { servePlayground } from "./page/site.mjs";
import { chatKeyTimes, longKeyTimes } from "./page/typing.mjs";

const milliseconds = (value) => `${Math.round(value).toLocaleString("en")} ms`;
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** The median of each member over the runs. */
async function medians(runs, measure) {
  const all = [];
  for (let run = 0; run < runs; run++) all.push(await measure());
  return Object.fromEntries(Object.keys(all[0]).map((name) => [name, median(all.map((one) => one[name]))]));
}

const print = (name, ...facts) => console.log(`${name.padEnd(54)} ${facts.join(" · ")}`);

const parts = {
  async paint(browser, origin) {
    for (const [name, slow] of [
      ["first visit on slow 4G", true],
      ["first visit on this machine", false],
    ]) {
      const { painted, ready } = await medians(3, () => firstPaint(browser, origin, { slow }));
      print(name, `painted after ${milliseconds(painted)}`, `first message after ${milliseconds(ready)}`);
    }
  },
  async paste(browser, origin) {
    for (const [name, characters] of [
      ["28 kB of chat", 28_000],
      ["555 kB of chat", 555_000],
      ["5 MB of chat", 5_000_000],
    ]) {
      const { messages, shown, blocked, elements } = await medians(3, () => pasteTime(browser, origin, characters));
      print(
        `${name} on the front page`,
        `${messages.toLocaleString("en")} messages`,
        `painted after ${milliseconds(shown)}`,
        `${milliseconds(blocked)} of long tasks`,
        `${elements.toLocaleString("en")} elements`,
      );
    }
  },
  async key(browser, origin) {
    const told = (times) => [`median ${milliseconds(median(times))}`, `longest ${milliseconds(Math.max(...times))}`];
    for await (const { name, times, elements } of longKeyTimes(browser, origin, { keys: 9 }))
      print(`a key with ${name}`, ...told(times), `${elements.toLocaleString("en")} elements`);
    const { times, after } = await chatKeyTimes(browser, origin, { characters: 5_000_000, keys: 9 });
    print("a key in 5 MB of chat", ...told(times), `longest task after the last one ${milliseconds(after)}`);
  },
};

const [chosen] = process.argv.slice(2);
const site = await servePlayground();
const browser = await openBrowser();
console.log(`load of the machine: ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`);
try {
  for (const [name, measure] of Object.entries(parts))
    if (chosen === undefined || chosen === name) await measure(browser, site.origin);
} finally {
  await browser.close();
  await site.close();
}
