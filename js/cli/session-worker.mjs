// A thread that reads sessions, one after the other.

import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { auditInParts } from "./audit-parts.mjs";
import { readSession } from "./read-file.mjs";
import { plotsOf } from "./report.mjs";
import { costsOf, factsOf, savingOf } from "./session-facts.mjs";

/** What is asked of a session, by name: each makes an answer of its recording. */
const TASKS = {
  facts: ({ recording }) => factsOf(recording),

  async savings({ recording }) {
    const audited = await auditInParts(recording);
    return { dollars: audited.billed.dollars, saved: savingOf(audited) };
  },

  /** Asks first which requests no other session has, with their ids; those without one are told apart by the whole text. */
  async audit({ recording, hash }, { prices, since, plots }) {
    const all = recording.chats.flatMap(({ requests }) => requests);
    const keys = all.map(({ id }) => (id === undefined ? null : `${recording.format} ${id}`));
    parentPort.postMessage({ keys, hash });
    const [{ isOwn }] = await once(parentPort, "message");
    const isRecent = ({ at }) => since === undefined || at === undefined || at >= since;
    const own = (index) => (isOwn[index] ?? true) && isRecent(all[index] ?? {});
    const { warnings } = recording;
    const left = all.filter((_, index) => !own(index)).length;
    if (left === all.length) return { left, warnings };
    const audited = await auditInParts(recording, prices === undefined ? {} : { prices });
    const facts = { ...factsOf(recording), left, warnings };
    return { ...facts, ...costsOf(audited, own), ...(plots ? { plots: plotsOf(audited) } : {}) };
  },
};

async function answer({ kind, path, ...options }) {
  try {
    return await TASKS[kind](await readSession(path), options);
  } catch (error) {
    return { problem: error.message };
  }
}

const task = async (given) => {
  parentPort.off("message", task);
  const answered = await answer(given);
  parentPort.on("message", task);
  parentPort.postMessage(answered);
};
parentPort.on("message", task);
