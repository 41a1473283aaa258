// The histories of tests/conversations through the package: the same files that the Rust suite reads, which says there
// how they are written.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fn, Keyword, readClojure, Turn, toMessages } from "turnfold";

const folder = new URL("../conversations/", import.meta.url);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const { options, turns: history, memory, expectations } = read(readFileSync(new URL(file, folder), "utf8"));
  for (const { heading, blocks } of expectations) {
    test(`${file}: ${heading}`, () => {
      const { after = history.length, ...chosen } = readHeading(heading);
      const rendered = toMessages(history.slice(0, after), memory, { ...options, ...chosen });
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
  let said = [];
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
      conversation.turns.push(turnOf(conversation.turns.length + 1, heading, said, piece.text));
      said = [];
    } else said.push(piece);
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
  if (options.systemPrompt instanceof Keyword) options.systemPrompt = undefined;
  Object.assign(conversation.options, options);
  if (memory !== undefined) conversation.memory = named(memory);
}

function turnOf(number, heading, said, text) {
  const { calls, error, memory, returns = {}, docs, ...init } = named(readClojure(text));
  for (const { info, text } of said) init[info === "clojure" ? "program" : "rawResponse"] = text;
  if (calls !== undefined) init.toolCalls = calls.map((call) => named(call));
  if (error !== undefined) init.result = error;
  if (memory !== undefined) init.memory = withReturnTypes(named(memory), named(returns));
  if (docs !== undefined) init.docs = named(docs);
  const turn = Turn.success({ number, ...init });
  // A program may fail with any value; `Turn.failure` wants the message that a host always has.
  return heading.endsWith("failed") ? Turn.fromJSON({ ...turn.toJSON(), success: false }) : turn;
}

/** Clojure text has no way to say what a function returned last. */
function withReturnTypes(memory, returns) {
  const typed = ([name, value]) => [
    name,
    name in returns ? fn({ params: value.params, returnType: returns[name] }) : value,
  ];
  return Object.fromEntries(Object.entries(memory).map(typed));
}

/** A token for every character, as the Rust suite counts. */
const characters = { name: "characters", method: "exact", count: (text) => [...text].length };

/** `rolling-window {:keep 1}`, and how many of the turns to show it. */
function readHeading(heading) {
  const [, name, given] = heading.match(/^(\S+) ?(.*)$/);
  const { after, ...options } = given === "" ? {} : camel(named(readClojure(given)));
  if (name === "none" || name === "false") return { ...options, compression: false, after };
  if (name === "true") return { ...options, compression: true, after };
  return { compression: [name, "counter" in options ? { ...options, counter: characters } : options], after };
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
