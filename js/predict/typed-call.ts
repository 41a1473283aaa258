import { checkSignal } from "../boundary/abort.ts";
import { Stopwatch } from "../boundary/clock.ts";
import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import {
  countOption,
  functionOption,
  invalidOption,
  type OptionCheck,
  type OptionTable,
  type OptionValues,
  plainCopy,
  readOptions,
  textOption,
} from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { type Conversation, ofMessages } from "../chat/conversation.ts";
import type { HistoryReport } from "../chat/history-report.ts";
import { manageChecked, warn } from "../chat/manage-history.ts";
import { markChecked, unitKey } from "../chat/message-copy.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "../chat/parameters.ts";
import { TurnfoldError, withDetails } from "../errors.ts";
import type { TextMessage } from "../model/message.ts";
import { callModel, checkLLM, type LLM, type LLMRequest } from "../model/model.ts";
import { checkRetry, type Retry } from "../model/retry.ts";
import { addUsage, type Usage } from "../model/usage.ts";
import { takeHistory } from "../signature/history.ts";
import { type FitResult, historyField, type OwnSignature, problemsText, signatureKey } from "../signature/signature.ts";
import type { Value } from "../values/values.ts";

/** The options of a typed call. Those that {@link PredictCallOptions} has too are defaults, which a call may replace. */
export interface PredictOptions extends Omit<PredictCallOptions, "signal"> {
  /**
   * The form of requests and replies. `default`: one message, `Field: value` in both directions. `chat`: a system
   * message, and a marker above each value. `json`: a system message, and a JSON object as the reply; the request has
   * its schema. All adapters render the turns of a history in the same form.
   */
  adapter?: "default" | "chat" | "json" | undefined;
  /**
   * The task of the model. By default the instructions of the signature; if it has none, the request names the inputs and
   * outputs.
   */
  instructions?: string | undefined;
  /** Examples, each with some inputs and some outputs; none by default. In the request they come before the history. */
  demos?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Retries when a call of the model fails; one attempt by default. */
  retry?: Retry | undefined;
}

/** The options of one call. Each replaces that of the constructor; one that is undefined does not. */
export interface PredictCallOptions {
  /** The model. */
  llm?: LLM | undefined;
  /** Aborts the call, which rejects with `aborted`. */
  signal?: AbortSignal | undefined;
  /**
   * Maximum number of further requests after a reply that can't be used; 1 by default. They differ only in the last
   * message.
   */
  maxRepairs?: number | undefined;
  /**
   * The strategy and the limits that compress the history, as for chats; by default all of it is sent. The two messages of a
   * turn are kept or omitted together; a summary comes before the kept turns. Requires an input of the type `History`, and
   * beside `turnfold/predict` an import of `turnfold/chat`, whose wasm compresses.
   */
  history?: RequestParameters | undefined;
  /** Receives the warnings about the history; `console.warn` by default. */
  onWarning?: ((text: string) => void) | undefined;
}

/** The result of a call. */
export interface Prediction<O = Record<string, Value>> {
  /** All outputs by their names; an optional one that the model omitted is null. */
  readonly outputs: O;
  /** The reply that contains the outputs. */
  readonly reply: string;
  /** The messages of the last request. */
  readonly messages: readonly TextMessage[];
  /** Inputs that the signature does not declare, and the coercions that made the inputs and the reply match it. */
  readonly warnings: readonly string[];
  /** The report on the history; null without the option `history`. */
  readonly report: HistoryReport | null;
  /** The usage of all requests. */
  readonly usage: PredictionUsage;
}

/** The usage of a call. The tokens include those of agents that run as tools. */
export interface PredictionUsage extends Usage {
  /** The number of requests, including those for summaries, without those of agents that run as tools. */
  calls: number;
  /** The duration of the call in milliseconds. */
  durationMs: number;
}

/**
 * A checked typed call.
 *
 * @internal
 */
export interface TypedCall {
  readonly signature: OwnSignature;
  /** The call as it is passed to the wasm. */
  readonly options: WireCall;
  /** JSON Schema of the reply with the adapter `json`, which sends it; otherwise undefined. */
  readonly schema: unknown;
  readonly settings: Settings;
}

/** A typed call as it is passed to the wasm. */
interface WireCall {
  readonly signature: OwnSignature[typeof signatureKey]["source"];
  readonly turns: OwnSignature[typeof signatureKey]["source"] | undefined;
  readonly adapter: unknown;
  readonly instructions: string;
  /** JSON of the list. */
  readonly demos: string;
}

/** @internal */
export interface Settings {
  /** The wasm checks it. */
  readonly adapter: unknown;
  readonly instructions: string | undefined;
  /** JSON of the list. */
  readonly demos: string;
  readonly llm: LLM | undefined;
  readonly retry: Retry | undefined;
  readonly maxRepairs: number;
  readonly history: CheckedParameters | undefined;
  readonly onWarning: (text: string) => void;
}

/** Names that other libraries use for these options. */
const RENAMED = { max_repairs: "maxRepairs", maxRetries: "maxRepairs", examples: "demos", model: "llm", lm: "llm" };

const MAX_REPAIRS = 1;

/**
 * @param more the checks of further options.
 * @throws {TurnfoldError} `invalid_option`; for demos the errors of {@link encode}.
 *
 * @internal
 */
export function checkSettings<More extends OptionTable>(options: unknown, more: More): Settings & OptionValues<More> {
  const checks = {
    adapter: (adapter) => plainCopy(adapter, "adapter"),
    instructions: textOption,
    demos: encodeDemos,
    llm: checkLLM,
    retry: checkRetry,
    maxRepairs: countOption(MAX_REPAIRS, 0),
    history: checkHistory,
    onWarning: functionOption(null, console.warn),
  } satisfies Record<keyof PredictOptions, OptionCheck>;
  const read = readOptions("the options of a typed call", options, { ...checks, ...more }, RENAMED);
  return read as OptionValues<typeof checks> & OptionValues<More>;
}

function encodeDemos(demos: unknown = []): string {
  if (Array.isArray(demos)) return encode(demos, "demos");
  throw invalidOption("demos", "a list of examples", demos, "[{ question: …, answer: … }]");
}

const checkHistory = (history: unknown) => (history === undefined ? undefined : checkParameters(history));

/**
 * @param turns the signature of the history's turns, if they have other outputs.
 * @throws {TurnfoldError} `invalid_signature`, `invalid_demo`, `invalid_option`
 *
 * @internal
 */
export function typedCallOf(signature: OwnSignature, settings: Settings, turns?: OwnSignature): TypedCall {
  const options: WireCall = {
    signature: signature[signatureKey].source,
    turns: turns?.[signatureKey].source,
    adapter: settings.adapter,
    instructions: settings.instructions ?? signature.instructions ?? "",
    demos: settings.demos,
  };
  const schema: unknown = JSON.parse(call("predict", (wasm) => wasm.checkProgram(options)));
  return { signature, options, schema: settings.adapter === "json" ? schema : undefined, settings };
}

/**
 * A copy of the inputs, made at the beginning of a call and not affected by later changes by the host.
 *
 * @internal
 */
export interface EncodedInputs {
  /** JSON of the inputs by their names, without the history. */
  readonly inputs: string;
  /** JSON of each turn. */
  readonly history: readonly string[];
}

/**
 * @throws {TurnfoldError} `invalid_inputs`, `invalid_history_value`; the errors of {@link encode} for a value that
 * can't be encoded.
 *
 * @internal
 */
export function encodeInputs({ signature }: TypedCall, inputs: unknown): EncodedInputs {
  const { history, others } = takeHistory(historyField(signature.inputs), inputs);
  return { inputs: encode(others, "inputs"), history: history ?? [] };
}

/**
 * A request in its three parts. The history is a list of units of two messages, which compression keeps or omits together.
 *
 * @internal
 */
export interface RequestParts {
  readonly before: readonly TextMessage[];
  readonly history: readonly (readonly [user: TextMessage, assistant: TextMessage])[];
  readonly request: TextMessage;
  /** Which inputs were dropped or coerced. */
  readonly warnings: readonly string[];
}

/**
 * A step as it is passed to the wasm, which makes the input `trajectory` from the steps.
 *
 * @internal
 */
export interface TrajectoryStep {
  readonly thought: string;
  readonly tool: string;
  /** JSON. */
  readonly args?: string;
  /** JSON of the tool's result. */
  readonly observation?: string;
  readonly error?: string;
}

/** A request as the wasm returns it. */
interface RequestRecord {
  readonly before: readonly TextMessage[];
  readonly history: readonly { readonly user: string; readonly assistant: string }[];
  readonly request: string;
  readonly warnings: readonly string[];
}

/**
 * @param trajectory the steps so far; absent for a call without that input.
 * @throws {TurnfoldError} `validation_error`, `invalid_history_element`
 *
 * @internal
 */
export function requestParts(
  typed: TypedCall,
  encoded: EncodedInputs,
  trajectory?: readonly TrajectoryStep[],
): RequestParts {
  const options = { program: typed.options, inputs: encoded.inputs, history: encoded.history, trajectory };
  const record = JSON.parse(call("predict", (wasm) => wasm.programRequest(options))) as RequestRecord;
  return {
    before: record.before,
    history: record.history.map((turn) => [user(turn.user), { role: "assistant", content: turn.assistant }]),
    request: user(record.request),
    warnings: record.warnings,
  };
}

function user(content: string): TextMessage {
  return { role: "user", content };
}

/** @internal */
export function messagesOf({ before, history, request }: RequestParts): TextMessage[] {
  return [...before, ...history.flat(), request];
}

/**
 * A running call: the model, the options and the usage so far.
 *
 * @internal
 */
export class RunningCall {
  readonly signal: AbortSignal | undefined;
  readonly llm: LLM;
  private readonly maxRepairs: number;
  readonly retry: Retry | undefined;
  private readonly parameters: CheckedParameters | undefined;
  private readonly onWarning: (text: string) => void;
  private readonly time = new Stopwatch();
  private readonly totalUsage: Usage = {};
  private calls = 0;
  /** The history as sent with the last request. */
  private conversation: Conversation | null = null;
  private report: HistoryReport | null = null;

  /** @throws {TurnfoldError} `invalid_option`, `missing_llm` */
  constructor(settings: Settings, options: unknown) {
    const given = readOptions(
      "the options of call()",
      options,
      {
        llm: checkLLM,
        signal: checkSignal,
        maxRepairs: countOption(settings.maxRepairs, 0),
        history: checkHistory,
        onWarning: functionOption(null, settings.onWarning),
      } satisfies Record<keyof PredictCallOptions, OptionCheck>,
      RENAMED,
    );
    const { signal, maxRepairs, onWarning, llm = settings.llm } = given;
    this.signal = signal;
    this.maxRepairs = maxRepairs;
    this.retry = settings.retry;
    this.parameters = given.history ?? settings.history;
    this.onWarning = onWarning;
    if (llm === undefined) {
      throw new TurnfoldError("missing_llm", "there is no model to ask", {
        hint: "give llm to the constructor or to call(): llm: async ({ messages }) => text",
      });
    }
    this.llm = llm;
  }

  /**
   * Calls the model, and again at most `maxRepairs` times when its reply can't be used.
   *
   * @throws {TurnfoldError} `output_parse_failed`, `llm_error`, `aborted`; the errors of {@link manageHistory}.
   */
  async ask<O>(
    typed: TypedCall,
    parts: RequestParts,
    purpose: "answer" | "extraction",
    turn?: number,
  ): Promise<Prediction<O>> {
    const { signal } = this;
    let messages = [...parts.before, ...(await this.history(typed, parts)), parts.request];
    for (let repairs = 0; ; repairs++) {
      const request: LLMRequest = { messages: messages.map((message) => ({ ...message })), purpose };
      if (turn !== undefined) request.turn = turn;
      if (signal !== undefined) request.signal = signal;
      if (typed.schema !== undefined) request.schema = structuredClone(typed.schema) as Record<string, unknown>;
      this.calls++;
      const answer = await callModel(this.llm, request, this.retry);
      if (answer === null) throw this.abortedError();
      addUsage(this.totalUsage, answer.usage);
      const reply = answer.content;
      const options = { program: typed.options, request: parts.request.content, reply };
      const fit: FitResult = call("predict", (wasm) => wasm.programOutputs(options));
      if (fit.problems === undefined) {
        const { report } = this;
        const outputs = decodePlain(JSON.parse(fit.value)) as O;
        const warnings = [...parts.warnings, ...fit.warnings];
        return { outputs, reply, messages, warnings, report, usage: this.usage() };
      }
      const { problems, repair } = fit;
      if (repairs >= this.maxRepairs || repair === null) {
        throw new TurnfoldError("output_parse_failed", `the model's reply can't be used: ${problemsText(problems)}`, {
          details: { problems, reply, attempts: repairs + 1 },
          hint: this.maxRepairs === 0 ? "maxRepairs: 1 asks again, with what is wrong" : null,
        });
      }
      messages = [...messages.slice(0, -1), user(repair)];
    }
  }

  /** Returns the messages of the history, compressed if the call has the option `history`. */
  private async history(typed: TypedCall, { before, history, request }: RequestParts): Promise<readonly TextMessage[]> {
    if (this.parameters === undefined) return history.flat();
    if (historyField(typed.signature.inputs) === undefined) {
      throw invalidOption("history", "left out where no input takes a history", this.parameters);
    }
    this.conversation ??= ofMessages(
      history.flatMap((turn, unit) => turn.map((message) => markChecked({ ...message, [unitKey]: unit }))),
    );
    const { llm, retry, signal, onWarning } = this;
    const options = {
      request: [...before, request],
      ...(typed.schema === undefined ? {} : { schema: typed.schema }),
      llm,
      retry,
      onWarning,
      ...(signal === undefined ? {} : { signal }),
    };
    const spent = { usage: this.totalUsage, calls: 0 };
    const managing = manageChecked(this.conversation, this.parameters, options, spent);
    const { conversation, report } = await managing.finally(() => {
      this.calls += spent.calls;
    });
    this.conversation = conversation;
    if (this.report === null || (report.llmCalls > 0 && this.report.llmCalls === 0)) this.report = report;
    return conversation.messages.map(({ role, content }) => ({ role, content }) as TextMessage);
  }

  /**
   * Adds to the details of an error the usage of the model so far, which was paid, and what `more` returns. An error
   * before the model was called stays as it is.
   */
  async withUsageInErrors<T>(act: () => Promise<T>, more: () => Record<string, unknown> = () => ({})): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!TurnfoldError.isInstance(error) || this.calls === 0) throw error;
      throw withDetails(error, { ...more(), usage: this.usage() });
    }
  }

  /** Adds the tokens of an agent that ran as a tool. */
  addNested(usage: Usage): void {
    addUsage(this.totalUsage, usage);
  }

  warn(text: string): void {
    warn(this.onWarning, text);
  }

  usage(): PredictionUsage {
    return { ...this.totalUsage, calls: this.calls, durationMs: this.time.elapsed };
  }

  /** The error of an aborted call. */
  abortedError(): TurnfoldError {
    return new TurnfoldError("aborted", "the call was aborted", { cause: this.signal?.reason });
  }
}
