// Runs the model in this process, with one context whose cache is reused from one request to the next.

import { randomInt } from "node:crypto";
import { getLlama, LlamaGrammarEvaluationState } from "node-llama-cpp";
import { promptOf } from "./chatml.mjs";
import { ReplyText } from "./reply-text.mjs";
import { RequestProblem } from "./request-problem.mjs";

/** Tokens of a prompt that are evaluated at once; an aborted request stops after at most as many. */
const STEP = 128;

/** Extra tokens of llama.cpp's context, which discards its beginning shortly before it is full. */
const SPARE = 64;

/**
 * Loads the model.
 *
 * @param {{ weights: string, contextSize: number, threads: number }} options `threads`: with more than one, every other
 * process on the same processors slows the model down by far more than its share.
 */
export async function loadEngine({ weights, contextSize, threads }) {
  const llama = await openLlama(threads);
  const model = await llama.loadModel({ modelPath: weights, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: contextSize + SPARE,
    sequences: 1,
    batchSize: STEP,
    threads: { ideal: threads, min: threads },
    flashAttention: true,
  });
  return new Engine(llama, model, context, contextSize);
}

/**
 * Loads only the tokenizer of the model, as a counter for `turnfold`.
 *
 * @returns {Promise<{ name: string, method: "exact", count(text: string): number, prompt(messages: unknown): number }>}
 * `prompt` counts a whole request.
 */
export async function loadCounter(weights) {
  const llama = await openLlama(1);
  const model = await llama.loadModel({ modelPath: weights, gpuLayers: 0, vocabOnly: true });
  return {
    name: "smollm2",
    method: "exact",
    count: (text) => model.tokenize(text).length,
    prompt: (messages) => promptOf(model, messages).length,
  };
}

const openLlama = (maxThreads) =>
  getLlama({ gpu: false, build: "never", skipDownload: true, progressLogs: false, logLevel: "error", maxThreads });

class Engine {
  /** Since the start: requests, evaluated tokens of prompts, and generated tokens. */
  counts = { requests: 0, evaluated: 0, generated: 0 };
  /** Requests that are running or waiting. */
  active = 0;
  #last = Promise.resolve();
  #sequence;

  constructor(llama, model, context, contextSize) {
    this.llama = llama;
    this.model = model;
    this.contextSize = contextSize;
    this.#sequence = context.getSequence();
  }

  /** @throws {RequestProblem} `invalid_grammar` */
  async grammar(text) {
    try {
      return await this.llama.createGrammar({ grammar: text });
    } catch (cause) {
      throw new RequestProblem(`the grammar can't be read: ${cause.message}`, {
        param: "grammar",
        code: "invalid_grammar",
      });
    }
  }

  /**
   * Generates a reply, after the replies to earlier requests.
   *
   * @param {{ prompt: number[], maxTokens: number, temperature: number, topP: number, seed?: number, stop: string[],
   *   grammar?: object }} request `prompt` and `maxTokens` together fit the context.
   * @param {AbortSignal} signal ends the evaluation within a step.
   * @param {(text: string) => void} onText
   * @returns the reply and its counts; null when the signal aborted.
   */
  async complete(request, signal, onText = () => {}) {
    this.active++;
    const turn = this.#last;
    let done;
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await turn;
      return signal.aborted ? null : await this.#complete(request, signal, onText);
    } finally {
      this.active--;
      done();
    }
  }

  async #complete({ prompt, maxTokens, stop, grammar, seed = randomInt(2 ** 31), ...sampling }, signal, onText) {
    this.counts.requests++;
    const started = performance.now();
    const cached = await this.#evaluate(prompt, signal);
    if (cached === null) return null;
    const reply = new ReplyText(this.model, stop, onText);
    let [outputTokens, firstAt] = [0, null];
    const tokens = this.#sequence.evaluate(prompt.slice(-1), {
      ...sampling,
      topK: 0,
      seed,
      ...(grammar === undefined
        ? {}
        : { grammarEvaluationState: new LlamaGrammarEvaluationState({ model: this.model, grammar }) }),
    });
    this.counts.evaluated++;
    for await (const token of tokens) {
      firstAt ??= performance.now();
      outputTokens++;
      this.counts.generated++;
      reply.push(token);
      if (signal.aborted) return null;
      if (reply.isStopped || outputTokens === maxTokens) break;
    }
    firstAt ??= performance.now();
    reply.end();
    return {
      text: reply.text,
      finishReason: !reply.isStopped && outputTokens === maxTokens ? "length" : "stop",
      cachedTokens: cached,
      outputTokens,
      promptMs: firstAt - started,
      outputMs: performance.now() - firstAt,
    };
  }

  /**
   * Evaluates a prompt except its last token, from the first token that differs from the cache.
   *
   * @returns the number of tokens from the cache, or null when the signal aborted.
   */
  async #evaluate(prompt, signal) {
    const sequence = this.#sequence;
    await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
    const cached = sequence.nextTokenIndex;
    for (let from = cached; from < prompt.length - 1; from += STEP) {
      if (signal.aborted) return null;
      const step = prompt.slice(from, Math.min(from + STEP, prompt.length - 1));
      await sequence.evaluateWithoutGeneratingNewTokens(step);
      this.counts.evaluated += step.length;
    }
    return signal.aborted ? null : cached;
  }
}
