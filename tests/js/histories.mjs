import { Turn } from "turnfold";

/** A turn with every member set; its number is in all of them. */
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

/** `length` turns, numbered from 1. */
export function historyOf(length) {
  return Array.from({ length }, (_, index) => turnNumbered(index + 1));
}

/** Equal turns as new objects, which no cache holds. */
export function reloaded(turns) {
  return turns.map((turn) => Turn.fromJSON(JSON.stringify(turn)));
}

/** A rendering as plain data, including its lazy members. */
export function plain(rendered) {
  const { sharedPrefix, ...rest } = rendered;
  return structuredClone(rest);
}
