// The page that `npx turnfold audit --html` writes, opened from the disk.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/tools.mjs";
import { openBrowser, slowDown } from "../browser.mjs";
import { axeFindings, overflow } from "./axe.mjs";
import { eventually } from "./eventually.mjs";

const folder = mkdtempSync(join(tmpdir(), "turnfold-report-page-"));

/** A session of Claude Code that reads files, is compacted and reads on. */
function session(name, files) {
  const lines = [];
  let time = 1_770_000_000_000;
  let sent = 20_000;
  const add = (line) => {
    time += 20_000;
    lines.push({ sessionId: name, timestamp: new Date(time).toISOString(), ...line });
  };
  const reply = (id, content) => {
    const usage = { input_tokens: 10, cache_read_input_tokens: sent - 2000, cache_creation_input_tokens: 2000 };
    const message = { id: `msg_${name}_${id}`, role: "assistant", model: "claude-opus-4-6", content };
    add({ type: "assistant", message: { ...message, usage: { ...usage, output_tokens: 400 } } });
  };
  const read = (number) => {
    const id = `toolu_${name}_${number}`;
    reply(number, [{ type: "tool_use", id, name: "Read", input: { file_path: `/work/src/${name}-${number}.ts` } }]);
    const content = `export const value${number} = ${number};\n`.repeat(200);
    sent += 2500;
    add({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] } });
  };
  add({ type: "user", message: { role: "user", content: `Please look at ${name}` } });
  for (let number = 0; number < files; number++) read(number);
  reply("answer", [{ type: "text", text: "I have read them." }]);
  add({ type: "system", subtype: "compact_boundary", content: "Conversation compacted" });
  sent = 24_000;
  add({ type: "user", message: { role: "user", content: "Summary: the files were read. Go on." } });
  for (let number = files; number < files + 3; number++) read(number);
  reply("end", [{ type: "text", text: "Done." }]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

let browser;
before(async () => {
  for (const [name, files] of Object.entries({ parser: 12, server: 6, styles: 3 }))
    writeFileSync(join(folder, `${name}.jsonl`), session(name, files));
  writeFileSync(join(folder, "broken.jsonl"), "no session");
  for (const [name, path] of Object.entries({ many: folder, one: join(folder, "parser.jsonl") })) {
    const args = ["audit", path, "--html", join(folder, `${name}.html`)];
    const { status, stderr } = spawnSync(process.execPath, [join(root, "js/cli/turnfold.mjs"), ...args]);
    assert.equal(status, 0, String(stderr));
  }
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page; one that asks for anything but itself, or has an error, fails. */
async function visit(name, journey) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
  const page = await context.newPage();
  await slowDown(page);
  page.setDefaultTimeout(20_000);
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", ({ message }) => problems.push(message));
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(join(folder, `${name}.html`)).href;
  try {
    await page.goto(url);
    await page.locator(".plot svg").first().waitFor();
    await journey(page);
    const others = requests.filter((each) => each !== url && !/^(?:data|blob):/.test(each));
    assert.deepEqual([problems, others], [[], []]);
  } finally {
    await context.close();
  }
}

const plot = (page, name) => page.locator(`#session .plot[data-plot="${name}"]`);
const cells = (page, caption) =>
  page
    .getByRole("region", { name: caption })
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => row.innerText));

test("the page of one session has its bill, its recommendation, its plots and its tables", () =>
  visit("one", async (page) => {
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Please look at parser");
    const facts = await page.locator(".facts").innerText();
    assert.match(facts, /billed\s+\$\d+\.\d\d/);
    assert.match(facts, /requests\s+17/);
    assert.match(await page.locator(".recommendation").innerText(), /^Recommended: .+, because .+\.$/);
    const requests = plot(page, "requests");
    assert.match(
      await requests.locator(".plot-finding").innerText(),
      /^Requests go from [\d,]+ tokens in request 1 to/,
    );
    const legend = () => requests.locator("svg text").allTextContents();
    for (const part of ["results", "calls", "questions", "after a compaction"])
      assert.ok((await legend()).includes(part), part);
    await page.getByRole("radio", { name: "by the cache" }).check();
    await eventually(async () => assert.ok((await legend()).includes("read from the cache")));
    assert.ok((await plot(page, "costs").locator("svg text").allTextContents()).includes("digest()"));
    assert.match(
      await plot(page, "fills").locator(".plot-finding").innerText(),
      /tool Read \(\d+ %\), file \/work\/src\/parser/,
    );
    const rows = await cells(page, "The same requests with a strategy");
    assert.match(rows[0], /^as it was\s+\$/);
    assert.ok(rows.length > 5);
  }));

test("a request is chosen by keys and told, and the plot has a table and an image", () =>
  visit("one", async (page) => {
    const requests = plot(page, "requests");
    const area = requests.getByRole("slider");
    await area.focus();
    await page.keyboard.press("End");
    await eventually.match(() => area.getAttribute("aria-valuetext"), /^Request 17: [\d,]+ tokens \(/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await eventually.match(() => area.getAttribute("aria-valuetext"), /^Request 14: [\d,]+ tokens, after a compaction/);
    await requests.getByText("As a table").click();
    await eventually.equal(() => requests.locator("tbody tr").count(), 17);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      requests.getByRole("button", { name: "Save as PNG" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "tokens-of-each-request.png");
  }));

test("the page of many sessions has totals, the list, and the plots of the chosen one", () =>
  visit("many", async (page) => {
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "What 3 sessions cost");
    assert.match((await cells(page, "By model"))[0], /^claude-opus-4-6\s+36\s/);
    assert.match((await cells(page, "By program"))[0], /^Claude Code\s+3\s+36\s/);
    assert.match((await cells(page, "If all sessions had used the same options"))[0], /^as it was/);
    await page.getByRole("heading", { level: 2, name: "Please look at parser" }).waitFor();
    const search = page.getByRole("searchbox", { name: "Search sessions" });
    await search.fill("styles");
    await page.getByRole("region", { name: /^1 session, / }).waitFor();
    await page.getByRole("button", { name: "Please look at styles" }).click();
    await page.getByRole("heading", { level: 2, name: "Please look at styles" }).waitFor();
    await eventually.match(() => plot(page, "fills").locator(".plot-finding").innerText(), /styles-\d\.ts/);
    await page.getByText("1 file could not be read").click();
    await page.getByText(/broken\.jsonl: the recording can't be read: no line is JSON/).waitFor();
  }));

for (const name of ["one", "many"])
  test(`the page of ${name} fits at all widths, in both themes, without findings of axe`, () =>
    visit(name, async (page) => {
      for (const width of [360, 768, 1440, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually.equal(() => overflow(page), 0, `${width} px`);
        await eventually.deepEqual(() => axeFindings(page), [], `${width} px`);
      }
    }));
