// A model that replies from a script and records its requests.

import {
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  setTracingDisabled,
  Usage,
} from "@openai/agents";

setTracingDisabled(true);

export type OutputItem = Extract<StreamEvent, { type: "response_done" }>["response"]["output"][number];

export type Reply = (request: ModelRequest) => OutputItem[] | Promise<OutputItem[]>;

let count = 0;
const next = (name: string) => `${name}_${++count}`;

export const said = (text: string): OutputItem => ({
  type: "message",
  id: next("msg"),
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

export const thought = (text: string): OutputItem => ({
  type: "reasoning",
  id: next("rs"),
  content: [{ type: "input_text", text }],
  providerData: { encrypted_content: "secret" },
});

export const called = (name: string, args: object): OutputItem => ({
  type: "function_call",
  id: next("fc"),
  callId: next("call"),
  name,
  arguments: JSON.stringify(args),
  status: "completed",
});

export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const usage = new Usage({ requests: 1, inputTokens: 100, outputTokens: 20, totalTokens: 120 });
    return { usage, output: await this.ask(request) };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const output = await this.ask(request);
    for (const item of output) {
      if (item.type !== "message") continue;
      for (const part of item.content) {
        if (part.type === "output_text") yield { type: "output_text_delta", delta: part.text };
      }
    }
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
    yield { type: "response_done", response: { id: next("resp"), usage, output } };
  }

  private ask(request: ModelRequest): OutputItem[] | Promise<OutputItem[]> {
    this.requests.push({ ...request, input: structuredClone(request.input) });
    return this.reply(request);
  }

  /** The inputs of its requests. */
  get inputs(): AgentInputItem[][] {
    return this.requests.map(({ input }) => input as AgentInputItem[]);
  }
}

/** The text of an item. */
export function textOf(item: AgentInputItem | undefined): string {
  if (item === undefined) return "";
  if ("content" in item && typeof item.content === "string") return item.content;
  if ("content" in item && Array.isArray(item.content)) {
    return item.content.map((part) => ("text" in part ? part.text : "")).join("");
  }
  if (item.type === "function_call_result") return typeof item.output === "string" ? item.output : textIn(item.output);
  return "";
}

const textIn = (output: object): string => ("text" in output ? String(output.text) : JSON.stringify(output));

/** The problems of an input: calls without a result, results without a call, reasoning without an item after it. */
export function problemsOf(input: readonly AgentInputItem[]): string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const [index, item] of input.entries()) {
    if (item.type === "function_call") open.add(item.callId);
    if (item.type === "function_call_result" && !open.delete(item.callId)) problems.push(`no call of ${item.callId}`);
    const after = input[index + 1];
    const follows =
      after !== undefined && (after.type === "function_call" || ("role" in after && after.role === "assistant"));
    if (item.type === "reasoning" && !follows) problems.push(`nothing follows ${item.id}`);
  }
  return [...problems, ...[...open].map((id) => `no result of ${id}`)];
}
