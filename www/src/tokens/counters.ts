import { batch, signal } from "@preact/signals";
import { estimate, type TokenCounter } from "turnfold/chat";
import type { ExactCounter } from "turnfold/tokens/o200k";
import { messageOf } from "../page/problem.ts";
import { type ExactChoice, exactCounters } from "./exact.ts";
import type { CounterChoice } from "./settings.ts";

const loaded = signal<Readonly<Partial<Record<ExactChoice, ExactCounter>>>>({});

/** The exact counters that are loading. */
export const loading = signal<ReadonlySet<CounterChoice>>(new Set());

/** Why exact counters could not be loaded. */
export const missing = signal<ReadonlyMap<CounterChoice, string>>(new Map());

/** The counter with this name, or the estimate until that counter is loaded. */
export const counterFor = (choice: CounterChoice): TokenCounter =>
  choice === "estimate" ? estimate : (loaded.value[choice] ?? estimate);

/** The exact counter with this name; null until it is loaded. */
export const exactCounterFor = (choice: ExactChoice): ExactCounter | null => loaded.value[choice] ?? null;

/** Loads the vocabulary of a counter once. A call after a failure tries again. */
export async function loadCounter(choice: CounterChoice): Promise<void> {
  if (choice === "estimate" || loaded.peek()[choice] !== undefined || loading.peek().has(choice)) return;
  batch(() => {
    loading.value = new Set([...loading.peek(), choice]);
    missing.value = new Map([...missing.peek()].filter(([name]) => name !== choice));
  });
  const counter = await exactCounters[choice]().catch(messageOf);
  batch(() => {
    loading.value = new Set([...loading.peek()].filter((name) => name !== choice));
    if (typeof counter === "string") missing.value = new Map([...missing.peek(), [choice, counter]]);
    else loaded.value = { ...loaded.peek(), [choice]: counter };
  });
}
