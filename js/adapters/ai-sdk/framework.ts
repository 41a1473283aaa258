// The members of the AI SDK's types that the adapter uses, so that it does not depend on a version of the package.

/** A message of the AI SDK: of a call (`ModelMessage`), or of a model's prompt. */
export interface AISDKMessageLike {
  readonly role: string;
  readonly content: unknown;
}

/** The argument of `prepareStep`. */
export interface AISDKStep<Message extends AISDKMessageLike = AISDKMessageLike> {
  /** The messages that are sent to the model for the step. */
  readonly messages: Message[];
  /** The model of the step: a language model, or the name of one. */
  readonly model: unknown;
  readonly stepNumber: number;
  /** The previous steps. */
  readonly steps: readonly unknown[];
  /** The instructions of the step, since AI SDK 7. */
  readonly instructions?: unknown;
}

/** The request that the AI SDK makes to a language model. */
export interface AISDKRequest {
  readonly prompt: readonly AISDKMessageLike[];
  readonly tools?: readonly unknown[] | undefined;
  readonly responseFormat?: unknown;
  readonly providerOptions?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A chunk of a stream of UI messages that shows a call or asks for its approval. */
export type AISDKWaitingChunk =
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown; dynamic: boolean }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string };
