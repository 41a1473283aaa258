// What managing a long session takes before each request, for the three kinds of hosts: one that keeps the managed conversation,
// one that keeps the whole history, and one that gives new objects with the whole history each time. Ratios in one run: to
// clearing results for the first two, to counting the same new objects for the last. Then audits of a session that plan every
// request, results in their first form, and memory with a long session.
//
//   --rounds N   of the session; default 200

import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { compareCosts } from "turnfold/audit";
import { applyPlan, Conversation, clearToolResults, countMessages, digest, planHistory } from "turnfold/chat";
import { results, session } from "./chats.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" }, memory: { type: "string" } } });

const SETTINGS = {
  "no strategy": {},
  "clearToolResults()": { compressionStrategy: clearToolResults(), when: "always" },
  "digest()": { compressionStrategy: digest(), when: "always" },
  "clearToolResults(), worthIt": { compressionStrategy: clearToolResults(), when: "worthIt" },
  "digest(), worthIt": { compressionStrategy: digest(), when: "worthIt" },
  "digest(), worthIt, lossless": { compressionStrategy: digest(), when: "worthIt", arrival: "lossless" },
};

const manage = (conversation, parameters) => applyPlan(planHistory(conversation, parameters), []).conversation;

/** The setting of clearing with which one is compared. */
const clearing = (name) => (name.includes("worthIt") ? "clearToolResults(), worthIt" : "clearToolResults()");

/** The memory that managing a long session takes, besides the given messages. */
function printMemory(parameters) {
  const messages = session(480, 12_000);
  const memory = () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return [rss, heapUsed + external];
  };
  manage(new Conversation({ messages: messages.slice(0, 9) }), parameters);
  const before = memory();
  const conversation = new Conversation({ messages });
  const managed = manage(conversation, parameters);
  const [rss, used] = memory().map((bytes, index) => ((bytes - before[index]) / 1e6).toFixed(0).padStart(5));
  const { total } = countMessages(messages);
  console.log(
    `${rss} resident, ${used} in use, ${messages.length} messages of ${total} tokens, ${managed.messages.length} left`,
  );
}

if (values.memory !== undefined) {
  printMemory(SETTINGS[values.memory]);
  process.exit();
}

const plain = session(Number(values.rounds));
/** The numbers of messages of the requests. */
const requests = plain.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));

function timeOf(work) {
  globalThis.gc?.();
  const start = performance.now();
  work();
  return performance.now() - start;
}

const HOSTS = {
  "managed conversation": (parameters) => {
    let [conversation, start] = [new Conversation(), 0];
    for (const end of requests) {
      conversation = manage(conversation.append(...plain.slice(start, end)), parameters);
      start = end;
    }
  },
  "whole conversation": (parameters) => {
    let [conversation, start] = [new Conversation(), 0];
    for (const end of requests) {
      conversation = conversation.append(...plain.slice(start, end));
      manage(conversation, parameters);
      start = end;
    }
  },
  "new objects": (parameters) => {
    for (const end of requests) manage(new Conversation({ messages: plain.slice(0, end) }), parameters);
  },
};

const { total } = countMessages(plain);
const each = (time) => (time / requests.length).toFixed(2).padStart(9);
console.log(`\n${requests.length} requests, ${plain.length} messages, ${total} tokens: milliseconds for each request`);
for (const [host, run] of Object.entries(HOSTS)) {
  run(SETTINGS["no strategy"]);
  const counting = timeOf(() => {
    for (const end of requests) countMessages(plain.slice(0, end));
  });
  const times = new Map();
  for (const [name, parameters] of Object.entries(SETTINGS))
    times.set(
      name,
      timeOf(() => run(parameters)),
    );
  console.log(host);
  if (host === "new objects") console.log(`  ${"countMessages".padEnd(30)}${each(counting)}`);
  for (const [name, time] of times) {
    const of = host === "new objects" ? counting : times.get(clearing(name));
    console.log(
      `  ${name.padEnd(30)}${each(time)}   ${(time / of).toFixed(2)} of ${host === "new objects" ? "counting" : "clearing"}`,
    );
  }
}

console.log("audit: all requests of the session");
for (const [name, parameters] of Object.entries(SETTINGS)) {
  const time = timeOf(() => compareCosts(new Conversation({ messages: plain }), { strategies: { own: parameters } }));
  console.log(`  ${name.padEnd(30)}${each(time)}`);
}

console.log('results of 10,000 tokens in their first form, arrival: "lossless": milliseconds');
for (const [kind, text] of Object.entries(results(40_000))) {
  const call = { role: "assistant", content: "", toolCalls: [{ id: "c", name: "run", args: { command: "make" } }] };
  const times = Array.from({ length: 12 }, (_, round) => {
    const messages = [
      { role: "user", content: "Go" },
      call,
      { role: "tool", toolCallId: "c", content: `${text}\n${round}` },
    ];
    const conversation = new Conversation({ messages });
    manage(conversation, {});
    return timeOf(() => manage(conversation, { arrival: "lossless" }));
  });
  const tokens = countMessages([{ role: "tool", toolCallId: "c", content: text }]).total;
  const median = times.sort((left, right) => left - right)[6];
  console.log(`  ${kind.padEnd(30)}${((median / tokens) * 10_000).toFixed(2).padStart(9)}`);
}

console.log("memory with a session of 1,000 messages, each in a process of its own: megabytes");
for (const name of Object.keys(SETTINGS)) {
  const options = [...process.execArgv, import.meta.filename, "--memory", name];
  console.log(`  ${name.padEnd(30)}${execFileSync(process.execPath, options, { encoding: "utf8" }).trim()}`);
}
