// The arguments of the calls that `approve` is asked about have the types that the tools declare.

import { tool } from "ai";
import { Agent, type Approve, Lisp, type ModelToolCall, mcpTools, replay, SubAgent, type Tools } from "turnfold";
import { ReAct } from "turnfold/predict";
import { z } from "zod";
import { expectTrue, type Same } from "./expect.ts";

const llm = () => "yes";
const tools = {
  refund: ["(order :int, euros :float?) -> :string", ({ order }) => `${order}`],
  search: { signature: "(words [:string]) -> [:string]", needsApproval: true, run: () => [] },
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `rain in ${city}` }),
  validated: { description: "", inputSchema: z.object({ at: z.number().default(1) }), execute: () => "" },
  typed: ({ path }: { path: string }) => path,
  untyped: () => "",
} as const satisfies Tools;

type Call = Parameters<Approve<typeof tools>>[0];
expectTrue<Same<Extract<Call, { name: "refund" }>["args"], { order: number; euros?: number | null | undefined }>>();
expectTrue<Same<Extract<Call, { name: "search" }>["args"], { words: readonly string[] }>>();
expectTrue<Same<Extract<Call, { name: "weather" }>["args"], { city: string }>>();
expectTrue<Same<Extract<Call, { name: "validated" }>["args"], { at: number }>>();
expectTrue<Same<Extract<Call, { name: "typed" }>["args"], { path: string }>>();
expectTrue<Same<Extract<Call, { name: "untyped" }>["args"], unknown>>();

// The tools are inferred from the options, in any order of them.
const agent = new Agent({
  llm,
  tools: {
    refund: ["(order :int, euros :int) -> :string", ({ order }) => `${order}`],
    read: { signature: "(path :string) -> :string", run: ({ path }) => path },
  },
  approve: (call) => (call.name === "refund" ? call.args.euros <= 50 : !call.args.path.startsWith("/")),
});
export const asked = agent.chat("Go", { approve: ({ name, args }) => name !== "refund" || args.euros < 5 });
// @ts-expect-error the agent has no such tool
agent.chat("Go", { approve: ({ name }) => name === "refnud" });
new Agent({ llm, tools, approve: (call) => call.name !== "refund" || (call.args.euros ?? 0) <= 50 });
new Agent({ approve: (call) => call.name !== "refund" || (call.args.euros ?? 0) <= 50, llm, tools });
new SubAgent({ mission: "Go", tools, approve: ({ name, args }) => name !== "refund" || args.order > 0 }).run({
  approve: ({ name, args }) => name !== "weather" || args.city !== "",
});
new Lisp({ tools, approve: ({ name, args }) => name !== "search" || args.words.length > 0 });
new ReAct("question -> answer", { tools, approve: ({ name, args }) => name !== "typed" || args.path !== "" });

// Names that are known only at run time, agents among the tools, and functions for any tools.
const nested = { inner: new SubAgent({ mission: "Go" }), refund: tools.refund };
new Agent({
  llm,
  tools: nested,
  approve: (call) => {
    expectTrue<Same<typeof call, ModelToolCall>>();
    return call.name !== "deeper";
  },
});
declare const client: Parameters<typeof mcpTools>[0];
export const served = async () =>
  new Agent({ llm, tools: await mcpTools(client), approve: ({ args }) => args !== null });
const anyCall: Approve = ({ name }) => name !== "refund";
new Agent({ llm, tools, approve: anyCall });
new Agent({ llm, approve: anyCall });
new Agent({
  llm,
  approve: (call) => {
    expectTrue<Same<typeof call, ModelToolCall>>();
    return true;
  },
});

// An agent with known tools is an agent.
export const plain: Agent = agent;
export const chats: Agent[] = [agent, new Agent({ llm })];
export const runner: SubAgent = new SubAgent({ mission: "Go", tools });
export const replayed = replay(new SubAgent({ mission: "Go", tools }), JSON.parse("{}"));
export const sandbox: Lisp = new Lisp({ tools });
export function make(given: Tools): Agent {
  return new Agent({ llm, tools: given, approve: ({ name }) => name !== "" });
}

// @ts-expect-error a tool is a function, a signature with one, or an object with one
new Agent({ llm, tools: { refund: 5 } });
