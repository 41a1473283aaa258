// The page and the command give the same figures for a recording.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { audit, readConversation } from "turnfold/audit";
import { load } from "./page.mjs";

const { readText, auditOf, recommendedBy } = await load("audit", "import/read.ts", "import/audit-of.ts");

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));
const filesIn = (folder) =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => !/\.mjs$|\.summaries\.json$/.test(name))
    .map((name) => fileURLToPath(new URL(`${folder}/${name}`, import.meta.url)));
const files = [...filesIn("../js/recordings"), ...filesIn("../chats/recorded")];

/** The figures that the page computes for a chat of a text, as the worker gets them: as plain data. */
const onPage = (chat) => auditOf(structuredClone(chat.audited()));

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
        assert.deepEqual(onPage(found.chats[start]), audit({ ...recording, chats }));
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

  it("chooses the strategy of the recommendation, with its options", () => {
    const chosen = (code) => recommendedBy({ code, reason: "", saved: 0 });
    assert.deepEqual(chosen(null), { strategy: "none", options: {} });
    assert.deepEqual(chosen('arrival: "lossless"'), { strategy: "none", options: {} });
    assert.deepEqual(chosen('compressionStrategy: digest(), arrival: "lossless"'), { strategy: "digest", options: {} });
    assert.deepEqual(chosen("compressionStrategy: digest({ keep: 4 })"), {
      strategy: "digest",
      options: { keep: "4" },
    });
    assert.deepEqual(chosen('compressionStrategy: clearToolResults({ keep: 3, names: 80 }), when: "worthIt"'), {
      strategy: "clearToolResults",
      options: { keep: "3", names: "80" },
    });
    assert.deepEqual(chosen('compressionStrategy: lastNMessages(4), when: "worthIt"'), {
      strategy: "lastNMessages",
      options: { n: "4" },
    });
  });
});
