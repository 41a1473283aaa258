import { signal } from "@preact/signals";
import type { Audit, RecordedRequest } from "turnfold/audit";
import { choose } from "../controls/sides.tsx";
import { counted } from "../page/numbers.ts";
import { messageOf } from "../page/problem.ts";
import { dialog } from "../page/shortcuts.ts";
import { markSafe } from "../states/recent-states.ts";
import { chatFromSaved } from "../states/saved.ts";
import { edit, loadLater, replace, state } from "../states/store.ts";
import { modelOf } from "../tokens/models.ts";
import { amountsOf, type TokenSettings } from "../tokens/settings.ts";
import { type RunningAudit, showAudit, startAudit } from "./audited.ts";
import { type AuditedRecording, type Chat, readText } from "./read.ts";

/** The content of the dialog: why a text could not be read, or the chats to choose from. */
export interface Opening {
  /** The name of the file; null for a text that was pasted. */
  readonly name: string | null;
  readonly problem: string | null;
  readonly format: string;
  readonly chats: readonly Chat[];
}

const NOTHING: Opening = { name: null, problem: null, format: "", chats: [] };

export const opening = signal<Opening>(NOTHING);

/** Drops the content of the dialog when it is closed. */
export function endOpening(): void {
  opening.value = NOTHING;
}

/** Not all browsers can hold a larger file as one string. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Opens a file on the tab for its kind. A file that can't be read changes nothing. */
export async function openFile(file: Blob & { readonly name: string }): Promise<void> {
  if (file.size > MAX_BYTES) {
    ask({ name: file.name, problem: `${file.name} has more than 256 MB. Open a part of it.` });
    return;
  }
  await loadLater(
    () => file.text(),
    // In a task of its own: opening a chat is a request too, which must be newer than this one.
    (text) => queueMicrotask(() => void openText(text, file.name)),
  );
}

/** Opens a text on the tab for its kind: Chat for chats, Turns for steps. A text that can't be read changes nothing. */
export async function openText(text: string, name: string | null = null): Promise<void> {
  try {
    const found = readText(text);
    if (found.kind === "chats") {
      const [first, ...rest] = found.chats;
      if (rest.length === 0) await openChat(first, found.format, name);
      else ask({ name, format: found.format, chats: found.chats });
      return;
    }
    close();
    if (found.kind === "link") location.hash = found.fragment;
    else {
      const file = new File([text], name ?? "What you pasted");
      if (found.kind === "page") await (await import("../share/file.ts")).upload(file);
      else await (await import("../run/file.ts")).loadStep(file, "turns");
      if (name !== null) markSafe();
    }
  } catch (error) {
    ask({ name, problem: messageOf(error) });
  }
}

/** Opens a chat on the Chat tab with its audit, and the strategy that this recommends. `name` is that of its file. It can be undone. */
export async function openChat(chat: Chat, format: string, name: string | null): Promise<void> {
  const { note = "" } = chat;
  const open = async () => {
    const { messages, shape, count } = chat.read();
    const settings = state.value.chat ?? chatFromSaved({});
    const recording = chat.audited();
    const { tokens, isPriced } = await tokensFor(recording);
    const audit = startAudit({ recording, prices: isPriced ? null : amountsOf(tokens).prices, strategy: null });
    const advice = await adviceOf(audit);
    const { pickedBy } = await import("./recorded.ts");
    const picked = pickedBy(advice ?? null);
    const opened = { messages, shape } as const;
    return {
      count,
      audit,
      isLate: advice === undefined,
      audited: { recording, opened, isPriced },
      tokens,
      chat: { ...settings, ...picked, ...opened },
    };
  };
  try {
    await loadLater(open, ({ count, audit, isLate, audited, tokens, chat }) => {
      close();
      const text = `Read as ${format}: ${counted(count, "message")}.${note}`;
      replace({ ...state.value, chat: { ...chat, summaries: [] }, tokens }, null, text, "chat");
      showAudit(audit, audited);
      if (name !== null) markSafe();
      if (isLate) adviseLate(audit, name !== null);
      // Where only one side fits, shows the result and not the JSON of the chat.
      choose("messages");
    });
  } catch (error) {
    opening.value = { ...opening.value, problem: messageOf(error) };
  }
}

/** The settings with the prices of the recorded model, unchanged when none is known; and whether one of any request is. */
async function tokensFor({ chats, shown }: AuditedRecording): Promise<{ tokens: TokenSettings; isPriced: boolean }> {
  const tokens = state.value.tokens;
  const { modelPrice } = await import("turnfold/audit");
  const priceOf = ({ model, at }: RecordedRequest) => (model === undefined ? null : modelPrice(model, at));
  const requests = chats[shown]?.requests ?? [];
  const last = requests.findLast((request) => priceOf(request) !== null);
  const price = last === undefined ? null : priceOf(last);
  if (price === null)
    return { tokens, isPriced: chats.some(({ requests }) => requests.some((request) => priceOf(request) !== null)) };
  const { window, prices } = modelOf(price.name);
  const { input, cacheRead, cacheWrite, output } = price.prices;
  // What the cache keeps for an hour costs twice as much as input.
  const written = requests.reduce((sum, { usage }) => sum + (usage?.written ?? 0), 0);
  const forHour = requests.reduce((sum, { usage }) => sum + (usage?.writtenForHour ?? 0), 0);
  const write = forHour > written / 2 ? 2 * input : cacheWrite;
  /** The fields have what was not so at the prices of today. */
  const field = (amount: number, known: number | undefined): string => (amount === known ? "" : String(amount));
  return {
    isPriced: true,
    tokens: {
      ...tokens,
      model: price.name,
      window: field(price.window, window),
      inputPrice: field(input, prices?.input),
      cachedPrice: field(cacheRead, prices?.cacheRead),
      writePrice: field(write, prices?.cacheWrite),
      outputPrice: field(output, prices?.output),
      cacheMinimum: "",
    },
  };
}

/** A chat whose audit takes longer opens without a strategy, and gets it later. */
const MAX_ADVICE_MS = 3000;

/** The code of the recommended strategy, null for no strategy; undefined when the audit takes longer. */
async function adviceOf({ result }: RunningAudit): Promise<string | null | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, MAX_ADVICE_MS));
  const found = result.then(
    ({ recommendation }) => recommendation.code,
    () => null,
  );
  return Promise.race([found, late]);
}

/** Chooses the recommended strategy when the audit is complete, unless the chat was changed before. */
function adviseLate({ result }: RunningAudit, isFile: boolean): void {
  const { chat } = state.peek();
  const advise = async ({ recommendation }: Audit) => {
    const { pickedBy } = await import("./recorded.ts");
    if (chat === null || state.peek().chat !== chat) return;
    edit({ chat: { ...chat, ...pickedBy(recommendation.code) } });
    if (isFile) markSafe();
  };
  result.then(advise, () => {});
}

function ask(now: Partial<Opening>): void {
  opening.value = { ...NOTHING, ...now };
  dialog.value = "open";
}

function close(): void {
  dialog.value = null;
}
