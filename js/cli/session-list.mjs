// The sessions of this machine while they change: what is found, and what is known of each.

import { watch } from "node:fs";
import { basename } from "node:path";
import { Worker } from "node:worker_threads";
import { factsOf, findSessions } from "./session-folders.mjs";

const POLL_MS = 2000;
/** A session is read when it has not changed for this time. */
const SETTLED_MS = 3000;

/**
 * Keeps a list of sessions. While somebody listens, it looks for changes every two seconds, and at once in the file that
 * is followed. Sessions are read one after the other in a thread of their own, the newest first.
 */
export class SessionList {
  #folders;
  #pollMs;
  #sessions = new Map();
  #listeners = new Set();
  #watched = null;
  #timer;
  /** The looks of those who listen; another one when they have gone in the meantime. */
  #round;
  #worker = null;
  /** What the worker does: the kind of facts, the session and its time of change. */
  #task = null;

  constructor(folders, pollMs = POLL_MS) {
    this.#folders = folders;
    this.#pollMs = pollMs;
  }

  /** What is shown of each session, the newest first. Paths stay inside. */
  get entries() {
    return [...this.#sessions.values()].sort((one, other) => other.modified - one.modified).map(entryOf);
  }

  /** The path of a session; undefined for an id that is not in the list. */
  pathOf = (id) => this.#sessions.get(id)?.path;

  /** Calls `listener` with the entries that changed and the ids of those that are gone. Returns a function that ends it. */
  listen(listener) {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#round = {};
      void this.#poll(this.#round);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#watch(undefined);
    };
  }

  async scan() {
    this.#take(await findSessions(this.#folders));
  }

  #take(found) {
    const ids = new Set(found.map(({ id }) => id));
    const gone = [...this.#sessions.keys()].filter((id) => !ids.has(id));
    for (const id of gone) this.#sessions.delete(id);
    const changed = found.filter((session) => this.#isNew(session));
    for (const session of changed) this.#sessions.set(session.id, { ...this.#sessions.get(session.id), ...session });
    this.#tell(
      changed.map(({ id }) => id),
      gone,
    );
    this.#readNext();
  }

  /** Looks at the file of a session whenever the system says that it changed. */
  follow(id) {
    this.#watch(this.#sessions.get(id));
  }

  close() {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#watch(undefined);
    void this.#worker?.terminate();
  }

  #isNew({ id, bytes, modified }) {
    const known = this.#sessions.get(id);
    return known === undefined || known.bytes !== bytes || known.modified !== modified;
  }

  async #poll(round) {
    const began = performance.now();
    const found = await findSessions(this.#folders);
    if (this.#listeners.size === 0 || round !== this.#round) return;
    this.#take(found);
    // Many files on a slow disk do not keep it busy.
    const pause = Math.max(this.#pollMs, 10 * (performance.now() - began));
    this.#timer = setTimeout(() => void this.#poll(round), pause);
  }

  #watch(session) {
    if (this.#watched?.id === session?.id) return;
    this.#watched?.watcher.close();
    this.#watched = null;
    if (session === undefined) return;
    try {
      const watcher = watch(session.path, () => void this.#look(session.id));
      watcher.on("error", () => watcher.close());
      this.#watched = { id: session.id, watcher };
    } catch {
      // Some file systems can't be watched: the next look at all files finds the change.
    }
  }

  async #look(id) {
    const session = this.#sessions.get(id);
    const facts = session === undefined ? null : await factsOf(session.path);
    if (facts === null || !this.#isNew({ id, ...facts })) return;
    this.#sessions.set(id, { ...session, ...facts });
    this.#tell([id], []);
  }

  #tell(ids, gone) {
    if (ids.length === 0 && gone.length === 0) return;
    const changed = ids.map((id) => this.#sessions.get(id)).filter((session) => session !== undefined);
    for (const listener of this.#listeners) listener({ changed: changed.map(entryOf), gone });
  }

  /** Reads all sessions before it computes what could be saved in any. */
  #readNext() {
    if (this.#task !== null || this.#listeners.size === 0) return;
    const settled = [...this.#sessions.values()]
      .filter(({ modified }) => Date.now() - modified > SETTLED_MS)
      .sort((one, other) => other.modified - one.modified);
    for (const kind of ["facts", "savings"]) {
      const next = settled.find((session) => session.done?.[kind] !== session.modified);
      if (next === undefined) continue;
      this.#task = { kind, id: next.id, modified: next.modified };
      this.#worker ??= this.#startWorker();
      this.#worker.postMessage({ kind, path: next.path });
      return;
    }
  }

  #startWorker() {
    const worker = new Worker(new URL("./session-worker.mjs", import.meta.url));
    worker.on("message", (facts) => this.#finish(facts));
    // A session that needs more memory than there is ends the thread, and only that.
    worker.on("error", (error) => {
      this.#worker = null;
      this.#finish({ problem: error.message });
    });
    worker.unref();
    return worker;
  }

  #finish(facts) {
    const { kind, id, modified } = this.#task;
    const session = this.#sessions.get(id);
    this.#task = null;
    if (session !== undefined) {
      const done = { ...session.done, [kind]: modified };
      this.#sessions.set(id, { ...session, done, facts: { ...session.facts, ...facts } });
      this.#tell([id], []);
    }
    this.#readNext();
  }
}

function entryOf({ id, tool, path, name, bytes, modified, facts }) {
  return { id, name, file: basename(path), bytes, modified, ...facts, tool: tool ?? facts?.tool ?? null };
}
