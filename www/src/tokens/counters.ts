import { batch, signal } from "@preact/signals";
import { estimate, type TokenCounter } from "turnfold/chat";
import type { ExactCounter } from "turnfold/tokens/o200k";
import { type ExactChoice, exactCounters } from "./exact.ts";
import type { CounterChoice } from "./settings.ts";

const loaded = signal<Readonly<Partial<Record<ExactChoice, ExactCounter>>>>({});

/** The exact counters that are loading. */
export const loading = signal<ReadonlySet<CounterChoice>>(new Set());

/** The exact counters that could not be loaded. */
export const missing = signal<ReadonlySet<CounterChoice>>(new Set());

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
    missing.value = without(missing.peek(), choice);
  });
  const counter = await exactCounters[choice]().catch(() => null);
  batch(() => {
    loading.value = without(loading.peek(), choice);
    if (counter === null) missing.value = new Set([...missing.peek(), choice]);
    else loaded.value = { ...loaded.peek(), [choice]: counter };
  });
}

const without = (set: ReadonlySet<CounterChoice>, choice: CounterChoice): ReadonlySet<CounterChoice> =>
  new Set([...set].filter((each) => each !== choice));
