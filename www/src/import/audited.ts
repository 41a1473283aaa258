import { effect, signal } from "@preact/signals";
import type { Audit, PriceList } from "turnfold/audit";
import type { ChatState } from "../chat/state.ts";
import { messageOf } from "../page/problem.ts";
import type { State } from "../states/state.ts";
import { loads, setGroupOpen, state } from "../states/store.ts";
import type { AuditJob } from "../tokens/costs-worker.ts";
import { amountsOf } from "../tokens/settings.ts";
import type { AuditedRecording } from "./read.ts";

/** The audit of the recording that was opened last. */
export interface Audited {
  /** The load whose chat is of that recording. */
  readonly loads: number;
  readonly recording: AuditedRecording;
  /** The text of the chat as it was opened. */
  readonly opened: Pick<ChatState, "messages" | "shape">;
  /** The prices of the page, by which the audit is; null for those of the recorded models. */
  readonly prices: PriceList | null;
  /** Null while it is computed. */
  readonly audit: Audit | null;
  /** How the provider counts the requests of the opened chat; null until it is known. */
  readonly scale: { readonly fixed: number; readonly factor: number } | null;
  readonly problem: string | null;
}

export const audited = signal<Audited | null>(null);

/** The audit of a recording in a worker of its own. */
export interface RunningAudit {
  readonly result: Promise<Audit>;
  stop(): void;
}

export function startAudit(job: Omit<AuditJob, "kind">): RunningAudit {
  const worker = new Worker(new URL("../tokens/costs-worker.ts", import.meta.url), { type: "module" });
  const result = new Promise<Audit>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Audit>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || "the worker can’t be loaded"));
    worker.postMessage({ kind: "audit", ...job } satisfies AuditJob);
  });
  const stop = () => worker.terminate();
  result.then(stop, stop);
  return { result, stop };
}

/** Audits are made again after a pause, so that typing prices stays fast. */
const PAUSE_MS = 300;

/** What is audited: `isPriced` when the price of a recorded model is known. */
interface AuditedChat extends Pick<Audited, "recording" | "opened"> {
  readonly isPriced: boolean;
}

/** Audits what the shown recording has become. */
let auditAgain: ((now: Pick<Audited, "recording" | "opened">) => void) | null = null;

/** Shows the audit with the state that has just been loaded, until another one is; by the prices of the page once these change. */
export function showAudit(first: RunningAudit, { isPriced, ...given }: AuditedChat): void {
  const own = loads.peek();
  let { recording, opened } = given;
  const unchanged = pricesOf(state.peek());
  let prices = isPriced ? null : unchanged;
  let running: RunningAudit;
  let [isBusy, isBehind] = [false, false];
  const show = (audit: Audit | null, of: Pick<Audited, "prices" | "problem">): void => {
    const scale = audit && scaleOf(audit, recording.shown);
    audited.value = { loads: own, recording, opened, audit, scale, ...of };
  };
  const follow = (now: RunningAudit): void => {
    const of = { prices };
    [running, isBusy, isBehind] = [now, true, false];
    const end = (audit: Audit | null, problem: string | null): void => {
      if (loads.peek() !== own) return;
      isBusy = false;
      show(audit, { ...of, problem });
      if (isBehind) again();
    };
    now.result.then(
      (audit) => end(audit, null),
      (error: unknown) => end(null, messageOf(error)),
    );
  };
  /** One audit after the other, so that a recording that grows fast is shown too. */
  const again = (): void => {
    if (isBusy) isBehind = true;
    else follow(startAudit({ recording, prices, strategy: null }));
  };
  show(null, { prices, problem: null });
  setGroupOpen("audit", true);
  follow(first);
  auditAgain = (now) => {
    ({ recording, opened } = now);
    const { audit = null, problem = null, prices: of = null } = audited.peek() ?? {};
    show(audit, { prices: of, problem });
    again();
  };
  let shown = JSON.stringify(unchanged);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const isOver = loads.value !== own;
    const now = pricesOf(state.value);
    const text = JSON.stringify(now);
    if (!isOver && text === shown) return;
    shown = text;
    clearTimeout(timer);
    if (!isOver) {
      prices = isPriced && text === JSON.stringify(unchanged) ? null : now;
      timer = setTimeout(again, PAUSE_MS);
      return;
    }
    running.stop();
    auditAgain = null;
    audited.value = null;
    queueMicrotask(() => end());
  });
}

/** Audits the shown recording again, of which a program has written more. */
export function auditGrown(now: Pick<Audited, "recording" | "opened">): void {
  auditAgain?.(now);
}

const pricesOf = ({ tokens }: State): PriceList | null => amountsOf(tokens).prices;

function scaleOf({ chats, fit }: Audit, shown: number): { fixed: number; factor: number } {
  const chat = chats[shown];
  const { factor = 1 } = fit.factors.find(({ model }) => model === chat?.model) ?? {};
  return { fixed: Math.max(0, chat?.unknown ?? 0), factor };
}
