import { encode } from "../boundary/encode.ts";
import { unlessAborted } from "../boundary/host.ts";
import { checkCount, checkMembers, invalidOption } from "../boundary/options.ts";
import { quote } from "../boundary/plain-json.ts";
import { call, send } from "../boundary/wasm.ts";
import { type Conversation, ofMessages } from "../chat/conversation.ts";
import { checkWarn, manage } from "../chat/manage-history.ts";
import { known, unitKey } from "../chat/message-copy.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "../chat/parameters.ts";
import type { HistoryReport } from "../chat/planning.ts";
import { reading, TurnfoldError } from "../errors.ts";
import {
  addUsage,
  askModel,
  checkLLM,
  checkRetry,
  checkSignal,
  type LLM,
  type LLMRequest,
  type Retry,
  type Usage,
} from "../model/model.ts";
import { takeHistory } from "../signature/history.ts";
import { fitOf, historyField, type OwnSignature, wireOf } from "../signature/signature.ts";
import type { TextMessage } from "../turns/message.ts";
import type { Value } from "../values/values.ts";

/** What a program is made of, beside its signature. */
export interface PredictOptions {
  /**
   * How the model is asked. `default`: everything in one message, `Field: value` in both directions. `chat`: a system message,
   * and a marker above each value. `json`: a system message, and a JSON object as the reply, with its schema in the request.
   * Turns of a history look alike with all of them.
   */
  adapter?: "default" | "chat" | "json";
  /** What the model is to do; those of the signature when absent, else what its names say. */
  instructions?: string;
  /** Examples, each with some inputs and some outputs. They stand before the history, in this order. */
  demos?: readonly Readonly<Record<string, unknown>>[];
  /** The model; may be given to `call` instead. */
  llm?: LLM;
  /** What is done when the model can't be asked; one attempt. */
  retry?: Retry;
  /** How often the model is asked again when its reply can't be used; 1. Only the last message changes. */
  maxRepairs?: number;
}

/** What one call of a program is given. */
export interface PredictCallOptions {
  /** The model, in place of the program's own. */
  llm?: LLM;
  /** Ends the call, which rejects with `aborted`. */
  signal?: AbortSignal;
  /** In place of the program's own. */
  maxRepairs?: number;
  /**
   * How a history that became too long is compressed, by the strategies of chats and within their limits. The two messages of
   * a turn stay together; a summary stands before the turns that remain. Needs an input of the type `History`.
   */
  history?: RequestParameters;
  /** Told of warnings of the history; `console.warn`. */
  onWarning?: (text: string) => void;
}

/** What a call came to. */
export interface Prediction<O = Record<string, Value>> {
  readonly outputs: O;
  /** The reply that they were read from. */
  readonly reply: string;
  /** What the model was asked with at last. */
  readonly messages: readonly TextMessage[];
  /** What was done to the reply to make it fit. */
  readonly warnings: readonly string[];
  /** What was done to the history; null when nothing was asked for. */
  readonly report: HistoryReport | null;
  /** Of all times that the model was asked. */
  readonly usage: PredictionUsage;
}

/** What a call took. */
export interface PredictionUsage extends Usage {
  /** How often the model was asked. */
  calls: number;
  durationMs: number;
}

/**
 * A program, checked.
 *
 * @internal
 */
export interface Program {
  readonly signature: OwnSignature;
  /** Its members as wire JSON. */
  readonly json: string;
  /** JSON Schema of the reply, where the model is to know it. */
  readonly schema: unknown;
  readonly settings: Settings;
}

/** @internal */
export interface Settings {
  readonly adapter: NonNullable<PredictOptions["adapter"]>;
  readonly instructions: string | undefined;
  /** Wire JSON. */
  readonly demos: string;
  readonly llm: LLM | undefined;
  readonly retry: Retry;
  readonly maxRepairs: number;
}

const OPTIONS: Record<keyof PredictOptions, true> = {
  adapter: true,
  instructions: true,
  demos: true,
  llm: true,
  retry: true,
  maxRepairs: true,
};

const CALL_OPTIONS: Record<keyof PredictCallOptions, true> = {
  llm: true,
  signal: true,
  maxRepairs: true,
  history: true,
  onWarning: true,
};

/** What these options are called elsewhere. */
const RENAMED = { max_repairs: "maxRepairs", maxRetries: "maxRepairs", examples: "demos", model: "llm", lm: "llm" };

const ADAPTERS = ["default", "chat", "json"];
const MAX_REPAIRS = 1;

/**
 * @param more names of further options, which are given back.
 * @throws {TurnfoldError} `invalid_option`; for demos what {@link encode} throws.
 *
 * @internal
 */
export function checkSettings(
  options: unknown,
  more: readonly string[] = [],
): Settings & { more: Record<string, unknown> } {
  return reading("invalid_option", "the options of the program", () => {
    const given = checkMembers("the options of a program", options, [...Object.keys(OPTIONS), ...more], RENAMED);
    const { adapter = "default", instructions, demos = [], llm, retry, maxRepairs } = given;
    if (!ADAPTERS.includes(adapter as string)) {
      throw invalidOption("adapter", "a known adapter", adapter, `the adapters are ${ADAPTERS.join(", ")}`);
    }
    if (instructions !== undefined && typeof instructions !== "string")
      throw invalidOption("instructions", "a text", instructions);
    if (!Array.isArray(demos))
      throw invalidOption("demos", "a list of examples", demos, "[{ question: …, answer: … }]");
    return {
      adapter: adapter as Settings["adapter"],
      instructions,
      demos: encode(demos, "demos"),
      llm: checkLLM(llm),
      retry: checkRetry(retry),
      maxRepairs: checkCount("maxRepairs", maxRepairs, MAX_REPAIRS, 0),
      more: given,
    };
  });
}

/**
 * @param turns whose turns a history holds, where that is another signature.
 * @throws {TurnfoldError} `invalid_signature`, `invalid_demo`
 *
 * @internal
 */
export function programOf(signature: OwnSignature, settings: Settings, turns?: OwnSignature): Program {
  const members = [
    `"signature":${signature[wireOf].json}`,
    `"adapter":${quote(settings.adapter)}`,
    `"instructions":${quote(settings.instructions ?? signature.instructions ?? "")}`,
    `"demos":${settings.demos}`,
  ];
  if (turns !== undefined) members.push(`"turns":${turns[wireOf].json}`);
  const json = members.join();
  const schema: unknown = JSON.parse(call((wasm) => wasm.checkProgram(send(`{${json}}`))));
  return { signature, json, schema: settings.adapter === "json" ? schema : undefined, settings };
}

/**
 * Inputs as they stand at the beginning of a call: what the host changes later does not reach them.
 *
 * @internal
 */
export interface GivenInputs {
  readonly inputs: string;
  readonly history: readonly string[];
}

/**
 * @throws {TurnfoldError} `invalid_inputs`, `invalid_history_value`; what {@link encode} throws for a value without a form.
 *
 * @internal
 */
export function givenInputs({ signature }: Program, inputs: unknown): GivenInputs {
  const { history, others } = takeHistory(historyField(signature.inputs), inputs);
  return { inputs: encode(others, "inputs"), history: history ?? [] };
}

/**
 * A request in its parts. The history is in units of two messages, which a strategy that shortens it must not tear apart.
 *
 * @internal
 */
export interface Layout {
  readonly before: readonly TextMessage[];
  readonly history: readonly (readonly [user: TextMessage, assistant: TextMessage])[];
  readonly request: TextMessage;
}

/**
 * @param more further inputs, as wire JSON.
 * @throws {TurnfoldError} `validation_error`, `invalid_history_element`
 *
 * @internal
 */
export function layoutOf(program: Program, { inputs, history }: GivenInputs, more = "{}"): Layout {
  const json = `{${program.json},"inputs":${inputs},"more":${more},"history":[${history.join()}]}`;
  const told = JSON.parse(call((wasm) => wasm.programRequest(send(json)))) as {
    before: [role: string, content: string][];
    history: [string, string][];
    request: string;
  };
  return {
    before: told.before.map(([role, content]) => ({ role, content })),
    history: told.history.map(([said, answered]) => [user(said), { role: "assistant", content: answered }]),
    request: user(told.request),
  };
}

function user(content: string): TextMessage {
  return { role: "user", content };
}

/** @internal */
export function messagesOf({ before, history, request }: Layout): TextMessage[] {
  return [...before, ...history.flat(), request];
}

/**
 * A call under way: the model, and what it took so far.
 *
 * @internal
 */
export class Asking {
  readonly signal: AbortSignal | undefined;
  readonly llm: LLM;
  private readonly maxRepairs: number;
  private readonly retry: Retry;
  private readonly parameters: CheckedParameters | null;
  private readonly onWarning: (text: string) => void;
  private readonly begun = performance.now();
  private readonly spent: Usage = {};
  private calls = 0;
  /** The history as it was sent last. */
  private conversation: Conversation | null = null;
  private report: HistoryReport | null = null;

  /** @throws {TurnfoldError} `invalid_option`, `missing_llm` */
  constructor(settings: Settings, options: unknown) {
    const given = reading("invalid_option", "the options of call()", () =>
      checkMembers("the options of call()", options, Object.keys(CALL_OPTIONS), RENAMED),
    );
    const llm = checkLLM(given.llm) ?? settings.llm;
    this.signal = checkSignal(given.signal);
    this.maxRepairs = checkCount("maxRepairs", given.maxRepairs, settings.maxRepairs, 0);
    this.retry = settings.retry;
    this.parameters = given.history === undefined ? null : checkParameters(given.history);
    checkWarn(given.onWarning);
    this.onWarning = (given.onWarning as PredictCallOptions["onWarning"]) ?? console.warn;
    if (llm === undefined) {
      throw new TurnfoldError("missing_llm", "there is no model to ask", {
        hint: "give llm to the program or to call(): llm: async ({ messages }) => text",
      });
    }
    this.llm = llm;
  }

  /**
   * Asks until the reply can be used, or was asked for often enough.
   *
   * @throws {TurnfoldError} `output_parse_failed`, `llm_error`, `aborted`; what {@link manageHistory} throws.
   */
  async ask<O>(
    program: Program,
    layout: Layout,
    purpose: "answer" | "extraction",
    turn?: number,
  ): Promise<Prediction<O>> {
    const { signal } = this;
    let messages = [...layout.before, ...(await this.history(program, layout)), layout.request];
    for (let repairs = 0; ; repairs++) {
      const request: LLMRequest = { messages: messages.map((message) => ({ ...message })), purpose };
      if (turn !== undefined) request.turn = turn;
      if (signal !== undefined) request.signal = signal;
      if (program.schema !== undefined) request.schema = structuredClone(program.schema);
      this.calls++;
      const answer = await askModel(this.llm, request, this.retry);
      if (answer === null) throw this.aborted();
      addUsage(this.spent, answer.usage);
      const reply = answer.content;
      const json = `{${program.json},"reply":${quote(reply)},"request":${quote(layout.request.content)}}`;
      const text = call((wasm) => wasm.programOutputs(send(json)));
      const fit = fitOf(text);
      if (fit.problems === undefined) {
        const { report } = this;
        return { outputs: fit.value as O, reply, messages, warnings: fit.warnings, report, usage: this.usage() };
      }
      if (repairs >= this.maxRepairs) {
        const told = fit.problems
          .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
          .join("; ");
        throw new TurnfoldError("output_parse_failed", `the model's reply can't be used: ${told}`, {
          details: { problems: fit.problems, reply, attempts: repairs + 1 },
          hint: this.maxRepairs === 0 ? "maxRepairs: 1 asks again, with what is wrong" : null,
        });
      }
      const { repair } = JSON.parse(text) as { repair: string };
      messages = [...messages.slice(0, -1), user(repair)];
    }
  }

  /** The history, within the limits that were asked for. */
  private async history(program: Program, { before, history, request }: Layout): Promise<readonly TextMessage[]> {
    if (this.parameters === null) return history.flat();
    if (historyField(program.signature.inputs) === undefined) {
      throw invalidOption("history", "left out where no input takes a history", this.parameters);
    }
    this.conversation ??= ofMessages(
      history.flatMap((turn, unit) => turn.map((message) => known({ ...message, [unitKey]: unit }))),
    );
    const { llm, retry, signal, onWarning } = this;
    const { conversation, report, usage } = await manage(this.conversation, this.parameters, {
      request: [...before, request],
      ...(program.schema === undefined ? {} : { schema: program.schema }),
      llm,
      retry,
      onWarning,
      ...(signal === undefined ? {} : { signal }),
    });
    this.conversation = conversation;
    if (this.report === null || (report.llmCalls > 0 && this.report.llmCalls === 0)) this.report = report;
    this.calls += report.llmCalls;
    addUsage(this.spent, usage);
    return conversation.messages.map(({ role, content }) => ({ role, content }) as TextMessage);
  }

  /**
   * What a promise of the host's gives.
   *
   * @throws {TurnfoldError} `aborted`
   */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const given = await unlessAborted(promise, this.signal);
    if (this.signal?.aborted) throw this.aborted();
    return given as T;
  }

  usage(): PredictionUsage {
    return { ...this.spent, calls: this.calls, durationMs: performance.now() - this.begun };
  }

  /** Why there is nothing more. */
  aborted(): TurnfoldError {
    return new TurnfoldError("aborted", "the call was given up", { cause: this.signal?.reason });
  }
}
