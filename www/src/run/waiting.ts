import { computed } from "@preact/signals";
import { type RunRecord, Step, type WaitingCall } from "turnfold";
import { type Problem, problemOf } from "../page/problem.ts";
import { state } from "../states/store.ts";
import { programIn } from "./reply.ts";
import { entryOf, textOf } from "./turn-entries.ts";

/** A run that waits for answers to calls. */
export interface WaitingRun {
  readonly step: Step;
  /** The number of the turn that waits. */
  readonly turn: number;
  /** Its program. */
  readonly program: string;
  /** Its calls that have a result: the tool, and what was decided. */
  readonly answered: readonly string[];
}

const saved = computed(() => state.value.waiting);

/** The run of the page that waits, or why it can't be read. */
export const waitingRun = computed((): { readonly run: WaitingRun | null; readonly problem: Problem | null } => {
  if (saved.value === "") return { run: null, problem: null };
  try {
    return { run: runOf(Step.fromJSON(saved.value)), problem: null };
  } catch (error) {
    return { run: null, problem: problemOf(error) };
  }
});

function runOf(step: Step): WaitingRun {
  if (step.status !== "waiting") throw new TypeError("nothing waits in it");
  const { records } = (step.toJSON() as { readonly waiting: { readonly records: readonly RunRecord[] } }).waiting;
  const reply = records.find((record) => record.type === "reply")?.content ?? "";
  const answers = new Map(records.flatMap((record) => (record.type === "answer" ? [[record.id, record.answer]] : [])));
  const { start = 0, end = 0 } = programIn(reply) ?? {};
  return {
    step,
    turn: step.turns.length + 1,
    program: reply.slice(start, end).trim(),
    answered: records.flatMap((record) => (record.type === "result" ? [decided(record, answers.get(record.id))] : [])),
  };
}

/** A call with what was decided about it, such as “refund approved”; without a decision only its tool. */
export function decided({ tool }: { readonly tool: string }, answer: unknown): string {
  if (answer === undefined) return tool;
  if (typeof answer !== "object" || answer === null) return `${tool} ${answer === true ? "approved" : "denied"}`;
  return `${tool} ${"args" in answer ? "approved with other arguments" : "answered"}`;
}

const ownTurns = computed(() => textOf(waitingRun.value.run?.step.turns.map(entryOf) ?? []));

/** Whether the turns of the page were edited since the run that waits. */
export const isBehindEdits = computed(() => textOf(state.value.turns) !== ownTurns.value);

/** The id of the element of a call that waits. */
export const openCallId = ({ id }: WaitingCall): string => `open-call-${id}`;

/** Names as a list, each once with its number. */
export function tallied(names: readonly string[]): string {
  const groups = [...Map.groupBy(names, (name) => name)];
  return groups.map(([name, { length }]) => (length === 1 ? name : `${name} (${length} times)`)).join(", ");
}
