import type { ExactCounter } from "turnfold/tokens/o200k";
import type { CounterChoice } from "./settings.ts";

export type ExactChoice = Exclude<CounterChoice, "estimate">;

/** Functions that load an exact counter with its vocabulary. */
export const exactCounters: Readonly<Record<ExactChoice, () => Promise<ExactCounter>>> = {
  o200k: async () => (await import("turnfold/tokens/o200k")).o200k(),
  cl100k: async () => (await import("turnfold/tokens/cl100k")).cl100k(),
};
