// The page and the command give the same figures for a recording.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { audit, digest, modelPrice, readConversation } from "turnfold/audit";
import { load } from "./page.mjs";

const page = await load(
  "audit",
  ...["read", "audit-of", "recorded"].map((name) => `import/${name}.ts`),
  ...["calls", "parameters"].map((name) => `chat/${name}.ts`),
  "states/saved.ts",
  ...["models", "settings"].map((name) => `tokens/${name}.ts`),
);
const { readText, auditOf, pickedBy, rowOf, codeOf, parametersOf, requestParameters, withoutPrices } = page;
const amounts = page.amountsOf({
  model: "claude-sonnet-5.5",
  ...Object.fromEntries(page.amountNames.map((name) => [name, ""])),
});

const pick = (from, ...names) => Object.fromEntries(names.map((name) => [name, from[name]]));

/** The settings of the Chat tab for the code of a strategy, and what they give the audit. */
const settingsFor = (code) => ({ ...page.chatFromSaved({}), ...pickedBy(code) });
const parametersFor = (code) => requestParameters(withoutPrices(parametersOf(settingsFor(code), amounts).given));

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));
const filesIn = (folder) =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => !/\.mjs$|\.summaries\.json$/.test(name))
    .map((name) => fileURLToPath(new URL(`${folder}/${name}`, import.meta.url)));
const files = [...filesIn("../js/recordings"), ...filesIn("../chats/recorded")];

/** The figures that the page computes for a chat of a text, as the worker gets them: as plain data. */
const onPage = (chat) => auditOf(structuredClone(chat.audited()));

/** The bar, its table and the plots show the numbers of the audit, for the settings of each of its strategies. */
function assertShown(recording, own) {
  const codes = own.strategies.map(({ code }) => code);
  const strategies = Object.fromEntries(codes.slice(1).map((code) => [code, parametersFor(code)]));
  const { strategies: again } = audit(recording, { strategies });
  for (const [index, strategy] of own.strategies.entries()) {
    const { code, cost, tokens } = strategy;
    assert.deepEqual(again[index], strategy, code);
    assert.equal(codeOf(settingsFor(code), own, amounts), code);
    const row = rowOf(own, strategy);
    assert.equal(row.cost, own.unit === "dollars" ? cost : null, code);
    assert.equal(row.tokens, Math.round(tokens), code);
    const sum = (each) => row.requests.reduce((all, request) => all + each(request), 0);
    if (own.unit === "dollars") assert.ok(Math.abs(sum((request) => request.cost) - cost) <= 1e-9 * cost, code);
    const shown = sum(({ read, written, fresh }) => read + written + fresh);
    assert.ok(Math.abs(shown - tokens) <= row.requests.length, `${code}: ${shown} of ${tokens}`);
    const divided = sum(({ kinds }) => Object.values(kinds).reduce((all, each) => all + each, 0));
    if (code === "none") assert.ok(Math.abs(divided - shown) <= 3 * row.requests.length, `${divided} of ${shown}`);
  }
}

describe("the audit of an opened recording", () => {
  for (const file of files) {
    it(`is that of the command for ${file.split("/").at(-1)}`, () => {
      const text = readFileSync(file, "utf8");
      const recording = readConversation(text);
      const found = readText(text);
      assert.equal(found.kind, "chats");
      // A file with several sessions is audited one by one on the page, and as a whole by the command.
      const starts = recording.chats.flatMap(({ kind }, index) => (kind === "chat" || index === 0 ? [index] : []));
      for (const [number, start] of starts.slice(0, 3).entries()) {
        const chats = recording.chats.slice(start, starts[number + 1]);
        const own = audit({ ...recording, chats });
        assert.deepEqual(onPage(found.chats[start]), own);
        if (recording.step === undefined) assertShown({ ...recording, chats }, own);
      }
    });
  }

  it("has the numbers that the command prints", () => {
    for (const file of files.filter((name) => /claude-code\.jsonl$|coding\.json$|opencode/.test(name))) {
      const [chat] = readText(readFileSync(file, "utf8")).chats;
      const printed = JSON.parse(
        execFileSync(process.execPath, [command, "audit", file, "--json"], { encoding: "utf8" }),
      );
      const { billed, strategies, recommendation } = onPage(chat);
      assert.deepEqual(
        { billed, strategies, recommendation },
        JSON.parse(
          JSON.stringify({
            billed: printed.billed,
            strategies: printed.strategies,
            recommendation: printed.recommendation,
          }),
        ),
      );
    }
  });

  it("by other prices is that of the same prices", () => {
    const [file] = files.filter((name) => /claude-code\.jsonl$/.test(name));
    const text = readFileSync(file, "utf8");
    const [chat] = readText(text).chats;
    const strategy = ["other", parametersFor("compressionStrategy: digest({ keep: 2 })")];
    const own = auditOf(structuredClone(chat.audited()), { prices: amounts.prices, strategy });
    const strategies = { other: { compressionStrategy: digest({ keep: 2 }) } };
    const prices = modelPrice("claude-sonnet-5.5", Date.now()).prices;
    assert.deepEqual(own, audit(readConversation(text), { prices, strategies }));
    assert.deepEqual(
      own.strategies.map(({ code }) => code),
      ["none", "other"],
    );
  });

  it("means the settings of the Chat tab", () => {
    const chosen = (code) => {
      const { strategy, shortens, options } = pickedBy(code);
      return {
        strategy,
        shortens,
        options: Object.fromEntries(Object.entries(options).filter(([, text]) => text !== "")),
      };
    };
    const none = { strategy: "none", shortens: false, options: {} };
    assert.deepEqual(chosen(null), none);
    assert.deepEqual(chosen("none"), none);
    assert.deepEqual(chosen('arrival: "lossless"'), { ...none, shortens: true });
    const digest = { ...none, strategy: "digest" };
    assert.deepEqual(chosen('compressionStrategy: digest(), arrival: "lossless"'), { ...digest, shortens: true });
    assert.deepEqual(chosen("compressionStrategy: digest({ keep: 4 })"), { ...digest, options: { keep: "4" } });
    assert.deepEqual(chosen('compressionStrategy: clearToolResults({ keep: 3, names: 80 }), when: "worthIt"'), {
      ...none,
      strategy: "clearToolResults",
      options: { keep: "3", names: "80" },
    });
    assert.deepEqual(chosen('compressionStrategy: lastNMessages(4), when: "worthIt"'), {
      ...none,
      strategy: "lastNMessages",
      options: { n: "4" },
    });
  });

  it("has prices of models that the chooser does not list, and links keep their names", () => {
    const { fromSaved, savedText, modelOf } = page;
    const { label, prices, window } = modelOf("claude-sonnet-4.5");
    assert.equal(label, "claude-sonnet-4.5");
    assert.deepEqual({ prices, window }, pick(modelPrice("claude-sonnet-4.5"), "prices", "window"));
    const state = fromSaved({ tokens: { model: "claude-sonnet-4.5" } });
    assert.equal(JSON.parse(savedText(state)).tokens.model, "claude-sonnet-4.5");
    assert.throws(() => fromSaved({ tokens: { model: "no model" } }), /not a known model/);
  });

  it("is not that of settings that no strategy of it has", () => {
    const [file] = files.filter((name) => /claude-code\.jsonl$/.test(name));
    const own = audit(readConversation(readFileSync(file, "utf8")));
    const digest = settingsFor("compressionStrategy: digest()");
    const { options } = digest;
    for (const change of [{ when: "always" }, { options: { ...options, maxTokens: "5000" } }, { strategy: "chunked" }])
      assert.equal(codeOf({ ...digest, ...change }, own, amounts), null, JSON.stringify(change));
  });
});
