import { signal } from "@preact/signals";
import type { Audit } from "turnfold/audit";
import { messageOf } from "../page/problem.ts";
import { loads } from "../states/store.ts";
import type { AuditJob } from "../tokens/costs-worker.ts";
import type { AuditedRecording } from "./read.ts";

/** The audit of the recording that was opened last. */
export interface Audited {
  /** The load whose chat is of that recording. */
  readonly loads: number;
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
  /** The index of the chat that is opened. */
  readonly shown: number;
  stop(): void;
}

export function startAudit(recording: AuditedRecording): RunningAudit {
  const worker = new Worker(new URL("../tokens/costs-worker.ts", import.meta.url), { type: "module" });
  const result = new Promise<Audit>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Audit>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || "the worker can’t be loaded"));
    worker.postMessage({ kind: "audit", recording } satisfies AuditJob);
  });
  const stop = () => worker.terminate();
  result.then(stop, stop);
  return { result, shown: recording.shown, stop };
}

/** Shows the audit with the state that has just been loaded, until another one is. */
export function showAudit({ result, shown, stop }: RunningAudit): void {
  const own = loads.value;
  const show = (audit: Audit | null, problem: string | null): void => {
    if (loads.value === own) audited.value = { loads: own, audit, scale: audit && scaleOf(audit, shown), problem };
  };
  show(null, null);
  const end = loads.subscribe((now) => {
    if (now === own) return;
    stop();
    audited.value = null;
    queueMicrotask(() => end());
  });
  result.then(
    (audit) => show(audit, null),
    (error: unknown) => show(null, messageOf(error)),
  );
}

function scaleOf({ chats, fit }: Audit, shown: number): { fixed: number; factor: number } {
  const chat = chats[shown];
  const { factor = 1 } = fit.factors.find(({ model }) => model === chat?.model) ?? {};
  return { fixed: Math.max(0, chat?.unknown ?? 0), factor };
}
