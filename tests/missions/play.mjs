// Plays the missions with a model whose replies are files, so that anybody, or any program, can be the model:
//
//     node tests/missions/play.mjs FOLDER [fold|none|STRATEGY] [NAME,NAME,…]
//
// takes reply K of a mission from FOLDER/replies/NAME-K.txt. Where it is missing, the request is written to
// FOLDER/requests/NAME-K.txt, and the mission waits for the next run. Every run plays all from the start, so a reply that
// was played once must not change. For each mission it prints the verdict and a mark for each turn, + or - for one that failed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { names, play } from "./missions.mjs";

const [folder, strategy = "fold", chosen] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node tests/missions/play.mjs FOLDER [fold|none|STRATEGY] [NAME,NAME,…]");
  process.exit(2);
}
const compression = { fold: true, none: false }[strategy] ?? strategy;
for (const part of ["requests", "replies"]) mkdirSync(join(folder, part), { recursive: true });

const played = chosen?.split(",") ?? names;
let right = 0;
for (const name of played) {
  let asked = 0;
  let waiting = false;
  const llm = ({ messages }) => {
    const file = `${name}-${++asked}.txt`;
    const reply = join(folder, "replies", file);
    if (existsSync(reply)) return readFileSync(reply, "utf8");
    const request = messages.map(({ role, content }) => `=== ${role.toUpperCase()} ===\n${content}`).join("\n\n");
    writeFileSync(join(folder, "requests", file), request);
    waiting = true;
    throw new Error(`reply ${asked} is missing`);
  };
  const { step, verdict } = await play(name, { compression, llm });
  if (verdict === true) right += 1;
  const marks = step.turns.map((turn) => (turn.success ? "+" : "-")).join("");
  console.log(
    waiting ? `${name}  waits for reply ${asked}` : `${name}  ${verdict === true ? "right" : "WRONG"}  ${marks}`,
  );
  if (!waiting && verdict !== true) console.log(`  ${verdict}`);
}
console.log(`${right} of ${played.length} right`);
