// Runs the case files of tests/programs through the package; tests/it/programs.rs documents the headings.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { History, Predict, TurnfoldError } from "turnfold";
import { readClojure } from "turnfold/lisp";
import { ChainOfThought } from "turnfold/predict";
import { Float, Keyword } from "turnfold/turns";
import { casesIn } from "./cases.mjs";

/** The programs of a file, each with the error of an invalid program, or with its calls and their expected results. */
function programsOf(sections) {
  const programs = [];
  for (const { heading, blocks } of sections.slice(1)) {
    const program = programs.at(-1);
    const call = program?.calls.at(-1);
    const [block] = blocks;
    if (heading === "Given") programs.push({ given: readClojure(block.text), calls: [], refused: null });
    else if (heading === "Refused") program.refused = readClojure(block.text);
    else if (heading === "Call") {
      program.calls.push({ ...readClojure(block.text), messages: null, replies: [], repairs: [], result: null });
    } else if (heading === "Messages") {
      call.messages = blocks.map(({ info, text }) => ({ role: info, content: text }));
    } else if (heading === "Reply") call.replies.push(block.text);
    else if (heading === "Repair") call.repairs[call.replies.length] = block.text;
    else if (heading === "Result") call.result = readClojure(block.text);
    else assert.fail(`unknown heading ${heading}`);
  }
  return programs;
}

function made({ signature, reasoning, ...options }) {
  const Program = reasoning === undefined ? Predict : ChainOfThought;
  return new Program(signature, options);
}

/** Converts a value of the language to the form in which programs return it. */
function plain(value) {
  if (value instanceof Float) return value.value;
  if (value instanceof Keyword) return value.name;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, held]) => [key, plain(held)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]));
}

/** The error in the notation of the case files. */
function errorText(error) {
  assert.ok(TurnfoldError.isInstance(error), `not our error: ${error?.stack}`);
  const { index, reason, problems } = error.details;
  if (index !== undefined) return { error: error.code, index, reason };
  if (problems === undefined) return { error: error.code, message: error.message.replace(/^\w+\[\d+\]\S*: /, "") };
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return { error: error.code, problems: lines };
}

async function check(given, { inputs, history, messages, replies, repairs, result, ...own }) {
  const program = made({ ...given, ...own });
  const field = program.signature.inputs.find(({ type }) => type === "History")?.name;
  const withHistory = (value) =>
    inputs instanceof Map ? new Map([...inputs, [field, value]]) : { ...inputs, [field]: value };
  const requests = [];
  const llm = (request) => {
    assert.equal(request.purpose, "answer");
    assert.equal(request.schema !== undefined, (own.adapter ?? given.adapter) === "json");
    requests.push(request.messages);
    return replies[requests.length - 1];
  };
  let came;
  try {
    const all = history === undefined ? inputs : withHistory(history && new History(history));
    const rendered = program.messages(all);
    if (messages !== null) assert.deepEqual(rendered, messages);
    if (replies.length === 0) return assert.equal(result, null);
    const { outputs, warnings, usage } = await program.run(all, { llm, maxRepairs: replies.length - 1 });
    assert.deepEqual(
      Object.keys(outputs),
      program.signature.outputs.map(({ name }) => name),
    );
    assert.equal(usage.calls, replies.length);
    came = warnings.length === 0 ? { outputs } : { outputs, warnings };
  } catch (error) {
    came = errorText(error);
  }
  if (result !== null) assert.deepEqual(came, plain(result));
  requests.forEach((request, index) => {
    if (index === 0) return;
    assert.deepEqual(request.slice(0, -1), requests[0].slice(0, -1));
    if (repairs[index] !== undefined) assert.deepEqual(request.at(-1), { role: "user", content: repairs[index] });
  });
}

for (const { name, title, sections } of casesIn("programs")) {
  suite(`${name}: ${title}`, () => {
    for (const { given, calls, refused } of programsOf(sections)) {
      if (refused !== null) {
        test(JSON.stringify(plain(given.signature)), () => {
          let came = null;
          try {
            made(given);
          } catch (error) {
            came = errorText(error);
          }
          assert.deepEqual(came, plain(refused));
        });
      }
      calls.forEach((call, index) => {
        test(`call ${index + 1}`, () => check(given, call));
      });
    }
  });
}
