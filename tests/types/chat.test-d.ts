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
  type WaitingReply,
} from "turnfold";
import { z } from "zod";
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

// The type of an object is that of its schema, unless one is given.
const person = z.object({ name: z.string(), tags: z.array(z.string()).default([]) });
const asked = agent.generateObject("Who?", person).then(({ object }) => object);
expectTrue<Same<Awaited<typeof asked>, { name: string; tags: string[] }>>();
const city = agent.generateObject("Where?", "-> name: str, people: int").then(({ object }) => object);
expectTrue<Same<Awaited<typeof city>, { name: string; people: number }>>();
const alone = agent.generateObject("Where?", "name: str").then(({ object }) => object);
expectTrue<Same<Awaited<typeof alone>, { name: string }>>();
const turns = agent.generateObject("Where?", ' -> {name :string, kind "city" | "town"}').then(({ object }) => object);
expectTrue<Same<typeof turns, Promise<{ name: string; kind: "city" | "town" }>>>();
const list = agent.generateObject("Where?", "[{name :string}]").then(({ object }) => object);
expectTrue<Same<typeof list, Promise<{ name: string }[]>>>();
const json = agent.generateObject("Where?", { type: "object" }).then(({ object }) => object);
expectTrue<Same<Awaited<typeof json>, unknown>>();
const given = agent.generateObject<{ price: number }>("Where?", { type: "object" }).then(({ object }) => object);
expectTrue<Same<Awaited<typeof given>, { price: number }>>();
const streamed = agent.streamObject("Who?", person).done.then(({ object }) => object.tags);
expectTrue<Same<Awaited<typeof streamed>, string[]>>();

const objects = agent.streamObject<{ price: number }>("Go", "-> price: float");
export const price: Promise<number> = objects.done.then((reply) => reply.object.price);

// A reply that waits has calls that wait.
export const waits = agent.chat("Go").then((reply) => {
  if (reply.status === "waiting") {
    expectTrue<Same<typeof reply, WaitingReply>>();
    const [call] = reply.waiting;
    return agent.resume({ answers: call === undefined ? {} : { [call.id]: { args: { euros: 1 }, by: "Ada" } } });
  }
  expectTrue<Same<typeof reply.waiting, readonly []>>();
  return reply;
});
// @ts-expect-error: an answer is no number.
agent.resume({ answers: { refund: 7 } });
// @ts-expect-error: answers are those of a call.
new Agent({ llm: () => "yes", answers: {} });

new Agent({
  llm: () => ({ content: "yes", model: "small", usage: { inputTokens: 9, cacheReadTokens: 4, cacheWriteTokens: 2 } }),
  calibrate: false,
  retry: { attempts: 2, when: (error) => error instanceof TypeError },
});
expectTrue<Same<HistoryReport["tokens"]["factor"], number>>();

// @ts-expect-error an answer is a boolean or a text
export const refusal: Approve = () => ({ approved: false });
// @ts-expect-error onFailure is "keep" or "discard"
new Agent({ llm: () => "", onFailure: "throw" });
