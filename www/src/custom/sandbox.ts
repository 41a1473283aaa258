import wasm from "turnfold/turnfold.wasm?url";
import type { Problem } from "../page/problem.ts";
import { AnswerFrame } from "../running/answer-frame.ts";
import { CustomError } from "./custom-error.ts";
import type { Failure, Job } from "./sandboxed.ts";
import library from "./sandboxed.ts?sandboxed";
import { statementsOf } from "./statements.ts";

const BEFORE = `(() => { "use strict";\n${library}\nconst { turnfold } = turnfoldSandbox;\n`;

/** Names of the package are those that the sandbox has. */
const imported = (names: string): string => `const {${names.replace(/\bas\b/g, ":")}} = turnfold;`;

let bytes: Promise<ArrayBuffer> | null = null;

/** Runs a custom strategy with the package in the frame of the tools’ answers: without network, origin, or the page’s data. */
export class Sandbox {
  readonly #frame = new AnswerFrame("Your own strategy");
  #source: string | null = null;

  async run<T>(source: string, job: Job): Promise<T> {
    if (source !== this.#source) this.#frame.close();
    const isFirst = source !== this.#source;
    this.#source = source;
    bytes ??= fetch(wasm).then((response) => response.arrayBuffer());
    const given = await bytes;
    const code = `${BEFORE}${statementsOf(source, imported)}\nreturn turnfoldSandbox.serve(typeof strategy === "undefined" ? undefined : strategy); })()`;
    let answer: { readonly value: T } | Failure;
    try {
      answer = (await this.#frame.call(code, [isFirst ? given : null, job])) as typeof answer;
    } catch (error) {
      const { message, cause } = error as Error;
      // A worker that was stopped is gone.
      if (cause === undefined && source === this.#source) this.#source = null;
      const place = placeIn(source, String(cause));
      // An error behind the text is one of brackets.
      const isCut = cause !== undefined && place === null;
      throw new CustomError({ message: isCut ? `A bracket is missing, or one too many: ${message}` : message, place });
    }
    if ("failure" in answer) throw new CustomError({ message: answer.failure, place: placeIn(source, answer.stack) });
    return answer.value;
  }
}

const LINES_BEFORE = BEFORE.split("\n").length - 1;

/** The first place of a stack that is in the text of the strategy. */
function placeIn(source: string, stack: string): Problem["place"] {
  const lines = source.split("\n");
  for (const [, number, column] of stack.matchAll(/:(\d+):(\d+)\)?$/gm)) {
    const line = Number(number) - LINES_BEFORE;
    const text = lines[line - 1];
    if (text === undefined) continue;
    const at = Math.min(Number(column), text.length + 1);
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, at - 1);
    return { start, end: start + 1, line, column: at };
  }
  return null;
}
