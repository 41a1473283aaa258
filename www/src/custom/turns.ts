import { effect } from "@preact/signals";
import type { RenderOptions } from "turnfold";
import { complaint, messageOf, type Problems } from "../problem.ts";
import type { State } from "../state.ts";
import { outcome, state } from "../store.ts";
import { savedRun } from "../tokens/saved-run.ts";
import { optionsOf } from "../turns/render.ts";
import type { TurnList } from "../turns/turn-list.ts";
import { CustomError } from "./custom-error.ts";
import { allowed, CUSTOM_FIELD, isRanOf, ran } from "./ran.ts";
import { RequestTable, type SavedRequests, waiting } from "./requests.ts";
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

async function run(now: State, turns: TurnList, options: RenderOptions): Promise<void> {
  const step = savedRun({ turns: turns.after(turns.length, options), options });
  try {
    const source = now.customStrategy || samples.turns;
    const saved = await sandbox.run<SavedRequests>(source, { kind: "turns", step, turnsLeft: options.turnsLeft });
    ran.value = { of: now, table: new RequestTable(saved), problem: null };
  } catch (error) {
    const problem = error instanceof CustomError ? error.problem : complaint(messageOf(error));
    ran.value = { of: now, table: waiting, problem };
  }
}
