import assert from "node:assert/strict";
import { TurnfoldError } from "turnfold";

/** Asserts that `act` throws a TurnfoldError with this code, and this path if given; returns the error. */
export function refuses(act, code, path) {
  let result;
  try {
    result = act();
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), `not our error: ${error?.stack}`);
    assert.equal(error.code, code, error.message);
    if (path !== undefined) assert.equal(error.details.path, path, error.message);
    return error;
  }
  assert.fail(`expected ${code}, got ${JSON.stringify(result)}`);
}
