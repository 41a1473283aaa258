import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { KnownNames } from "turnfold";
import { outcome, state } from "../../states/store.ts";

/** The names that a program may use: tools, data, and definitions of earlier programs. */
export const knownNames = (memory: readonly string[]): KnownNames => ({
  tools: state.value.tools.map((tool) => tool.name.trim()).filter((name) => name !== ""),
  data: Object.keys(outcome.value.data),
  memory,
});

/** `knownNames` as a hook, which returns the same object until a name changes. */
export function useKnownNames(memory: () => readonly string[]): KnownNames {
  const key = useComputed(() => JSON.stringify(knownNames(memory()))).value;
  return useMemo(() => JSON.parse(key) as KnownNames, [key]);
}
