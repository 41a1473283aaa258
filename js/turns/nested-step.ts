/**
 * The step of an agent that a turn called as a tool. A turn's calls have such steps and a step has turns, so their types
 * refer to each other; no other module of turns refers to runs.
 */
export type { Step as NestedStep } from "../agent/step.ts";
