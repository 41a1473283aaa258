// Counts the work of a page for an action in calls and nodes, which, unlike time, are the same on every machine within some percent.

import assert from "node:assert/strict";
import { eventually } from "./eventually.mjs";

/** Longer than a frame, and shorter than each debounce pause of the page. */
const FRAME_MS = 20;

/** Longer than each of these pauses. */
const LONG_MS = 60_000;

/** Longer than an editor waits before it parses text far from the screen. */
const IDLE_MS = 2000;

/**
 * Runs the pending timers of a page that was visited with `clock`, and stops its clock: from then on timers and frames wait for
 * `page.clock.runFor`, so that none of them runs between the keys of a slow machine. Parts that are still loading would be
 * counted with the next action: this waits for the editors on the screen, and a journey for the other parts first.
 */
export async function stopClock(page) {
  await eventually.equal(() => page.evaluate(countStandIns), 0);
  await page.clock.pauseAt(Date.now() + LONG_MS);
  await page.clock.runFor(IDLE_MS);
}

/** The number of fields on the screen whose editor is not created yet. */
function countStandIns() {
  const isOnScreen = (field) => {
    const { top, bottom, height } = field.getBoundingClientRect();
    const pane = (field.closest(".pane, [data-scroller]") ?? document.documentElement).getBoundingClientRect();
    return height > 0 && bottom > Math.max(0, pane.top) && top < Math.min(innerHeight, pane.bottom);
  };
  return [...document.querySelectorAll(".code-stand-in")].filter(isOnScreen).length;
}

/** Performs an action and lets the page, whose clock is stopped, draw the next frame. */
async function drawn(page, act) {
  await act();
  await page.clock.runFor(FRAME_MS);
}

/**
 * The work of the page for an action until `isShown`: `calls` of functions in the page's scripts, and `nodes` that are added,
 * removed or changed.
 */
export async function workOf(page, act, isShown) {
  const count = await startCounting(page);
  return count(async () => {
    await drawn(page, act);
    await isShown();
  });
}

/** The most work of the page for one of these keys. The first key is not counted, because it also renders pending changes. */
export async function mostForAKey(page, keys, type) {
  const count = await startCounting(page);
  const works = [];
  for (const key of keys) works.push(await count(() => drawn(page, () => type(key))));
  const max = (name) => Math.max(...works.slice(1).map((work) => work[name]));
  return { calls: max("calls"), nodes: max("nodes") };
}

/** Asserts that some work was done, and less than a bound; bounds are about twice the usual work. */
export function assertWork(context, { calls, nodes }, bound) {
  const text = `${calls} calls and ${nodes} nodes`;
  context.diagnostic(text);
  assert.ok(calls > 0 && calls < bound.calls, `${text}, the bound is ${bound.calls} calls`);
  assert.ok(nodes > 0 && nodes < bound.nodes, `${text}, the bound is ${bound.nodes} nodes`);
}

/** Returns a function that performs an action and returns the work of the page meanwhile. */
async function startCounting(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const changes = await page.evaluateHandle(() => {
    let nodes = 0;
    const size = (node) => 1 + (node.querySelectorAll?.("*").length ?? 0);
    const add = (records) => {
      for (const { type, addedNodes, removedNodes } of records) {
        if (type === "childList") for (const node of [...addedNodes, ...removedNodes]) nodes += size(node);
        else nodes++;
      }
    };
    const observer = new MutationObserver(add);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    return {
      take() {
        add(observer.takeRecords());
        const taken = nodes;
        nodes = 0;
        return taken;
      },
    };
  });
  const take = async () => {
    const nodes = await changes.evaluate((counter) => counter.take());
    // Returns the calls since the previous request; scripts of the test have no URL.
    const { result } = await devtools.send("Profiler.takePreciseCoverage");
    const functions = result.filter(({ url }) => url.startsWith("http")).flatMap((script) => script.functions);
    return { calls: functions.reduce((sum, { ranges }) => sum + ranges[0].count, 0), nodes };
  };
  return async (act) => {
    await take();
    await act();
    return take();
  };
}
