import { decodeData, decodePlain, decodeRecord } from "../boundary/decode.ts";
import { encode, pathStep as stepOf } from "../boundary/encode.ts";
import { textOption } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { DIVERGED, type ToolReply, type ToolRequest } from "../sandbox/program-record.ts";
import type { RenderStats } from "../turns/rendered.ts";
import type { Turn } from "../turns/turn.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { missionText, requestOf, type Validation } from "./agent.ts";
import type { ReplyOutcome, ReplySource, ToolOutcome } from "./reply-source.ts";
import { Run } from "./run.ts";
import { checkRunOptions, runAgent } from "./run-agent.ts";
import type { RunOptions } from "./run-options.ts";
import { checkStep, type FinishedStep, partsOf, type Step, type StepParts } from "./step.ts";
import { type AnyAgent, agentOf, type StepResult, type SubAgent } from "./subagent.ts";

/**
 * Runs a step's agent again with the recorded replies and tool results. Calls neither the model nor tools. Resolves to
 * a step with the same bytes.
 *
 * If the run is the same but the texts for its model differ, the error is `rendering_changed`, not `replay_diverged`:
 * `details` has the numbers of the `turns` with other texts, and the new `step`. A newer version of this package may
 * word errors and messages differently.
 *
 * @example
 * ```ts
 * const loaded = Step.fromJSON(JSON.stringify(step));
 * const again = await replay(agent, loaded);
 * ```
 * @throws {TurnfoldError} `replay_diverged` when the agent would now act differently: `details` has the first `turn`
 * that differs, and its `member` and `path` that differ, with the value `recorded` and the value `now`;
 * `rendering_changed`.
 */
export async function replay<S extends string, V extends Validation>(
  agent: SubAgent<S, V>,
  step: Step<unknown>,
): Promise<FinishedStep<StepResult<S, V>>> {
  return (await replayStep(agent, step)) as FinishedStep<StepResult<S, V>>;
}

async function replayStep(agent: AnyAgent, step: Step<unknown>): Promise<FinishedStep> {
  const parts = partsOf(checkStep(step));
  const own = agentOf(agent);
  // A run without inputs cannot diverge.
  if (parts.fail?.reason === "chained_failure" && parts.turns.length === 0) return step as FinishedStep;
  const { mission, warnings } = missionText(own, decodeData(parts.data));
  const { systemPrompt } = parts.options;
  const inherited = { ...own, compression: own.compression ?? parts.options.compression };
  const request = {
    ...requestOf(inherited, mission, undefined),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  const recording = new RecordedSource(parts);
  const run = new Run({
    agent: inherited,
    request,
    data: parts.data,
    source: recording,
    warnings,
    // The recorded clock is used, not the current one.
    timeout: Number.POSITIVE_INFINITY,
    onTurn: (turn) => recording.compare(turn),
  });
  const again = await run.run();
  const [then, now] = [step.toJSON(), again.toJSON()] as [SavedRun, SavedRun];
  const texts = recording.changedTexts;
  then.sent?.forEach((messages, index) => {
    if (!isEqual(messages, now.sent?.[index])) texts.add(index + 1);
  });
  const difference = differenceOf(withoutModelTexts(then), withoutModelTexts(now));
  if (difference !== null) throw divergedError(parts.turns.length, describeDifference(difference), difference);
  if (texts.size === 0 && isEqual(then, now)) return again;
  const turns = [...texts].sort((left, right) => left - right);
  const where = turns.length === 0 ? "" : ` at turn ${turns.join(", ")}`;
  throw new TurnfoldError(
    "rendering_changed",
    `the run goes the same way, but its model would read other texts${where}`,
    {
      details: { turns, step: again },
      hint: "another version of turnfold wrote them; `details.step` has the run with the texts of this one",
    },
  );
}

/** A saved step, as far as a replay compares it. */
interface SavedRun {
  [member: string]: unknown;
  sent?: unknown[];
  usage: Record<string, unknown>;
  fail: { reason: string } | null;
}

/** A saved run without its turns, which are compared one by one, and without the texts that only the model reads. */
function withoutModelTexts({ turns: _, sent: __, usage, fail, ...others }: SavedRun): Record<string, unknown> {
  const { compression: ___, ...spent } = usage;
  return { ...others, usage: spent, fail: fail?.reason ?? null };
}

/**
 * A saved turn without what only the model reads: the wording of an error, and the names that a failed turn would have
 * defined.
 */
function withoutErrorTexts(turn: Record<string, unknown>): Record<string, unknown> {
  if (turn.success !== false) return turn;
  const { message: _, hint: __, ...result } = Object(turn.result) as Record<string, unknown>;
  return { ...turn, result, defined: [] };
}

/** The first place at which two saved runs or turns differ, with both values. */
interface Difference {
  /** The member of the run or turn. */
  member: string;
  /** The path from there: `toolCalls[0].result`. */
  path: string;
  recorded: unknown;
  now: unknown;
}

function differenceOf(then: Record<string, unknown>, now: Record<string, unknown>): Difference | null {
  const member = Object.keys({ ...then, ...now }).find((name) => !isEqual(then[name], now[name]));
  if (member === undefined) return null;
  let [path, recorded, other] = [member, then[member], now[member]];
  // Descends into lists and objects as long as both sides have the same kind.
  while (typeof recorded === "object" && recorded !== null && typeof other === "object" && other !== null) {
    const [left, right] = [recorded, other] as Record<string, unknown>[];
    const key = Object.keys({ ...left, ...right }).find((name) => !isEqual(left?.[name], right?.[name]));
    if (key === undefined || Array.isArray(recorded) !== Array.isArray(other)) break;
    path += stepOf(Array.isArray(recorded) ? Number(key) : key);
    [recorded, other] = [left?.[key], right?.[key]];
  }
  return { member, path, recorded, now: other };
}

/** Maximum number of characters of a value in an error. */
const MAX_SHOWN_LENGTH = 120;

function abbreviated(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

const describeDifference = ({ path, recorded, now }: Difference): string =>
  `its ${path} would be ${abbreviated(now)} instead of ${abbreviated(recorded)}`;

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Resumes from a turn of a step, counted from 1: earlier turns are kept, and the model is called again for this turn,
 * or `program` runs as this turn. The number after the last turn continues the run, if `maxTurns` leaves turns.
 *
 * @example
 * ```ts
 * const other = await fork(agent, step, 1, { program: '(return [{:name "Desk lamp" :rating 4.8}])' });
 * other.return; // => [ { name: 'Desk lamp', rating: 4.8 } ]
 * ```
 * @throws {TurnfoldError} `out_of_range`, and the errors of {@link SubAgent.run}.
 */
export async function fork<S extends string, V extends Validation>(
  agent: SubAgent<S, V>,
  step: Step<unknown>,
  turn: number,
  options: RunOptions & { program?: string | undefined } = {},
): Promise<FinishedStep<StepResult<S, V>>> {
  return (await forkStep(agent, step, turn, options)) as FinishedStep<StepResult<S, V>>;
}

async function forkStep(
  agent: AnyAgent,
  step: Step<unknown>,
  turn: number,
  options: RunOptions & { program?: string | undefined },
): Promise<FinishedStep> {
  const { turns, log, sent, data } = partsOf(checkStep(step));
  const { program, ...others } = checkForkOptions(options);
  if (!Number.isSafeInteger(turn) || turn < 1 || turn > turns.length + 1) {
    const most = turns.length + 1;
    throw new TurnfoldError(
      "out_of_range",
      `there is no turn ${describe(turn)} to fork at: they go from 1 to ${most}`,
      {
        details: { turn, most },
      },
    );
  }
  const own = agentOf(agent);
  const { maxTurns } = own;
  if (program !== undefined && turn > maxTurns) {
    throw new TurnfoldError("out_of_range", `the program would be turn ${turn}, and the agent has ${maxTurns}`, {
      details: { turn, most: maxTurns },
      hint: "fork with an agent with a larger maxTurns",
    });
  }
  const given = checkRunOptions(others);
  const past = {
    turns: turns.slice(0, turn - 1),
    log: log.slice(0, turn - 1),
    sent: sent?.slice(0, turn - 1) ?? null,
    program,
  };
  return runAgent(own, { ...given, data: given.data ?? decodeRecord(JSON.parse(data)) }, undefined, past);
}

/** Checks only `program`; `checkRunOptions` checks the others. */
function checkForkOptions(options: unknown): RunOptions & { program?: string | undefined } {
  const given = wrapReadErrors("invalid_option", "the options of fork()", () =>
    typeof options === "object" && options !== null ? { ...options } : null,
  ) as (RunOptions & { program?: string | undefined }) | null;
  if (given === null) {
    throw new TurnfoldError("invalid_option", `the options of fork() must be an object, got ${describe(options)}`);
  }
  textOption(given.program, "program");
  return given;
}

function divergedError(turn: number, problem: string, details: object = {}): TurnfoldError {
  return new TurnfoldError(DIVERGED, `the run would go another way at turn ${turn}: ${problem}`, {
    details: { turn, ...details },
    hint: "replay with the agent that the step was made with, or fork it from that turn",
  });
}

/** A recording, as the source of replies. */
class RecordedSource implements ReplySource {
  /** Numbers of the turns whose requests have other texts. */
  readonly changedTexts = new Set<number>();
  private readonly parts: StepParts;
  private turn = 1;
  private recordedCalls: RecordedCalls | null = null;

  constructor(parts: StepParts) {
    this.parts = parts;
  }

  requestTime(turn: number): number | undefined {
    return this.parts.turns[turn - 1]?.at;
  }

  endBefore(turn: number, stats: RenderStats | null): { reason: string; message: string } | null {
    const { turns, fail, sent, usage } = this.parts;
    if (turn <= turns.length || fail?.reason !== "aborted") return null;
    const wasRequested = sent === null ? !isEqual(stats, usage.compression) : sent.length >= turn;
    return wasRequested ? null : fail;
  }

  continuesAfter(turn: number): boolean {
    return turn < this.parts.turns.length;
  }

  async reply(turn: number): Promise<ReplyOutcome> {
    const { turns, log, fail } = this.parts;
    const recorded = turns[turn - 1];
    if (recorded !== undefined) {
      const entry = log[turn - 1] ?? { at: 0, usage: {} };
      if (entry.stopped === true) {
        const { reason } = Object(recorded.result) as { reason?: unknown };
        return { turn: recorded, entry, end: turn === turns.length && fail?.reason === reason ? fail : null };
      }
      return { content: recorded.rawResponse, usage: entry.usage, at: entry.at };
    }
    if (fail === null) throw divergedError(turn, "the model would be asked once more");
    return { reason: fail.reason, message: fail.message, entry: log[turn - 1] };
  }

  async call({ id, tool }: ToolRequest, args: Value): Promise<ToolOutcome> {
    const turn = this.parts.turns[this.turn - 1];
    const { calls, indexes } = this.currentCalls();
    const index = indexes === null ? id : (indexes.get(id) ?? -1);
    const edited = this.parts.log[this.turn - 1]?.edited?.[id];
    const saved = turn?.toolCalls[index]?.name === tool ? calls[index] : undefined;
    const encodedArgs = encode(args);
    if (turn === undefined || saved === undefined || !hasSameArguments(encodedArgs, (edited ?? saved).args)) {
      const recorded = turn?.toolCalls[index];
      const instead =
        turn === undefined || recorded === undefined
          ? ""
          : ` instead of ${recorded.name} with ${abbreviated(calls[index]?.args)}`;
      throw divergedError(this.turn, `it would call ${tool} with ${abbreviated(JSON.parse(encodedArgs))}${instead}`, {
        tool,
        args,
      });
    }
    const reply: ToolReply = { id, durationMs: saved.durationMs ?? 0 };
    if (saved.error === null) reply.result = JSON.stringify(saved.result);
    else {
      reply.error = saved.error.replace(`\`${tool}\` failed: `, "");
      if (saved.result !== null) reply.result = JSON.stringify(saved.result);
    }
    const outcome: ToolOutcome = { reply };
    if (edited !== undefined) outcome.edited = { args: JSON.stringify(saved.args), by: edited.by };
    if (saved.step === undefined) return outcome;
    reply.step = JSON.stringify(saved.step);
    const { step } = turn.toolCalls[index] as { step: Step };
    return { ...outcome, nested: step.usage };
  }

  private currentCalls(): RecordedCalls {
    if (this.recordedCalls?.turn !== this.turn) {
      const turn = this.parts.turns[this.turn - 1];
      const order = this.parts.log[this.turn - 1]?.order;
      this.recordedCalls = {
        turn: this.turn,
        calls: turn === undefined ? [] : (turn.toJSON() as { toolCalls: SavedCall[] }).toolCalls,
        indexes: order === undefined ? null : new Map(order.map((id, index) => [id, index])),
      };
    }
    return this.recordedCalls;
  }

  isIdempotent(): boolean {
    return false;
  }

  elapsed(): number {
    return this.parts.usage.durationMs;
  }

  /** @throws {TurnfoldError} `replay_diverged` */
  compare(turn: Turn): void {
    const recorded = this.parts.turns[this.turn - 1];
    const [then, now] = [recorded?.toJSON() ?? {}, turn.toJSON()] as Record<string, unknown>[];
    const difference = differenceOf(withoutErrorTexts(then ?? {}), withoutErrorTexts(now ?? {}));
    if (difference !== null) {
      const fails = recorded?.success && !turn.success ? ` (${abbreviated(Object(turn.result).message)})` : "";
      throw divergedError(this.turn, `${describeDifference(difference)}${fails}`, difference);
    }
    // The model reads the result of a turn in the request for the next one.
    if (!isEqual(then, now)) this.changedTexts.add(this.turn + 1);
    this.turn++;
  }
}

/** A saved call: values in their lossless form. */
interface SavedCall {
  args: unknown;
  result: unknown;
  error: string | null;
  durationMs: number | null;
  step?: unknown;
}

/** The calls of a recorded turn, which are read once. */
interface RecordedCalls {
  readonly turn: number;
  readonly calls: readonly SavedCall[];
  /** The index of each call by its id; null when they are the same. */
  readonly indexes: ReadonlyMap<number, number> | null;
}

/** True when a function of the host would get the same arguments. */
function hasSameArguments(args: string, saved: unknown): boolean {
  // Decoding changes the data.
  const recorded = encode(decodePlain(structuredClone(saved ?? null)));
  return args === recorded || encode(decodePlain(JSON.parse(args))) === recorded;
}
