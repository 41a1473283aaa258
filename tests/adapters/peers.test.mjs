// Message lists in the shapes of other projects' tests, under every strategy: the project's own code accepts what is
// left, runs the same approved calls, and no call or result is alone.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { aiSDK, uiMessages } from "./peers/ai-sdk.mjs";
import { checkEveryStrategy } from "./peers/every-strategy.mjs";
import { mastraMessages, mastraPrompts } from "./peers/mastra.mjs";
import { openaiAgents } from "./peers/openai-agents.mjs";

/** The peers, the files with their lists, and how many lists are accepted as they are. */
const peers = [
  ["generateText of AI SDK 6", "ai-sdk", aiSDK(6), 230],
  ["generateText of AI SDK 7", "ai-sdk", aiSDK(7), 230],
  ["generateText of AI SDK 7 with UI messages", "ui-messages", uiMessages, 200],
  ["a run of OpenAI's Agents SDK", "openai-agents", openaiAgents, 400],
  ["Mastra with messages of its memory", "mastra", mastraMessages, 200],
  ["Mastra with prompts that its processor manages", "mastra", mastraPrompts, 200],
];

suite("lists of other projects' tests", () => {
  for (const [title, name, peer, least] of peers) {
    test(`${title} accepts what every strategy leaves of them`, async () => {
      const { accepted, problems } = await checkEveryStrategy(name, peer);
      assert.deepEqual(problems, []);
      assert.ok(accepted >= least, `${accepted} lists were accepted as they are`);
    });
  }
});
