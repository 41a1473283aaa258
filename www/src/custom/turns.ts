import { effect } from "@preact/signals";
import type { RenderOptions } from "turnfold";
import { complaint, messageOf, type Problems } from "../page/problem.ts";
import type { State } from "../states/state.ts";
import { outcome, state } from "../states/store.ts";
import { savedRun } from "../tokens/saved-run.ts";
import { optionsOf } from "../turns/render.ts";
import type { TurnList } from "../turns/turn-list.ts";
import { CustomError } from "./custom-error.ts";
import { allowed, CUSTOM_FIELD, isRanOf, pricesFor, ran } from "./ran.ts";
import { type Request, RequestTable, type SavedRequests, waiting } from "./requests.ts";
import { samples } from "./samples.ts";
import { Sandbox } from "./sandbox.ts";

/** Turns above which the strategy runs after a pause in typing. */
const MANY = 100;
const PAUSE_MS = 300;

const sandbox = new Sandbox();
let timer: ReturnType<typeof setTimeout> | undefined;

let isFollowed = false;

/** Runs the custom strategy now, and when something changes on which its requests depend. */
export function followCustom(): void {
  if (isFollowed) return;
  isFollowed = true;
  effect(runIfChanged);
}

function runIfChanged(): void {
  const now = state.value;
  const { data, turns, problems: found } = outcome.value;
  if (isRanOf(now) || !allowed.value.has(now.customStrategy)) return;
  const problems: Problems = new Map();
  const options = optionsOf({ ...now, strategy: "none" }, data, problems);
  if (problems.size > 0 || [...found.keys()].some((field) => field !== CUSTOM_FIELD)) return;
  clearTimeout(timer);
  timer = setTimeout(() => void run(now, turns, options), turns.length > MANY ? PAUSE_MS : 0);
}

/** The number of the last run. A run ends when another one begins. */
let last = 0;

async function run(now: State, turns: TurnList, options: RenderOptions): Promise<void> {
  const own = ++last;
  const { turnsLeft } = options;
  const prices = pricesFor(now);
  const source = now.customStrategy || samples.turns;
  const texts = new Map<string, number>();
  const requests: SavedRequests["requests"][number][] = Array.from({ length: turns.length + 1 }, () => null);
  const make = async (counts: readonly number[], step: unknown): Promise<number> => {
    const job = { kind: "turns", step, turnsLeft, prices, counts } as const;
    const made = await sandbox.run<readonly Request[]>(source, job);
    for (const [index, { messages, breakpoints }] of made.entries()) {
      const saved = messages.map(({ role, content }) => {
        const text = texts.get(content) ?? texts.size;
        texts.set(content, text);
        return { role, text };
      });
      requests[counts[index] as number] = { messages: saved, breakpoints };
    }
    return made.length;
  };
  const show = (): void => {
    const table = new RequestTable({ texts: [...texts.keys()], requests: [...requests] });
    ran.value = { of: now, table, problem: null };
  };
  try {
    // The shown request first: those of earlier turns are for the costs and the plots.
    await make([turns.length], savedRun({ turns: turns.after(turns.length, options), options }));
    if (own !== last) return;
    show();
    let rest = [...requests.keys()].slice(0, -1);
    while (rest.length > 0 && own === last) rest = rest.slice(await make(rest, null));
    if (own === last && turns.length > 0) show();
  } catch (error) {
    if (own !== last) return;
    const problem = error instanceof CustomError ? error.problem : complaint(messageOf(error));
    ran.value = { of: now, table: waiting, problem };
  }
}
