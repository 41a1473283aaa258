// Chats whose process is killed at random moments and begun again by another one: nothing runs twice, nothing is lost.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { playChat } from "./killed-chats.mjs";

/** The number of chats; 1,000 by hand. */
const COUNT = Number(process.env.KILLED_CHATS ?? 100);
const SEED = Number(process.env.SEED ?? 20_000);

const bare = (messages) => messages.map(({ timestamp: _, ...message }) => message);

const run = (...args) =>
  new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, "killed-chats.mjs");
    const child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(signal ?? code));
  });

test(`${COUNT} chats, killed at random moments, end as those that are not`, { timeout: 3_600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnfold-killed-"));
  try {
    let kills = 0;
    for (let number = 0; ; number++) {
      const life = 1 + ((SEED + number * 7919) % 397);
      const ended = await run(folder, SEED, COUNT, life);
      if (ended === 0) break;
      assert.equal(ended, "SIGKILL");
      kills++;
      assert.ok(number < COUNT * 100, "no end");
    }
    assert.ok(kills >= COUNT / 3, `killed ${kills} times`);
    let finished = 0;
    for (let chat = 0; chat < COUNT; chat++) {
      const lines = (name) =>
        readFileSync(join(folder, `${chat}.${name}`), "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line));
      const where = `seed ${SEED + chat}`;
      const calmRecords = list();
      const calmWorld = list();
      const calm = await playChat(SEED + chat, calmRecords, calmWorld);
      const [messages, transcript] = JSON.parse(readFileSync(join(folder, `${chat}.done`), "utf8"));
      assert.deepEqual(bare(messages), bare(calm.conversation.messages), where);
      assert.deepEqual(bare(transcript), bare(calm.transcript), where);
      const ran = lines("world").map(({ callId }) => callId);
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
