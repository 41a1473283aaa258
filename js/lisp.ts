/**
 * `turnfold/lisp`: the language that programs of agents are written in. Its sandbox, its checker, its texts, and the
 * values that JavaScript has no type for. What `turnfold` exports by the same names is the same.
 *
 * @module turnfold/lisp
 */

export { init } from "./boundary/wasms/turnfold.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { AroundToolCall, InnerToolCall, InnerToolResult } from "./program-tool/inner-calls.ts";
export type { ProgramStore } from "./program-tool/program-store.ts";
export type {
  ProgramContext,
  ProgramInput,
  ProgramInputSchema,
  ProgramOutcome,
  ProgramTool,
  ProgramToolOptions,
} from "./program-tool/program-tool.ts";
export { programTool } from "./program-tool/program-tool.ts";
export type { ProgramTelemetry, TelemetrySpan, TelemetryTracer } from "./program-tool/telemetry.ts";
export type { Completion, KnownNames } from "./sandbox/check.ts";
export { check, complete } from "./sandbox/check.ts";
export type { ClojureOptions, ClojureText } from "./sandbox/clojure.ts";
export { readClojure, toClojure, typeOf } from "./sandbox/clojure.ts";
export type { Limits } from "./sandbox/limits.ts";
export type { Diagnostic, LispOptions, LispResult, LispRunOptions } from "./sandbox/lisp.ts";
export { Lisp } from "./sandbox/lisp.ts";
export type * from "./tools/public.ts";
export type { DescribeToolsOptions } from "./turns/describe-tools.ts";
export { describeTools } from "./turns/describe-tools.ts";
export type { FnInit, Value } from "./values/values.ts";
export { Float, Fn, float, fn, Keyword, keyword, Ref } from "./values/values.ts";
export { readSignedState, signState } from "./waiting/signed-state.ts";
export { later } from "./waiting/waiting-call.ts";
