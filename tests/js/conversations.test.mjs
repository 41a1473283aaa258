// Runs the case files of conversations through the package. tests/it/conversation.rs documents the headings.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Renderer, Turn, toMessages } from "turnfold";
import { readClojure } from "turnfold/lisp";
import { Fn, fn, Keyword } from "turnfold/turns";
import { camelCase, characters, record } from "./case-options.mjs";
import { casesIn, textsOf } from "./cases.mjs";

/** The options, the turns, and the expected blocks under each heading of a strategy. */
function conversationOf(sections) {
  const conversation = { options: { systemPrompt: "SYSTEM" }, memory: null, turns: [], expectations: [] };
  for (const section of sections.slice(1)) {
    const { heading, blocks } = section;
    if (heading === "Given") given(conversation, record(readClojure(blocks[0].text)));
    else if (heading.startsWith("Turn ")) conversation.turns.push(turnOf(section, conversation.turns.length + 1));
    else conversation.expectations.push({ heading, blocks: blocks.map(({ info, text }) => ({ info, text })) });
  }
  return conversation;
}

function given(conversation, members) {
  for (const [name, value] of Object.entries(members)) {
    if (name === "memory") conversation.memory = record(value);
    else if (name === "data") conversation.options.data = record(value);
    else if (name === "system-prompt" && value instanceof Keyword) delete conversation.options.systemPrompt;
    else conversation.options[camelCase(name)] = value;
  }
}

function turnOf(section, number) {
  const [program] = textsOf(section, "clojure");
  const [rawResponse] = textsOf(section, "reply");
  const { error, calls, returns, memory, ...members } = record(readClojure(textsOf(section, "clojure turn")[0]));
  const init = {
    number,
    ...(program !== undefined && { program }),
    ...(rawResponse !== undefined && { rawResponse }),
    ...members,
  };
  if (calls !== undefined) init.toolCalls = calls;
  if (memory !== undefined) init.memory = withReturnTypes(record(memory), returns ?? {});
  if (!section.heading.endsWith("failed")) return Turn.success(init);
  if (typeof (error?.message ?? error) === "string") return Turn.failure({ ...init, result: error });
  // A saved turn may have failed without a message.
  return Turn.fromJSON({ ...Turn.success({ ...init, result: error }).toJSON(), success: false });
}

/** Adds to functions the types that they returned, which Clojure text can't express. */
function withReturnTypes(memory, returns) {
  const typed = ([name, value]) => {
    const returnType = returns[name];
    return [name, value instanceof Fn && returnType !== undefined ? fn({ params: value.params, returnType }) : value];
  };
  return Object.fromEntries(Object.entries(memory).map(typed));
}

/** The turns and options for a heading like `rolling-window {:keep 1}`. */
function requestOf({ options, turns }, heading) {
  const space = heading.indexOf(" ");
  const name = space < 0 ? heading : heading.slice(0, space);
  const { after = turns.length, ...members } = space < 0 ? {} : readClojure(heading.slice(space));
  const own = Object.fromEntries(Object.entries(members).map(([member, value]) => [camelCase(member), value]));
  if (own.counter === true) own.counter = characters;
  const switched = { true: true, false: false, none: null };
  const request = Object.hasOwn(switched, name)
    ? { ...options, ...own, compression: switched[name] }
    : { ...options, compression: [name, own] };
  return { options: request, turns: turns.slice(0, after) };
}

/** Writes a rendering into the blocks that are expected. */
function actual(rendered, blocks) {
  const has = (info) => blocks.some((block) => block.info === info);
  const made = rendered.messages
    .filter(({ role }) => role !== "system" || has("system"))
    .map(({ role, content }) => ({ info: role, text: content }));
  if (has("stats")) made.push({ info: "stats", text: statsText(rendered) });
  if (has("dropped")) made.push({ info: "dropped", text: rendered.dropped.map(droppedLine).join("\n") });
  return made;
}

function statsText({ stats, budget }) {
  const lines = [
    `turns compressed: ${stats.turnsCompressed}`,
    `tool calls: ${stats.toolCallsShown} of ${stats.toolCallsTotal}`,
    `prints: ${stats.printlnsShown} of ${stats.printlnsTotal}`,
    `errors collapsed: ${stats.errorTurnsCollapsed}`,
  ];
  if (budget !== null) {
    lines.push(`budget: ${budget.used} of ${budget.budget}, ${budget.fits ? "fits" : "does not fit"}`);
  }
  return lines.join("\n");
}

function droppedLine({ turn, kind, reason, text }) {
  return `${turn || "-"} ${kind} ${reason}: ${text.replaceAll("\n", "⏎")}`;
}

/** Checks that sections tile every message and name existing turns. */
function checkSections({ messages, sections }, turns) {
  messages.forEach(({ content }, index) => {
    let end = 0;
    for (const section of sections.filter(({ message }) => message === index)) {
      assert.equal(section.start, end);
      assert.ok(section.end > section.start);
      assert.ok(section.turns.every((turn) => turn >= 1 && turn <= turns.length));
      end = section.end;
    }
    assert.equal(end, content.length);
  });
}

function checkStats({ stats }, compression) {
  assert.equal(stats.toolCallsDropped, stats.toolCallsTotal - stats.toolCallsShown);
  assert.equal(stats.printlnsDropped, stats.printlnsTotal - stats.printlnsShown);
  assert.equal(stats.enabled, stats.strategy !== null);
  if (!compression) assert.equal(stats.strategy, null);
}

/** The messages of a renderer that was given the turns one after the other. */
function oneByOne({ options, turns }, memory) {
  const renderer = new Renderer(options);
  try {
    for (const turn of turns) {
      renderer.render();
      renderer.push(turn);
    }
    return renderer.render(memory ?? undefined).messages;
  } finally {
    renderer.dispose();
  }
}

for (const { name, sections } of casesIn("conversations")) {
  const conversation = conversationOf(sections);
  suite(name, () => {
    for (const { heading, blocks } of conversation.expectations) {
      test(heading, () => {
        const { options, turns } = requestOf(conversation, heading);
        const rendered = toMessages(turns, conversation.memory, options);
        assert.deepEqual(actual(rendered, blocks), blocks);
        checkSections(rendered, turns);
        checkStats(rendered, options.compression);
        assert.deepEqual(oneByOne({ options, turns }, conversation.memory), rendered.messages);
      });
    }
  });
}
