// The finish reasons of every provider, and the summaries that are refused because of them.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation, manageHistory, TurnfoldError, wholeHistory } from "turnfold";
import { bundled } from "./bundled.mjs";

const { finishReasonOf } = await bundled("model", ["finish-reason"]);

/** By provider: its words and the normalized finish reasons. */
const words = {
  "OpenAI Chat Completions": {
    stop: "stop",
    length: "length",
    content_filter: "content-filter",
    tool_calls: "tool-calls",
    function_call: "tool-calls",
  },
  "OpenAI Responses": {
    completed: "stop",
    incomplete: "length",
    max_output_tokens: "length",
    failed: "error",
    cancelled: "error",
  },
  Anthropic: {
    end_turn: "stop",
    stop_sequence: "stop",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    tool_use: "tool-calls",
    refusal: "content-filter",
    pause_turn: "other",
  },
  Gemini: {
    STOP: "stop",
    MAX_TOKENS: "length",
    "FinishReason.MAX_TOKENS": "length",
    FINISH_REASON_SAFETY: "content-filter",
    SAFETY: "content-filter",
    RECITATION: "content-filter",
    PROHIBITED_CONTENT: "content-filter",
    BLOCKLIST: "content-filter",
    SPII: "content-filter",
    IMAGE_SAFETY: "content-filter",
    MALFORMED_FUNCTION_CALL: "error",
    UNEXPECTED_TOOL_CALL: "error",
    LANGUAGE: "other",
    OTHER: "other",
    FINISH_REASON_UNSPECIFIED: "other",
  },
  Bedrock: {
    end_turn: "stop",
    guardrail_intervened: "content-filter",
    content_filtered: "content-filter",
    malformed_tool_use: "error",
    FINISH: "stop",
    CONTENT_FILTERED: "content-filter",
  },
  "the AI SDK": {
    "content-filter": "content-filter",
    "tool-calls": "tool-calls",
    error: "error",
    other: "other",
    unknown: "other",
  },
  Cohere: {
    COMPLETE: "stop",
    STOP_SEQUENCE: "stop",
    MAX_TOKENS: "length",
    ERROR_LIMIT: "length",
    TOOL_CALL: "tool-calls",
    ERROR: "error",
    ERROR_TOXIC: "content-filter",
    TIMEOUT: "error",
  },
  Mistral: { model_length: "length", error: "error" },
  Ollama: { stop: "stop", length: "length", load: "other", unload: "other" },
  "TGI and llama.cpp": { eos_token: "stop", eos: "stop", word: "stop", limit: "length" },
  "LM Studio": {
    eosFound: "stop",
    maxPredictedTokensReached: "length",
    contextLengthReached: "length",
    toolCalls: "tool-calls",
    userStopped: "other",
  },
  DeepSeek: { insufficient_system_resource: "error" },
  "Z.ai": { sensitive: "content-filter", network_error: "error" },
};

suite("finishReason", () => {
  for (const [provider, reasons] of Object.entries(words)) {
    test(`of ${provider} is recognized in any spelling`, () => {
      for (const [word, reason] of Object.entries(reasons)) {
        for (const spelled of [word, word.toLowerCase(), word.toUpperCase(), word.replaceAll("_", "-"), ` ${word} `]) {
          assert.equal(finishReasonOf(spelled, false), reason, spelled);
        }
      }
    });
  }

  test("that is missing means a complete reply", () => {
    for (const none of [undefined, null, "", 3, {}]) {
      assert.equal(finishReasonOf(none, false), "stop");
      assert.equal(finishReasonOf(none, true), "tool-calls");
    }
  });

  test("of a reply with tool calls is tool-calls, unless it was cut off or filtered", () => {
    assert.equal(finishReasonOf("STOP", true), "tool-calls");
    assert.equal(finishReasonOf("max_tokens", true), "length");
    assert.equal(finishReasonOf("content_filter", true), "content-filter");
  });
});

const sentence = "The parcel left the depot in Leipzig yesterday and comes before noon.";
const conversation = new Conversation({
  messages: Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index}. ${sentence}`,
  })),
});

/** The problem of a summary, or null when it was used. */
async function problemOf(reply, parameters = {}) {
  const llm = typeof reply === "function" ? reply : () => reply;
  try {
    await manageHistory(
      conversation,
      { compressionStrategy: wholeHistory(), keepAtLeast: 0, ...parameters },
      { llm, onWarning: () => {} },
    );
    return null;
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), error.stack);
    assert.equal(error.code, "compression_failed");
    return error.details.problem;
  }
}

suite("a summary", () => {
  test("that was cut off, filtered or aborted is refused, for the words of every provider", async () => {
    const problems = { length: "cut_off", "content-filter": "refused", error: "error" };
    for (const reasons of Object.values(words)) {
      for (const [finishReason, reason] of Object.entries(reasons)) {
        assert.equal(
          await problemOf({ content: "Parcels are late.", finishReason }),
          problems[reason] ?? null,
          finishReason,
        );
      }
    }
  });

  test("that is streamed is refused according to the last finish reason", async () => {
    const streamed = (...chunks) =>
      problemOf(async function* () {
        yield* chunks;
      });
    assert.equal(
      await streamed({ text: "Parcels", finishReason: null }, { text: " are", finishReason: "max_tokens" }),
      "cut_off",
    );
    assert.equal(await streamed("Parcels", { finishReason: "SAFETY" }, { usage: {}, finishReason: null }), "refused");
    assert.equal(await streamed("Parcels are late.", { finishReason: "stop" }), null);
  });

  test("that is empty after filtering is refused with the problem refused", async () => {
    assert.equal(await problemOf({ content: "", finishReason: "PROHIBITED_CONTENT" }), "refused");
  });

  test("that declines the request is refused", async () => {
    const refusals = [
      "I'm sorry, but I can't help with that.",
      "I’m sorry, but I cannot assist with that request.",
      "I am so sorry. I can't write this.".replace(". I", ", I"),
      "Sorry, I can't do that.",
      "I can't help with that.",
      "I cannot provide a summary of this conversation.",
      "I'm unable to assist with this.",
      '"I cannot summarize this content."',
      "Unfortunately, I am not able to process this transcript.",
      "As an AI language model, I cannot do that.",
      "Es tut mir leid, aber ich kann dabei nicht helfen.",
      "Je suis désolé, mais je ne peux pas vous aider.",
      "Lo siento, pero no puedo ayudar con eso.",
      "很抱歉，我无法协助。",
      "申し訳ありませんが、お手伝いできません。",
    ];
    for (const text of refusals) assert.equal(await problemOf(text), "refused", text);
  });

  test("that only reports refusals and apologies is used", async () => {
    const summaries = [
      "The user could not open the file. The assistant said: I'm sorry, but I can't.",
      "Sorry state of the depot: parcels are late.",
      "I can't reach the depot, said the user; the parcel comes before noon.",
      "Unable to deliver on Monday; the parcel comes on Tuesday.",
      `I'm sorry, but I can't say when it comes, said the depot. ${sentence.repeat(6)}`,
    ];
    for (const text of summaries) assert.equal(await problemOf(text), null, text);
  });

  test("that repeats its instructions is refused", async () => {
    const system = ({ messages }) => messages[0].content;
    assert.equal(await problemOf((request) => system(request)), "repeats_instructions");
    assert.equal(
      await problemOf((request) => `Sure!\n\n${system(request).slice(0, 200)}`.replaceAll(" ", "\n")),
      "repeats_instructions",
    );
    // A short summaryPrompt may occur in a valid summary.
    assert.equal(await problemOf("Sum up what was said: parcels are late.", { summaryPrompt: "Sum up" }), null);
  });
});
