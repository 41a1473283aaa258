import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { Message } from "../model/message.ts";
import { ProgramRecord } from "../sandbox/program-record.ts";
import { waitingCalls } from "../sandbox/recorded-call.ts";
import { agentKey } from "../tools/tool.ts";
import { isAgent } from "../tools/tools.ts";
import type { Turn } from "../turns/turn.ts";
import { addInner, checkRecords, type RunRecord } from "../waiting/run-record.ts";
import type { WaitingCall } from "../waiting/waiting-call.ts";
import type { ResumedTurn, RunEnd } from "./run.ts";
import { loadTurns, type SavedTurn } from "./saved-turns.ts";
import { isLogEntry, type LogEntry } from "./step.ts";

/**
 * The state of a run, from what was recorded of it.
 *
 * @internal
 */
export interface RunState {
  readonly start: RunRecord & { type: "start" };
  readonly turns: Turn[];
  readonly log: LogEntry[];
  readonly sent: Message[][];
  /** The turn that had begun. */
  readonly current: readonly RunRecord[];
  readonly nested: ResumedTurn["nested"];
  readonly waiting: readonly WaitingCall[];
  /** What its last turn ended it with. */
  readonly end: RunEnd | undefined;
  /** What is recorded of its end. */
  readonly outcome: unknown;
}

/**
 * @param tools of the agent.
 * @throws {TurnfoldError} `invalid_argument` with the path, `unknown_version`, `invalid_turn`
 */
export function runStateOf(given: unknown, tools: Readonly<Record<string, unknown>>): RunState {
  return wrapReadErrors("invalid_argument", "the records", () => stateOf(checkRecords(given), tools));
}

function stateOf(records: readonly RunRecord[], tools: Readonly<Record<string, unknown>>): RunState {
  const start = records.find(({ type, in: within }) => type === "start" && within === undefined);
  if (start?.type !== "start") {
    throw new TurnfoldError("invalid_argument", "the records lack the first one, with the type start", {
      hint: "give all records of the run, in their order",
    });
  }
  const saved: SavedTurn[] = [];
  const log: LogEntry[] = [];
  const sent: Message[][] = [];
  let current: RunRecord[] = [];
  let nested = new Map<string, RunRecord[]>();
  let end: RunEnd | undefined;
  let outcome: unknown;
  for (const [index, record] of records.entries()) {
    const require = (fits: boolean, member: string) => {
      if (fits) return;
      const path = `records[${index}].${member}`;
      throw new TurnfoldError("invalid_argument", `${path} is not what a run writes`, { details: { path } });
    };
    if (record.in !== undefined) addInner(nested, record);
    else if (record.type === "turn") {
      require(isLogEntry(record.log), "log");
      require(record.end === undefined || isEnd(record.end), "end");
      saved.push(record.turn as SavedTurn);
      log.push(record.log as LogEntry);
      end = record.end as RunEnd | undefined;
      current = [];
      nested = new Map();
    } else if (record.type === "end") {
      require(isOutcome(record.outcome), "outcome");
      outcome = record.outcome;
    } else if (record.type === "reply") {
      require(record.turn === saved.length + 1, "turn");
      current = [record];
      if (record.sent !== undefined) sent.push(record.sent as Message[]);
    } else if (record.type !== "start") current.push(record);
  }
  const within = ({ tool }: { tool: string }, id: string) => {
    const [list, agent] = [nested.get(id), tools[tool]];
    return list === undefined ? null : isAgent(agent) ? agent[agentKey].waiting(list) : runStateOf(list, {}).waiting;
  };
  // An agent goes on.
  const isRepeatable = (tool: string) => isAgent(tools[tool]) || Object(tools[tool]).idempotent === true;
  const idOf = ({ id }: { id: number }) => `${saved.length + 1}.${id}`;
  const waiting =
    current[0]?.type === "reply" ? waitingCalls(ProgramRecord.from(current), idOf, within, isRepeatable) : [];
  return { start, turns: loadTurns(saved), log, sent, current, nested, waiting, end, outcome };
}

const isEnd = (end: unknown): boolean => {
  const { returned, reason, message, details } = Object((end as Partial<RunEnd>).done) as Record<string, unknown>;
  return typeof returned === "string" || [reason, message, details].every((text) => typeof text === "string");
};

const isOutcome = (outcome: unknown): boolean => {
  const { usage, warnings, fail = null } = Object(outcome) as Record<string, unknown>;
  const { reason, message } = Object(fail) as Record<string, unknown>;
  const failed = fail === null || (typeof reason === "string" && typeof message === "string");
  return failed && Array.isArray(warnings) && typeof Object(usage).compression === "object";
};
