// The page's data for a history with every strategy: messages after any turn, sections, omissions, comparisons.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { estimate } from "turnfold/chat";
import { COUNT, renderedAfter, STRATEGIES, stateOf } from "../www/history.mjs";
import { messagesAfter, sample, sharedOf, tokensOf } from "../www/sample.mjs";
import { openState } from "./page.mjs";

const rolesAndContents = ({ messages }) => messages.map(({ role, content }) => ({ role, content }));

describe("the messages after any number of turns", () => {
  for (const strategy of STRATEGIES) {
    it(`are the messages of the package: ${strategy}`, async () => {
      const { frames } = await openState(stateOf({ strategy }));
      for (const count of [0, 3, 1, 4, 2, COUNT])
        assert.deepEqual(rolesAndContents(frames.frameAt(count)), rolesAndContents(renderedAfter(count, strategy)));
    });
  }
});

describe("the messages after edits of turns", () => {
  for (const strategy of STRATEGIES) {
    it(`are those of a page that is opened with the edited turns: ${strategy}`, async () => {
      const { saved, store } = await openState(stateOf({ strategy }));
      const ids = () => store.state.value.turns.map(({ id }) => id);
      const edits = [
        () => store.moveTurn(ids()[0], 3),
        () => store.duplicateTurn(ids()[1]),
        () => store.editTurn(ids()[2], { program: "(def a 9)" }),
        () => store.deleteTurn(ids()[0]),
        () => store.addTurn(),
        () => store.moveTurn(ids().at(-1), 1),
        () => store.deleteTurn(ids().at(-1)),
        () => store.edit({ turns: [] }),
      ];
      for (const edit of edits) {
        edit();
        const { frame } = store.outcome.value;
        const fresh = await openState(JSON.parse(saved.savedText(store.state.value)));
        assert.deepEqual(rolesAndContents(frame), rolesAndContents(fresh.store.outcome.value.frame));
      }
    });
  }
});

describe("the segments of each turn", () => {
  for (const strategy of STRATEGIES) {
    it(`are the sections that the package names for it: ${strategy}`, async () => {
      const { store } = await openState(stateOf({ strategy }));
      const { messages, sections } = renderedAfter(COUNT, strategy);
      const segments = store.outcome.value.frame.messages.flatMap((message) =>
        message.sections.flatMap((section) => section.segments),
      );
      for (let turn = 1; turn <= COUNT; turn++) {
        const expected = sections
          .filter(({ turns }) => turns.includes(turn))
          .map(({ message, start, end }) => messages[message].content.slice(start, end));
        assert.deepEqual(
          segments.filter(({ turns }) => turns.includes(turn)).map(({ text }) => text.replace(/^\n|\n$/g, "")),
          expected.map((text) => text.replace(/^\n|\n$/g, "")),
        );
      }
    });
  }
});

describe("an omitted item", () => {
  for (const strategy of STRATEGIES) {
    it(`has a place in a message: ${strategy}`, async () => {
      const options = { printLength: "3", budget: "40" };
      const { omitted, store } = await openState(stateOf({ strategy, options }));
      const compression = strategy === "aggressive" ? [strategy, { budget: 40 }] : strategy;
      const { dropped } = renderedAfter(COUNT, compression, { printLength: 3 });
      const placed = omitted.omittedItemsOf(store.outcome.value.frame).flat();
      assert.deepEqual(
        placed.flatMap(({ drops }) => drops.map(({ text }) => text)).toSorted(),
        dropped.map(({ text }) => text).toSorted(),
      );
      assert.ok(dropped.length > 0);
    });
  }
});

describe("a comparison", () => {
  const lines = ({ messages }) => messages.flatMap(({ role, content }) => [`# ${role}`, ...content.split("\n")]);
  const sides = ({ blocks }) => {
    const without = (kind) =>
      blocks
        .filter((block) => block.kind !== kind)
        .flatMap((block) => block.lines.map(({ text, isRole }) => (isRole ? `# ${text}` : text)));
    return { before: without("added"), after: without("removed") };
  };

  for (const strategy of STRATEGIES) {
    it(`with one turn earlier contains both messages exactly: ${strategy}`, async () => {
      const { differences, frames } = await openState(stateOf({ strategy }));
      for (const count of [COUNT, 3, 1]) {
        const made = sides(
          differences.differencesOf(frames.frameAt(count - 1).messages, frames.frameAt(count).messages),
        );
        assert.deepEqual(made.before, lines(renderedAfter(count - 1, strategy)), `before turn ${count}`);
        assert.deepEqual(made.after, lines(renderedAfter(count, strategy)), `after turn ${count}`);
      }
    });
  }

  for (const [shown, other] of [
    ["single-user-coalesced", "none"],
    ["none", "per-turn-summary"],
    ["rolling-window", "aggressive"],
  ]) {
    it(`of ${shown} with ${other} contains both exactly`, async () => {
      const { differences, frames } = await openState(stateOf({ strategy: shown }));
      const made = sides(
        differences.differencesOf(frames.frameWith(other, COUNT).messages, frames.frameAt(COUNT).messages),
      );
      assert.deepEqual(made.before, lines(renderedAfter(COUNT, other)));
      assert.deepEqual(made.after, lines(renderedAfter(COUNT, shown)));
    });
  }
});

describe("the tokens of a history", () => {
  for (const strategy of STRATEGIES) {
    it(`of its sections add up to those of its messages: ${strategy}`, async () => {
      const { store } = await openState({ ...sample, strategy });
      const { messages, tokens, plainTokens } = store.outcome.value.frame;
      const expected = messagesAfter(sample, sample.turns.length, strategy);
      assert.deepEqual(rolesAndContents({ messages }), rolesAndContents({ messages: expected }));
      for (const message of messages) {
        const sum = message.sections.reduce((all, section) => all + section.tokens, 0);
        if (message.sections.length > 0) assert.equal(sum, message.tokens);
        assert.equal(message.tokens, estimate.count(message.content));
      }
      assert.equal(tokens, tokensOf(expected, estimate));
      assert.equal(plainTokens, tokensOf(messagesAfter(sample, sample.turns.length, "none"), estimate));
    });
  }
});

describe("the prefix shared with the previous turn", () => {
  for (const strategy of STRATEGIES) {
    it(`ends at the first byte that differs: ${strategy}`, async () => {
      const { frames, shared } = await openState({ ...sample, strategy });
      const [before, now] = [sample.turns.length - 1, sample.turns.length].map(
        (count) => frames.frameAt(count).messages,
      );
      const found = shared.sharedWith(before, now);
      const expected = sharedOf(before, now);
      const texts = now.slice(0, found.messages).map(({ content }) => content);
      if (found.units > 0) texts.push(now[found.messages].content.slice(0, found.units));
      assert.deepEqual(texts, Object.values(expected.texts));
      const { byte } = shared.differenceOf(before, now, found);
      if (expected.differs) assert.deepEqual([found.messages, byte], [expected.message, expected.byte]);
      else assert.notEqual(found.behind, "changes");
    });
  }
});
