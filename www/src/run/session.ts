import { batch, computed, effect, signal } from "@preact/signals";
import {
  type Answers,
  fork,
  type LLM,
  type RunEvent,
  type RunOptions,
  type Step,
  Turn,
  TurnfoldError,
  type Usage,
} from "turnfold";
import { Fn } from "turnfold/turns";
import { showSide } from "../controls/sides.tsx";
import { focusSoon } from "../page/focus.ts";
import { type Problem, problemOf, problemText } from "../page/problem.ts";
import { tab } from "../page/tab.ts";
import { comparison } from "../page/view.ts";
import { running } from "../running/running.ts";
import { obstacle } from "../running/sandbox.ts";
import { sandboxAfter } from "../running/sandbox-after.ts";
import type { State, TurnEntry } from "../states/state.ts";
import { change, edit, loads, moment, notice, outcome, showProblem, state } from "../states/store.ts";
import { remember } from "../turns/history.ts";
import { live, type Setup, setup } from "./agent.ts";
import { askEndpoint, endpoint, endpointRefusal } from "./endpoint.ts";
import { type Question, replyTo } from "./question.ts";
import { stepOf } from "./saved-step.ts";
import { entriesOf, entryOf } from "./turn-entries.ts";
import { decided, isBehindEdits, openCallId, tallied, waitingRun } from "./waiting.ts";

/** The progress of a run. */
export interface Progress {
  readonly phase: "asking" | "running";
  readonly turn: number;
  /** The received part of the model's reply. */
  readonly text: string;
  /** Names of the tools that the program waits for. */
  readonly calls: readonly { readonly id: string; readonly name: string }[];
}

/** The progress of the run; null while no agent runs. */
export const progress = signal<Progress | null>(null);

/** A turn that waits for the user's reply. */
export const question = signal<Question<{ readonly turn: number }> | null>(null);

/** The text of the editor for that reply. */
export const draft = signal("");

interface FinishedRun {
  readonly step: Step;
  /** Warnings of the endpoint. */
  readonly notes: readonly string[];
  /** The value of `loads` at the start of the run. */
  readonly loads: number;
}

const last = signal<FinishedRun | null>(null);

/** The result of the last run; null when it waits, and when a state was loaded since. */
export const ended = computed(() => {
  const now = last.value;
  return now?.loads === loads.value && now.step.status !== "waiting" ? now : null;
});

export function showStep(step: Step): void {
  last.value = { step, notes: [], loads: loads.value };
}

/** The usage and time of each turn that ran, for the step from which another run resumes. */
const spent = new WeakMap<TurnEntry, { readonly at: number; readonly usage: Usage }>();

/** The id of the button that starts and stops a run. */
export const RUN_BUTTON = "run-agent";

/** Runs the agent from its first turn. */
export const runAgent = (): Promise<void> => resume(1);

/**
 * Resumes the agent at a turn. Earlier turns stay; the turn and all later ones are removed. The model is asked for the turn,
 * unless its program is given.
 */
export async function resume(turn: number, program?: string): Promise<void> {
  await drive(() => {
    const kept = state.value.turns.slice(0, turn - 1);
    const past = callable(outcome.value.turns.all.slice(0, turn - 1), kept);
    const spentBefore = kept.map((entry) => spent.get(entry));
    // The pressed button may have been removed with its turn.
    focusSoon(RUN_BUTTON);
    return {
      turns: { turns: kept, waiting: "" },
      past,
      phase: program === undefined ? "asking" : "running",
      run: ({ agent, data }, options) =>
        fork(agent, stepOf(past, spentBefore), turn, {
          ...options,
          data,
          ...(program === undefined ? {} : { program }),
        }),
    };
  });
}

/** A run that waits, with the turns of the page. */
type Decision = Pick<State, "turns" | "waiting">;

/** How a run goes on after a decision. */
export interface Branch {
  readonly from: Decision;
  /** What was decided, such as “refund approved”. */
  readonly said: string;
  readonly step: Step;
}

/** How runs went on after the last decision, the newest last. */
const branches = signal<readonly Branch[]>([]);

/** The decision of which the last run is a branch, and its newest other branch. */
export const branch = computed(() => {
  const own = branches.value.find(({ step }) => step === ended.value?.step);
  if (own === undefined) return null;
  return { ...own, other: branches.value.findLast((each) => each !== own && each.from.waiting === own.from.waiting) };
});

// Without another branch there is nothing to compare with.
effect(() => {
  if (branch.value?.other === undefined && comparison.peek().with === "decision")
    comparison.value = { with: "nothing" };
});

/** The decision of which a run is a part that waits again, for another call. */
let pending: { readonly waiting: string; readonly from: Decision; readonly said: readonly string[] } | null = null;

/**
 * Goes on with the run that waits. What is not answered goes on waiting.
 *
 * @returns why an answer is refused; then nothing has happened.
 */
export async function answerCalls(answers: Answers): Promise<Problem | null> {
  const { run } = waitingRun.value;
  if (run === null) return null;
  const { turns, waiting } = state.value;
  const before = pending?.waiting === waiting ? pending : { from: { turns, waiting }, said: [] };
  const answered = run.step.waiting.filter(({ id }) => answers[id] !== undefined);
  const said = [...before.said, ...answered.map((call) => decided(call, answers[call.id]))];
  try {
    const step = await drive(() => ({
      turns: { turns: isBehindEdits.value ? entriesOf(run.step) : turns, waiting },
      past: run.step.turns,
      phase: "running",
      run: ({ agent }, options) => agent.resume(run.step, { ...options, answers }),
    }));
    if (step?.status === "waiting") pending = { waiting: state.value.waiting, from: before.from, said };
    else if (step !== null) {
      const others = branches.value.filter(({ from }) => from.waiting === before.from.waiting);
      branches.value = [...others, { from: before.from, said: tallied(said), step }];
      focusSoon(RUN_BUTTON);
    }
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** Shows the run as it waited for the last decision, so that another one can be made. */
export function backToDecision(): void {
  const from = branch.value?.from;
  if (from === undefined) return;
  batch(() => {
    last.value = null;
    change(from, "Back at the decision.");
  });
  focusOpenCall();
}

/** Focuses a call that waits, by default the first, if it is on the shown tab. */
export function focusOpenCall(call = waitingRun.value.run?.step.waiting[0]): void {
  if (call === undefined || tab.value !== "run") return;
  showSide("history");
  focusSoon(openCallId(call));
}

/** How a run begins. */
interface Start {
  /** The turns of the page before it, and what waits until its first turn ends. */
  readonly turns: Decision;
  /** These turns. */
  readonly past: readonly Turn[];
  readonly phase: Progress["phase"];
  run(setup: Setup, options: RunOptions): Promise<Step>;
}

/**
 * Runs the agent, and shows its progress and its end. Resolves to its step; to null without one.
 *
 * @throws {TurnfoldError} `invalid_answer`
 */
async function drive(start: () => Start): Promise<Step | null> {
  if (running.value !== null) return null;
  const refusal = refusalNow();
  const now = setup.value.setup;
  if (refusal !== null || now === null) {
    if (refusal !== null) showProblem(refusal);
    return null;
  }
  const before = moment();
  const stop = new AbortController();
  const loaded = loads.value;
  const leave = loads.subscribe((count) => count !== loaded && stop.abort());
  const notes: string[] = [];
  let text: string | null = null;
  try {
    const { turns, past, phase, run } = start();
    batch(() => {
      running.value = { what: "agent", stop };
      live.value = { ...now, turns: past };
      progress.value = { phase, turn: past.length + 1, text: "", calls: [] };
      notice.value = null;
      last.value = null;
      if (turns.turns !== state.value.turns || turns.waiting !== state.value.waiting) edit(turns);
    });
    const writer = new Writer(loaded);
    const step = await run(now, {
      llm: modelNow(notes),
      signal: stop.signal,
      onEvent: (event) => writer.take(event),
    });
    if (loads.value !== loaded) return null;
    if (step.status === "waiting") edit({ waiting: JSON.stringify(step) });
    last.value = { step, notes, loads: loaded };
    text = sentenceOf(step);
    if (step.status === "waiting") focusOpenCall();
    return step;
  } catch (error) {
    if (TurnfoldError.isInstance(error) && error.code === "invalid_answer") throw error;
    text = problemText(problemOf(error));
    return null;
  } finally {
    leave();
    batch(() => {
      running.value = null;
      live.value = null;
      progress.value = null;
      question.value = null;
      if (text !== null && loads.value === loaded) {
        const { turns, waiting } = before.state;
        const isLost = waiting !== "" && waiting !== state.value.waiting;
        const lost = isLost || turns.some((entry, index) => state.value.turns[index] !== entry);
        notice.value = { tone: "info", text, undo: lost ? before : null };
      }
    });
  }
}

/** Why no run can begin; null when one can. */
function refusalNow(): string | null {
  const { problem } = setup.value;
  if (obstacle.value !== null) return obstacle.value;
  if (problem !== null) return problemText(problem);
  if (setup.value.setup === null) return "Something can’t be read: correct the marked fields.";
  return state.value.model === "endpoint" ? endpointRefusal() : null;
}

function sentenceOf({ ok, status, fail, turns, waiting }: Step): string {
  if (status === "waiting") return `Turn ${turns.length + 1} waits: ${tallied(waiting.map(({ tool }) => tool))}.`;
  const count = `${turns.length} ${turns.length === 1 ? "turn" : "turns"}`;
  if (ok) return `The agent returned after ${count}.`;
  if (fail?.reason === "aborted") return `Stopped after ${count}.`;
  return `The agent failed after ${count}: ${fail?.reason}.`;
}

/** The model that is chosen at the start of a run. */
function modelNow(notes: string[]): LLM {
  switch (state.value.model) {
    case "scripted":
      return scripted;
    case "you":
      return you;
    case "endpoint": {
      const settings = endpoint.value;
      return (request) => askEndpoint(settings, request, (note) => notes.push(`Turn ${request.turn}: ${note}`));
    }
  }
}

/** The scripted model. A reply is read at the time of its request, because the script may be edited during the run. */
const scripted: LLM = ({ turn = 1 }) => {
  const reply = state.value.replies[turn - 1];
  if (reply !== undefined) return reply.text;
  throw new Error(`the script has no reply to turn ${turn}: add one, and resume`);
};

const you: LLM = ({ turn = 1 }) => replyTo({ turn }, question, draft);

/** Shows the events of a run on the page. */
class Writer {
  readonly #loaded: number;
  #turns = state.value.turns;
  #spent: { readonly at: number; readonly usage: Usage } = { at: Date.now(), usage: {} };

  constructor(loaded: number) {
    this.#loaded = loaded;
  }

  take(event: RunEvent): void {
    if (loads.value !== this.#loaded) return;
    const now = progress.value;
    if (now === null) return;
    switch (event.type) {
      case "messages":
        progress.value = { phase: "asking", turn: event.turn, text: "", calls: [] };
        break;
      case "text":
        progress.value = { ...now, text: now.text + event.text };
        break;
      case "reply":
        this.#spent = { at: Date.now(), usage: event.usage };
        progress.value = { ...now, phase: "running", text: event.content };
        break;
      case "tool-call":
        progress.value = {
          ...now,
          phase: "running",
          calls: [...now.calls, { id: event.call.id, name: event.call.name }],
        };
        break;
      case "tool-result":
        progress.value = { ...now, calls: now.calls.filter(({ id }) => id !== event.call.id) };
        break;
      case "turn":
        this.#append(event.turn);
        break;
    }
  }

  #append(turn: Turn): void {
    const entry = entryOf(turn);
    // If the turns were edited during the run, they differ from those of the run.
    if (state.value.turns === this.#turns) remember(entry, turn, outcome.value.turns.memory);
    spent.set(entry, this.#spent);
    this.#spent = { at: Date.now(), usage: {} };
    batch(() => {
      edit({ turns: [...state.value.turns, entry], waiting: "" });
      const now = live.value;
      if (now !== null) live.value = { ...now, turns: [...now.turns, turn] };
    });
    this.#turns = state.value.turns;
  }
}

/** The turns with callable functions in the last memory. Functions of edited turns get their code from the turns' programs. */
function callable(turns: readonly Turn[], entries: readonly TurnEntry[]): readonly Turn[] {
  const end = turns.at(-1);
  if (end === undefined) return turns;
  const known = Object.entries(end.memory).filter(([, value]) => value instanceof Fn && !value.builtin);
  if (known.every(([, value]) => (value as Fn).source !== null)) return turns;
  using lisp = sandboxAfter(entries);
  const { memory } = lisp;
  const functions = known.map(([name, value]) => {
    const made = memory[name];
    return [name, made instanceof Fn && (value as Fn).source === null ? withSource(value as Fn, made) : value];
  });
  const init = { ...end, memory: { ...end.memory, ...Object.fromEntries(functions) } };
  return [...turns.slice(0, -1), end.success ? Turn.success(init) : Turn.failure(init)];
}

const withSource = ({ params, doc, returnType }: Fn, { source }: Fn): Fn =>
  new Fn({
    params,
    ...(doc === null ? {} : { doc }),
    ...(returnType === null ? {} : { returnType }),
    ...(source === null ? {} : { source }),
  });
