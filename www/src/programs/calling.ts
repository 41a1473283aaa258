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
  wholeHistory,
} from "turnfold";
import { optionDefaults } from "../chat/options.ts";
import { focusSoon } from "../page/focus.ts";
import { attempt, type Problem, type Problems } from "../page/problem.ts";
import { askEndpoint, endpoint, endpointRefusal } from "../run/endpoint.ts";
import { type Question, replyTo } from "../run/question.ts";
import { running } from "../running/running.ts";
import { obstacle } from "../running/sandbox.ts";
import { newId } from "../states/state.ts";
import { loads, notice, setGroupOpen, setOpen, showProblem, state } from "../states/store.ts";
import { cellOf, writingOf } from "./cells.ts";
import { inputField, programField } from "./fields.ts";
import { built, callInputs, request as rendered, type Shape, shape, wholeOption } from "./program.ts";
import { type Refusal, refusalOf, refusalText } from "./refusal.ts";
import { type Cell, type ProgramKind, type ProgramOption, programOptionNames } from "./state.ts";
import { changePrograms, programs } from "./store.ts";

/** A request to the model in the current or last call. */
export interface SentRequest {
  /** The number of the request in the call, from 1. */
  readonly number: number;
  readonly purpose: LLMRequest["purpose"];
  /** The number of the step; null for a program without steps. */
  readonly step: number | null;
  readonly messages: LLMRequest["messages"];
  /** Whether the request repairs an invalid reply: its last message describes the problems. */
  readonly isRepair: boolean;
  /** The received part of the reply. */
  readonly reply: string;
}

/** The result of a call. */
export interface CallResult {
  readonly requests: readonly SentRequest[];
  /** Warnings of the endpoint. */
  readonly notes: readonly string[];
  readonly prediction: (Prediction & { readonly steps?: readonly ReActStep[] }) | null;
  readonly refusal: Refusal | null;
  /** The fields of the signature of the call, for adding it to the history. */
  readonly shape: Shape;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly isAdded: boolean;
}

/** The requests of the current call; null when no call runs. */
export const currentRequests = signal<readonly SentRequest[] | null>(null);

/** A request that waits for the user's reply. */
export const question = signal<Question<{ readonly request: SentRequest }> | null>(null);

/** The text of the field for that reply. */
export const draft = signal("");

/** The load and the program of a call, to detect changes. */
interface Of {
  readonly loads: number;
  readonly signature: string;
  readonly kind: ProgramKind;
}

const last = signal<(CallResult & { readonly of: Of }) | null>(null);

/** The result of the last call; null when the program has changed or a state was loaded since. */
export const callResult = computed((): CallResult | null => {
  const of = last.value?.of;
  const { signature, kind } = programs.value;
  return of?.loads === loads.value && of.signature === signature && of.kind === kind ? last.value : null;
});

/** The id of the button that starts and stops a call. */
export const CALL_BUTTON = "call-program";

/** The scripted model's reply to a request for a summary. */
export const SUMMARY_SCRIPT = "In short: the questions before these, and what was answered.";

/** The number for a strategy; the default for an empty field. */
export const strategyCount = (name: "n" | "size", problems: Problems): number =>
  wholeOption(name, problems) ?? Number(optionDefaults[name]);

/** The parameters that compress a long history; `given` is undefined when none are set. */
export const parameters = computed(() => {
  const problems: Problems = new Map();
  const { strategy } = programs.value;
  const limits = { maxTokens: wholeOption("maxTokens", problems), minMessages: wholeOption("minMessages", problems) };
  const made = (name: "n" | "size", make: (count: number) => HistoryStrategy): HistoryStrategy | null =>
    attempt(problems, programField(name), null, () => make(strategyCount(name, problems)));
  const compressionStrategy = ((): HistoryStrategy | null => {
    if (strategy === "lastNMessages") return made("n", lastNMessages);
    if (strategy === "chunked") return made("size", chunked);
    return strategy === "wholeHistory" ? wholeHistory() : null;
  })();
  const compresses = shape.value?.history != null && (compressionStrategy !== null || limits.maxTokens !== undefined);
  const given = Object.fromEntries(
    Object.entries({ ...limits, compressionStrategy }).filter(([, value]) => value != null),
  ) as RequestParameters;
  return { given: compresses ? given : undefined, problems: problems as ReadonlyMap<string, Problem> };
});

/** Calls the program with the chosen model. */
export async function callProgram(): Promise<void> {
  if (running.value !== null) return;
  const refusal = refusalNow();
  if (refusal !== null) return showProblem(refusal);
  const { program } = built.value;
  const fields = shape.value;
  if (program === null || fields === null) return;
  const stop = new AbortController();
  const loaded = loads.value;
  const leave = loads.subscribe((count) => count !== loaded && stop.abort());
  const notes: string[] = [];
  const given = callInputs.value;
  const { signature, kind } = programs.value;
  let prediction: CallResult["prediction"] = null;
  let failure: Refusal | null = null;
  batch(() => {
    running.value = { what: "call", stop };
    currentRequests.value = [];
    last.value = null;
    notice.value = null;
  });
  try {
    const { given: history } = parameters.value;
    prediction = (await program.run(given, {
      llm: modelNow(notes, stop.signal),
      signal: stop.signal,
      // The report contains the warnings.
      onWarning: () => {},
      ...(history === undefined ? {} : { history }),
    })) as CallResult["prediction"];
  } catch (error) {
    failure = refusalOf(error);
    if (failure.code === "aborted") failure = { ...failure, message: "stopped: the call has no result" };
  } finally {
    leave();
    batch(() => {
      const requests = currentRequests.value ?? [];
      running.value = null;
      currentRequests.value = null;
      question.value = null;
      if (loads.value !== loaded) return;
      const shown = { requests, notes, prediction, refusal: failure };
      last.value = { ...shown, shape: fields, inputs: given, isAdded: false, of: { loads: loaded, signature, kind } };
      const isStopped = failure?.code === "aborted";
      const text =
        failure === null
          ? "The call returned its outputs."
          : isStopped
            ? "Stopped: the call has no result."
            : `The call failed: ${refusalText(failure)}.`;
      notice.value = { tone: failure === null || isStopped ? "info" : "problem", text, undo: null };
    });
  }
}

const UNREADABLE = "The call can’t be made yet: correct the marked fields.";

/** Why the call can't be made with any model; null when it can. */
export const callObstacle = computed((): string | null => {
  const { problems, isStale, refusal } = rendered.value;
  if (programs.value.kind === "react" && obstacle.value !== null) return obstacle.value;
  if (refusal !== null) return refusalText(refusal);
  return isStale || problems.size > 0 || parameters.value.problems.size > 0 ? UNREADABLE : null;
});

/** Why no call can be made now; null when one can. */
function refusalNow(): string | null {
  if (callObstacle.value !== null) {
    const [first] = [...rendered.value.problems.keys(), ...parameters.value.problems.keys()];
    if (callObstacle.value === UNREADABLE && first !== undefined) reveal(first);
    return callObstacle.value;
  }
  return state.value.model === "endpoint" ? endpointRefusal() : null;
}

/** The group of each field of the settings. */
const groupOf: Readonly<Record<ProgramOption, string>> = {
  maxRepairs: "program-limits",
  maxSteps: "program-limits",
  n: "program-compression",
  size: "program-compression",
  maxTokens: "program-compression",
  minMessages: "program-compression",
};

/** Focuses a field. Opens its group or turn first. */
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

/** The model that is chosen when a call begins. Its replies are shown as they arrive. */
function modelNow(notes: string[], signal: AbortSignal): LLM {
  const { model } = state.value;
  const settings = endpoint.value;
  const sourceOf = (request: LLMRequest, sent: SentRequest): AsyncIterable<LLMChunk> => {
    if (model === "endpoint") {
      return askEndpoint(settings, request, (note) => notes.push(`Request ${sent.number}: ${note}`));
    }
    return oneReply(model === "you" ? replyTo({ request: sent }, question, draft) : scripted(sent));
  };
  return async function* (request) {
    const sent = recordRequest(request);
    for await (const chunk of sourceOf(request, sent)) {
      const piece = typeof chunk === "string" ? chunk : (chunk.text ?? "");
      const now = currentRequests.value;
      // A model may continue after a stop, when another call is under way.
      if (now !== null && piece !== "" && !signal.aborted) {
        currentRequests.value = now.map((each) =>
          each.number === sent.number ? { ...each, reply: each.reply + piece } : each,
        );
      }
      yield chunk;
    }
  };
}

function recordRequest({ messages, purpose, turn }: LLMRequest): SentRequest {
  const before = currentRequests.value ?? [];
  const previous = before.findLast((each) => each.purpose !== "summary");
  const step = turn ?? null;
  // Two consecutive requests have the same purpose and step only when the second is a repair.
  const isRepair = purpose !== "summary" && previous?.purpose === purpose && previous.step === step;
  const request: SentRequest = { number: before.length + 1, purpose, step, messages, isRepair, reply: "" };
  currentRequests.value = [...before, request];
  return request;
}

async function* oneReply(reply: Promise<string> | string): AsyncGenerator<LLMChunk> {
  yield await reply;
}

/** The scripted reply. It is read at the time of the request, because the script may be edited during the call. */
function scripted({ purpose }: SentRequest): string {
  if (purpose === "summary") return SUMMARY_SCRIPT;
  const number = (currentRequests.value ?? []).filter((each) => each.purpose !== "summary").length;
  const reply = programs.value.replies[number - 1];
  if (reply !== undefined) return reply.text;
  throw new Error(`the script has no reply ${number}: add one under “Model”, and call again`);
}

/** Adds the last call to the history as a turn. */
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
