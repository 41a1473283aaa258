// The program of the worker that computes the costs of long runs, and the audit of an opened recording.

import { init } from "turnfold";
import type { Audit } from "turnfold/audit";
import wasm from "turnfold/turnfold.wasm?url";
import { type ChatParameters, requestParameters } from "../chat/calls.ts";
import { type NeedsJob, needsOf } from "../chat/needs-of.ts";
import { type AuditSettings, auditOf } from "../import/audit-of.ts";
import type { AuditedRecording } from "../import/read.ts";
import { type CostJob, type CostRow, costRows } from "./cost-rows.ts";
import { exactCounters } from "./exact.ts";

/** A recording to audit. */
export interface AuditJob extends Pick<AuditSettings, "prices"> {
  readonly kind: "audit";
  readonly recording: AuditedRecording;
  /** The only strategy, by its name; null for those of `turnfold audit`. */
  readonly strategy: readonly [name: string, parameters: ChatParameters] | null;
}

/** Sent to the page: a row, or null at the end; the audit for an `AuditJob`; a list of needs for a `NeedsJob`. */
export type CostAnswer = CostRow | null;

const started = init(fetch(wasm));

async function answer({ data: job }: MessageEvent<CostJob | AuditJob | NeedsJob>): Promise<void> {
  await started;
  if (job.kind === "audit") {
    const { recording, prices, strategy } = job;
    const made = strategy && ([strategy[0], requestParameters(strategy[1])] as const);
    postMessage(auditOf(recording, { prices, strategy: made }) satisfies Audit);
    return;
  }
  if (job.kind === "needs") {
    postMessage(needsOf(job));
    return;
  }
  const counter = job.counter === "estimate" ? undefined : await exactCounters[job.counter]();
  for (const row of costRows(job, counter)) postMessage(row satisfies CostAnswer);
  postMessage(null satisfies CostAnswer);
}

addEventListener("message", (event) => {
  answer(event as MessageEvent<CostJob>).catch((error: unknown) => {
    // The page receives the error as an `error` event of the worker.
    queueMicrotask(() => {
      throw error;
    });
  });
});
