import { TurnfoldError } from "../../errors.ts";
import { describe } from "../../values/describe.ts";
import { readable } from "../../values/readable-json.ts";
import type { Answer, WaitingCall } from "../../waiting/waiting-call.ts";

/**
 * The id of a waiting call outside of its run, in which alone its own id is unique.
 *
 * @param run the id of its run, such as that of the call of a program.
 */
export const outerId = ({ id }: Pick<WaitingCall, "id">, run: string | undefined): string =>
  run === undefined ? id : `${run}/${id}`;

/** A value as plain JSON; maps become objects. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, readable) ?? "null");
}

/** A sentence for whoever decides. */
export function question({ tool, args, reason, path }: WaitingCall): string {
  const call = `${[...path, tool].join(" › ")} ${JSON.stringify(plainJson(args))}`;
  const result = `The result of ${call}`;
  return { approval: `Run ${call}?`, later: result, suspended: result, interrupted: `Run ${call} again?` }[reason];
}

/** True for a call that waits for data, not for a decision. */
export const needsData = ({ reason }: Pick<WaitingCall, "reason">): boolean =>
  reason === "later" || reason === "suspended";

/** The answer that gives a call its data. */
export const dataFor = ({ reason }: Pick<WaitingCall, "reason">, data: unknown): Answer =>
  reason === "suspended" ? { resume: data } : { result: data };

/**
 * The answer that denies a call.
 *
 * @param reason for the model.
 */
export const denied = (reason: unknown): Answer => (typeof reason === "string" && reason !== "" ? reason : false);

/** The error for a response that is no answer to a call. */
export function noAnswer({ id, tool, reason }: WaitingCall, given: unknown, hint: string): TurnfoldError {
  return new TurnfoldError("invalid_answer", `the response to ${tool} (${id}) is ${describe(given)}`, {
    details: { id, reason },
    hint,
  });
}
