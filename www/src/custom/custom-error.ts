import type { Problem } from "../page/problem.ts";

/** An error of a custom strategy, with its place in the text if that is known. */
export class CustomError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
