// A fake OpenAI client for the documents, with and without streaming.

/** @param reply returns the model's reply to the last message. */
export const clientWithReply = (reply: (request: string) => string) => ({
  chat: {
    completions: {
      create: async (body: { messages?: unknown; stream?: boolean; [parameter: string]: unknown }) => {
        const content = reply(JSON.stringify(body.messages));
        return (body.stream ? streamed(content) : { choices: [{ message: { content } }] }) as Streamed & Whole;
      },
    },
  },
});

type Whole = { choices: { message: { content: string } }[] };
type Streamed = AsyncIterable<unknown>;

async function* streamed(content: string) {
  yield { choices: [{ delta: { content }, finish_reason: null }] };
  yield { choices: [{ delta: {}, finish_reason: "stop" }] };
}
