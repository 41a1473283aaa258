// Reads recordings from files: large ones in pieces, so that neither their text nor all of their chats are in memory.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { readConversation, readRecording } from "turnfold/audit";

const LARGE = 16 * 1024 * 1024;

/** Returns a function that opens a recording, each time with the same content: what is appended in the meantime is left. */
export async function openSession(path) {
  const { size } = await stat(path);
  if (size >= LARGE) return () => readRecording(createReadStream(path, { end: size - 1 }));
  const recording = readConversation(await readFile(path, "utf8"));
  return () => recording;
}

/** The hash of a file. */
export async function hashOf(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("base64");
}
