import { Turn } from "turnfold";
import type { RequestHistory } from "./request-history.ts";

interface SavedTurn {
  readonly memory?: unknown;
  readonly [member: string]: unknown;
}

/** The turns with the options of their requests, as a saved step. */
export function savedRun({ turns, options }: Pick<RequestHistory, "turns" | "options">): object {
  const { data = {}, compression: _, ...request } = options;
  return {
    version: 1,
    ok: false,
    return: null,
    fail: null,
    turns: turns.map((turn) => {
      const { memory, ...others } = turn.toJSON() as SavedTurn;
      // Earlier turns of the page have only their own definitions as memory, which `changed` in a saved step can express.
      return isPlain(memory) ? { ...others, changed: { values: memory } } : { ...others, memory };
    }),
    request: { ...request, data: encoded(data) },
    warnings: [],
    usage: { turns: turns.length, durationMs: 0, toolCalls: 0, compression: {} },
    log: [],
  };
}

/** Encodes values in the lossless form of saved turns. */
const encoded = (memory: object): unknown =>
  (Turn.success({ number: 1, program: "", result: null, memory: { ...memory } }).toJSON() as SavedTurn).memory ?? {};

/** Whether the member names of a saved memory are its names; otherwise it is a list of pairs. */
const isPlain = (memory: unknown): memory is object =>
  typeof memory === "object" && memory !== null && Object.keys(memory).every((name) => !/^[$\d]/.test(name));
