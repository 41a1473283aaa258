// Reads recordings from files: large ones in pieces, so that their text is never in memory as a whole.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { readConversation, readRecording } from "turnfold/audit";

const LARGE = 16 * 1024 * 1024;

/** Reads a recording, and the `hash` of its text. */
export async function readSession(path) {
  const hash = createHash("sha256");
  const hashOf = () => hash.digest("base64");
  if ((await stat(path)).size < LARGE) {
    const text = await readFile(path, "utf8");
    hash.update(text);
    return { recording: readConversation(text), hash: hashOf() };
  }
  async function* pieces() {
    for await (const piece of createReadStream(path)) {
      hash.update(piece);
      yield piece;
    }
  }
  const arriving = readRecording(pieces());
  const chats = [];
  for await (const chat of arriving.chats) chats.push(chat);
  const { format, warnings } = arriving;
  return { recording: { format, warnings, chats, conversation: chats[0].conversation }, hash: hashOf() };
}
