// Runs agents with the tools of the lamp server, with any client.

import { Agent, Lisp, type MCPClient, mcpTools, SubAgent } from "turnfold";
import { Agent as ChatAgent, mcpTools as chatTools } from "turnfold/chat";

/** A model that replies with these programs, one after the other. */
const scripted = (...programs: string[]) => {
  const script = () => programs.shift() ?? "(fail :script-is-over)";
  return script;
};

/** A model that calls these tools one after the other, and then answers. */
const calling = (...calls: [name: string, args: unknown][]) => {
  const offered: (string[] | undefined)[] = [];
  const llm = ({ tools }: { tools?: readonly { name: string }[] }) => {
    offered.push(tools?.map(({ name }) => name));
    const call = calls.shift();
    if (call === undefined) return "Done.";
    const [name, args] = call;
    return { content: "", toolCalls: [{ id: `c${offered.length}`, name, args }] };
  };
  return { llm, offered };
};

export async function useLamps(client: MCPClient): Promise<Record<string, unknown>> {
  const tools = await mcpTools(client, { timeout: 10_000 });
  const agent = new SubAgent({
    mission: "Find the cheapest lamp",
    signature: "() -> {name :string, price :float}",
    tools,
    llm: scripted(
      '(tool/search {:query "l"})',
      "(tool/stock-of {:id 9})",
      '(def hits (:hits (tool/search "lamp"))) (def stock (tool/stock-of (:id (first hits))))',
      "(return (assoc (select-keys (first (sort-by :price hits)) [:name :price]) :stock stock))",
    ),
  });
  const step = await agent.run();

  const { llm, offered } = calling(["search", { query: "l" }], ["photo", { id: 1 }], ["restock", {}]);
  const chat = new Agent({ llm, tools });
  const { messages } = await chat.chat("Look");
  await chat.chat("And now?");

  const aborting = new SubAgent({ mission: "Wait", tools, llm: () => "(tool/wait)" });
  const waited = await aborting.run({ signal: AbortSignal.timeout(200) });
  const lisp = new Lisp({ tools });
  const results: Record<string, unknown> = {};
  for (const program of ["(tool/aborted)", "(tool/order 2)", "(tool/photo 1)"]) {
    const { ok, value, error } = await lisp.run(program);
    results[program] = ok ? value : error?.message;
  }

  const prefixed = { ...(await mcpTools(client, { prefix: "lamps", include: ({ name }) => name !== "wait" })) };
  const few = await chatTools(client, { include: ["stock.of"] });
  const { llm: asking, offered: fewOffered } = calling(["stock-of", { id: 2 }]);
  const reply = await new ChatAgent({ llm: asking, tools: few }).chat("Is it there?");
  return {
    listed: step.messagesAt(1)?.[1]?.content,
    turns: step.turns.map(({ success, result }) => success || (result as { message: string }).message),
    returned: step.return,
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    offered,
    aborted: waited.fail?.reason,
    programs: results,
    prefixed: Object.keys(prefixed),
    few: [fewOffered[0], reply.messages.find(({ role }) => role === "tool")?.content],
  };
}
