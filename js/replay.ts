import { missionText, requestOf } from "./agent.ts";
import { decodePlain, decodeRecord } from "./decode.ts";
import { describe } from "./describe.ts";
import type { Reply, ToolRequest } from "./drive.ts";
import { encode } from "./encode.ts";
import { TurnfoldError } from "./errors.ts";
import { checkRunOptions, Run, type RunOptions, runAgent, type Said, type Source, type ToolAnswer } from "./run.ts";
import { type FinishedStep, isStep, partsOf, type Step, type StepParts } from "./step.ts";
import { agentOf, type SubAgent } from "./subagent.ts";
import type { Turn } from "./turn.ts";
import type { Value } from "./values.ts";

/**
 * Runs a step's agent again from the recorded replies and tool results, asking nobody. Gives a step of the same bytes.
 *
 * @throws {TurnfoldError} `replay_diverged`, with the turn in `details`, where the agent would now do something else.
 */
export async function replay(agent: SubAgent, step: Step): Promise<FinishedStep> {
  const parts = partsOf(checkStep(step));
  const own = agentOf(agent);
  const { mission, warnings } = missionText(own, decodePlain(JSON.parse(parts.data)) as Record<string, unknown>);
  const { systemPrompt } = parts.options;
  const inherited = { ...own, compression: own.compression ?? parts.options.compression };
  const request = {
    ...requestOf(inherited, mission, undefined),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  const recording = new Recording(parts);
  const run = new Run({
    agent: inherited,
    request,
    data: parts.data,
    source: recording,
    warnings,
    // Programs were stopped by the clock of that day; today's has no say.
    timeout: Number.POSITIVE_INFINITY,
    onTurn: (turn) => recording.compare(turn),
  });
  const again = await run.run();
  const [then, now] = [step.toJSON(), again.toJSON()] as [Record<string, unknown>, Record<string, unknown>];
  const different = Object.keys(then).find((name) => JSON.stringify(then[name]) !== JSON.stringify(now[name]));
  if (different !== undefined)
    throw diverged(parts.turns.length, `its ${different} would be different`, { member: different });
  return again;
}

/**
 * Goes on from a turn of a step, from 1: those before it stay, and it is asked for again; or `program` is run as that turn.
 * One past the last turn goes on behind it.
 *
 * @throws {TurnfoldError} `out_of_range`, and what {@link SubAgent.run} throws.
 */
export async function fork(
  agent: SubAgent,
  step: Step,
  turn: number,
  options: RunOptions & { program?: string } = {},
): Promise<FinishedStep> {
  const { turns, log, sent, data } = partsOf(checkStep(step));
  const { program, ...others } = options;
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
  if (program !== undefined && typeof program !== "string") {
    throw new TurnfoldError("invalid_option", `program must be a text, got ${describe(program)}`, {
      details: { option: "program" },
    });
  }
  const given = checkRunOptions(others);
  const past = {
    turns: turns.slice(0, turn - 1),
    log: log.slice(0, turn - 1),
    sent: sent?.slice(0, turn - 1) ?? null,
    program,
  };
  return runAgent(
    agentOf(agent),
    { ...given, data: given.data ?? { ...decodeRecord(JSON.parse(data)) } },
    undefined,
    past,
  );
}

function checkStep(step: unknown): Step {
  if (isStep(step)) return step;
  throw new TurnfoldError("invalid_argument", `a step is needed, got ${describe(step)}`, {
    hint: "give what run() gave, or Step.fromJSON(saved)",
  });
}

function diverged(turn: number, problem: string, details: Record<string, unknown> = {}): TurnfoldError {
  return new TurnfoldError("replay_diverged", `the run would go another way at turn ${turn}: ${problem}`, {
    details: { turn, ...details },
    hint: "replay with the agent that the step was made with, or fork it from that turn",
  });
}

/** What happened, in the place of a model and of tools. */
class Recording implements Source {
  private readonly parts: StepParts;
  /** Calls of the turn under way that have been answered. */
  private readonly used = new Set<number>();
  private turn = 1;

  constructor(parts: StepParts) {
    this.parts = parts;
  }

  async reply(turn: number): Promise<Said> {
    const { turns, log, fail } = this.parts;
    const recorded = turns[turn - 1];
    if (recorded !== undefined) {
      const { at = 0, usage = {} } = log[turn - 1] ?? {};
      return { content: recorded.rawResponse, usage, at };
    }
    if (fail === null) throw diverged(turn, "the model would be asked once more");
    return { reason: fail.reason, message: fail.message };
  }

  async call({ id, tool }: ToolRequest, args: Value): Promise<ToolAnswer> {
    const turn = this.parts.turns[this.turn - 1];
    const same = encode(args);
    const index = (turn?.toolCalls ?? []).findIndex(
      (call, place) => !this.used.has(place) && call.name === tool && encode(plainArgs(turn, place)) === same,
    );
    if (turn === undefined || index < 0) {
      throw diverged(this.turn, `it would call ${tool} with ${same}`, { tool, args });
    }
    this.used.add(index);
    const saved = callsOf(turn)[index] as SavedCall;
    const reply: Reply = { id, durationMs: saved.durationMs ?? 0 };
    if (saved.error === null) reply.result = JSON.stringify(saved.result);
    else reply.error = saved.error.replace(`\`${tool}\` failed: `, "");
    if (saved.step === undefined) return { reply };
    reply.step = JSON.stringify(saved.step);
    const { step } = turn.toolCalls[index] as { step: Step };
    return { reply, nested: step.usage };
  }

  elapsed(): number {
    return this.parts.usage.durationMs;
  }

  /** @throws {TurnfoldError} `replay_diverged` */
  compare(turn: Turn): void {
    const recorded = this.parts.turns[this.turn - 1];
    const [then, now] = [recorded?.toJSON() ?? {}, turn.toJSON()] as Record<string, unknown>[];
    const names = Object.keys({ ...then, ...now });
    const member = names.find((name) => JSON.stringify(then?.[name]) !== JSON.stringify(now?.[name]));
    if (member !== undefined) throw diverged(this.turn, `its ${member} would be different`, { member });
    this.turn++;
    this.used.clear();
  }
}

/** A call as saved: values in their lossless form. */
interface SavedCall {
  args: unknown;
  result: unknown;
  error: string | null;
  durationMs: number | null;
  step?: unknown;
}

function callsOf(turn: Turn): SavedCall[] {
  return (turn.toJSON() as { toolCalls: SavedCall[] }).toolCalls;
}

function plainArgs(turn: Turn | undefined, place: number): Value {
  return turn === undefined ? null : decodePlain((callsOf(turn)[place] as SavedCall).args);
}
