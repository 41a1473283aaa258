/** The types of tools that every entry with tools exports. */
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
