import { callWhenReady, isThenable, messageOf } from "../boundary/host.ts";
import { functionOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { ModelToolCall } from "../model/model.ts";
import { describe } from "../values/describe.ts";
import type { Approve } from "./tool.ts";

/**
 * Returns `approve` if it is a function.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkApprove(approve: unknown): Approve | undefined {
  const hint = 'approve: async (call) => (await ask(call)) || "The user declined."';
  return functionOption<Approve>(hint)(approve, "approve");
}

/**
 * The error of a call that needs an approval where there is no `approve`.
 *
 * @internal
 */
export const NEEDS_APPROVAL = "it needs an approval, which nobody can give here";

/** The beginning of the error of a call that was denied. */
const DENIED = "denied: ";

/**
 * True for the error of a call that was not approved.
 *
 * @internal
 */
export function isDenial(error: string | undefined): boolean {
  return error === NEEDS_APPROVAL || error?.startsWith(DENIED) === true;
}

/**
 * The warning about refused calls of a tool.
 *
 * @internal
 */
export function approvalWarning(tool: string): string {
  return `the tool ${JSON.stringify(tool)} was not run: it asks for an approval, and there is no \`approve\``;
}

/**
 * Returns a warning for each tool with calls that failed because nobody could approve them.
 *
 * @internal
 */
export function approvalWarnings(calls: readonly { name: string; error: string | null | undefined }[]): string[] {
  const refused = calls.filter(({ error }) => error?.endsWith(NEEDS_APPROVAL));
  return [...new Set(refused.map(({ name }) => name))].map(approvalWarning);
}

/**
 * Returns the text for the model when a call is denied; null when it is approved.
 *
 * @param approval what `approve` returned.
 * @throws for any other value.
 *
 * @internal
 */
export function denialText(tool: string, approval: unknown): string | null {
  if (approval === true) return null;
  if (approval === false) return "The call was not approved.";
  if (typeof approval === "string") return approval;
  throw new Error(`${tool} was not run: approve must return true, false or a text, got ${describe(approval)}`);
}

/** The members with which tools ask for approvals, in the AI SDK, in OpenAI's Agents SDK and in Mastra. */
export interface ApprovalMembers {
  readonly needsApproval?: unknown;
  readonly requireApproval?: unknown;
  readonly needsApprovalFn?: unknown;
}

/**
 * True if a member that asks for approvals has a value that can be used.
 *
 * @internal
 */
export function isPolicy(policy: unknown): boolean {
  return policy === undefined || policy === null || typeof policy === "boolean" || typeof policy === "function";
}

/**
 * Evaluates the members of a tool with which it asks for an approval.
 *
 * @param ask calls the function that a member is.
 * @returns synchronously unless a function returns a promise.
 * @throws when a function throws, or a value or result is not a boolean.
 *
 * @internal
 */
export function asksForApproval(
  name: string,
  tool: ApprovalMembers,
  ask: (member: keyof ApprovalMembers, policy: (...args: unknown[]) => unknown) => unknown,
): boolean | Promise<boolean> {
  const answer = (member: keyof ApprovalMembers): boolean | Promise<boolean> => {
    const policy = tool[member];
    if (policy === undefined || policy === null) return false;
    const check = (given: unknown): boolean => {
      if (typeof given === "boolean") return given;
      throw new Error(`${name} was not run: its ${member} must give true or false, got ${describe(given)}`);
    };
    if (typeof policy !== "function") return check(policy);
    const fail = (cause: unknown): never => {
      throw new Error(`${name} was not run: its ${member} failed: ${messageOf(cause)}`, { cause });
    };
    let given: unknown;
    try {
      given = ask(member, policy as (...args: unknown[]) => unknown);
    } catch (error) {
      fail(error);
    }
    return isThenable(given) ? Promise.resolve(given).then(check, fail) : check(given);
  };
  // In Mastra, this function takes precedence over the option that it was made from.
  const own =
    tool.needsApprovalFn === undefined || tool.needsApprovalFn === null ? "requireApproval" : "needsApprovalFn";
  return callWhenReady(answer("needsApproval"), (asks) => asks || answer(own));
}

/**
 * What decides about the calls of a program.
 *
 * @internal
 */
export interface ApprovalContext {
  readonly approve: Approve | undefined;
  readonly signal: AbortSignal | undefined;
  /** Gets the name of a tool that was not run because nobody could approve it. */
  readonly onUnapproved: (tool: string) => void;
  /** True where nothing can be awaited. */
  readonly isSync?: boolean;
}

/**
 * Runs a call of a program, after an approval if the tool asks for one. A denied call throws.
 *
 * @param asks evaluates whether the tool asks.
 *
 * @internal
 */
export function runApproved(
  call: ModelToolCall,
  { approve, signal, onUnapproved, isSync = false }: ApprovalContext,
  asks: () => boolean | Promise<boolean>,
  run: () => unknown,
): unknown {
  /** Calls `next` with a value that may have to be awaited. Nothing runs after an abort. */
  const settle = <T>(given: T | Promise<T>, next: (value: T) => unknown): unknown => {
    if (!isThenable(given)) return next(given);
    if (!isSync) {
      return Promise.resolve(given).then((value) => {
        if (signal?.aborted) throw new TurnfoldError("aborted", `${call.name} was not run: the call was aborted`);
        return next(value);
      });
    }
    given.then(undefined, () => {});
    throw new Error(`${call.name} was not run: its approval is a promise, and runSync() can't wait; use run()`);
  };
  return settle(asks(), (isAsking) => {
    if (!isAsking) return run();
    if (approve === undefined) {
      onUnapproved(call.name);
      throw new Error(NEEDS_APPROVAL);
    }
    return settle(approve(call, signal === undefined ? {} : { signal }), (approval) => {
      const denial = denialText(call.name, approval);
      if (denial !== null) throw new Error(DENIED + denial);
      return run();
    });
  });
}
