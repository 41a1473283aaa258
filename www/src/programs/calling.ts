import { batch, computed, signal } from "@preact/signals";
import {
  chunked,
  type HistoryStrategy,
  type LLM,
  type LLMChunk,
  type LLMRequest,
  lastNMessages,
  type Prediction,
  type ReActStep,
  type RequestParameters,
  TurnfoldError,
  wholeHistory,
} from "turnfold";
import { optionDefaults } from "../chat/options.ts";
import { focusSoon } from "../focus.ts";
import { attempt, type Problem, type Problems } from "../problem.ts";
import { askEndpoint, endpoint, endpointRefusal } from "../run/endpoint.ts";
import { type Question, replyTo } from "../run/question.ts";
import { running } from "../running.ts";
import { obstacle } from "../sandbox.ts";
import { newId } from "../state.ts";
import { loads, notice, setGroupOpen, setOpen, state } from "../store.ts";
import { cellOf, writingOf } from "./cells.ts";
import { inputField, programField } from "./fields.ts";
import { built, callInputs, request as rendered, type Shape, shape, wholeOption } from "./program.ts";
import { type Refusal, refusalOf, refusalText } from "./refusal.ts";
import { type Cell, type ProgramKind, type ProgramOption, programOptionNames } from "./state.ts";
import { changePrograms, programs } from "./store.ts";

/** A time that the model is asked, in the call under way or the last one. */
export interface Asked {
  /** From 1. */
  readonly number: number;
  readonly purpose: LLMRequest["purpose"];
  /** Of a program with steps. */
  readonly step: number | null;
  readonly messages: LLMRequest["messages"];
  /** The reply before could not be used, and the last message says so. */
  readonly isRepair: boolean;
  /** As far as it has come. */
  readonly reply: string;
}

/** What came of a call. */
export interface Called {
  readonly asked: readonly Asked[];
  /** What the endpoint said beside its replies. */
  readonly notes: readonly string[];
  readonly prediction: (Prediction & { readonly steps?: readonly ReActStep[] }) | null;
  readonly refusal: Refusal | null;
  /** What it was called with, for the history. */
  readonly shape: Shape;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly isAdded: boolean;
}

/** The times that the model was asked in the call under way; null while none is. */
export const asking = signal<readonly Asked[] | null>(null);

/** A request that waits for a reply from whoever sits in front of the page. */
export const question = signal<Question<{ readonly asked: Asked }> | null>(null);

/** What stands in the field for that reply. */
export const draft = signal("");

/** Of which program the last call was. */
interface Of {
  readonly loads: number;
  readonly signature: string;
  readonly kind: ProgramKind;
}

const last = signal<(Called & { readonly of: Of }) | null>(null);

/** What came of the last call; of another program, or before a link was opened, nothing. */
export const called = computed((): Called | null => {
  const of = last.value?.of;
  const { signature, kind } = programs.value;
  return of?.loads === loads.value && of.signature === signature && of.kind === kind ? last.value : null;
});

/** The id of the button that calls, and stops the call under way. */
export const CALL_BUTTON = "call-program";

/** What a scripted model says when it is asked for a summary. */
export const SUMMARY_SCRIPT = "In short: the questions before these, and what was answered.";

/** What a strategy counts to. */
export const strategyCount = (name: "n" | "size", problems: Problems): number =>
  wholeOption(name, problems) ?? Number(optionDefaults[name]);

/** How a history that became too long is compressed; undefined where nothing is asked for. */
export const parameters = computed(() => {
  const problems: Problems = new Map();
  const { strategy } = programs.value;
  const limits = {
    maxTokens: wholeOption("maxTokens", problems),
    minMessages: wholeOption("minMessages", problems),
  };
  const made = (name: "n" | "size", make: (count: number) => HistoryStrategy): HistoryStrategy | null =>
    attempt(problems, programField(name), null, () => make(strategyCount(name, problems)));
  const compressionStrategy = ((): HistoryStrategy | null => {
    if (strategy === "lastNMessages") return made("n", lastNMessages);
    if (strategy === "chunked") return made("size", chunked);
    return strategy === "wholeHistory" ? wholeHistory() : null;
  })();
  const isAsked = shape.value?.history != null && (compressionStrategy !== null || limits.maxTokens !== undefined);
  const given = Object.fromEntries(
    Object.entries({ ...limits, compressionStrategy }).filter(([, value]) => value != null),
  ) as RequestParameters;
  return { given: isAsked ? given : undefined, problems: problems as ReadonlyMap<string, Problem> };
});

/** Calls the program with the model that is chosen. */
export async function callProgram(): Promise<void> {
  if (running.value !== null) return;
  const refusal = refusalNow();
  if (refusal !== null) {
    notice.value = { tone: "problem", text: refusal, undo: null };
    return;
  }
  const { program } = built.value;
  const fields = shape.value;
  if (program === null || fields === null) return;
  const stop = new AbortController();
  const loaded = loads.value;
  const leave = loads.subscribe((count) => count !== loaded && stop.abort());
  const notes: string[] = [];
  const given = callInputs.value;
  const { signature, kind } = programs.value;
  let prediction: Called["prediction"] = null;
  let failure: Refusal | null = null;
  batch(() => {
    running.value = { what: "call", stop };
    asking.value = [];
    last.value = null;
    notice.value = null;
  });
  try {
    const { given: history } = parameters.value;
    prediction = (await program.run(given, {
      llm: modelNow(notes, stop.signal),
      signal: stop.signal,
      // They stand in the report.
      onWarning: () => {},
      ...(history === undefined ? {} : { history }),
    })) as Called["prediction"];
  } catch (error) {
    const isStopped = TurnfoldError.isInstance(error) && error.code === "aborted";
    failure = isStopped ? { ...refusalOf(error), message: "stopped: nothing came of the call" } : refusalOf(error);
  } finally {
    leave();
    batch(() => {
      const asked = asking.value ?? [];
      running.value = null;
      asking.value = null;
      question.value = null;
      if (loads.value !== loaded) return;
      const shown = { asked, notes, prediction, refusal: failure };
      last.value = { ...shown, shape: fields, inputs: given, isAdded: false, of: { loads: loaded, signature, kind } };
      const text = failure === null ? "The call gave its outputs." : `The call failed: ${refusalText(failure)}.`;
      notice.value = { tone: failure === null ? "info" : "problem", text, undo: null };
    });
  }
}

const UNREADABLE = "The call can’t be made yet: mend what is marked.";

/** Why the call can't be made, whichever model is asked; null when it can. */
export const callObstacle = computed((): string | null => {
  const { problems, isStale, refusal } = rendered.value;
  if (programs.value.kind === "react" && obstacle.value !== null) return obstacle.value;
  if (refusal !== null) return refusalText(refusal);
  return isStale || problems.size > 0 || parameters.value.problems.size > 0 ? UNREADABLE : null;
});

/** Why nothing can be called; null when it can. */
function refusalNow(): string | null {
  if (callObstacle.value !== null) {
    const [first] = [...rendered.value.problems.keys(), ...parameters.value.problems.keys()];
    if (callObstacle.value === UNREADABLE && first !== undefined) reveal(first);
    return callObstacle.value;
  }
  return state.value.model === "endpoint" ? endpointRefusal() : null;
}

/** The groups that fields of settings stand in. */
const groupOf: Readonly<Record<ProgramOption, string>> = {
  maxRepairs: "program-limits",
  maxSteps: "program-limits",
  n: "program-compression",
  size: "program-compression",
  maxTokens: "program-compression",
  minMessages: "program-compression",
};

/** Focuses a field, in a group or a turn that may be closed. */
function reveal(field: string): void {
  const [, list, row] = /^program-(history|demos)-(\d+)/.exec(field) ?? [];
  const option = programOptionNames.find((name) => programField(name) === field);
  batch(() => {
    if (row !== undefined) setOpen(Number(row), true);
    if (list === "demos") setGroupOpen("program-demos", true);
    if (option !== undefined) setGroupOpen(groupOf[option], true);
  });
  focusSoon(field);
}

/** The model that is chosen when a call begins. What it says is shown as it comes. */
function modelNow(notes: string[], signal: AbortSignal): LLM {
  const { model } = state.value;
  const settings = endpoint.value;
  const sourceOf = (request: LLMRequest, asked: Asked): AsyncIterable<LLMChunk> => {
    if (model === "endpoint") {
      return askEndpoint(settings, request, (note) => notes.push(`Request ${asked.number}: ${note}`));
    }
    return oneReply(model === "you" ? replyTo({ asked }, question, draft) : scripted(asked));
  };
  return async function* (request) {
    const asked = noteAsked(request);
    for await (const chunk of sourceOf(request, asked)) {
      const piece = typeof chunk === "string" ? chunk : (chunk.text ?? "");
      const now = asking.value;
      // A model may go on for a while when nobody waits for it, and another call be under way by then.
      if (now !== null && piece !== "" && !signal.aborted) {
        asking.value = now.map((each) =>
          each.number === asked.number ? { ...each, reply: each.reply + piece } : each,
        );
      }
      yield chunk;
    }
  };
}

function noteAsked({ messages, purpose, turn }: LLMRequest): Asked {
  const before = asking.value ?? [];
  const previous = before.findLast((each) => each.purpose !== "summary");
  const step = turn ?? null;
  // Nothing else asks twice for the same.
  const isRepair = purpose !== "summary" && previous?.purpose === purpose && previous.step === step;
  const asked: Asked = { number: before.length + 1, purpose, step, messages, isRepair, reply: "" };
  asking.value = [...before, asked];
  return asked;
}

async function* oneReply(reply: Promise<string> | string): AsyncGenerator<LLMChunk> {
  yield await reply;
}

/** The reply is looked up when it is asked for: the script may be written meanwhile. */
function scripted({ purpose }: Asked): string {
  if (purpose === "summary") return SUMMARY_SCRIPT;
  const place = (asking.value ?? []).filter((each) => each.purpose !== "summary").length;
  const reply = programs.value.replies[place - 1];
  if (reply !== undefined) return reply.text;
  throw new Error(`the script has no reply ${place}: add one under “Model”, and call again`);
}

/** Makes a turn of the history of the last call, so that the next question may build on it. */
export function addToHistory(): void {
  const done = last.value;
  if (done?.prediction == null || done.isAdded) return;
  const { outputs } = done.prediction;
  const cells = (fields: Shape["inputs"], values: Readonly<Record<string, unknown>>): Cell[] =>
    fields.flatMap((field) => cellOf(field.name, values[field.name], writingOf(field)) ?? []);
  const values = [...cells(done.shape.turn.inputs, done.inputs), ...cells(done.shape.turn.outputs, outputs)];
  const history = [...programs.value.history, { id: newId(), values }];
  batch(() => {
    changePrograms({ history }, `The call is turn ${history.length} of the history now.`);
    last.value = { ...done, isAdded: true };
  });
  const [first] = done.shape.inputs;
  if (first !== undefined) focusSoon(inputField(first.name));
}
