import { computed, signal } from "@preact/signals";
import {
  type Compression,
  later,
  type Rendered,
  type RenderOptions,
  SubAgent,
  T,
  type Tools,
  type Turn,
  toMessages,
  type Value,
} from "turnfold";
import { type Problem, problemOf, refusedOption } from "../page/problem.ts";
import { isFunctionText, readAnswer } from "../running/answers.ts";
import { inputs, obstacle } from "../running/sandbox.ts";
import type { ToolRow } from "../states/state.ts";
import { counter, outcome, state } from "../states/store.ts";
import { requestHistoryOf } from "../tokens/request-history.ts";
import { attemptFrame, optionsWith } from "../turns/frames.ts";
import type { StrategyChoice } from "../turns/options.ts";
import { type Frame, TokenCache } from "../turns/render.ts";
import { wholeTurns } from "../turns/turn-list.ts";

/** The agent of the page with its data and options. */
export interface Setup {
  readonly agent: SubAgent;
  readonly data: Readonly<Record<string, unknown>>;
  readonly options: RenderOptions;
}

/** The agent, or the error that prevents it. The error is null when a field shows it. */
export const setup = computed((): { readonly setup: Setup | null; readonly problem: Problem | null } => {
  const { options, data } = outcome.value;
  if (options === null || obstacle.value !== null) return { setup: null, problem: null };
  try {
    return { setup: { agent: agentOf(options), data, options }, problem: null };
  } catch (error) {
    const option = refusedOption(error);
    const problem = problemOf(error);
    return {
      setup: null,
      problem: option === "mission" ? { ...problem, message: `Mission: ${problem.message}` } : problem,
    };
  }
});

const OPENING = /\{\{/;

function agentOf(all: RenderOptions): SubAgent {
  const { mission, systemPrompt, signature, fieldDescriptions, maxTurns, compression } = asOfAgent(all);
  const { tools, limits } = inputs.value.options;
  return new SubAgent({
    mission: OPENING.test(mission) ? T(mission) : mission,
    tools: waitingTools(tools ?? {}),
    limits: limits ?? {},
    compression,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(signature === undefined ? {} : { signature: String(signature) }),
    ...(fieldDescriptions === undefined ? {} : { fieldDescriptions }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  });
}

/** The tools with what makes calls of an agent wait. */
const waitingTools = (tools: Tools): Tools => ({
  ...tools,
  ...Object.fromEntries(
    state.value.tools
      .filter(({ needsApproval, answersLater }) => needsApproval || answersLater)
      .map((row) => [
        row.name.trim(),
        {
          ...(tools[row.name.trim()] as object),
          ...(row.needsApproval && { needsApproval: conditionOf(row) }),
          ...(row.answersLater && { run: () => later() }),
        },
      ]),
  ),
});

/** Why the condition of a tool's approval can't be read; null when it can. */
export const conditionTrouble = ({ approvalIf }: ToolRow): string | null =>
  approvalIf.trim() === "" || isFunctionText(approvalIf.trim())
    ? null
    : "Write a JavaScript function, such as ({euros}) => euros > 50, or nothing";

/** Whether a call needs an approval. */
function conditionOf(
  row: ToolRow,
): true | ((args: Value, options: { readonly signal?: AbortSignal }) => Promise<boolean>) {
  const trouble = conditionTrouble(row);
  if (trouble !== null) throw new TypeError(`${row.name.trim()} asks only if: ${trouble}`);
  if (row.approvalIf.trim() === "") return true;
  const condition = readAnswer(row.approvalIf);
  return async (args, { signal }) => (await condition([args], signal)) as boolean;
}

/**
 * The options as an agent has them: limits are options of its strategy, so without one there are none, and it counts its turns
 * itself.
 */
function asOfAgent({
  turnsLeft: _,
  printlnLimit,
  toolCallLimit,
  sampleLimit,
  samplePrintableLimit,
  printLength,
  toolResults,
  ...options
}: RenderOptions): RenderOptions & { readonly compression: Compression } {
  const { compression } = options;
  const [name, own] = Array.isArray(compression) ? (compression as [string, object]) : [compression, {}];
  if (typeof name !== "string") return { ...options, compression: false };
  const limits = { printlnLimit, toolCallLimit, sampleLimit, samplePrintableLimit, printLength, toolResults };
  const given = Object.entries({ ...limits, ...own }).filter(([, value]) => value !== undefined);
  return { ...options, compression: [name, Object.fromEntries(given)] as unknown as Compression };
}

/** The agent and the turns of the current run. */
export const live = signal<(Setup & { readonly turns: readonly Turn[] }) | null>(null);

const cache = new TokenCache();

interface Next {
  /** The number of the turn that the messages request. */
  readonly turn: number;
  /** The turns before it. */
  readonly turns: readonly Turn[];
  /** The frame; with a problem, the last valid one. */
  readonly frame: Frame | null;
  readonly stale: boolean;
  readonly problem: Problem | null;
}

let lastGood: Frame | null = null;

/** The agent whose messages are shown, and its turns: during a run, those of the run and not the edited ones. */
const shownRun = computed(
  () => live.value ?? (setup.value.setup && { ...setup.value.setup, turns: outcome.value.turns.all }),
);

/** The messages that request the next turn. */
export const next = computed((): Next => {
  const now = shownRun.value;
  const turn = (live.value?.turns ?? state.value.turns).length + 1;
  if (now === null) {
    const turns = outcome.value.turns.all;
    return { turn, turns, frame: lastGood, stale: true, problem: setup.value.problem };
  }
  const { turns } = now;
  try {
    lastGood = frameOf(now, turns, cache);
    return { turn, turns, frame: lastGood, stale: false, problem: null };
  } catch (error) {
    return { turn, turns, frame: lastGood, stale: true, problem: problemOf(error) };
  }
});

const cacheBefore = new TokenCache();

/** The messages that requested the turn after the first `count` turns, of the shown run or another one of its agent. */
export function nextAt(count: number, turns?: readonly Turn[]): Frame | null {
  const now = shownRun.value;
  if (now === null || count < 0) return null;
  return attemptFrame(() => frameOf(now, (turns ?? now.turns).slice(0, count), cacheBefore));
}

const cacheOfOther = new TokenCache();

/** The frame after `count` turns with another strategy. */
export function nextWith(strategy: StrategyChoice, count: number): Frame | null {
  const now = shownRun.value;
  const options = optionsWith(strategy);
  if (now === null || options === null) return null;
  return attemptFrame(() =>
    frameOf({ agent: agentOf(options), data: now.data, options }, now.turns.slice(0, count), cacheOfOther),
  );
}

function frameOf(setup: Setup, turns: readonly Turn[], cache: TokenCache): Frame {
  const { agent, data } = setup;
  const options = requestOptions(setup);
  return cache.frame(agent.preview({ data, turns }), toMessages(turns, null, { ...options, compression: false }), {
    counter: counter.value,
    requestHistory: requestHistoryOf(wholeTurns(turns), options),
  });
}

const optionsOfAgents = new WeakMap<SubAgent, RenderOptions>();

/** The options with which `toMessages` renders the requests of an agent, whose mission can be a template. */
function requestOptions({ agent, data, options }: Setup): RenderOptions {
  const known = optionsOfAgents.get(agent);
  if (known !== undefined) return known;
  const made = { ...asOfAgent(options), mission: missionOf(agent.preview({ data })) };
  optionsOfAgents.set(agent, made);
  return made;
}

function missionOf({ messages, sections }: Rendered): string {
  const { message = 0, start = 0, end = 0 } = sections.find(({ kind }) => kind === "mission") ?? {};
  return messages[message]?.content.slice(start, end) ?? "";
}
