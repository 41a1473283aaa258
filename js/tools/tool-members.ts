// The members of the tools of each framework. Every member that changes what may run, or what the model reads, is read
// or refused. A test with the types of each framework fails for a member that is missing here.

import { describe } from "../values/describe.ts";
import { isPolicy } from "./approval.ts";

/** Why a tool is refused, and what to do instead. */
export interface Refusal {
  /** Follows the name of the tool: `has inputGuardrails, which are not run here`. */
  readonly problem: string;
  readonly hint: string;
}

/**
 * The use of a member. `read`: it has an effect here, or the function of the tool reads it itself. `ignored`: it
 * changes neither what runs nor what the model reads here. A function returns why a tool with this value is refused, or
 * null.
 */
type MemberUse = "read" | "ignored" | ((value: unknown, tool: object) => Refusal | null);

/**
 * The members of the tools of a framework.
 *
 * @internal
 */
export type ToolMembers = Readonly<Record<string, MemberUse>>;

const policy = (value: unknown): Refusal | null =>
  isPolicy(value)
    ? null
    : {
        problem: `asks for approvals with ${describe(value)}`,
        hint: "give true, false or a function that returns one",
      };

const context = (value: unknown): Refusal | null =>
  value === undefined
    ? null
    : {
        problem: "needs a context of its framework, which is not here",
        hint: "give a tool whose `execute` adds the context, without this schema",
      };

const guardrails = (value: unknown): Refusal | null =>
  Array.isArray(value) && value.length === 0
    ? null
    : { problem: "has guardrails, which only its framework runs", hint: "check in its function, or in `approve`" };

const notByProvider = (value: unknown): Refusal | null =>
  value === true ? { problem: "is run by its provider, not here", hint: "offer it in the model callback" } : null;

/** Versions 6 and 7 of the AI SDK, and two members of Turnfold: `signature`, and `parameters` of earlier versions. */
export const AI_SDK_MEMBERS: ToolMembers = {
  description: "read",
  inputSchema: "read",
  parameters: "read",
  signature: "read",
  outputSchema: "read",
  inputExamples: "read",
  execute: "read",
  toModelOutput: "read",
  needsApproval: (value: unknown, tool: object) =>
    typeof value === "function" && !("inputSchema" in tool) && "parameters" in tool
      ? {
          problem: "has parameters and a function as its needsApproval, whose arguments depend on the framework",
          hint: "give inputSchema as in the AI SDK, or what tool() of the Agents SDK returns",
        }
      : policy(value),
  type: "read",
  isProviderExecuted: notByProvider,
  contextSchema: context,
  // For user interfaces and logs.
  title: "ignored",
  metadata: "ignored",
  onInputStart: "ignored",
  onInputDelta: "ignored",
  onInputAvailable: "ignored",
  // For the request to the provider, which is the model callback's. Arguments are validated here in any case.
  strict: "ignored",
  providerOptions: "ignored",
  deferLoading: "ignored",
  // Of tools whose schemas a provider defines. Such a tool is offered by its schema, like any other.
  id: "ignored",
  args: "ignored",
  supportsDeferredResults: "ignored",
};

/** `Tool` and `createTool` of Mastra 1. */
export const MASTRA_MEMBERS: ToolMembers = {
  description: "read",
  inputSchema: "read",
  outputSchema: "read",
  inputExamples: "read",
  execute: "read",
  toModelOutput: "read",
  requireApproval: policy,
  needsApprovalFn: policy,
  requestContextSchema: context,
  transform: (value: unknown) =>
    value === undefined
      ? null
      : {
          problem: "has a transform of what is stored and shown, which only its framework applies",
          hint: "remove what must not be stored in execute",
        },
  // A tool that suspends itself waits in a sandbox; elsewhere it fails.
  suspendSchema: "read",
  resumeSchema: "read",
  // The name is that of the member of `tools`.
  id: "ignored",
  // For user interfaces, servers and logs.
  title: "ignored",
  mcp: "ignored",
  mcpMetadata: "ignored",
  onInputStart: "ignored",
  onInputDelta: "ignored",
  onInputAvailable: "ignored",
  onOutput: "ignored",
  // For the request to the provider, which is the model callback's. Arguments are validated here in any case.
  strict: "ignored",
  providerOptions: "ignored",
  // Read by functions of Mastra alone. A tool for the background is awaited here.
  mastra: "ignored",
  background: "ignored",
};

/** Function tools of OpenAI's Agents SDK, made by `tool()`. */
export const AGENTS_SDK_MEMBERS: ToolMembers = {
  type: "read",
  // Of agents that are tools.
  on: "read",
  description: "read",
  parameters: "read",
  outputSchema: "read",
  needsApproval: policy,
  isEnabled: "read",
  // `invoke` validates, enforces the time limit and applies the functions for errors.
  invoke: "read",
  errorFunction: "read",
  timeoutMs: "read",
  timeoutBehavior: "read",
  timeoutErrorFunction: "read",
  inputGuardrails: guardrails,
  outputGuardrails: guardrails,
  allowedCallers: (value: unknown) =>
    value === undefined || (Array.isArray(value) && value.includes("direct"))
      ? null
      : { problem: "may not be called directly by a model", hint: 'add "direct" to its allowedCallers' },
  // The name is that of the member of `tools`.
  name: "ignored",
  // For the request to the provider, which is the model callback's. Arguments are validated here in any case.
  strict: "ignored",
  deferLoading: "ignored",
  providerData: "ignored",
  // For the items of a run of the SDK.
  customDataExtractor: "ignored",
};

/** `StructuredTool` of LangChain, `DynamicTool` and `DynamicStructuredTool`, without the methods of each runnable. */
export const LANGCHAIN_MEMBERS: ToolMembers = {
  description: "read",
  schema: "read",
  returnDirect: (value: unknown) =>
    value === true
      ? { problem: "has returnDirect, and its result does not end the answer here", hint: "set returnDirect to false" }
      : null,
  // `invoke` validates, calls the function and notifies the callbacks.
  invoke: "read",
  func: "read",
  responseFormat: "read",
  defaultConfig: "read",
  callbacks: "read",
  verbose: "read",
  verboseParsingErrors: "read",
  tags: "read",
  metadata: "read",
  // The older form of `invoke`.
  call: "ignored",
  // The name is that of the member of `tools`.
  name: "ignored",
  // For the request to the provider, which is the model callback's.
  extras: "ignored",
};
