import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { argumentsOf, BlockReader } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type RecordedUsage, usageOfCounts } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, systemMessage, textOf } from "../reading/recorded-message.ts";

/** True for a record of `context.jsonl` that is no message. */
const isContextRecord = (record: unknown): boolean =>
  isPlainObject(record) && /^_(?:checkpoint|usage|system_prompt)$/.test(String(record.role));

/** True for a record of `wire.jsonl`. */
const isWireRecord = (record: unknown): boolean =>
  isPlainObject(record) &&
  (record.type === "turn.prompt" ||
    record.type === "context.append_loop_event" ||
    (isPlainObject(record.message) &&
      isPlainObject(record.message.payload) &&
      /^(?:TurnBegin|StepBegin|ContentPart|ToolCall|ToolResult|StatusUpdate)$/.test(String(record.message.type))));

/** Reads `context.jsonl` and `wire.jsonl` of a session. The second one has the usage. */
export const kimiReader: RecordingReader = {
  format: "kimi",
  recognizes: (given) => Array.isArray(given) && (given.some(isContextRecord) || given.some(isWireRecord)),
  read: (given: unknown[]) => {
    const records = given.filter(isPlainObject);
    if (records.some(isWireRecord)) return new WireReader().read(records);
    const chat = chatOfMessages(fromContext(records));
    return chat === null ? [] : [chat];
  },
};

function fromContext(records: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  return records.flatMap(({ role, content, tool_calls: called, tool_call_id: id }) => {
    if (role === "_system_prompt") return [systemMessage(textOf(content))];
    if (role === "tool") return [reader.result(String(id), content, undefined)];
    if (role !== "user" && role !== "assistant") return [];
    const calls = (Array.isArray(called) ? called.filter(isPlainObject) : []).map(callBlock);
    return reader.messages(role, [content ?? [], calls].flat());
  });
}

function callBlock({ id, function: given }: PlainObject): PlainObject {
  const { name, arguments: input } = Object(given) as PlainObject;
  return { type: "tool_use", id, name, input: argumentsOf(input) };
}

/** Reads what went over the wire: turns with steps, each of which is a request. */
class WireReader {
  private readonly histories = new Histories<RecordedMessage>();
  private readonly agents = new Map<unknown, WireReader>();
  private readonly reader = new BlockReader();
  /** The blocks and results of the step. */
  private spoken: PlainObject[] = [];
  private results: RecordedMessage[] = [];
  private usage: RecordedUsage | undefined;
  private model: string | undefined;
  private at: unknown;

  read(records: readonly PlainObject[]): RecordedChat[] {
    for (const record of records) {
      const { type, payload } = Object(record.message ?? record.event ?? record) as PlainObject;
      this.at = record.timestamp ?? record.time;
      const { model, modelAlias = model } = record;
      if (typeof modelAlias === "string") this.model = modelAlias;
      this.add(String(type), Object(payload ?? record.event ?? record) as PlainObject);
    }
    return this.chats("chat");
  }

  private chats(kind: RecordedChat["kind"]): RecordedChat[] {
    this.endStep();
    const own = this.histories.chats(chatOfMessages, { kind });
    return [...own, ...[...this.agents.values()].flatMap((agent) => agent.chats("agent"))];
  }

  private add(type: string, given: PlainObject): void {
    switch (type) {
      case "TurnBegin":
      case "SteerInput":
      case "turn.prompt":
      case "turn.steer":
        this.endStep();
        this.histories.messages.push(...this.reader.messages("user", given.user_input ?? given.input, { at: this.at }));
        break;
      case "StepBegin":
      case "step.begin":
        this.endStep();
        break;
      case "ContentPart":
      case "content.part":
        this.spoken.push(Object(given.part ?? given) as PlainObject);
        break;
      case "ToolCall":
        this.spoken.push(callBlock(given));
        break;
      case "tool.call":
        this.spoken.push({ type: "tool_use", id: given.toolCallId, name: given.name, input: argumentsOf(given.args) });
        break;
      case "ToolResult":
      case "tool.result": {
        const { output, message } = Object(given.return_value ?? given.result) as PlainObject;
        const id = String(given.tool_call_id ?? given.toolCallId);
        this.say();
        this.results.push(this.reader.result(id, output === "" ? message : output, this.at));
        break;
      }
      case "StatusUpdate":
      case "step.end":
      case "usage.record":
        this.usage ??= usageIn(Object(given.token_usage ?? given.usage) as PlainObject);
        break;
      case "SubagentEvent": {
        const { task_tool_call_id: task = given.agent_id ?? given.parent_tool_call_id, event } = given;
        const agent = this.agents.get(task) ?? new WireReader();
        this.agents.set(task, agent);
        [agent.at, agent.model] = [this.at, this.model];
        const { type: inner, payload } = Object(event) as PlainObject;
        agent.add(String(inner), Object(payload) as PlainObject);
        break;
      }
      case "CompactionEnd":
        this.endStep();
        this.histories.restart("compacted", []);
    }
  }

  /** Makes the reply of what was spoken, without its usage, which may follow the results. */
  private say(): void {
    const reply = this.reader.messages("assistant", this.spoken, { at: this.at });
    if (this.spoken.length > 0) this.results.unshift(...reply);
    this.spoken = [];
  }

  private endStep(): void {
    this.say();
    const reply = this.results.find(({ message }) => message.role === "assistant");
    if (reply !== undefined) {
      reply.usage = this.usage;
      reply.model = this.model;
    }
    this.histories.messages.push(...this.results);
    this.results = [];
    this.usage = undefined;
  }
}

function usageIn(usage: PlainObject): RecordedUsage | undefined {
  const { input_other: other, input_cache_read: read, input_cache_creation: written, output } = usage;
  return usageOfCounts({
    fresh: other ?? usage.inputOther,
    read: read ?? usage.inputCacheRead,
    written: written ?? usage.inputCacheCreation,
    output,
  });
}
