// The histories of tests/conversations through the package: the same files that the Rust suite reads, which says there
// how they are written.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Keyword, readClojure, Turn, toMessages } from "turnfold";

const folder = new URL("../conversations/", import.meta.url);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const { options, turns, memory, expectations } = read(readFileSync(new URL(file, folder), "utf8"));
  for (const { heading, blocks } of expectations) {
    test(`${file}: ${heading}`, () => {
      const rendered = toMessages(turns, memory, { ...options, compression: compressionOf(heading) });
      const has = (info) => blocks.some((block) => block.info === info);
      const actual = rendered.messages
        .filter(({ role }) => role !== "system" || has("system"))
        .map(({ role, content }) => ({ info: role, text: content }));
      if (has("stats")) actual.push({ info: "stats", text: statsOf(rendered) });
      if (has("dropped")) actual.push({ info: "dropped", text: droppedOf(rendered) });
      assert.deepEqual(actual, blocks);
    });
  }
}

function read(source) {
  const conversation = { options: { mission: "", systemPrompt: "SYSTEM" }, turns: [], memory: null, expectations: [] };
  let heading = "";
  let program = null;
  for (const piece of piecesOf(source)) {
    if (typeof piece === "string") {
      heading = piece;
      if (heading !== "Given" && !heading.startsWith("Turn ")) conversation.expectations.push({ heading, blocks: [] });
      continue;
    }
    const expectation = conversation.expectations.at(-1);
    if (expectation) expectation.blocks.push(piece);
    else if (heading === "Given") give(conversation, piece.text);
    else if (piece.info === "clojure turn") {
      conversation.turns.push(turnOf(conversation.turns.length + 1, heading, program, piece.text));
      program = null;
    } else program = piece;
  }
  return conversation;
}

/** Headings of the second level as texts, fenced blocks as `{ info, text }`. */
function piecesOf(source) {
  const pieces = [];
  const lines = source.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [fence] = lines[at].match(/^`{3,}/) ?? [];
    if (fence !== undefined) {
      const end = lines.indexOf(fence, at + 1);
      pieces.push({ info: lines[at].slice(fence.length), text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (lines[at].startsWith("## ")) pieces.push(lines[at].slice(3));
  }
  return pieces;
}

function give(conversation, text) {
  const { memory, ...options } = camel(named(readClojure(text)));
  for (const name of ["tools", "data", "fieldDescriptions"]) {
    if (name in options) options[name] = named(options[name]);
  }
  Object.assign(conversation.options, options);
  if (memory !== undefined) conversation.memory = named(memory);
}

function turnOf(number, heading, program, text) {
  const { calls, error, reply, memory, docs, ...init } = named(readClojure(text));
  if (program?.info === "clojure") init.program = program.text;
  else if (program !== null) init.rawResponse = program.text;
  if (reply !== undefined) init.rawResponse = reply;
  if (calls !== undefined) init.toolCalls = calls.map((call) => named(call));
  if (error !== undefined) init.result = error;
  if (memory !== undefined) init.memory = named(memory);
  if (docs !== undefined) init.docs = named(docs);
  return heading.endsWith("failed") ? Turn.failure({ number, ...init }) : Turn.success({ number, ...init });
}

/** A token for every character, as the Rust suite counts. */
const characters = { name: "characters", method: "exact", count: (text) => [...text].length };

function compressionOf(heading) {
  const [, name, given] = heading.match(/^(\S+) ?(.*)$/);
  if (name === "none") return false;
  const options = given === "" ? {} : camel(named(readClojure(given)));
  return [name, "counter" in options ? { ...options, counter: characters } : options];
}

/** A map with names as an object; a name may be a keyword or a string. */
function named(map) {
  if (!(map instanceof Map)) return map;
  return Object.fromEntries(Array.from(map, ([key, value]) => [key instanceof Keyword ? key.name : key, value]));
}

function camel(options) {
  const name = (kebab) => kebab.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [name(key), value]));
}

function statsOf({ stats, budget }) {
  const lines = [
    `turns compressed: ${stats.turnsCompressed}`,
    `tool calls: ${stats.toolCallsShown} of ${stats.toolCallsTotal}`,
    `prints: ${stats.printlnsShown} of ${stats.printlnsTotal}`,
    `errors collapsed: ${stats.errorTurnsCollapsed}`,
  ];
  if (budget !== null)
    lines.push(`budget: ${budget.used} of ${budget.budget}, ${budget.fits ? "fits" : "does not fit"}`);
  return lines.join("\n");
}

function droppedOf({ dropped }) {
  const line = ({ turn, kind, reason, text }) =>
    `${turn === 0 ? "-" : turn} ${kind} ${reason}: ${text.replaceAll("\n", "⏎")}`;
  return dropped.map(line).join("\n");
}
