// The missions by name, and the loop that plays one. A mission has its data, tools, signature and expected result; all are the
// same in each run, and tools with a state begin anew.

import { SubAgent } from "turnfold";
import * as failing from "./failing.mjs";
import { same } from "./helpers.mjs";
import * as plain from "./plain.mjs";
import * as unknownShapes from "./unknown-shapes.mjs";

/** `libraryLoans` is the mission `library-loans`. */
const nameOf = (maker) => maker.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const missions = Object.fromEntries(
  Object.entries({ ...plain, ...failing, ...unknownShapes }).map(([maker, make]) => [nameOf(maker), make]),
);

export const names = Object.keys(missions);

/** Runs an agent with the mission. The verdict is true for the right result, or says what is wrong. */
export async function play(name, { compression, llm }) {
  const { mission, data = {}, tools, signature, expected, check = same } = missions[name]();
  const text = mission.replace(/\n +/g, "\n");
  const step = await new SubAgent({ mission: text, signature, tools, maxTurns: 6, compression, llm }).run({ data });
  return { step, verdict: step.fail ? `${step.fail.reason}: ${step.fail.message}` : check(expected, step.return) };
}
