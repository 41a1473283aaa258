// The sessions that the benchmarks measure: the recordings in a folder, or the recorded chats of the tests.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConversation } from "turnfold/audit";
import { recorded } from "../../../tests/js/recorded-chats.mjs";

/** Returns the names of the sessions in a folder, in their order, with functions that read their messages. */
export function sessionsIn(folder, { only = "", without, sessions = Number.POSITIVE_INFINITY } = {}) {
  if (folder === undefined) return recorded.map(({ name, conversation }) => [name, () => conversation.messages]);
  return readdirSync(folder)
    .filter((name) => /\.(jsonl?|traj)$/.test(name) && name.includes(only) && !(without && name.includes(without)))
    .sort()
    .slice(0, Number(sessions))
    .map((name) => [name, () => readConversation(readFileSync(join(folder, name), "utf8")).conversation.messages]);
}
