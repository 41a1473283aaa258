import { currentTime } from "../boundary/clock.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { WaitReason } from "./waiting-call.ts";

/** The version of the records that this package writes. */
export const RECORDS_VERSION = 1;

/**
 * What happened in a run of an agent or in a chat, one after the other. A record never changes, and what it says has been
 * stored before its effect can be repeated: the list of records is enough to continue in another process. Values are JSON; those
 * of programs have their lossless form.
 *
 * `in` is the id of the call that is a nested agent, for what happens inside of it; it is missing for the run itself.
 *
 * - `start`: the first record of a run; `run` is part of the `callId` that tools get. In a chat, of each exchange.
 * - `reply`: the model has answered. `content` with the time `at` for a turn; for a chat `messages`: the reply, after a summary of the
 *   provider if there is one. `isRejected`: an object in it did not fit. A reply that is `partial` was interrupted.
 * - `history`: the conversation of a chat was changed: one after the other, from the message number `from` on, `removed` messages are
 *   `inserted` instead. The message number `question` then begins the question.
 * - `call`: a tool is about to be called; its approval has been given.
 * - `waiting`: a call waits.
 * - `answer`: a waiting call was answered.
 * - `result`: a call has its result; `value`, `error` with the data of the error in `value`, or the `message` of a chat. `round` counts
 *   how often the program has received results. `args` are those of an answer with other arguments; `step` that of a nested agent.
 * - `suspended`: nothing is left but to wait.
 * - `turn`: a turn ended, as saved by a step, with its entry of the log; `end` is what it ended the run with.
 * - `step`: all calls of a reply have results, and the conversation of the chat has them.
 * - `end`: the run or the exchange has ended. `outcome` is what is saved of a step; null for a chat.
 *
 * `calibration` is what a chat has learned about the counts of its provider.
 */
export type RunRecord = { readonly in?: string } & (
  | {
      readonly type: "start";
      readonly version: number;
      readonly run: string;
      readonly at: number;
      /** The inputs of a run. */
      readonly data?: unknown;
      /** The program of a sandbox, and a hash of the definitions with which it began. */
      readonly program?: string;
      readonly definitions?: string;
      /** The question of a chat; empty when an exchange was resumed, or the end of the conversation is answered. */
      readonly messages?: unknown;
    }
  | {
      readonly type: "reply";
      readonly at: number;
      readonly turn?: number;
      readonly content?: string;
      readonly sentAt?: number;
      readonly run?: string;
      readonly messages?: unknown;
      readonly finishReason?: string;
      readonly isRejected?: true;
      /** What the model chose in a step of a `ReAct`. */
      readonly step?: unknown;
      readonly usage: unknown;
      /** The messages of the request and their statistics, where a function of the host contributed to them. */
      readonly sent?: unknown;
      readonly stats?: unknown;
    }
  | {
      readonly type: "history";
      readonly changes: readonly {
        readonly from: number;
        readonly removed: number;
        readonly inserted: readonly unknown[];
      }[];
      readonly question: number;
    }
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly args: unknown }
  | {
      readonly type: "waiting";
      readonly id: string;
      readonly tool: string;
      readonly args: unknown;
      /** `agent`: the nested agent that the tool is waits. */
      readonly reason: WaitReason | "agent";
      readonly info: unknown;
      /** The step of the nested agent, in a saved step. Its own records are elsewhere in a list of records. */
      readonly step?: unknown;
    }
  | { readonly type: "answer"; readonly id: string; readonly answer: unknown }
  | {
      readonly type: "result";
      readonly id: string;
      readonly tool: string;
      readonly round?: number;
      readonly value?: unknown;
      readonly error?: string;
      readonly args?: unknown;
      /** In a saved step, which has no record that the call began: the arguments that the program gave. */
      readonly call?: unknown;
      readonly step?: unknown;
      readonly message?: unknown;
      readonly durationMs: number;
    }
  | { readonly type: "suspended"; readonly rounds: number; readonly calibration?: unknown }
  | { readonly type: "turn"; readonly turn: unknown; readonly log: unknown; readonly end?: unknown }
  | { readonly type: "step" }
  | { readonly type: "end"; readonly outcome: unknown; readonly calibration?: unknown }
);

/**
 * Stores a record. The run goes on when the promise is resolved; when it is rejected, the run ends with `record_failed`.
 */
export type OnRecord = (record: RunRecord) => unknown;

/**
 * A new id of a run.
 *
 * @internal
 */
export function newRunId(): string {
  // Without `crypto` in some old hosts.
  return globalThis.crypto?.randomUUID?.() ?? `${currentTime().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

type Kind = "string" | "number" | "json" | "list" | "object";

/**
 * A record of the agent that a call is, as one of its caller.
 *
 * @internal
 */
export function inCall(id: string, record: RunRecord): RunRecord {
  return { ...record, in: record.in === undefined ? id : `${id}/${record.in}` };
}

/**
 * Adds a record of a nested agent to those of the call that it is, as the agent wrote it.
 *
 * @internal
 */
export function addInner(lists: Map<string, RunRecord[]>, { in: within = "", ...own }: RunRecord): void {
  const [id = "", ...inner] = within.split("/");
  const list = lists.get(id) ?? [];
  lists.set(id, list);
  list.push((inner.length === 0 ? own : { in: inner.join("/"), ...own }) as RunRecord);
}

/** The members of the records of each type, with their types; those that may be missing end with `?`. */
const MEMBERS: Readonly<Record<RunRecord["type"], Readonly<Record<string, Kind | `${Kind}?`>>>> = {
  start: {
    version: "number",
    run: "string",
    at: "number",
    data: "object?",
    program: "string?",
    definitions: "string?",
  },
  reply: {
    at: "number",
    usage: "object",
    turn: "number?",
    content: "string?",
    sentAt: "number?",
    sent: "list?",
    stats: "object?",
    messages: "list?",
  },
  history: { changes: "list", question: "number" },
  call: { id: "string", tool: "string", args: "json" },
  waiting: { id: "string", tool: "string", args: "json", reason: "string", step: "object?" },
  answer: { id: "string", answer: "json" },
  result: {
    id: "string",
    tool: "string",
    durationMs: "number",
    round: "number?",
    error: "string?",
    args: "json?",
    call: "json?",
    step: "object?",
    message: "object?",
  },
  suspended: { rounds: "number" },
  turn: { turn: "object", log: "object", end: "object?" },
  step: {},
  end: { outcome: "json" },
};

function hasKind(value: unknown, kind: string): boolean {
  if (value === undefined) return kind.endsWith("?");
  const plain = kind.replace("?", "");
  if (plain === "json") return true;
  if (plain === "list") return Array.isArray(value);
  if (plain === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return plain === "number" ? Number.isFinite(value) : typeof value === plain;
}

/**
 * Returns a list of records if it is one.
 *
 * @throws {TurnfoldError} `invalid_argument` with the path, `unknown_version`
 *
 * @internal
 */
export function checkRecords(given: unknown): RunRecord[] {
  if (!Array.isArray(given)) {
    throw new TurnfoldError("invalid_argument", `records are a list, got ${describe(given)}`);
  }
  for (const [index, record] of Array.from(given as unknown[]).entries()) {
    const refuse = (path: string, value: unknown): never => {
      throw new TurnfoldError("invalid_argument", `records[${index}]${path} is ${describe(value)}`, {
        details: { path: `records[${index}]${path}` },
        hint: "give the records as onRecord got them, in their order",
      });
    };
    if (typeof record !== "object" || record === null) refuse("", record);
    const { type } = record as { type?: unknown };
    if (typeof type !== "string" || !Object.hasOwn(MEMBERS, type)) refuse(".type", type);
    const members = { in: "string?", ...MEMBERS[type as RunRecord["type"]] };
    for (const [name, kind] of Object.entries(members)) {
      const value = (record as Record<string, unknown>)[name];
      if (!hasKind(value, kind)) refuse(`.${name}`, value);
    }
    const { version } = record as { version?: unknown };
    if (type === "start" && version !== RECORDS_VERSION) {
      throw new TurnfoldError("unknown_version", `records of version ${describe(version)} can't be read`, {
        details: { version },
        hint: "read them with the version of turnfold that wrote them, or a newer one",
      });
    }
  }
  return given as RunRecord[];
}
