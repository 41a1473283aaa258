import type { TextMessage } from "../model/message.ts";
import type { InputsOf, OutputsOf, SignatureLike } from "../signature/infer.ts";
import { type OwnSignature, readSignature } from "../signature/signature.ts";
import type { Signature } from "../signature/types.ts";
import {
  checkSettings,
  encodeInputs,
  messagesOf,
  type PredictCallOptions,
  type Prediction,
  type PredictOptions,
  RunningCall,
  requestParts,
  type TypedCall,
  typedCallOf,
} from "./typed-call.ts";

/**
 * A typed call of a model. It checks the inputs, renders them as messages, and parses the reply as the outputs of the
 * signature. An input of the type `History` accepts the conversation so far.
 *
 * It is immutable; any number of calls may run concurrently.
 *
 * @example
 * ```ts
 * const judge = new Predict('review: str -> mood: Literal["good", "bad"], score: float', { llm });
 * const { mood, score } = await judge.call({ review: "Bright, and easy to set up." });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument it is any typed call.
export class Predict<const S extends SignatureLike = any> {
  /** The inputs and outputs. */
  readonly signature: Signature<InputsOf<S>, OutputsOf<S>>;
  /** @internal */
  declare protected readonly typed: TypedCall;

  /**
   * @throws {TurnfoldError} `invalid_signature`, `invalid_option`, `invalid_demo`; `invalid_value`, `cyclic_value` or
   * `nesting_too_deep` for the demos, with the path.
   */
  constructor(signature: S, options: PredictOptions = {}) {
    const read = readSignature(signature);
    this.signature = read as unknown as Signature<InputsOf<S>, OutputsOf<S>>;
    Object.defineProperty(this, "typed", { value: this.prepare(read, options) });
  }

  /**
   * Returns the messages of a call without sending them: the system message of adapters that have one, the demos, two
   * messages for each turn of the history, and the request, which does not depend on the history.
   *
   * @throws {TurnfoldError} `invalid_history_value` for a value that is not a {@link History},
   * `invalid_history_element` for a turn without inputs or without outputs, `validation_error` for inputs that do not
   * match the signature, with `problems`, `invalid_inputs` for inputs that are not an object or `Map`; `invalid_value`,
   * `cyclic_value` or `nesting_too_deep` with the path.
   */
  messages(inputs: InputsOf<S>): TextMessage[] {
    return messagesOf(requestParts(this.typed, encodeInputs(this.typed, inputs)));
  }

  /**
   * Calls the model, and again at most `maxRepairs` times when its reply can't be used.
   *
   * @returns all outputs; an optional one that the model omitted is null.
   * @throws {TurnfoldError} the errors of {@link Predict.messages} before the model is called; `missing_llm`,
   * `invalid_option`; `llm_error` when the model fails; `output_parse_failed` with `problems`, `reply` and `attempts`
   * in the details; `aborted`. Once the model was called, the details have `usage`.
   */
  async call(inputs: InputsOf<S>, options: PredictCallOptions = {}): Promise<OutputsOf<S>> {
    return (await this.run(inputs, options)).outputs;
  }

  /**
   * Like {@link Predict.call}, and also returns the messages, the reply and the usage.
   *
   * @throws {TurnfoldError} as {@link Predict.call}
   */
  async run(inputs: InputsOf<S>, options: PredictCallOptions = {}): Promise<Prediction<OutputsOf<S>>> {
    const { typed } = this;
    const parts = requestParts(typed, encodeInputs(typed, inputs));
    const running = new RunningCall(typed.settings, options);
    return running.withUsageInErrors(() => running.ask(typed, parts, "answer"));
  }

  /** @internal */
  protected prepare(signature: OwnSignature, options: unknown): TypedCall {
    const settings = checkSettings(options, {});
    return typedCallOf(signature, settings);
  }
}

/** The outputs with `reasoning`, a text. */
export type WithReasoning<O> = O extends { reasoning: unknown }
  ? O
  : { [K in keyof O | "reasoning"]: K extends keyof O ? O[K] : string };

/**
 * A {@link Predict} with an output `reasoning`, which the model writes before the others. Turns of a history may omit it.
 *
 * @example
 * ```ts
 * const { reasoning, answer } = await new ChainOfThought("question -> answer: int", { llm }).call({ question });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument it is any typed call.
export class ChainOfThought<const S extends SignatureLike = any> extends Predict<
  Signature<InputsOf<S>, WithReasoning<OutputsOf<S>>>
> {
  /** @throws {TurnfoldError} as {@link Predict}; `invalid_signature` when an input has the name `reasoning`. */
  constructor(signature: S, options: PredictOptions = {}) {
    super(withReasoning(signature) as unknown as Signature<InputsOf<S>, WithReasoning<OutputsOf<S>>>, options);
  }
}

function withReasoning(given: unknown): OwnSignature {
  const { inputs, outputs, instructions } = readSignature(given);
  const reasoning = { name: "reasoning", type: "str", description: "your thoughts on the way to the other outputs" };
  const thinks = outputs.length === 0 || outputs.some(({ name }) => name === "reasoning");
  return readSignature({
    inputs,
    outputs: thinks ? outputs : [reasoning, ...outputs],
    ...(instructions === undefined ? {} : { instructions }),
  });
}
