/**
 * `turnfold/predict`: typed calls to a model. A signature has the names and types of inputs and outputs; `Predict` and
 * `ReAct` write the prompts for it and read the replies. What `turnfold` exports by the same names is the same.
 *
 * @module turnfold/predict
 */

export { init } from "./boundary/wasms/predict.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { FinishReason } from "./model/finish-reason.ts";
export type { InputSchema, LLM, LLMChunk, LLMReply, LLMRequest, LLMStream, ModelToolCall } from "./model/model.ts";
export type { Retry } from "./model/retry.ts";
export type { Usage } from "./model/usage.ts";
export { ChainOfThought, Predict } from "./predict/predict.ts";
export type {
  FinishedPrediction,
  ReActOptions,
  ReActPrediction,
  ReActResumeOptions,
  ReActRunOptions,
  ReActStep,
  WaitingPrediction,
} from "./predict/react.ts";
export { ReAct } from "./predict/react.ts";
export type { PredictCallOptions, Prediction, PredictionUsage, PredictOptions } from "./predict/typed-call.ts";
export type { HistoryTurn } from "./signature/history.ts";
export { History } from "./signature/history.ts";
export type { InputsOf, OutputsOf, ResultOf, SignatureLike } from "./signature/infer.ts";
export type { ObjectAs, ObjectOf } from "./signature/object-schema.ts";
export { parseSignature } from "./signature/signature.ts";
export type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./signature/types.ts";
export type * from "./tools/public.ts";
export type { Value } from "./values/values.ts";
export { version } from "./version.ts";
