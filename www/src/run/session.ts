import { batch, computed, signal } from "@preact/signals";
import { fork, type LLM, type RunEvent, type Step, Turn, type Usage } from "turnfold";
import { Fn } from "turnfold/turns";
import { focusSoon } from "../page/focus.ts";
import { problemOf, problemText } from "../problem.ts";
import { failureFrom, recordOf } from "../running/record.ts";
import { running } from "../running/running.ts";
import { obstacle } from "../running/sandbox.ts";
import { sandboxAfter } from "../running/sandbox-after.ts";
import { newId, type TurnEntry } from "../state.ts";
import { edit, loads, moment, notice, outcome, showProblem, state } from "../store.ts";
import { remember } from "../turns/history.ts";
import { live, setup } from "./agent.ts";
import { askEndpoint, endpoint, endpointRefusal } from "./endpoint.ts";
import { type Question, replyTo } from "./question.ts";
import { stepOf } from "./saved-step.ts";

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

/** The result of the last run; null when a state was loaded since. */
export const ended = computed(() => (last.value?.loads === loads.value ? last.value : null));

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
  if (running.value !== null) return;
  const refusal = refusalNow();
  if (refusal !== null) return showProblem(refusal);
  const now = setup.value.setup;
  if (now === null) return;
  const before = moment();
  const stop = new AbortController();
  const loaded = loads.value;
  const leave = loads.subscribe((count) => count !== loaded && stop.abort());
  const notes: string[] = [];
  let text: string | null = null;
  try {
    const kept = state.value.turns.slice(0, turn - 1);
    const past = callable(outcome.value.turns.all.slice(0, turn - 1), kept);
    batch(() => {
      running.value = { what: "agent", stop };
      live.value = { ...now, turns: past };
      progress.value = { phase: program === undefined ? "asking" : "running", turn, text: "", calls: [] };
      notice.value = null;
      last.value = null;
      edit({ turns: kept });
    });
    // The pressed button may have been removed with its turn.
    focusSoon(RUN_BUTTON);
    const writer = new Writer(loaded);
    const step = await fork(
      now.agent,
      stepOf(
        past,
        kept.map((entry) => spent.get(entry)),
      ),
      turn,
      {
        data: now.data,
        llm: modelNow(notes),
        signal: stop.signal,
        onEvent: (event) => writer.take(event),
        ...(program === undefined ? {} : { program }),
      },
    );
    if (loads.value !== loaded) return;
    last.value = { step, notes, loads: loaded };
    text = sentenceOf(step);
  } catch (error) {
    text = problemText(problemOf(error));
  } finally {
    leave();
    batch(() => {
      running.value = null;
      live.value = null;
      progress.value = null;
      question.value = null;
      if (text !== null && loads.value === loaded) {
        const lost = before.state.turns.some((entry, index) => state.value.turns[index] !== entry);
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

function sentenceOf({ ok, fail, turns }: Step): string {
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
      edit({ turns: [...state.value.turns, entry] });
      const now = live.value;
      if (now !== null) live.value = { ...now, turns: [...now.turns, turn] };
    });
    this.#turns = state.value.turns;
  }
}

const fenced = (program: string): string => `\`\`\`clojure\n${program}\n\`\`\``;

/** The fields of a turn that has run. */
export function entryOf(turn: Turn): TurnEntry {
  const { program, rawResponse, success, result, memory, defined } = turn;
  return {
    id: newId(),
    program: program ?? "",
    reply: program !== null && rawResponse === fenced(program) ? "" : rawResponse,
    ...recordOf({ ...turn, memory, defined, value: result, failure: success ? null : failureFrom(result) }),
  };
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
