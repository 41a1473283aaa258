// The examples of the playground that the guides open, and the parts of the page that their pictures show.

/**
 * @typedef {object} GuideExample
 * @property {string} fragment The state that the link opens.
 * @property {string} what What it opens, in words of the link.
 * @property {RegExp} says What the page then says.
 * @property {string[]} [presses] Names of the buttons that are pressed, and of tabs that are shown, before the picture is taken.
 * @property {string} [at] The selector of the element that the picture shows; guides without it have no picture.
 * @property {number} [width] The width of the window for the picture, in px. Default 1280.
 */

/** @type {Record<string, GuideExample>} */
export const guideExamples = {
  turns: {
    fragment: "#example=shopping&tab=turns",
    what: "five turns of an agent and the messages for its model",
    says: /Find well-reviewed electronics/,
    at: "#messages",
  },
  chat: {
    fragment: "#example=migration&tab=chat",
    what: "a coding agent’s chat of 126 calls",
    says: /\$0\.\d+ → \$0\.\d+ a run/,
    at: "#messages",
  },
  "typed-calls": {
    fragment: "#example=follow-up&tab=programs",
    what: "a typed call with a history",
    says: /And how long did that take\?/,
    at: "#panel-programs",
    width: 1000,
  },
  strategies: {
    fragment: "#example=suppliers&tab=turns",
    what: "forty turns and all strategies for them",
    says: /about [\d,]+ → [\d,]+ tokens/,
    presses: ["Details", "All strategies"],
    at: ".strategy-table",
  },
  costs: {
    fragment: "#example=suppliers&tab=turns",
    what: "the costs of forty turns",
    says: /\$0\.\d+ → \$0\.\d+ a run/,
    presses: ["Details", "All strategies"],
    at: '[data-plot="costs"]',
  },
  "provider-compaction": {
    fragment: "#example=migration&tab=chat",
    what: "a coding agent’s chat, with its costs at the prices of each model",
    says: /Claude Sonnet/,
  },
  recall: {
    fragment: "#example=migration&tab=chat",
    what: "a coding agent’s chat, and what its later calls needed",
    says: /126 calls|254 messages/,
    presses: ["Details", "What later calls needed"],
    at: '[data-plot="needs"]',
  },
  sandbox: {
    fragment: "#example=travel&tab=repl",
    what: "programs with tools on the REPL",
    says: /forecast/,
    presses: ["Run"],
    at: "#panel-repl",
    width: 1000,
  },
  models: {
    fragment: "#example=expenses&tab=run",
    what: "an agent with scripted replies, to which you can give a model",
    says: /Scripted/,
    at: "#panel-run",
    width: 1000,
  },
  waiting: {
    fragment: "#example=refunds&tab=run",
    what: "an agent whose refund waits for you: press Run",
    says: /A refund that a person approves/,
    presses: ["Run"],
    at: ".waiting-turn",
    width: 720,
  },
  "custom-strategies": {
    fragment: "#example=suppliers&tab=turns",
    what: "forty turns; choose “Your own” as the strategy",
    says: /Your own/,
  },
  playground: { fragment: "", what: "its first example", says: /Edit a turn, and see the message/ },
};

/** The most that a picture shows of its element from its top, in px. */
export const MAX_HEIGHT = 420;
