import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { type LineReader, readLines } from "../reading/line-reader.ts";
import type { RecordingReader } from "../reading/reader.ts";
import type { RecordedChat } from "../reading/recorded-chat.ts";
import { textOf } from "../reading/recorded-message.ts";
import { History } from "./claude-code-history.ts";

/** True for a line of a session of Claude Code, or of the stream that it writes for programs. */
const isClaudeCodeLine = (line: unknown): boolean =>
  isPlainObject(line) &&
  typeof line.type === "string" &&
  (typeof line.sessionId === "string" || (typeof line.session_id === "string" && isPlainObject(line.message)));

/** Reads sessions, those of sub-agents, and what `claude -p --output-format stream-json` prints. */
export const claudeCodeReader: RecordingReader = {
  format: "claude-code",
  recognizes: (given) => Array.isArray(given) && given.some(isClaudeCodeLine),
  read: (lines: unknown[]) => readLines(lines, new SessionReader()),
  lines: () => new SessionReader(),
};

/** Divides a session into the history of its user and those of sub-agents, which may run at the same time. */
class SessionReader implements LineReader {
  private readonly main = new History("chat");
  /** The histories of sub-agents, by what their lines have in common. */
  private readonly agents = new Map<unknown, History>();
  /** What the calls of sub-agents are about, by the id of the call and by the task. */
  private readonly tasks = new Map<unknown, string>();

  read(line: PlainObject): RecordedChat[] {
    const { type, customTitle, aiTitle } = line;
    if (type === "custom-title" || type === "ai-title") this.main.title = textOf(customTitle ?? aiTitle);
    this.historyOf(line).add(line);
    if (type === "assistant") this.noteTasks(line);
    return this.main.complete.length === 0 ? [] : this.completeChats(({ isFinished }) => isFinished);
  }

  end(): RecordedChat[] {
    this.main.end();
    return this.completeChats(() => true);
  }

  /** The complete chats of the user, and after them those of the sub-agents that ended. */
  private completeChats(hasEnded: (history: History) => boolean): RecordedChat[] {
    const chats = this.main.complete.splice(0);
    for (const [key, history] of this.agents) {
      if (!hasEnded(history)) continue;
      history.end();
      chats.push(...history.complete);
      this.agents.delete(key);
    }
    return chats;
  }

  private historyOf(line: PlainObject): History {
    const { isSidechain, agentId, parent_tool_use_id: call, parentUuid, uuid } = line;
    if (isSidechain !== true && typeof (call ?? agentId) !== "string") return this.main;
    // Before sub-agents had ids, only the chain of their lines told them apart.
    const [key] =
      typeof (call ?? agentId) === "string"
        ? [call ?? agentId]
        : ([...this.agents].find(([, history]) => history.has(parentUuid)) ?? [uuid]);
    const history = this.agents.get(key) ?? new History("agent");
    this.agents.set(key, history);
    history.title ??= this.tasks.get(call) ?? this.tasks.get(contentOf(line)) ?? textIn(line, "attributionAgent");
    return history;
  }

  private noteTasks(line: PlainObject): void {
    const content = contentOf(line);
    if (!Array.isArray(content)) return;
    for (const { type, id, input } of content.filter(isPlainObject)) {
      if (type !== "tool_use" || !isPlainObject(input) || typeof input.prompt !== "string") continue;
      const title = textIn(input, "description") ?? textIn(input, "subagent_type");
      if (title !== undefined) this.tasks.set(id, title).set(input.prompt, title);
    }
  }
}

const contentOf = ({ message }: PlainObject): unknown => (isPlainObject(message) ? message.content : undefined);

function textIn(object: PlainObject, name: string): string | undefined {
  const text = object[name];
  return typeof text === "string" && text !== "" ? text : undefined;
}
