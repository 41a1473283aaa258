import {
  Agent,
  type Approve,
  type ChatEvent,
  type ChatMessage,
  type ChatReply,
  type ChatStep,
  type FinishReason,
  type HistoryReport,
  type ModelToolCall,
  type Usage,
} from "turnfold";
import { expectTrue, type Same } from "./expect.ts";

const agent = new Agent({ llm: () => "yes", onFailure: "discard", approve: ({ name }) => name === "read" || "No." });

// Each event has its own members.
export async function told(): Promise<ChatReply | null> {
  const stream = agent.stream("Go", { maxSteps: 3, approve: async () => true });
  for await (const piece of stream) expectTrue<Same<typeof piece, string>>();
  for await (const event of stream.events) {
    expectTrue<Same<typeof event, ChatEvent>>();
    switch (event.type) {
      case "text":
        expectTrue<Same<typeof event.text, string>>();
        break;
      case "tool-call":
        expectTrue<Same<typeof event.call, ModelToolCall>>();
        break;
      case "tool-result":
        expectTrue<Same<typeof event.message, ChatMessage>>();
        break;
      case "step":
        expectTrue<Same<typeof event.step, ChatStep>>();
        break;
      case "summary":
        expectTrue<Same<typeof event.report, HistoryReport>>();
        break;
      case "usage":
        expectTrue<Same<typeof event.total, Usage>>();
        break;
      case "done":
        return event.reply;
    }
  }
  return null;
}

expectTrue<Same<ReturnType<typeof agent.resume>, Promise<ChatReply>>>();
expectTrue<Same<ChatReply["finishReason"], FinishReason>>();
agent.restore(agent.checkpoint({ transcript: true }));

const objects = agent.streamObject<{ price: number }>("Go", "-> price: float");
export const price: Promise<number> = objects.done.then(({ object }) => object.price);

new Agent({
  llm: () => ({ content: "yes", model: "small", usage: { inputTokens: 9, cacheReadTokens: 4, cacheWriteTokens: 2 } }),
  calibrate: false,
  retry: { attempts: 2, when: (error) => error instanceof TypeError },
});
expectTrue<Same<HistoryReport["tokens"]["factor"], number>>();

// @ts-expect-error an answer is a boolean or a text
export const refusal: Approve = () => ({ approved: false });
// @ts-expect-error there are two ways
new Agent({ llm: () => "", onFailure: "throw" });
