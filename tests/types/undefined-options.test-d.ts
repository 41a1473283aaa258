// Optional members of options accept `undefined` too, so that code compiled with `exactOptionalPropertyTypes` can pass
// on options of its own.

import type {
  CallOptions,
  ChatAgentOptions,
  CheckpointOptions,
  ClojureOptions,
  Concept,
  CustomPlan,
  Field,
  FnInit,
  FoldAdviceOptions,
  FormatOptions,
  HistoryContext,
  JournalOptions,
  KnownNames,
  Limits,
  LispOptions,
  LLMReply,
  ManageOptions,
  MCPToolsOptions,
  MessageCountOptions,
  PredictCallOptions,
  PredictOptions,
  PreviewOptions,
  PriceList,
  PriceTier,
  ProviderOptions,
  ReActOptions,
  RenderOptions,
  RequestParameters,
  Retry,
  RunOptions,
  SignatureInit,
  SubAgentOptions,
  ToolCallInit,
  ToolDefinition,
  TraceOptions,
  TurnInit,
} from "turnfold";
import type { BilledRequest, BillOptions, CompareCostsOptions, NeedRecallOptions } from "turnfold/audit";
import type { ManageRequestOptions } from "turnfold/gateway";
import type { AISDKModelOptions } from "turnfold/models/ai-sdk";
import type { AnthropicModelOptions } from "turnfold/models/anthropic";

import type { FetchModelOptions } from "turnfold/models/fetch";

import type { GeminiModelOptions } from "turnfold/models/gemini";

import type { ModelOptions, OpenAIModelOptions, OpenAIResponsesModelOptions } from "turnfold/models/openai";
import type { MiddlewareOptions as AISDKMiddlewareOptions, PrepareStepOptions } from "../../js/adapters/ai-sdk.ts";
import type { LangChainModelOptions, MiddlewareOptions } from "../../js/adapters/langchain.ts";
import type { ProcessorOptions } from "../../js/adapters/mastra.ts";
import type { AgentsModelOptions, HistoryOptions, SessionOptions } from "../../js/adapters/openai-agents.ts";
import { expectTrue, type Same } from "./expect.ts";

/** The optional members of `T` that do not accept `undefined`. */
type Refusing<T> = T extends object
  ? {
      [K in keyof T]-?: Record<never, never> extends Pick<T, K>
        ? { [P in K]: undefined } extends Pick<T, K>
          ? never
          : K
        : never;
    }[keyof T]
  : never;

expectTrue<Same<Refusing<{ given?: number; open?: number | undefined; required: number }>, "given">>();

// Without index signatures, which accept any member.
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

expectTrue<Same<Refusing<Known<AISDKModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<AnthropicModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<FetchModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<FoldAdviceOptions>>, never>>();
expectTrue<Same<Refusing<Known<GeminiModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<MCPToolsOptions>>, never>>();
expectTrue<Same<Refusing<Known<ModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<OpenAIModelOptions>>, never>>();
expectTrue<Same<Refusing<Known<OpenAIResponsesModelOptions>>, never>>();
expectTrue<Same<Refusing<BilledRequest>, never>>();
expectTrue<Same<Refusing<BillOptions>, never>>();
expectTrue<Same<Refusing<CallOptions>, never>>();
expectTrue<Same<Refusing<ChatAgentOptions>, never>>();
expectTrue<Same<Refusing<CheckpointOptions>, never>>();
expectTrue<Same<Refusing<ClojureOptions>, never>>();
expectTrue<Same<Refusing<CompareCostsOptions<RequestParameters>>, never>>();
expectTrue<Same<Refusing<Concept>, never>>();
expectTrue<Same<Refusing<CustomPlan>, never>>();
expectTrue<Same<Refusing<NonNullable<CustomPlan["summarize"]>[number]>, never>>();
expectTrue<Same<Refusing<Field>, never>>();
expectTrue<Same<Refusing<FnInit>, never>>();
expectTrue<Same<Refusing<FormatOptions>, never>>();
expectTrue<Same<Refusing<NonNullable<FormatOptions["cache"]>>, never>>();
expectTrue<Same<Refusing<HistoryContext>, never>>();
expectTrue<Same<Refusing<JournalOptions>, never>>();
expectTrue<Same<Refusing<KnownNames>, never>>();
expectTrue<Same<Refusing<Limits>, never>>();
expectTrue<Same<Refusing<LispOptions>, never>>();
expectTrue<Same<Refusing<LLMReply>, never>>();
expectTrue<Same<Refusing<ManageOptions>, never>>();
expectTrue<Same<Refusing<ManageRequestOptions>, never>>();
expectTrue<Same<Refusing<MessageCountOptions>, never>>();
expectTrue<Same<Refusing<NeedRecallOptions<RequestParameters>>, never>>();
expectTrue<Same<Refusing<PredictCallOptions>, never>>();
expectTrue<Same<Refusing<PredictOptions>, never>>();
expectTrue<Same<Refusing<PreviewOptions>, never>>();
expectTrue<Same<Refusing<PriceList>, never>>();
expectTrue<Same<Refusing<PriceTier>, never>>();
expectTrue<Same<Refusing<ProviderOptions>, never>>();
expectTrue<Same<Refusing<ReActOptions>, never>>();
expectTrue<Same<Refusing<Known<RenderOptions>>, never>>();
expectTrue<Same<Refusing<RequestParameters>, never>>();
expectTrue<Same<Refusing<Exclude<RequestParameters["maxTokens"], number | { window: number }>>, never>>();
expectTrue<Same<Refusing<Exclude<RequestParameters["maxHistorySize"], number>>, never>>();
expectTrue<Same<Refusing<Retry>, never>>();
expectTrue<Same<Refusing<RunOptions>, never>>();
expectTrue<Same<Refusing<SignatureInit>, never>>();
expectTrue<Same<Refusing<SubAgentOptions>, never>>();
expectTrue<Same<Refusing<Exclude<SubAgentOptions["systemPrompt"], string>>, never>>();
expectTrue<Same<Refusing<ToolCallInit>, never>>();
expectTrue<Same<Refusing<ToolDefinition>, never>>();
expectTrue<Same<Refusing<TraceOptions>, never>>();
expectTrue<Same<Refusing<TurnInit>, never>>();
expectTrue<Same<Refusing<AgentsModelOptions>, never>>();
expectTrue<Same<Refusing<AISDKMiddlewareOptions>, never>>();
expectTrue<Same<Refusing<HistoryOptions>, never>>();
expectTrue<Same<Refusing<Known<LangChainModelOptions>>, never>>();
expectTrue<Same<Refusing<PrepareStepOptions>, never>>();
expectTrue<Same<Refusing<SessionOptions<object>>, never>>();
expectTrue<Same<Refusing<MiddlewareOptions>, never>>();
expectTrue<Same<Refusing<ProcessorOptions>, never>>();
