/** The types of tools that every entry with tools exports. */

export type { OnRecord, RunRecord } from "../waiting/run-record.ts";
export type { SignedStateOptions } from "../waiting/signed-state.ts";
export type { Answer, AnswerSource, Answers, Later, WaitingCall, WaitReason } from "../waiting/waiting-call.ts";
export type {
  AgentTool,
  Approve,
  ForeignTool,
  Tool,
  ToolDefinition,
  ToolDescription,
  ToolFunction,
  Tools,
} from "./tool.ts";
