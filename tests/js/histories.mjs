import { Turn } from "turnfold";

/** A turn with something of everything; which turn it is shows in all of it. */
export function turnNumbered(number) {
  return Turn.success({
    number,
    program: `(def step-${number} (tool/search {:q "${number}"}))`,
    prints: [`searched ${number}`],
    toolCalls: [{ name: "search", args: { q: `${number}` }, result: [number] }],
    memory: Object.fromEntries(Array.from({ length: number }, (_, index) => [`step-${index + 1}`, [index + 1]])),
    defined: [`step-${number}`],
  });
}

/** A turn that failed. */
export function failureNumbered(number) {
  return Turn.failure({
    number,
    program: "(foo)",
    result: { reason: "unbound_var", message: "`foo` is not defined", hint: "did you mean `for`?" },
  });
}

/** As many turns, numbered from 1. */
export function historyOf(length) {
  return Array.from({ length }, (_, index) => turnNumbered(index + 1));
}

/** The same turns as other objects, which no cache knows. */
export function reloaded(turns) {
  return turns.map((turn) => Turn.fromJSON(JSON.stringify(turn)));
}

/** A rendering as plain data, its lazily made members included. */
export function plain(rendered) {
  const { sharedPrefix, ...rest } = rendered;
  return structuredClone(rest);
}
