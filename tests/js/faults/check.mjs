// Runs scenarios with one fault after the other, and checks what a fault may do:
//
// - the use has its result, or the result of a failure, or throws a TurnfoldError with a code that is documented;
// - every call of a tool that ran is in the result, in the error or in the conversation;
// - all other objects are as before, byte for byte;
// - the objects of the scenario can be used again, with the same result as without the fault.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { host, WAYS, withFault } from "./injected.mjs";
import { makeBystanders, scenarios } from "./scenarios.mjs";

const root = join(import.meta.dirname, "..", "..", "..");

/** The codes of errors that the documents and the documentation of the exports name. */
function documentedCodes() {
  const files = ["docs", "js"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(root, folder, path)),
  );
  const texts = files.filter((path) => /\.(md|ts)$/.test(path)).map((path) => readFileSync(path, "utf8"));
  const named = texts.flatMap((text) => text.match(/@throws[^@]*?\*\/|^\|.*\|$/gms) ?? []);
  return new Set(named.flatMap((text) => Array.from(text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g), ([, code]) => code)));
}

/** The result of a use for comparison: without times. */
function comparable(result) {
  return JSON.parse(
    JSON.stringify(result ?? null, (name, value) => {
      if (name === "durationMs" || name === "at" || name === "timestamp" || name === "idleSeconds") return undefined;
      return typeof value === "bigint" ? String(value) : value;
    }),
  );
}

/** The names of the tool calls that a result, an error or a conversation reports. */
function reportedCalls(given, names = [], seen = new Set()) {
  if (typeof given !== "object" || given === null || seen.has(given)) return names;
  seen.add(given);
  if (typeof given.toJSON === "function" && !(given instanceof Date)) return reportedCalls(given.toJSON(), names, seen);
  for (const [member, value] of Object.entries(given)) {
    if (member === "toolCalls" && Array.isArray(value)) names.push(...value.map(({ name }) => name));
    if (member === "tool" && typeof value === "string") names.push(value);
    reportedCalls(value, names, seen);
  }
  return names;
}

/** The scenarios of the package, and the check of a fault in them. */
export async function faultsOf(turnfold) {
  const { TurnfoldError } = turnfold;
  const codes = documentedCodes();
  const bystanders = await makeBystanders(turnfold);
  const before = bystanders.read();
  /** The names of the tools that ran. */
  let ran = [];
  const tool = (name, run) => {
    const wrapped = host(run);
    return (...args) => {
      ran.push(name);
      return wrapped(...args);
    };
  };
  const all = scenarios(turnfold, bystanders, { host, tool });
  const undisturbed = new Map();

  function requireCalls(report, place) {
    const reported = reportedCalls(report);
    for (const name of new Set(ran)) {
      const count = (list) => list.filter((each) => each === name).length;
      const message = `${place}${name} ran ${count(ran)} times, and ${count(reported)} calls are reported`;
      assert.ok(count(reported) >= count(ran), message);
    }
  }

  /** Runs a scenario with a fault; returns how often the kind of the fault was met. */
  async function use(name, fault, way = "") {
    const { make, run, again = run, agentOf } = all[name];
    let objects;
    let outcome = {};
    ran = [];
    const met = await withFault(fault, async () => {
      try {
        objects = await make();
        outcome = { result: await run(objects) };
      } catch (error) {
        outcome = { error };
      }
    });
    const place = `${name}, ${fault.kind} ${fault.at} ${way}: `;
    if ("error" in outcome) {
      const { error } = outcome;
      assert.ok(TurnfoldError.isInstance(error), `${place}not an error of the package: ${error?.stack ?? error}`);
      assert.ok(codes.has(error.code), `${place}the code ${error.code} is not documented: ${error.message}`);
      assert.notEqual(error.code, "internal", `${place}${error.stack}`);
    }
    const reports = [[outcome.result, outcome.error?.details]];
    if (agentOf !== undefined && objects !== undefined) reports.push(agentOf(objects).conversation);
    // The step of a nested agent, which has its calls, is not written while the host has no memory at all.
    if (fault.way?.refused === Number.POSITIVE_INFINITY) ran = ran.filter((name) => name !== "add");
    for (const report of reports) requireCalls(report, place);
    assert.equal(bystanders.read(), before, `${place}another object has changed`);
    let next;
    try {
      objects ??= await make();
      next = comparable(await again(objects));
    } catch (error) {
      throw new Error(`${place}the next use fails: ${error?.stack}`, { cause: error });
    }
    // A resumed exchange calls no tool twice.
    if (agentOf !== undefined) requireCalls(agentOf(objects).transcript, `${place}after it, `);
    if (fault.at === 0) undisturbed.set(name, next);
    else assert.deepEqual(next, undisturbed.get(name), `${place}the next use has another result`);
    return met;
  }

  /** Returns the number of places of a kind in a scenario without a fault. */
  const places = (name, kind) => use(name, { kind, at: 0 });

  /**
   * Injects faults of a kind into a scenario: at the place `first`, from 1, and at each `stride`th after it, until one is
   * no longer met. Returns their number.
   */
  async function inject(name, kind, way, first = 1, stride = 1) {
    if (!undisturbed.has(name)) await places(name, kind);
    let count = 0;
    for (let at = first; (await use(name, { kind, at, way: WAYS[kind][way] }, way)) >= at; at += stride) count++;
    return count;
  }

  return { names: Object.keys(all), places, inject };
}

export { WAYS };
