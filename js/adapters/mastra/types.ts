/** A part of a message of Mastra. */
export interface MastraPart {
  type: string;
}

/** A message in Mastra's storage and processors (`MastraDBMessage`). */
export interface MastraMessage {
  id: string;
  role: "user" | "assistant" | "system" | "signal";
  createdAt: Date;
  content: { format: 2; parts: MastraPart[] };
}

/** A message that an adapter makes. */
export interface NewMastraMessage extends MastraMessage {
  content: {
    format: 2;
    parts: (
      | { type: "text"; text: string }
      | { type: "reasoning"; reasoning: string; details: { type: "text"; text: string }[] }
      | { type: "file"; data: string; mimeType: string }
      | { type: "tool-invocation"; toolInvocation: MastraToolInvocation }
    )[];
    content?: string;
    providerMetadata?: Record<string, Record<string, unknown>>;
  };
}

/** A call of a tool, with its result if it has one. */
export type MastraToolInvocation =
  | { state: "call"; toolCallId: string; toolName: string; args: unknown }
  | { state: "result"; toolCallId: string; toolName: string; args: unknown; result: unknown; isError?: boolean };
