/**
 * `turnfold/turns`: turns and the messages that they are rendered to, without the language that programs of agents are
 * written in. What `turnfold` exports by the same names is the same.
 *
 * @module turnfold/turns
 */

export type { Failure, FinishedStep, StepUsage } from "./agent/step.ts";
export { Step } from "./agent/step.ts";
export { init } from "./boundary/wasms/turns.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { Breakpoint, Message, Part, TextMessage } from "./model/message.ts";
export type { Mechanism, PriceList, Prices, PriceTier } from "./model/prices.ts";
export type { Usage } from "./model/usage.ts";
export type { UsageSample } from "./tokens/calibrate.ts";
export { calibrate } from "./tokens/calibrate.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type { ToolDescription } from "./tools/tool.ts";
export { normalizeCompression } from "./turns/compression.ts";
export type { DescribeToolsOptions } from "./turns/describe-tools.ts";
export { describeTools } from "./turns/describe-tools.ts";
export type {
  CoalescedOptions,
  Compression,
  CustomStrategy,
  JournalOptions,
  RenderOptions,
  StrategyName,
  StrategyOptions,
} from "./turns/options.ts";
export type {
  Budget,
  Dropped,
  FoldReason,
  Rendered,
  RenderStats,
  RequestCost,
  Section,
  SectionKind,
} from "./turns/rendered.ts";
export { Renderer } from "./turns/renderer.ts";
export { toMessages } from "./turns/to-messages.ts";
export type { ToolCall, ToolCallInit, TurnInit } from "./turns/turn.ts";
export { Turn } from "./turns/turn.ts";
export type { FnInit, Value } from "./values/values.ts";
export { Float, Fn, float, fn, Keyword, keyword, Ref } from "./values/values.ts";
export { version } from "./version.ts";
export type { SignedStateOptions } from "./waiting/signed-state.ts";
export { readSignedState, signState } from "./waiting/signed-state.ts";
