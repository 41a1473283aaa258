import type { JsWriter } from "./js-text.ts";

/** A complete program for Node. */
export const moduleOf = (writer: JsWriter, body: string): string => `// npm install turnfold
${writer.imports}

${body}`;

/** A file for `node --test`: the program, and the assertion that the expression `actual` has the value `expected`. */
export function testOf(writer: JsWriter, body: string, actual: string, expected: unknown): string {
  const value = writer.value(expected, 2);
  return `// npm install turnfold, then: node --test
import assert from "node:assert/strict";
import { test } from "node:test";
${writer.imports}

${body}
test("the messages are those of the playground", () => {
  assert.deepEqual(
    ${actual},
    ${value},
  );
});
`;
}

/** The expression for the compared part of `messages`. */
export const SHOWN_MESSAGES = "messages.map(({ role, content }) => ({ role, content }))";
