// Programs that a model wrote for the missions of tests/missions, as they were written without and with compression.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { names, play } from "../missions/missions.mjs";
import { scripted } from "./scripted.mjs";

const folder = new URL("../missions/replies/", import.meta.url);
const files = readdirSync(folder).sort();

for (const compression of [false, true, "journal"])
  suite(`with compression ${compression}, the recorded replies complete the mission`, () => {
    for (const name of names)
      test(name, async () => {
        const replies = files
          .filter((file) => file.replace(/-\d+\.txt$/, "") === name)
          .map((file) => readFileSync(new URL(file, folder), "utf8"));
        const { step, verdict } = await play(name, { compression, llm: scripted(...replies) });
        assert.equal(verdict, true);
        assert.deepEqual(
          step.turns.map((turn) => turn.success),
          replies.map(() => true),
        );
      });
  });
