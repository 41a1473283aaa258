import { effect, signal } from "@preact/signals";
import { auditGrown } from "../import/audited.ts";
import { openChat, opening } from "../import/open.ts";
import { type Chat, readText } from "../import/read.ts";
import { focusSoon } from "../page/focus.ts";
import { messageOf } from "../page/problem.ts";
import { edit, showProblem, state } from "../states/store.ts";
import { joinChange } from "../states/undo.ts";
import { bytesOf, follow, type Session, sessions } from "./client.ts";

// The session that is open on the Chat tab, which follows its file until its messages are edited.

/** The open session. */
export interface Open {
  readonly id: string;
  readonly chats: readonly Chat[];
  /** The index of the shown chat. */
  readonly shown: number;
  /** False once the page's messages are no longer those of the file. */
  readonly isFollowed: boolean;
}

export const open = signal<Open | null>(null);
/** The id of the button that leads back to the list. */
export const BACK = "studio-back";

/** Whether the list of sessions is shown, in place of the tabs. */
export const isListShown = signal(true);

/** The read part of the file, and the messages of it that the page shows. */
let file: { text: string; bytes: number; decoder: TextDecoder } = newFile();
let messages: string | null = null;
let isReading = false;

function newFile(): typeof file {
  return { text: "", bytes: 0, decoder: new TextDecoder() };
}

export async function openSession({ id, file: name }: Session): Promise<void> {
  file = newFile();
  messages = null;
  try {
    const { format, chats } = await readOn(id);
    await show(id, chats, lastOf(chats), format, name);
    void follow(id);
  } catch (error) {
    showProblem(`${name} could not be opened: ${messageOf(error)}`);
  }
}

/** Shows another chat of the open session, such as the part before a compaction. */
export async function showChat(index: number): Promise<void> {
  const now = open.value;
  if (now !== null) await show(now.id, now.chats, index, "the chosen part", "");
}

async function show(id: string, chats: readonly Chat[], shown: number, format: string, name: string): Promise<void> {
  const chat = chats[shown] as Chat;
  await openChat(chat, format, name);
  if (opening.value.problem !== null) throw new TypeError(opening.value.problem);
  messages = state.value.chat?.messages ?? null;
  open.value = { id, chats, shown, isFollowed: true };
  if (isListShown.value) focusSoon(BACK);
  isListShown.value = false;
}

/** Reads what the file has gained. A file that is not JSON Lines, and one that became shorter, is read from its start. */
async function readOn(id: string): Promise<{ readonly format: string; readonly chats: readonly Chat[] }> {
  const known = sessions.value?.find((session) => session.id === id);
  if (known !== undefined && (known.bytes < file.bytes || !known.file.endsWith(".jsonl"))) file = newFile();
  const read = await bytesOf(id, file.bytes);
  file.text += file.decoder.decode(read, { stream: true });
  file.bytes += read.length;
  const found = readText(file.text);
  if (found.kind !== "chats") throw new TypeError("it is no chat");
  return found;
}

/** The chat that goes on: the last one that is no work of a sub-agent. */
function lastOf(chats: readonly Chat[]): number {
  const last = chats.findLastIndex(({ isAgent }) => isAgent !== true);
  return Math.max(0, last);
}

/** Follows the file of the open session from then on. */
export function followFile(): void {
  effect(() => {
    const session = sessions.value?.find(({ id }) => id === open.value?.id);
    const isBehind = session !== undefined && session.bytes !== file.bytes;
    if (isBehind && open.value?.isFollowed === true) void update();
  });
}

async function update(): Promise<void> {
  const now = open.value;
  if (now === null || isReading) return;
  isReading = true;
  try {
    const isLast = now.shown === lastOf(now.chats);
    const { chats } = await readOn(now.id);
    if (open.value !== now) return;
    const shown = isLast ? lastOf(chats) : now.shown;
    const { messages: next = "", shape = "detect" } = chats[shown]?.read() ?? {};
    const { chat } = state.value;
    const isFollowed = chat !== null && chat.messages === messages;
    if (isFollowed && next !== messages) {
      messages = next;
      joinChange(() => edit({ chat: { ...chat, messages: next, shape } }));
      auditGrown({ recording: (chats[shown] as Chat).audited(), opened: { messages: next, shape } });
    }
    open.value = { id: now.id, chats, shown, isFollowed };
  } catch {
    // The end of the file may be half a message: the next change has the rest.
  } finally {
    isReading = false;
  }
}
