import type { Step } from "turnfold";
import type { Span } from "../plots/spans.ts";

/** A pause between two turns that is longer than this many milliseconds and than its calls is one between two runs. */
const PAUSE_MS = 60_000;

/** When a step's requests were made and answered, and how long its calls took, as far as that is recorded. */
export function spansOf(step: Step): { readonly spans: readonly Span[]; readonly duration: number } {
  const { log = [] } = step.toJSON() as { readonly log?: readonly { readonly at: number }[] };
  const spans: Span[] = [];
  let skipped = 0;
  let start: number | null = null;
  let end = 0;
  for (const [index, { at, number, toolCalls }] of step.turns.entries()) {
    if (at === undefined) continue;
    start ??= at;
    // The pause before a run that resumes another one is left out.
    const before = at - start - skipped - end;
    if (before > PAUSE_MS) skipped += before;
    const asked = at - start - skipped;
    const reply = log[index]?.at ?? 0;
    const answered = reply >= at ? reply - start - skipped : asked;
    if (answered > asked)
      spans.push({ label: "the model", lane: "model", turn: number, start: asked, duration: answered - asked });
    end = Math.max(end, answered);
    const next = step.turns[index + 1]?.at;
    const room = next === undefined ? Number.POSITIVE_INFINITY : next - start - skipped - answered;
    const timed = toolCalls.flatMap(({ name, durationMs, error }) =>
      durationMs === undefined ? [] : [{ name, duration: durationMs, failed: typeof error === "string" }],
    );
    // Calls that would not end before the next request were made together.
    const isTogether = timed.reduce((sum, { duration }) => sum + duration, 0) > room + 1;
    let from = answered;
    for (const { name, duration, failed } of timed) {
      spans.push({ label: name, lane: "tools", turn: number, start: from, duration, failed });
      end = Math.max(end, from + duration);
      if (!isTogether) from += duration;
    }
  }
  return { spans, duration: end };
}
