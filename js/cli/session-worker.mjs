// A thread that reads sessions for `turnfold studio`, one after the other.

import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { audit, readConversation } from "turnfold/audit";
import { factsOf, savingOf } from "./session-facts.mjs";

parentPort.on("message", async ({ kind, path }) => {
  try {
    const recording = readConversation(await readFile(path, "utf8"));
    parentPort.postMessage(kind === "facts" ? factsOf(recording) : costsOf(audit(recording)));
  } catch (error) {
    parentPort.postMessage({ problem: error.message });
  }
});

const costsOf = (audited) => ({ dollars: audited.billed.dollars, saved: savingOf(audited) });
