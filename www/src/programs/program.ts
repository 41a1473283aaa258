import { computed } from "@preact/signals";
import {
  ChainOfThought,
  type Field,
  History,
  type HistoryTurn,
  Predict,
  type PredictOptions,
  parseSignature,
  ReAct,
  type Signature,
  type SignatureInit,
  TurnfoldError,
} from "turnfold/predict";
import { complaint, type Problem, type Problems, problemText } from "../page/problem.ts";
import { inputs as sandboxInputs } from "../running/sandbox.ts";
import { loads } from "../states/store.ts";
import { cellNamed, cellValue, UnreadableCell, writingOf } from "./cells.ts";
import { inputField, isHistory, isShown, programField, turnField } from "./fields.ts";
import { placedProblem, type Refusal, refusalOf } from "./refusal.ts";
import type { Cell, ProgramOption, TurnRow } from "./state.ts";
import { programs, type TurnList } from "./store.ts";

interface Read {
  /** The signature with the outputs that the program adds; null when it is invalid. */
  readonly signature: Signature | null;
  /** The argument of the program's constructor. */
  readonly given: string | SignatureInit;
  readonly problem: Problem | null;
}

const text = computed(() => programs.value.signature);
const kind = computed(() => programs.value.kind);
const descriptions = computed(() => programs.value.descriptions);

/** The result of parsing the typed signature. */
export const read = computed((): Read => {
  try {
    const given = described(parseSignature(text.value), descriptions.value) ?? text.value;
    const { signature } = kind.value === "chainOfThought" ? new ChainOfThought(given) : new Predict(given);
    return { signature: signature as Signature, given, problem: null };
  } catch (error) {
    return { signature: null, given: text.value, problem: placedProblem(refusalOf(error)) };
  }
});

/** The object form of the signature with the descriptions; null without descriptions. */
function described(
  { inputs, outputs }: Pick<Signature, "inputs" | "outputs">,
  cells: readonly Cell[],
): SignatureInit | null {
  const withText = (field: Field): Field => {
    const cell = cellNamed(cells, field.name);
    return cell === null || cell.text.trim() === "" ? field : { ...field, description: cell.text.trim() };
  };
  const own = { inputs: inputs.map(withText), outputs: outputs.map(withText) };
  const isSame = [...own.inputs, ...own.outputs].every((field) => field.description === undefined);
  return isSame ? null : own;
}

/** The fields of the tab. */
export interface Shape {
  readonly signature: Signature;
  /** The inputs except the history. */
  readonly inputs: readonly Field[];
  readonly outputs: readonly Field[];
  /** The name of the input for the history; null without one. */
  readonly history: string | null;
  /** The fields of turns: those that are in messages. */
  readonly turn: { readonly inputs: readonly Field[]; readonly outputs: readonly Field[] };
}

let lastShape: { readonly shape: Shape; readonly loads: number } | null = null;

/** The fields of the signature, or of the last valid one. */
export const shape = computed((): Shape | null => {
  const { signature } = read.value;
  if (signature === null) return lastShape?.loads === loads.value ? lastShape.shape : null;
  const { inputs, outputs } = signature;
  const now: Shape = {
    signature,
    inputs: inputs.filter((field) => !isHistory(field)),
    outputs,
    history: inputs.find(isHistory)?.name ?? null,
    turn: { inputs: inputs.filter(isShown), outputs: outputs.filter(isShown) },
  };
  lastShape = { shape: now, loads: loads.value };
  return now;
});

/** The problems of turns, and the values of the valid ones. */
interface Turns {
  readonly values: readonly HistoryTurn[];
  readonly problems: ReadonlyMap<string, Problem>;
}

/** Cached values of unchanged turns, by the fields that they were read with. */
const readTurns = new WeakMap<TurnRow, { readonly shape: Shape; readonly value: HistoryTurn | Problems }>();

function turnsOf(list: TurnList, rows: readonly TurnRow[], fields: Shape | null): Turns {
  const problems: Problems = new Map();
  if (fields === null) return { values: [], problems };
  const values: HistoryTurn[] = [];
  for (const row of rows) {
    let last = readTurns.get(row);
    if (last?.shape !== fields) {
      last = { shape: fields, value: turnOf(list, row, fields) };
      readTurns.set(row, last);
    }
    if (last.value instanceof Map) for (const [id, problem] of last.value as Problems) problems.set(id, problem);
    else values.push(last.value);
  }
  return { values, problems };
}

function turnOf(list: TurnList, { id, values }: TurnRow, { turn }: Shape): HistoryTurn | Problems {
  const problems: Problems = new Map();
  const known = new Map([...turn.inputs, ...turn.outputs].map((field) => [field.name, field]));
  const members: [string, unknown][] = [];
  for (const cell of values) {
    const field = known.get(cell.name);
    try {
      members.push([cell.name, cellValue(cell, field === undefined ? "text" : writingOf(field))]);
    } catch (error) {
      problems.set(turnField(list, id, cell.name), problemIn(error));
    }
  }
  return problems.size > 0 ? problems : Object.fromEntries(members);
}

const problemIn = (error: unknown): Problem =>
  error instanceof UnreadableCell ? error.problem : complaint(String(error));

const demoRows = computed(() => programs.value.demos);
const demos = computed(() => turnsOf("demos", demoRows.value, shape.value));
const historyRows = computed(() => programs.value.history);
const historyTurns = computed(() =>
  turnsOf("history", shape.value?.history == null ? [] : historyRows.value, shape.value),
);

const WHOLE = /^\d{1,9}$/;

/** An option as a number; undefined for the default. */
export function wholeOption(name: ProgramOption, problems: Problems): number | undefined {
  const typed = programs.value.options[name].trim();
  if (WHOLE.test(typed)) return Number(typed);
  if (typed !== "") problems.set(programField(name), complaint("Write a whole number, or nothing for the default"));
  return undefined;
}

interface Built {
  readonly program: Predict | null;
  /** The problems by the ids of fields. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** An error without a field. */
  readonly refusal: Refusal | null;
}

// Numbers, not texts, so that typing an input does not create the program again.
const counts = computed(() => {
  const problems: Problems = new Map();
  const given = { maxRepairs: wholeOption("maxRepairs", problems), maxSteps: wholeOption("maxSteps", problems) };
  return JSON.stringify({ given, problems: [...problems] });
});
const adapter = computed(() => programs.value.adapter);
const instructions = computed(() => programs.value.instructions.trim());
const tools = computed(() => (kind.value === "react" ? sandboxInputs.value.options.tools : undefined));

/** The program for the call. */
export const built = computed((): Built => {
  const { given, signature, problem } = read.value;
  if (signature === null || problem !== null)
    return {
      program: null,
      problems: new Map([[programField("signature"), problem ?? complaint("This can’t be read")]]),
      refusal: null,
    };
  const numbers = JSON.parse(counts.value) as {
    given: { maxRepairs?: number; maxSteps?: number };
    problems: [string, Problem][];
  };
  const problems: Problems = new Map([...numbers.problems, ...demos.value.problems]);
  if (problems.size > 0) return { program: null, problems, refusal: null };
  const { maxRepairs, maxSteps } = numbers.given;
  const options: PredictOptions = {
    adapter: adapter.value,
    demos: demos.value.values as NonNullable<PredictOptions["demos"]>,
    ...(instructions.value === "" ? {} : { instructions: instructions.value }),
    ...(maxRepairs === undefined ? {} : { maxRepairs }),
  };
  try {
    return { program: made(given, options, maxSteps), problems, refusal: null };
  } catch (error) {
    return { program: null, ...refused(error) };
  }
});

function made(given: string | SignatureInit, options: PredictOptions, maxSteps: number | undefined): Predict {
  switch (kind.value) {
    case "predict":
      return new Predict(given, options) as Predict;
    case "chainOfThought":
      return new ChainOfThought(given, options) as Predict;
    case "react":
      return new ReAct(given, {
        ...options,
        tools: tools.value ?? {},
        ...(maxSteps === undefined ? {} : { maxSteps }),
      }) as Predict;
  }
}

/** Assigns the package's error about a program to a field, or makes it the refusal. */
function refused(error: unknown): Pick<Built, "problems" | "refusal"> {
  const refusal = refusalOf(error);
  const { index, option, tool } = refusal.details;
  const at = (id: string): Pick<Built, "problems" | "refusal"> => ({
    problems: new Map([[id, complaint(withCode(refusal))]]),
    refusal: null,
  });
  if (refusal.code === "invalid_demo") {
    const row = typeof index === "number" ? demoRows.value[index] : undefined;
    if (row !== undefined) return at(turnField("demos", row.id));
  }
  if (option === "maxRepairs" || option === "maxSteps") return at(programField(option));
  if (tool !== undefined || refusal.code === "invalid_tool") return { problems: new Map(), refusal };
  if (refusal.code === "invalid_signature") return at(programField("signature"));
  return { problems: new Map(), refusal };
}

/** The message without the index: the package counts from 0 and the page from 1, and the message is shown at its element. */
const withCode = ({ code, message, hint }: Refusal): string => {
  const text = message.replace(/^(?:element|demo) \d+(?: of the history)? /, "it ");
  return `${code ?? "error"}: ${text}${hint === null ? "" : ` (${hint})`}`;
};

const inputCells = computed(() => programs.value.inputs);

/** The values of the inputs except the history. A required text that is empty has the value "". */
const givenInputs = computed(() => {
  const problems: Problems = new Map();
  const values: Record<string, unknown> = {};
  for (const field of shape.value?.inputs ?? []) {
    const writing = writingOf(field);
    const cell = cellNamed(inputCells.value, field.name);
    if (cell === null) {
      if (writing === "text" && field.optional !== true) values[field.name] = "";
      continue;
    }
    try {
      values[field.name] = cellValue(cell, writing);
    } catch (error) {
      problems.set(inputField(field.name), problemIn(error));
    }
  }
  return { values, problems };
});

const history = computed(() => new History(historyTurns.value.values));

/** The typed texts as values. */
export const callParts = computed(() => ({
  inputs: givenInputs.value.values,
  history: historyTurns.value.values,
  demos: demos.value.values,
}));

/** The inputs of the call. */
export const callInputs = computed((): Readonly<Record<string, unknown>> => {
  const field = shape.value?.history ?? null;
  const { values } = givenInputs.value;
  return field === null ? values : { ...values, [field]: history.value };
});

/** A message of the request, and its origin. */
export interface RequestMessage {
  readonly role: string;
  readonly content: string;
  /** “turn 2”, “demo 1”, “request”. */
  readonly origin: string;
}

interface Request {
  readonly messages: readonly RequestMessage[];
  /** Whether the messages are those of the last valid inputs. */
  readonly isStale: boolean;
  readonly problems: ReadonlyMap<string, Problem>;
  readonly refusal: Refusal | null;
}

let lastGood: { readonly messages: readonly RequestMessage[]; readonly loads: number } | null = null;

/** The messages that a call would send. */
export const request = computed((): Request => {
  const stale = (problems: ReadonlyMap<string, Problem>, refusal: Refusal | null = null): Request => ({
    messages: lastGood?.loads === loads.value ? lastGood.messages : [],
    isStale: true,
    problems,
    refusal,
  });
  const { program, problems, refusal } = built.value;
  const own = new Map([...problems, ...givenInputs.value.problems, ...historyTurns.value.problems]);
  if (program === null || own.size > 0) return stale(own, refusal);
  try {
    const messages = withOrigins(program.messages(callInputs.value));
    lastGood = { messages, loads: loads.value };
    return { messages, isStale: false, problems: own, refusal: null };
  } catch (error) {
    const found = inputProblems(error);
    return found === null ? stale(own, refusalOf(error)) : stale(found);
  }
});

/** The package's error about inputs or turns as problems by field; null for other errors. */
function inputProblems(error: unknown): Problems | null {
  if (!TurnfoldError.isInstance(error)) return null;
  const { code, details } = error;
  if (code === "invalid_history_element") {
    const row = historyRows.value[details.index as number];
    const fields = shape.value?.turn;
    if (row === undefined || fields === undefined) return null;
    const problem = complaint(withCode(refusalOf(error)));
    const side = details.reason === "missing_output_fields" ? fields.outputs : fields.inputs;
    const [first] = side;
    const field =
      first === undefined ? [] : [[turnField("history", row.id, first.name), complaint(missing(side))] as const];
    return new Map([[turnField("history", row.id), problem], ...field]);
  }
  if (code !== "validation_error" || !Array.isArray(details.problems)) return null;
  const problems: Problems = new Map();
  for (const { path, message } of details.problems as { path: string; message: string }[]) {
    const name = shape.value?.inputs.find(
      (field) => path === field.name || path.startsWith(`${field.name}[`) || path.startsWith(`${field.name}.`),
    )?.name;
    if (name === undefined) return null;
    const id = inputField(name);
    const text = path === name ? message : `${path}: ${message}`;
    const before = problems.get(id);
    problems.set(id, complaint(before === undefined ? text : `${problemText(before)}; ${text}`));
  }
  return problems;
}

const missing = (fields: readonly Field[]): string =>
  `A turn needs ${fields.length === 1 ? "this" : `at least one of ${fields.map(({ name }) => name).join(", ")}`}`;

/** Adds origins to the messages, whose order is: the adapter, the demos, the history, the request. */
function withOrigins(messages: readonly { readonly role: string; readonly content: unknown }[]): RequestMessage[] {
  const turns = shape.value?.history == null ? 0 : historyTurns.value.values.length;
  const firstOfTurns = messages.length - 1 - 2 * turns;
  // A program with steps has no demos in the messages of a step.
  const demoCount = kind.value === "react" ? 0 : demos.value.values.length;
  const firstOfDemos = firstOfTurns - 2 * demoCount;
  return messages.map(({ role, content }, index) => {
    const message = { role, content: String(content) };
    if (index === messages.length - 1) return { ...message, origin: "request" };
    if (index >= firstOfTurns) return { ...message, origin: `turn ${Math.floor((index - firstOfTurns) / 2) + 1}` };
    if (index >= firstOfDemos) return { ...message, origin: `demo ${Math.floor((index - firstOfDemos) / 2) + 1}` };
    return { ...message, origin: "instructions" };
  });
}

/** The problem at the field with this id. */
export const problemAt = (id: string): Problem | null => request.value.problems.get(id) ?? null;
