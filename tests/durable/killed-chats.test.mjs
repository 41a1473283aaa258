// Chats whose process is killed at random moments and begun again by another one: nothing runs twice, nothing is lost.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { playChat } from "./killed-chats.mjs";
import { outputUnlessKilled } from "./node.mjs";

/** The number of chats; 1,000 by hand. */
const COUNT = Number(process.env.KILLED_CHATS ?? 100);
const SEED = Number(process.env.SEED ?? 20_000);

const bare = (messages) => messages.map(({ timestamp: _, ...message }) => message);

const program = join(import.meta.dirname, "killed-chats.mjs");

test(`${COUNT} chats, killed at random moments, end as those that are not`, { timeout: 3_600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnfold-killed-"));
  try {
    let kills = 0;
    let output = null;
    while (output === null) {
      output = await outputUnlessKilled(
        program,
        join(folder, "chats.db"),
        SEED,
        COUNT,
        1 + ((SEED + kills * 7919) % 397),
      );
      if (output === null) kills++;
      assert.ok(kills < COUNT * 100, "no end");
    }
    const chats = JSON.parse(output);
    assert.ok(kills >= COUNT / 3, `killed ${kills} times`);
    let finished = 0;
    for (let chat = 0; chat < COUNT; chat++) {
      const where = `seed ${SEED + chat}`;
      const calmRecords = list();
      const calmWorld = list();
      const calm = await playChat(SEED + chat, calmRecords, calmWorld);
      const [messages, transcript, world] = chats[chat];
      assert.deepEqual(bare(messages), bare(calm.conversation.messages), where);
      assert.deepEqual(bare(transcript), bare(calm.transcript), where);
      const ran = world.map(({ callId }) => callId);
      assert.equal(new Set(ran).size, ran.length, `${where}: a tool ran twice`);
      assert.equal(ran.length, calmWorld.lines.length, `${where}: a tool did not run`);
      finished += ran.length;
    }
    console.log(`${COUNT} chats, killed ${kills} times: ${finished} tools ran, each once`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A journal in memory. */
function list() {
  const lines = [];
  return { lines, add: (line) => lines.push(JSON.parse(JSON.stringify(line))) };
}
