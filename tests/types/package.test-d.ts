import type * as whole from "turnfold";
import { type ErrorCode, init, TurnfoldError, type version } from "turnfold/chat";
import * as slim from "turnfold/slim";
import { expectTrue, type Same } from "./expect.ts";

expectTrue<Same<typeof version, string>>();
expectTrue<Same<ReturnType<typeof init>, Promise<void>>>();
expectTrue<Same<keyof typeof slim, keyof typeof whole>>();
init();
init(fetch("/turnfold.wasm"));
slim.init(new URL("https://example.org/turnfold.wasm"));

export function codeOf(error: unknown): string | null {
  if (!TurnfoldError.isInstance(error)) return null;
  expectTrue<Same<typeof error.details, Record<string, unknown>>>();
  expectTrue<Same<typeof error.hint, string | null>>();
  expectTrue<Same<typeof error.code, ErrorCode>>();
  // @ts-expect-error there is no such code
  if (error.code === "request_overbudget") return null;
  if (error.code === "request_over_budget") return "too long";
  return error.code;
}

// @ts-expect-error an error's code can't be changed
(new Error() as TurnfoldError).code = "other";
