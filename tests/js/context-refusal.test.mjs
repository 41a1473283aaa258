// Recognizes the errors of providers and their clients for a request that is too long for the model.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { APICallError, RetryError } from "ai";
import OpenAI from "openai";
import { bundled } from "./bundled.mjs";

const { contextRefusal } = await bundled("model", ["context-refusal"]);

/** By provider: its error text, the limit of the input, and the size of the input that the text names. */
const texts = {
  OpenAI: [
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
      8192,
      8545,
    ],
    [
      "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10341 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.",
      8186,
      10341,
    ],
    [
      "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens (125000 in the messages, 5000 in the completion). Please reduce the length of the messages or completion.",
      123000,
      125000,
    ],
    ["Your input exceeds the context window of this model. Please adjust your input and try again."],
    [
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.",
      272000,
      300000,
    ],
    [
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30432. The input or output tokens must be reduced in order to run successfully.",
      30000,
      30432,
    ],
  ],
  Anthropic: [
    ["prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462],
    [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      178667,
      188240,
    ],
  ],
  Gemini: [
    ["The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1048575, 1196265],
    ["The input token count exceeds the maximum number of tokens allowed 1048576.", 1048576],
  ],
  Bedrock: [["Input is too long for requested model."], ["too many total text bytes: 30000000 > 25000000"]],
  Mistral: [
    [
      "Prompt contains 321774 tokens and 0 draft tokens, too large for model with 262144 maximum context length",
      262144,
      321774,
    ],
  ],
  Cohere: [
    [
      "too many tokens: total number of tokens in the prompt exceeds the limit of 4081 . Try using a shorter prompt",
      4081,
    ],
  ],
  xAI: [["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812]],
  Groq: [["Please reduce the length of the messages or completion."]],
  Together: [["The input (250000 tokens) is longer than the model's context length (200000 tokens).", 200000, 250000]],
  OpenRouter: [
    [
      "This endpoint's maximum context length is 200000 tokens. However, you requested about 230000 tokens (221000 of text input, 1000 of tool input, 8000 in the output). Please reduce the length of either one.",
      192000,
      222000,
    ],
    ["Input length 250000 exceeds the maximum allowed input length of 196,608 tokens", 196608, 250000],
  ],
  Moonshot: [["Your request exceeded model token limit: 131072 (requested: 140000)", 131072, 140000]],
  "llama.cpp": [
    ["the request exceeds the available context size, try increasing it"],
    ["request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192, 9412],
  ],
  vLLM: [
    [
      "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 8193 input tokens, for a total of at least 16385 tokens.",
      8192,
      8193,
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
      2096,
      2104,
    ],
    // More for the reply than the window has.
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (5000 > 4096 - 2104).",
      4096,
      2104,
    ],
    ["The decoder prompt (length 8357) is longer than the maximum model length of 8192.", 8192, 8357],
    [
      "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller.",
      4096,
      25938,
    ],
  ],
  SGLang: [
    ["Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).", 59862, 160062],
    ["Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330],
  ],
  "LM Studio": [
    [
      "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    ],
    [
      "Trying to keep the first 5200 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
      4096,
    ],
  ],
  Ollama: [["the input length exceeds the context length"], ["input length exceeds maximum context length"]],
};

const expected = (limit, requested) => ({
  ...(limit === undefined ? {} : { limit }),
  ...(requested === undefined ? {} : { requested }),
});

suite("contextRefusal", () => {
  for (const [provider, said] of Object.entries(texts)) {
    test(`reads the text of ${provider} in any member of the error`, () => {
      for (const [text, limit, requested] of said) {
        const refusal = expected(limit, requested);
        for (const error of [
          new Error(text),
          `${text}`,
          new Error(`400 ${JSON.stringify({ error: { message: text, type: "invalid_request_error" } })}`),
          new Error("the request failed", { cause: new Error(text) }),
          new Error("the request failed", { cause: text }),
          { error: { message: text } },
          { error: { error: { message: text } } },
          { error: text },
          { response: { data: { error: { message: text } } } },
          { statusCode: 400, responseBody: JSON.stringify({ error: { message: text } }) },
        ]) {
          assert.deepEqual(contextRefusal(error), refusal, text);
        }
      }
    });
  }

  test("reads codes without numbers", () => {
    for (const error of [
      Object.assign(new Error("bad request"), { code: "context_length_exceeded" }),
      { error: { error: { type: "exceed_context_size_error" } } },
      { status: 413, error: { error: { type: "request_too_large", message: "Request exceeds the maximum size" } } },
      Object.assign(new Error("413 status code (no body)"), { status: 413 }),
    ]) {
      assert.deepEqual(contextRefusal(error), {});
    }
    const body = {
      code: 400,
      type: "exceed_context_size_error",
      message: "too long",
      n_prompt_tokens: 9412,
      n_ctx: 8192,
    };
    assert.deepEqual(contextRefusal({ status: 400, error: body }), { limit: 8192, requested: 9412 });
    assert.deepEqual(contextRefusal(new Error(`400 ${JSON.stringify({ error: body })}`)), {
      limit: 8192,
      requested: 9412,
    });
  });

  test("reads the errors of official clients", () => {
    const headers = new Headers();
    const [said] = texts.OpenAI[0];
    const openai = OpenAI.APIError.generate(
      400,
      { error: { message: said, type: "invalid_request_error", code: "context_length_exceeded" } },
      undefined,
      headers,
    );
    assert.deepEqual(contextRefusal(openai), { limit: 8192, requested: 8545 });
    const body = { type: "error", error: { type: "invalid_request_error", message: texts.Anthropic[0][0] } };
    const anthropic = Anthropic.APIError.generate(400, body, undefined, headers);
    assert.deepEqual(contextRefusal(anthropic), { limit: 200000, requested: 213462 });
    const sdk = new APICallError({
      message: "Bad Request",
      url: "https://models.example.com/v1",
      requestBodyValues: {},
      statusCode: 400,
      responseBody: JSON.stringify({ error: { message: texts.Gemini[0][0] } }),
    });
    assert.deepEqual(contextRefusal(sdk), { limit: 1048575, requested: 1196265 });
    const retried = new RetryError({ message: "gave up", reason: "maxRetriesExceeded", errors: [sdk] });
    assert.deepEqual(contextRefusal(retried), { limit: 1048575, requested: 1196265 });
  });

  test("is null for other errors", () => {
    for (const text of [
      "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
      "You exceeded your current quota, please check your plan and billing details.",
      "Too many tokens, please wait before trying again.",
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
      "messages: roles must alternate between user and assistant",
      "Invalid value for 'max_tokens': must be positive",
      "Overloaded",
      "the context was canceled",
      "prompt must not be empty",
      "fetch failed",
    ]) {
      assert.equal(contextRefusal(new Error(text)), null, text);
      assert.equal(contextRefusal({ status: 400, error: { message: text } }), null, text);
    }
    for (const nothing of [undefined, null, 7, "", {}, [], () => {}]) assert.equal(contextRefusal(nothing), null);
    const hostile = new Proxy({}, { get: () => assert.fail("no") });
    assert.equal(contextRefusal(hostile), null);
  });
});
