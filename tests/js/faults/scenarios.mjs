// What the package is used for, each use as one scenario. `make` makes the objects, `run` uses them, and `again` uses them
// once more, after a fault or without one (default `run`). Functions of the host are wrapped by `host`, tools by `tool`.

import { readFileSync } from "node:fs";

const recording = (name) =>
  JSON.parse(readFileSync(new URL(`../../chats/recorded/${name}.json`, import.meta.url), "utf8"));

/** The scenarios by name, with the exports of the package, and the functions that wrap those of the host. */
export function scenarios(turnfold, { agent: recordedAgent, step: saved }, { host, tool }) {
  const { Agent, ChainOfThought, Conversation, History, Lisp, Predict, ReAct, Renderer, Step, SubAgent, Turn } =
    turnfold;
  const quiet = { onWarning: host(() => {}) };

  const counter = { name: "words", method: "exact", count: host((text) => text.split(" ").length) };

  // Chats

  const talk = (count) =>
    Array.from({ length: count }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}: ${"the order left the warehouse on Monday. ".repeat(6)}`,
    }));
  const summarizing = { compressionStrategy: turnfold.chunked(4), minMessages: 0, maxTokens: 5000 };
  /** A model that calls both tools for each question, and then answers. */
  const chatModel = host(async ({ messages, purpose, schema }) => {
    if (purpose === "summary") return { content: "They spoke of an order.", usage: { inputTokens: 20 } };
    const last = messages.at(-1);
    if (last.role === "tool" || schema !== undefined)
      return { content: schema ? '{"city":"Rome"}' : "It is there.", usage: { inputTokens: 9 } };
    const id = `c${messages.length}`;
    const toolCalls = [
      { id, name: "search", args: { query: "order" } },
      { id: `${id}b`, name: "rate", args: { currency: "EUR" } },
    ];
    return { content: "", toolCalls, usage: { inputTokens: 7 } };
  });
  const streamed = host((request) => {
    async function* pieces() {
      if (request.messages.at(-1).role !== "tool") {
        yield { toolCalls: [{ id: `s${request.messages.length}`, name: "search", args: { query: "order" } }] };
      } else for (const text of ["It ", "is ", "there."]) yield { text };
      yield { usage: { inputTokens: 5 } };
    }
    const iterator = pieces();
    return { [Symbol.asyncIterator]: () => ({ next: host(() => iterator.next()), return: () => iterator.return() }) };
  });
  const chatTools = () => ({
    search: {
      signature: "(query :string) -> [:string]",
      needsApproval: host(() => true),
      run: tool("search", async ({ query }) => [query]),
    },
    rate: ["(currency :string) -> :float", tool("rate", async () => 1.5)],
  });
  const chat = (more = {}) =>
    new Agent({
      ...quiet,
      system: "You help.",
      llm: chatModel,
      tools: chatTools(),
      approve: host(async () => true),
      conversation: new Conversation({ messages: talk(12) }),
      ...more,
    });
  const store = () => {
    const texts = new turnfold.SummaryStore();
    return { get: host(async (key) => texts.get(key)), set: host(async (key, text) => texts.set(key, text)) };
  };
  /** After a fault the exchange is resumed; otherwise a further question is asked. No answer depends on the fault. */
  const chatAgain = async ({ agent, parameters }) => {
    const reply = await (agent.isUnfinished ? agent.resume(parameters) : agent.chat("And now?", parameters));
    return [reply.text, agent.conversation.lint({ provider: "openai" }), agent.isUnfinished];
  };

  const strategies = {
    chunked: turnfold.chunked(4),
    wholeHistory: turnfold.wholeHistory(),
    digest: turnfold.digest(),
    clearToolResults: turnfold.clearToolResults({ keep: 1 }),
    custom: {
      name: "mine",
      plan: host((messages) => {
        const indexes = messages.map((_, index) => index);
        return { keep: indexes.slice(4), summarize: [{ covers: indexes.slice(0, 4) }] };
      }),
    },
  };

  // Agents

  const inner = () =>
    new SubAgent({
      mission: turnfold.T`Sum for {{city}}`,
      signature: "(city :string) -> :int",
      tools: { add: ["(a :int, b :int) -> :int", tool("add", ({ a, b }) => a + b)] },
      llm: host(async () => "(return (tool/add 2 3))"),
    });
  const program = `(def found (pmap #(tool/search {:query %}) ["a" "b" "c"]))
    (println "found" (count found))
    (def sum (tool/nested {:city "Rome"}))`;
  const runner = (more = {}) =>
    new SubAgent({
      mission: turnfold.T`Find {{city}}`,
      signature: "(city :string) -> {n :int, sum :int}",
      compression: "journal",
      maxTurns: 5,
      tools: {
        search: ["(query :string) -> [:string]", tool("search", async ({ query }) => [query, query])],
        guarded: { needsApproval: host(() => true), run: tool("guarded", async () => 1) },
        nested: inner(),
      },
      approve: host(async () => true),
      llm: host(
        async ({ turn }) =>
          [program, "(def n (tool/guarded {}))", "(return {:n n :sum sum})"][turn - 1] ?? "(return {:n 0 :sum 0})",
      ),
      ...more,
    });

  const lispOptions = () => ({
    data: { rows: [1, 2, 3] },
    tools: {
      search: ["(query :string) -> [:string]", tool("search", async ({ query }) => [query])],
      rate: tool("rate", async () => 2),
    },
    approve: host(async () => true),
  });
  const source =
    '(println "once") (def all (pmap #(tool/search {:query (str %)}) data/rows)) (def r (tool/rate {})) [all r kept]';
  const lispFacts = ({ ok, value, prints, error }) => [ok, value, prints, error];
  const lisp = (isolate) => ({
    make: () => {
      const made = new Lisp({ ...lispOptions(), isolate });
      const { error } = made.runSync("(def kept 7) (defn f [x] (* x kept))");
      if (error !== null) throw new turnfold.TurnfoldError(error.kind, error.message);
      return made;
    },
    run: (made) => made.run(source),
    again: async (made) => [lispFacts(await made.run(source)), (await made.run("(f (count all))")).value],
  });

  const typed = "question: str, history: History -> answer: str, score: float";
  const turns = Array.from({ length: 6 }, (_, index) => ({
    question: `Question ${index}?`,
    answer: "Yes. ".repeat(20),
    score: 0.5,
  }));
  const inputs = () => ({ question: "Where?", history: new History(turns) });
  const historyOptions = { history: { compressionStrategy: turnfold.chunked(4), minMessages: 0 }, ...quiet };
  const typedModel = host(async ({ purpose }) =>
    purpose === "summary" ? "They asked." : '{"reasoning": "r", "answer": "There.", "score": "0.5"}',
  );

  const named = {};
  const add = (name, scenario) => {
    named[name] = scenario;
  };
  for (const [name, compressionStrategy] of Object.entries(strategies)) {
    add(`Agent.chat with ${name}`, {
      make: () => ({
        agent: chat({ summaryStore: store() }),
        parameters: { ...summarizing, compressionStrategy, counter },
      }),
      run: ({ agent, parameters }) => agent.chat("Where is it?", parameters),
      again: chatAgain,
      agentOf: ({ agent }) => agent,
    });
  }
  add("Agent.stream", {
    make: () => ({ agent: chat({ llm: streamed }), parameters: {} }),
    run: async ({ agent }) => {
      const stream = agent.stream("Where is it?");
      const texts = [];
      for await (const text of stream) texts.push(text);
      return { texts, reply: await stream.done };
    },
    again: chatAgain,
    agentOf: ({ agent }) => agent,
  });
  for (const method of ["generateObject", "streamObject"]) {
    add(`Agent.${method}`, {
      make: () => ({ agent: chat({ tools: {} }), parameters: {} }),
      run: async ({ agent }) => {
        const schema = {
          "~standard": {
            version: 1,
            vendor: "test",
            validate: host(async (value) => ({ value })),
            jsonSchema: { input: () => ({ type: "object" }) },
          },
        };
        const given = agent[method]("Where is it?", schema);
        if (method === "generateObject") return given;
        const objects = [];
        for await (const object of given) objects.push(object);
        return { objects, reply: await given.done };
      },
      again: async ({ agent }) => (await agent.generateObject("Where is it?", "-> city: str")).object,
      agentOf: ({ agent }) => agent,
    });
  }
  add("manageHistory", {
    make: () => new Conversation({ messages: talk(20) }),
    run: (conversation) =>
      turnfold.manageHistory(
        conversation,
        { ...summarizing, counter },
        { llm: chatModel, summaryStore: store(), ...quiet },
      ),
  });
  add("planHistory and applyPlan", {
    make: () => new Conversation({ messages: talk(20) }),
    run: (conversation) => {
      const plan = turnfold.planHistory(conversation, { ...summarizing, counter, prices: "anthropic" });
      return turnfold.applyPlan(
        plan,
        plan.requests.map(() => "They spoke."),
      );
    },
  });
  add("Conversation", {
    make: () =>
      new Conversation({ messages: turnfold.openai.from(recording("support").messages).messages.slice(0, 12) }),
    run: (conversation) => [
      turnfold.countMessages(conversation.messages, { counter }),
      turnfold.foldAdvice(conversation, { idleSeconds: 250, prices: "anthropic" }),
      conversation.lint({ provider: "anthropic" }),
      turnfold.mergeRoles(conversation.append({ role: "user", content: "More?" }).messages),
      conversation.repair({ provider: "gemini" }).report,
      Conversation.fromJSON(JSON.stringify(conversation)),
    ],
  });
  const audited = () => {
    const messages = turnfold.openai.from(recording("support").messages).messages.slice(0, 6);
    return turnfold.readConversation(JSON.stringify(new Conversation({ messages }))).conversation;
  };
  const compared = { none: {}, last: { compressionStrategy: turnfold.lastNMessages(2), minMessages: 0 } };
  add("readConversation and bill", {
    make: audited,
    run: ({ messages }) => turnfold.bill([messages.slice(0, 2), messages], "anthropic", { counter }),
  });
  add("compareCosts", {
    make: audited,
    run: (conversation) => [
      turnfold.compareCosts(conversation, { strategies: compared }),
      turnfold.compareCosts(saved, { prices: "openai", strategies: { journal: "journal" } }),
    ],
  });
  add("needRecall", {
    make: audited,
    run: (conversation) => [
      turnfold.needRecall(conversation, { strategies: compared }),
      turnfold.needRecall(saved, { strategies: { journal: "journal" } }),
    ],
  });
  for (const isolate of [false, true]) {
    add(isolate ? "Lisp.run, isolated" : "Lisp.run", lisp(isolate));
    add(isolate ? "SubAgent.run, isolated" : "SubAgent.run", {
      make: () => runner({ isolate }),
      run: (agent) => agent.run({ data: { city: "Rome" }, onEvent: host(() => {}) }),
    });
  }
  add("Lisp.runSync and toJSON", {
    make: () => new Lisp({ tools: { rate: tool("rate", () => 2) }, memory: { kept: 1 } }),
    run: (made) => made.runSync("(def r (mapv (fn [n] (tool/rate n)) [1 2])) [r kept]"),
    again: (made) => {
      const { value } = made.runSync("(def r (mapv (fn [n] (tool/rate n)) [1 2])) [r kept]");
      const restored = Lisp.fromJSON(JSON.stringify(made.toJSON()));
      return [value, restored.runSync("r").value];
    },
  });
  add("replay and fork", {
    make: () => null,
    run: async () => [await turnfold.replay(recordedAgent, saved), await turnfold.fork(recordedAgent, saved, 2)],
  });
  add("Renderer and toMessages", {
    make: () => new Renderer({ mission: "m", compression: "journal" }, [...saved.turns]),
    run: (renderer) => {
      const first = renderer.render();
      renderer.push(Turn.success({ number: 9, program: "(def y 1)", memory: { y: 1 } }));
      const second = renderer.render();
      renderer.remove(saved.turns.length);
      const { messages, sections, dropped } = turnfold.toMessages(saved.turns, null, {
        mission: "m",
        compression: true,
      });
      return [first.messages, first.sections, second.messages, messages, sections, dropped];
    },
    again: (renderer) => {
      renderer.setOptions({ compression: true });
      const { messages } = renderer.render();
      const turns = messages.at(-1).content.includes("(def y 1)") ? 5 : 4;
      return [turns, messages.length];
    },
  });
  add("a strategy of the host for turns", {
    make: () => ({
      mission: "m",
      compression: { name: "mine", toMessages: host((turns) => [{ role: "user", content: `${turns.length} turns` }]) },
    }),
    run: (options) => turnfold.toMessages(saved.turns, null, options).messages,
  });
  for (const [name, Class] of Object.entries({ Predict, ChainOfThought })) {
    add(name, {
      make: () =>
        new Class(typed, { llm: typedModel, adapter: "json", demos: [{ question: "Why?", answer: "So.", score: 1 }] }),
      run: (predict) => predict.run(inputs(), historyOptions),
    });
  }
  add("ReAct", {
    make: () =>
      new ReAct(typed, {
        adapter: "json",
        llm: host(async ({ messages }) => {
          const text = JSON.stringify(messages);
          if (!text.includes("next_tool_name")) return '{"reasoning": "r", "answer": "There.", "score": 0.5}';
          const used = text.includes("found it") || text.includes("observation_0") || text.includes("search failed");
          return JSON.stringify({
            next_thought: "t",
            next_tool_name: used ? "finish" : "search",
            next_tool_args: used ? {} : { query: "x" },
          });
        }),
        tools: { search: ["(query :string) -> :string", tool("search", async () => "found it")] },
        approve: host(async () => true),
      }),
    run: (react) =>
      react.run(inputs(), {
        ...historyOptions,
        history: { compressionStrategy: turnfold.lastNMessages(4), minMessages: 0 },
      }),
  });
  add("mcpTools", {
    make: async () => {
      const client = {
        listTools: host(async () => ({
          tools: [{ name: "find", inputSchema: { type: "object", properties: { q: { type: "string" } } } }],
        })),
        callTool: tool("find", async () => ({ content: [{ type: "text", text: "found" }] })),
      };
      const tools = await turnfold.mcpTools(client);
      return new Lisp({ tools });
    },
    run: (made) => made.run('(def x (tool/find {:q "a"})) x'),
  });
  add("texts of the language", {
    make: () => null,
    run: () => [
      turnfold.check("(def x (foo 1))"),
      turnfold.complete("(redu", 5),
      turnfold.typeOf([1, "a"]),
      turnfold.toClojure({ a: [1, 2, { b: "c" }] }),
      turnfold.readClojure("{:a [1 2] :b #{3}}"),
      turnfold.parseSignature("question -> answer: int").toString(),
      turnfold.estimate.count("Some words to count"),
      turnfold.formatTrace(saved),
      Step.fromJSON(JSON.stringify(saved)).messages,
      Turn.fromJSON(JSON.stringify(saved.turns[0])).result,
      turnfold.normalizeCompression("journal"),
    ],
  });
  return named;
}

/** Objects that a fault elsewhere must not change. */
export async function makeBystanders(turnfold) {
  const { Conversation, Lisp, Renderer, SubAgent } = turnfold;
  const messages = Array.from({ length: 8 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Text ${index} ${"of some words ".repeat(10)}`,
  }));
  const conversation = new Conversation({ messages });
  const lisp = new Lisp({ data: { base: 5 } });
  lisp.runSync("(def total 3) (defn add [x] (+ x total data/base)) (add 1)");
  const isolated = new Lisp({ isolate: true });
  isolated.runSync("(def own 4)");
  const replies = [
    '(def a (tool/search {:query "x"})) (println "said" a)',
    "(def b (+ nil 1))",
    "(def n (tool/guarded {}))",
    "(return {:n n :sum 5})",
  ];
  const agent = new SubAgent({
    mission: turnfold.T`Find {{city}}`,
    signature: "(city :string) -> {n :int, sum :int}",
    compression: "journal",
    tools: { search: async ({ query }) => [query], guarded: async () => 1 },
    llm: async ({ turn }) => replies[turn - 1],
  });
  const step = await agent.run({ data: { city: "Rome" } });
  const renderer = new Renderer({ mission: "m", compression: "journal" }, [...step.turns]);
  renderer.render();
  /** Everything that can be read of them, also what the wasm computes from them. */
  const read = () =>
    JSON.stringify([
      conversation,
      turnfold.planHistory(conversation, { compressionStrategy: turnfold.lastNMessages(2), minMessages: 0 }).messages,
      lisp,
      lisp.runSync("(add 2)").value,
      isolated,
      isolated.runSync("own").value,
      step,
      step.messages,
      renderer.render().messages,
    ]);
  // Reading runs programs, whose last three results are part of a sandbox.
  for (let round = 0; round < 3; round++) read();
  return { agent, step, read };
}
