import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { LineReader } from "../reading/line-reader.ts";
import { type RecordedChat, type RecordedUsage, usageOf } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  textOf,
  textPart,
} from "../reading/recorded-message.ts";

const EVENTS = /^(?:thread|turn|item)\.(?:started|updated|completed|failed)$/;

/** True for a line that `codex exec --json` prints. */
export const isCodexEvent = (line: unknown): boolean => isPlainObject(line) && EVENTS.test(String(line.type));

const NOTHING: RecordedUsage = { fresh: 0, read: 0, written: 0, output: 0 };

/** Reads what `codex exec --json` printed, which has no questions of the user, and one usage for all requests of a turn. */
export class ExecReader implements LineReader {
  private messages: RecordedMessage[] = [];
  private thread: unknown;
  /** The tokens of the turns of the thread so far, which each turn adds to. */
  private total = NOTHING;

  read({ type, item, usage, thread_id: thread }: PlainObject): RecordedChat[] {
    const ended = type === "thread.started" && thread !== this.thread ? this.end() : [];
    if (type === "thread.started" && thread !== this.thread)
      [this.messages, this.total, this.thread] = [[], NOTHING, thread];
    if (type === "item.completed" && isPlainObject(item)) this.messages.push(...messagesOfItem(item));
    if (type === "turn.completed") this.addUsage(usageOf(usage));
    return ended;
  }

  end(): RecordedChat[] {
    return this.messages.length === 0 ? [] : chatsOfMessages([this.messages]);
  }

  private addUsage(total: RecordedUsage | undefined): void {
    const last = this.messages[this.messages.map(({ message }) => message.role).lastIndexOf("assistant")];
    if (total === undefined || last === undefined) return;
    const { fresh, read, written, output } = this.total;
    last.usage = {
      fresh: total.fresh - fresh,
      read: total.read - read,
      written: total.written - written,
      output: total.output - output,
    };
    this.total = total;
  }
}

function messagesOfItem(item: PlainObject): RecordedMessage[] {
  const { id, type, item_type: kind = type, text } = item;
  const call = (name: string, input: unknown, output: string) => [
    ...assistantMessages([callPart(String(id), name, input)]),
    resultMessage(String(id), name, output),
  ];
  switch (kind) {
    case "agent_message":
    case "assistant_message":
      return assistantMessages([textPart(String(text))]);
    case "reasoning":
      return assistantMessages([reasoningPart(String(text))]);
    case "command_execution":
      return call("shell", { command: item.command }, String(item.aggregated_output ?? ""));
    case "mcp_tool_call": {
      const { content } = Object(item.result) as PlainObject;
      const { message } = Object(item.error) as PlainObject;
      return call(
        `${String(item.server)}__${String(item.tool)}`,
        item.arguments ?? {},
        textOf(content ?? message ?? ""),
      );
    }
    case "file_change":
      return call("apply_patch", { changes: item.changes }, String(item.status ?? ""));
    case "web_search":
      return call("web_search", { query: item.query }, "");
    default:
      return [];
  }
}
