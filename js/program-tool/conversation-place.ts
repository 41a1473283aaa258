/** Where a call stands in its conversation. */
export interface Place {
  /** Programs that are called at the same place run one after the other. */
  readonly queue: string | object;
  /** Keys of states, of which the newest of the first list that has any is read. */
  readonly reads: readonly (readonly string[])[];
  /** The key under which the state after the program is written. */
  readonly write: string;
  /** Returns the key of the state of a call that waits, where its state is the way back to the conversation. */
  readonly writeOpen?: (call: string) => string;
}

/**
 * Finds the state with which a program begins. A conversation with an id has one state. In one that is known by its messages, each
 * call leaves a state, and a program begins with that of the newest calls before it: so a conversation that was branched or
 * shortened has the definitions of its own past. In one that is known by an object, its calls follow each other while the object
 * lives, and in another process one that waits or was decided on leads back to them.
 *
 * @param known.conversation the id, if the host has one; or what its framework has one of for each run.
 * @param known.messages the messages before the call, if they are known.
 * @param known.decided other calls of the conversation.
 */
export function placeOf(
  tool: string,
  call: string,
  {
    conversation,
    messages,
    decided,
  }: {
    conversation: string | object | undefined;
    messages: readonly unknown[] | undefined;
    decided: readonly string[];
  },
): Place {
  if (typeof conversation === "string") {
    const key = `conversation/${conversation}`;
    return { queue: key, reads: [[key]], write: key };
  }
  const keyOf = (id: string) => `call/${id}`;
  const own = keyOf(call);
  if (conversation !== undefined) {
    return { queue: conversation, reads: [[own, ...decided.map(keyOf)]], write: own, writeOpen: keyOf };
  }
  if (messages === undefined) return { queue: "", reads: [["only"]], write: "only" };
  // A call that was refused before it ran has left no state.
  const earlier = [...messages].reverse().map((message) => callsOf(tool, message).filter((id) => id !== call));
  // The calls of one reply get the same list.
  return { queue: messages, reads: earlier.map((ids) => ids.map(keyOf)), write: own };
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

/** The ids of calls that have a result in the messages of the AI SDK, of LangChain or of a provider. */
export function answeredCalls(messages: readonly unknown[]): Set<string> {
  const ids = messages.flatMap((message) => {
    const { content, role, tool_call_id: own } = Object(message) as Members;
    if (own !== undefined) return [own];
    const parts = role === "tool" && Array.isArray(content) ? (content as Members[]) : [];
    return parts.flatMap(({ type, toolCallId }) => (type === "tool-result" ? [toolCallId] : []));
  });
  return new Set(ids.filter((id) => typeof id === "string"));
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
