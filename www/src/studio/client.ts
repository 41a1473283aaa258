import { batch, signal } from "@preact/signals";
import { messageOf } from "../page/problem.ts";

// The server of `turnfold studio`: the sessions of this machine and their changes.

/** A session as the server describes it: js/cli/session-list.mjs. What is not known yet is absent. */
export interface Session {
  readonly id: string;
  /** The tool that wrote it; null until it is read. */
  readonly tool: string | null;
  /** The path of the file within the folder of the tool. */
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly title?: string | null;
  readonly models?: readonly string[];
  readonly requests?: number;
  /** What was billed, in dollars; null if that is unknown. */
  readonly dollars?: number | null;
  /** Whether requests without recorded usage are a part of it. */
  readonly isEstimate?: boolean;
  /** What the recommended strategy would have saved; null for nothing. */
  readonly saved?: { readonly dollars: number | null; readonly share: number; readonly code: string } | null;
  /** Why it can't be read. */
  readonly problem?: string;
}

/** All sessions, the newest first; null until the server has sent them. */
export const sessions = signal<readonly Session[] | null>(null);

/** Why the server does not answer; null while it does. */
export const failure = signal<string | null>(null);

const KEY = "turnfold-studio-token";

/** Takes the token from the address, which then names a state of the page. It is kept until the tab is closed. */
export function takeToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", location.pathname);
}

async function ask(path: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` };
  const response = await fetch(`./studio/${path}`, { headers, ...(signal === undefined ? {} : { signal }) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
}

/** The bytes of a session from an offset on. */
export const bytesOf = async (id: string, from: number): Promise<Uint8Array> =>
  new Uint8Array(await (await ask(`sessions/${id}?from=${from}`)).arrayBuffer());

const RETRY_MS = 2000;

let current: AbortController | null = null;

/** Follows the list of sessions; changes of the session `followed` arrive at once. Ends an earlier call. */
export async function follow(followed: string | null): Promise<void> {
  current?.abort();
  const own = new AbortController();
  current = own;
  while (!own.signal.aborted) {
    try {
      const { body } = await ask(followed === null ? "events" : `events?session=${followed}`, own.signal);
      await readEvents(body as ReadableStream<Uint8Array<ArrayBuffer>>);
      throw new Error("it was stopped");
    } catch (error) {
      if (own.signal.aborted) return;
      failure.value = messageOf(error);
      await new Promise((passed) => setTimeout(passed, RETRY_MS));
    }
  }
}

interface Change {
  readonly changed: readonly Session[];
  readonly gone: readonly string[];
}

async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  let isFirst = true;
  let text = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      apply(JSON.parse(event.slice("data: ".length)) as Change, isFirst);
      isFirst = false;
    }
  }
}

/** The first event has all sessions. */
function apply({ changed, gone }: Change, isFirst: boolean): void {
  const all = new Map(isFirst ? [] : sessions.value?.map((session) => [session.id, session]));
  for (const session of changed) all.set(session.id, session);
  for (const id of gone) all.delete(id);
  batch(() => {
    sessions.value = [...all.values()].sort((one, other) => other.modified - one.modified);
    failure.value = null;
  });
}
