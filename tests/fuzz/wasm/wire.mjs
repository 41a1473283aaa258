// 100,000 requests (`REQUESTS` sets another number) to strict receivers: random histories in every format, every request
// of random agents, and conversations with a server that checks the thinking that it signed. The number of seconds is the least time. Refusals are listed by kind, each with its smallest
// example.

import { agentRequests } from "../../wire/agents.mjs";
import { Tally } from "../../wire/tally.mjs";
import { thinkingRequests } from "../../wire/thinking.mjs";
import { formatRequests } from "../../wire/traffic.mjs";
import { memories } from "./watch.mjs";

const REQUESTS = Number(process.env.REQUESTS ?? 100_000);
/** Of the seeds, one in this many is an agent, and another a conversation with thinking, whose requests take longer. */
const LONG = 8;

const [seconds = "60", first = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
const end = performance.now() + Number(seconds) * 1000;
const tally = new Tally();
const add = (request) => tally.add(request);
let seed = Number(first);
for (; tally.requests < REQUESTS || performance.now() < end; seed++) {
  try {
    const requests = [agentRequests, thinkingRequests][seed % LONG] ?? formatRequests;
    await requests(seed, add);
  } catch (error) {
    console.error(`Seed ${seed}`);
    throw error;
  }
  if (seed % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (memories.length > 1) throw new Error(`The instance of the wasm was replaced at seed ${seed}`);
}
const counted = (map) => [...map].map(([name, count]) => `${name} ${count}`).join(", ");
console.log(`wire: ${tally.requests.toLocaleString("en-US")} requests, ${tally.refused} refused, from seed ${first}.`);
console.log(`Accepted: ${counted(tally.senders)}.`);
console.log(`Not written: ${counted(tally.thrown)}.`);
if (tally.kinds.size > 0) {
  console.error(tally.faults.join("\n"));
  process.exitCode = 1;
}
