import { toClojure, typeOf } from "../sandbox/clojure.ts";
import type { LispResult } from "../sandbox/lisp.ts";
import { toMessages } from "../turns/to-messages.ts";
import { Turn } from "../turns/turn.ts";
import { Ref, type Value } from "../values/values.ts";
import type { WaitingCall } from "../waiting/waiting-call.ts";

/** A program in a reply, without the fence that models often write around it. */
export function withoutFence(program: string): string {
  return /^\s*```[^\n]*\n([\s\S]*?)\n?\s*```\s*$/.exec(program)?.[1] ?? program;
}

/** The program that goes on with one that waits. */
export const RESUME = "(resume)";

/** The value of a program, lossless, and the name of a definition that has it. */
export interface ProgramValue {
  readonly value: Value;
  readonly name: string | undefined;
}

/** What a model reads of a program: its definitions as samples, its calls, what it printed, its value or its error. */
export function programText(program: string, result: LispResult, own: ProgramValue): string {
  if (result.status === "waiting") return waitingText(result.waiting);
  const value = shownValue(result, own);
  const defined = result.defined.filter((name) => value === null || name !== own.name);
  const turn = turnOf(program, { ...result, defined });
  const compression = result.ok ? "per-turn-summary" : false;
  const { messages, sections } = toMessages([turn], null, {
    mission: "",
    systemPrompt: "",
    compression,
    maxTurns: MANY_TURNS,
  });
  const last = messages.length - 1;
  const shown = sections.filter(({ message, kind }) => message === last && kind !== "turnsLeft");
  // Without definitions this is the line of `*1`, which is shown as the value.
  const parts = defined.length === 0 ? shown.filter(({ kind }) => kind !== "user") : shown;
  const text = parts.map(({ start, end }) => messages[last]?.content.slice(start, end)).join("");
  return [text.trim(), value ?? ""].filter((part) => part !== "").join("\n\n");
}

/** With one turn left, strategies show less. */
const MANY_TURNS = 9;

/** Characters of a value that is shown whole. */
const WHOLE_VALUE = 500;

/** What is shown of a value; null for nothing, where its definition or its prints say more. */
function shownValue({ ok, signal, prints, defined }: LispResult, { value, name }: ProgramValue): string | null {
  const isVar = value instanceof Ref && defined.includes(value.text);
  if (!ok || isVar || (value === null && prints.length > 0)) return null;
  const whole = toClojure(value, { limit: 50, printableLimit: WHOLE_VALUE, filterHidden: true });
  if (signal === "fail") return `Error: the program gave up: ${whole.text}`;
  if (!whole.truncated && whole.text.length <= WHOLE_VALUE) {
    return `;; Value${name === undefined ? "" : ` of ${name}`}:\n${whole.text}`;
  }
  if (name !== undefined) return null;
  const { text } = toClojure(value, { limit: 3, printableLimit: 80, filterHidden: true });
  return `;; Value, a sample (the whole is \`*1\`):\n${typeOf(value)} ${text}`;
}

function turnOf(program: string, result: LispResult): Turn {
  const { prints, toolCalls, defined, docs, memory } = result;
  const own = Object.fromEntries(defined.flatMap((name) => (name in memory ? [[name, memory[name]]] : [])));
  const init = { program, prints, toolCalls, defined, docs, memory: own };
  if (result.error === null) return Turn.success({ ...init, result: result.value });
  const { kind: reason, message, hint, span } = result.error;
  const place = span === null || !program.includes("\n") ? "" : ` (line ${span.line})`;
  return Turn.failure({
    ...init,
    result: { reason, message: `${message}${place}`, ...(hint === null ? {} : { hint }) },
  });
}

/**
 * What a model reads of a program that waits where nobody can decide now.
 *
 * @param isTold true when it has read so before.
 */
export function waitingText(waiting: readonly WaitingCall[], isTold = false): string {
  const calls = waiting.map(({ tool, args, reason }) => {
    const { text } = toClojure(args, { limit: 20, printableLimit: WHOLE_VALUE });
    return `- ${tool} ${text}: ${WAITS_FOR[reason]}`;
  });
  const advice = isTold
    ? `Nobody has decided yet. Say what it waits for and end your turn; run \`${RESUME}\` when you are told of a decision.`
    : `It has not ended, and its other calls are made. Run the program \`${RESUME}\` to go on; do not write it again.`;
  return ["The program waits for:", ...calls, advice].join("\n");
}

const WAITS_FOR: Readonly<Record<WaitingCall["reason"], string>> = {
  approval: "an approval",
  later: "its result",
  interrupted: "a decision, because it was interrupted",
  suspended: "an answer to what it asks",
};
