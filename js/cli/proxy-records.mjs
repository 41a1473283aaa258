// Records of the proxy: a line for each request, in a file for each chat and day, with what is new since the line before.

import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

const hashOf = (value) => createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);

/** Writes the records of a chat. */
export class ChatRecords {
  #file = null;
  /** Hashes of the last body: its members, and the messages of its history. */
  #members = new Map();
  #history = [];
  #written = Promise.resolve();

  /**
   * Appends a record. Its body has only the messages and members that the last record in the file has not, so that the records
   * of a chat are as long as its last history. Rejects when it can't be written; then the next one is whole.
   *
   * @param record `start`, the `body` that the app sent, and `end`: the members before and after the body.
   */
  append(folder, name, { start, body, end }) {
    const file = join(folder, name);
    if (file !== this.#file) this.#forget();
    this.#file = file;
    const line = `${JSON.stringify({ ...start, ...this.#newIn(body), ...end })}\n`;
    // One after the other: a line needs the one before it.
    const written = this.#written.then(() => appendFile(file, line, { mode: 0o600 }));
    this.#written = written.catch(() => this.#forget());
    return written;
  }

  #newIn(body) {
    const name = ["messages", "input"].find((member) => Array.isArray(body[member]));
    const members = new Map(Object.entries(body).map(([key, value]) => [key, key === name ? name : hashOf(value)]));
    const history = name === undefined ? [] : body[name].map(hashOf);
    const [before, earlier] = [this.#members, this.#history];
    this.#members = members;
    this.#history = history;
    // Members that are gone can only be left out of a whole body.
    if (name === undefined || !before.has(name) || [...before.keys()].some((key) => !members.has(key))) return { body };
    const changed = history.findIndex((hash, index) => hash !== earlier[index]);
    const continues = changed === -1 ? history.length : changed;
    const news = Object.entries(body).filter(([key]) => key !== name && members.get(key) !== before.get(key));
    return { continues, body: { ...Object.fromEntries(news), [name]: body[name].slice(continues) } };
  }

  #forget() {
    this.#file = null;
    this.#members = new Map();
    this.#history = [];
  }
}
