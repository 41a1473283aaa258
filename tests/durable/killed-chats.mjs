// Random chats with tools, whose process may be killed at any moment. `node killed-chats.mjs FILE SEED COUNT LIFE` plays the
// chats that have not ended in FILE, a file of SQLite, and kills itself at the moment number LIFE. Prints what they are in the end.

import { Agent, later } from "turnfold";

/** A number from 0 to 1 that depends on nothing but its keys. */
function chance(...keys) {
  let hash = 2166136261;
  for (const unit of JSON.stringify(keys)) hash = Math.imul(hash ^ unit.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const TOOLS = ["read", "pay", "ask", "fail", "again"];

/**
 * Plays a chat until it ends, from its records on.
 *
 * @param records and `world`, what its tools did, are journals.
 * @param moment is called wherever the process may be killed.
 */
export async function playChat(seed, records, world, moment = async () => {}) {
  const outcomeOf = (name, args) =>
    name === "fail"
      ? { error: `it is closed: ${args.n}` }
      : { result: `${name} ${args.n}: ${"a line\n".repeat(args.n)}` };
  /** Does what a tool does to the outside world, once for each `callId` of a tool that may be repeated. */
  const act =
    (name) =>
    async (args, { callId }) => {
      await moment();
      const known = name === "again" && world.lines.some((line) => line.callId === callId);
      if (!known) world.add({ callId, name, outcome: outcomeOf(name, args) });
      await moment();
      if (name === "ask") return later({ callId });
      const { result, error } = outcomeOf(name, args);
      if (error !== undefined) throw new Error(error);
      return result;
    };
  const replies = () => records.lines.filter(({ type }) => type === "reply").length;
  const llm = async ({ messages }) => {
    await moment();
    const number = replies();
    const round = messages.length - messages.findLastIndex(({ role }) => role === "user");
    if (round > 12 || chance(seed, number, "ends") < 0.35) return `answer ${number}`;
    const count = 1 + Math.floor(chance(seed, number, "count") * 4);
    const toolCalls = Array.from({ length: count }, (_, index) => {
      const name = TOOLS[Math.floor(chance(seed, number, index) * TOOLS.length)];
      return { id: `call-${index}`, name, args: { n: Math.floor(chance(seed, number, index, "n") * 20) } };
    });
    return { content: `I look, ${number}.`, toolCalls };
  };
  const agent = new Agent({
    system: "You help.",
    llm,
    maxSteps: 50,
    calibrate: false,
    tools: Object.fromEntries(
      TOOLS.map((name) => {
        const more = { needsApproval: name === "pay", idempotent: name === "again" };
        return [name, { signature: "(n :int) -> :string", ...more, run: act(name) }];
      }),
    ),
    maxHistorySize: 12,
    onOverflow: "send",
    onRecord: async (record) => {
      await moment();
      records.add(record);
      await moment();
    },
  });
  agent.restore(records.lines.slice());
  const answer = ({ id, reason, tool, args }) => {
    if (reason === "approval") return chance(seed, id, args.n) < 0.3 ? "No." : true;
    if (reason === "later") return outcomeOf(tool, args);
    // Whoever decides looks into the outside world.
    const began = records.lines.findLastIndex(({ type, id: of }) => type === "call" && of === id);
    const { run } = records.lines.slice(0, began).findLast(({ type }) => type === "reply");
    const done = world.lines.find(({ callId }) => callId === `${run}/${id}`);
    if (done === undefined) return true;
    return tool === "ask" ? outcomeOf(tool, args) : done.outcome;
  };
  const finish = async () => {
    let reply = await agent.resume();
    while (reply.status === "waiting") {
      // One after the other, or all at once.
      const some = chance(seed, reply.waiting.length) < 0.5 ? reply.waiting.slice(0, 1) : reply.waiting;
      reply = await agent.resume({ answers: Object.fromEntries(some.map((each) => [each.id, answer(each)])) });
    }
  };
  const asked = () => agent.transcript.filter(({ role }) => role === "user").length;
  if (agent.isUnfinished) await finish();
  while (asked() < 3) {
    const { status } = await agent.chat(`Question ${asked()}`);
    if (status === "waiting") await finish();
  }
  return agent;
}

if (process.argv[1] === import.meta.filename) {
  const { journal, open } = await import("./journal.mjs");
  const [file, seed, count, life] = process.argv.slice(2);
  const db = open(file);
  let left = Number(life);
  const moment = async () => {
    if (--left < 0) process.kill(process.pid, "SIGKILL");
    await null;
  };
  const done = journal(db, "done");
  for (let chat = done.lines.length; chat < Number(count); chat++) {
    const [records, world] = ["records", "world"].map((name) => journal(db, `${name} ${chat}`));
    const agent = await playChat(Number(seed) + chat, records, world, moment);
    done.add([agent.conversation.messages, agent.transcript, world.lines]);
  }
  process.stdout.write(JSON.stringify(done.lines));
}
