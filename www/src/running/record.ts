import type { ToolCall, Value } from "turnfold";
import { toClojure } from "turnfold/lisp";
import { Fn, Keyword } from "turnfold/turns";
import { newId, type TurnEntry } from "../states/state.ts";
import { isNamed } from "../turns/history.ts";
import { memoryText, readableText } from "./print.ts";

/** The effects and the result of a program. */
export interface Ran {
  readonly prints: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly memory: Readonly<Record<string, Value>>;
  readonly defined: readonly string[];
  readonly value: Value;
  readonly failure: Failure | null;
}

type Failure = Pick<TurnEntry, "reason" | "message" | "hint">;

type Recorded = Omit<TurnEntry, "id" | "program" | "reply">;

/**
 * The fields of a turn after its program ran.
 *
 * @param known the functions that the turn defined in its previous run.
 */
export function recordOf(ran: Ran, known: TurnEntry["functions"] = []): Recorded {
  const { memory, defined, failure } = ran;
  const seen = {
    prints: ran.prints.map((text) => ({ id: newId(), text })),
    calls: ran.toolCalls.map((call) => ({
      id: newId(),
      name: call.name,
      args: readableText(call.args),
      result: call.error ? "" : readableText(call.result ?? null),
      error: call.error ?? "",
    })),
  };
  if (failure !== null) {
    return { ...seen, success: false, result: "", memory: "", functions: [], lost: defined.join(" "), ...failure };
  }
  // The return type of a function is known only after a call; until then, that of the previous run is kept.
  const returnsOf = (name: string): string => known.find((row) => row.name === name)?.returns ?? "";
  const own = Object.fromEntries(defined.map((name): [string, Value] => [name, memory[name] ?? null]));
  return {
    ...seen,
    success: true,
    result: readableText(ran.value),
    reason: "",
    message: "",
    hint: "",
    lost: "",
    memory: memoryText(own),
    functions: Object.entries(own).flatMap(([name, value]) =>
      value instanceof Fn
        ? [
            {
              id: newId(),
              name,
              params: value.params,
              doc: value.doc ?? "",
              returns: value.returnType ?? returnsOf(name),
            },
          ]
        : [],
    ),
  };
}

/** The failure described by the value of a failed program: a map with a reason and a message, or any other value. */
export function failureFrom(value: Value): Failure {
  const { reason, message, hint } = isNamed(value) ? value : {};
  return {
    reason: reason instanceof Keyword ? reason.name : typeof reason === "string" ? reason : "failed",
    message: typeof message === "string" ? message : toClojure(value).text,
    hint: typeof hint === "string" ? hint : "",
  };
}
