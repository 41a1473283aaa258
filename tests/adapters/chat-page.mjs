// A chat in a page, as useChat is one: the AI SDK's own class without React.

/**
 * @param ai the AI SDK.
 * @param serve the route: gets the messages as JSON has them, and returns a stream of chunks.
 */
export function chatPage(ai, serve) {
  const { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses } = ai;
  class State {
    messages = [];
    status = "ready";
    error = undefined;
    pushMessage = (message) => {
      this.messages = [...this.messages, message];
    };
    popMessage = () => {
      this.messages = this.messages.slice(0, -1);
    };
    replaceMessage = (index, message) => {
      this.messages = this.messages.map((each, at) => (at === index ? structuredClone(message) : each));
    };
    snapshot = (value) => structuredClone(value);
  }
  class Chat extends AbstractChat {}
  const errors = [];
  const chat = new Chat({
    state: new State(),
    transport: {
      sendMessages: async ({ messages }) => serve(JSON.parse(JSON.stringify(messages))),
      reconnectToStream: async () => null,
    },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: (error) => errors.push(error),
  });
  /** Waits until the page has what the server sent. */
  const settled = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 30));
    while (chat.status !== "ready" && errors.length === 0);
    if (errors.length > 0) throw errors[0];
  };
  return {
    /** The parts of the newest message that are calls of tools or data. */
    parts: () => chat.messages.at(-1).parts.filter(({ type }) => !["step-start", "text"].includes(type)),
    text: () =>
      chat.messages
        .at(-1)
        .parts.map(({ text = "" }) => text)
        .join(""),
    async say(text) {
      await chat.sendMessage({ text });
      await settled();
    },
    /** Decides on every call that asks. */
    async decide(approved, reason) {
      const asking = chat.messages.at(-1).parts.filter(({ state }) => state === "approval-requested");
      for (const { approval } of asking) await chat.addToolApprovalResponse({ id: approval.id, approved, reason });
      await settled();
      return asking.length;
    },
    async answer(toolCallId, tool, output) {
      await chat.addToolOutput({ toolCallId, tool, output });
      await chat.sendMessage();
      await settled();
    },
  };
}
