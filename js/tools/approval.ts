import { callWhenReady, isThenable, messageOf } from "../boundary/host.ts";
import { functionOption, invalidOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { ModelToolCall } from "../model/model.ts";
import { describe } from "../values/describe.ts";
import { isLater, Waits, waitsFor } from "../waiting/waiting-call.ts";
import type { Approve, ToolDefinition } from "./tool.ts";

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

/** The beginning of the error of a call that was denied. */
const DENIED = "denied: ";

/**
 * True for the error of a call that was not approved.
 *
 * @internal
 */
export function isDenial(error: string | undefined): boolean {
  return error?.startsWith(DENIED) === true;
}

/**
 * The message of the error of a call that was denied.
 *
 * @internal
 */
export const denial = (text: string): string => DENIED + text;

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
  throw new Error(`${tool} was not run: approve must return true, false, a text or later(), got ${describe(approval)}`);
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
 * Returns a `needsApproval` if it is one.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkPolicy(policy: unknown): ToolDefinition["needsApproval"] {
  if (isPolicy(policy)) return (policy ?? undefined) as ToolDefinition["needsApproval"];
  throw invalidOption("needsApproval", "true, false or a function of the inputs", policy);
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
  /** True when the call was approved already. */
  readonly isApproved?: boolean | undefined;
  /** Called, and awaited, before the tool. */
  readonly begin?: (() => Promise<void>) | undefined;
  /** True where nothing can be awaited. */
  readonly isSync?: boolean;
}

/**
 * Runs a call of a program, after an approval if the tool asks for one. A denied call throws; one that nobody can decide
 * about waits.
 *
 * @param asks evaluates whether the tool asks.
 * @returns the result, or why the call waits.
 *
 * @internal
 */
export function runApproved(
  call: ModelToolCall,
  { approve, signal, isApproved = false, begin, isSync = false }: ApprovalContext,
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
  const proceed = () => {
    const ran = begin === undefined ? run() : begin().then(run);
    const outcome = (result: unknown) => {
      if (!isLater(result)) return result;
      if (isSync) throw new Error(`${call.name} answers later, and runSync() can't wait; use run()`);
      return waitsFor(result, "later");
    };
    return isSync ? outcome(ran) : callWhenReady(ran, outcome);
  };
  if (isApproved) return proceed();
  return settle(asks(), (isAsking) => {
    if (!isAsking) return proceed();
    if (approve === undefined) {
      if (isSync) throw new Error(denial("it needs an approval, and runSync() can't wait; use run()"));
      return new Waits({ reason: "approval", info: null });
    }
    return settle(approve(call, signal === undefined ? {} : { signal }), (approval: unknown) => {
      if (isLater(approval) && !isSync) return waitsFor(approval, "approval");
      const text = denialText(call.name, approval);
      if (text !== null) throw new Error(denial(text));
      return proceed();
    });
  });
}
