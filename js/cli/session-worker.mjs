// A thread that reads sessions, one after the other.

import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { auditRecording } from "turnfold/audit";
import { hashOf, openSession } from "./read-file.mjs";
import { plotsOf } from "./report.mjs";
import { costsOf, readFacts, savingOf } from "./session-facts.mjs";

/** What is asked of a session, by name: each makes an answer of the function that opens it. */
const TASKS = {
  facts: async (open) => (await readFacts(open())).facts,

  async savings(open) {
    const audited = await auditRecording(open);
    return { dollars: audited.billed.dollars, isEstimate: audited.source !== "recorded", saved: savingOf(audited) };
  },

  /** Asks first which requests no other session has, with their ids; those without one are told apart by the whole text. */
  async audit(open, { path, prices, since, plots }) {
    const recording = open();
    const { facts, requests } = await readFacts(recording);
    const { format, warnings } = recording;
    const keys = requests.map(({ id }) => (id === undefined ? null : `${format} ${id}`));
    parentPort.postMessage({ keys, hash: await hashOf(path) });
    const [{ isOwn }] = await once(parentPort, "message");
    const isRecent = ({ at }) => since === undefined || at === undefined || at >= since;
    const own = (index) => (isOwn[index] ?? true) && isRecent(requests[index] ?? {});
    const left = requests.filter((_, index) => !own(index)).length;
    if (left === requests.length) return { left, warnings };
    const audited = await auditRecording(open, prices === undefined ? {} : { prices });
    return { ...facts, left, warnings, ...costsOf(audited, own), ...(plots ? { plots: plotsOf(audited) } : {}) };
  },
};

async function answer({ kind, path, ...options }) {
  try {
    return await TASKS[kind](await openSession(path), { path, ...options });
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
