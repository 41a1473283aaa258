/** Where a call stands in its conversation. */
export interface Place {
  /** Programs that are called at the same place run one after the other. */
  readonly queue: string | object;
  /** The keys of the states from which the newest is read. */
  readonly reads: readonly string[];
  /** The key under which the state after the program is written. */
  readonly write: string;
}

/**
 * Finds the state with which a program begins. A conversation with an id has one state. In one that is known by its messages, each
 * call leaves a state, and a program begins with that of the newest calls before it: so a conversation that was branched or
 * shortened has the definitions of its own past.
 *
 * @param conversation the id, if the host has one.
 * @param messages the messages before the call, if they are known.
 */
export function placeOf(
  tool: string,
  call: string,
  conversation: string | undefined,
  messages: readonly unknown[] | undefined,
): Place {
  if (conversation !== undefined) {
    const key = `conversation/${conversation}`;
    return { queue: key, reads: [key], write: key };
  }
  if (messages === undefined) return { queue: "", reads: ["only"], write: "only" };
  const earlier = newestCalls(tool, messages, call);
  // The calls of one reply get the same list.
  return { queue: messages, reads: earlier.map((id) => `call/${id}`), write: `call/${call}` };
}

/** The ids of the tool's calls in the newest message that has any, other than `call`. */
function newestCalls(tool: string, messages: readonly unknown[], call: string): string[] {
  for (let index = messages.length - 1; index >= 0; index--) {
    const ids = callsOf(tool, messages[index]).filter((id) => id !== call);
    if (ids.length > 0) return ids;
  }
  return [];
}

type Members = Readonly<Record<string, unknown>>;

/** The ids of the calls of a tool in a message of the AI SDK, of LangChain or of a provider. */
function callsOf(tool: string, message: unknown): string[] {
  const { content, tool_calls: calls } = Object(message) as Members;
  return [content, calls].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]).flatMap((each) => callId(tool, Object(each) as Members)) : [],
  );
}

function callId(
  tool: string,
  { type, toolCallId, id = toolCallId, toolName, name = toolName, ...rest }: Members,
): string[] {
  const called = name ?? (Object(rest.function) as Members).name;
  return called === tool && type !== "tool-result" && typeof id === "string" ? [id] : [];
}

/**
 * The ids of calls that have a result in the messages.
 */
export function answeredCalls(messages: readonly unknown[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    const { content, role } = Object(message) as Members;
    if (role !== "tool" || !Array.isArray(content)) continue;
    for (const part of content as Members[]) {
      if (part.type === "tool-result" && typeof part.toolCallId === "string") ids.add(part.toolCallId);
    }
  }
  return ids;
}

/** True when the messages ask for an approval of the call. */
export function hasAsked(call: string, messages: readonly unknown[]): boolean {
  return messages.some((message) => {
    const { content } = Object(message) as Members;
    return (
      Array.isArray(content) &&
      (content as Members[]).some((part) => part.type === "tool-approval-request" && part.toolCallId === call)
    );
  });
}
