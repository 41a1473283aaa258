// Every request of agents and typed calls with random tools, replies, failures and limits: the model callbacks get
// clients whose server is a receiver.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createOfVersion7 } from "ai-sdk-7-openai-compatible";
import {
  Agent,
  chunked,
  clearToolResults,
  digest,
  History,
  lastNMessages,
  Predict,
  TurnfoldError,
  wholeHistory,
} from "turnfold";
import { retrieveFacts } from "turnfold/chat";
import { aiSdkModel } from "turnfold/models/ai-sdk";
import { anthropicModel } from "turnfold/models/anthropic";
import { fetchModel } from "turnfold/models/fetch";
import { geminiModel } from "turnfold/models/gemini";
import { openaiModel, openaiResponsesModel } from "turnfold/models/openai";
import { ChainOfThought, ReAct } from "turnfold/predict";
import { seeded } from "../js/random.mjs";
import { randomRun } from "../js/random-runs.mjs";
import { DIALECTS, randomHistory } from "./histories.mjs";
import { receivers } from "./receivers.mjs";
import { membersKnownTo, readers } from "./traffic.mjs";

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, input_tokens: 9, output_tokens: 3 };

const completion = ({ content, toolCalls = [] }) => ({
  id: "r",
  model: "m",
  choices: [
    {
      index: 0,
      finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop",
      message: {
        role: "assistant",
        content,
        ...(toolCalls.length > 0 && {
          tool_calls: toolCalls.map(({ id, name, args }) => ({
            id,
            type: "function",
            function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
          })),
        }),
      },
    },
  ],
  usage,
});

/** A completion as a stream of one chunk. */
function eventStream(reply) {
  const { choices, ...rest } = completion(reply);
  const [{ message, finish_reason }] = choices;
  const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const delta = { ...message, ...(tool_calls !== undefined && { tool_calls }) };
  const chunk = { ...rest, choices: [{ index: 0, delta, finish_reason }] };
  const headers = { "content-type": "text/event-stream" };
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers });
}

/** The model callbacks: the provider whose histories they take, and how a server's reply is written. */
const MODELS = {
  openaiModel: {
    provider: "openai",
    dialect: "openai",
    make: (serve) =>
      openaiModel(
        { chat: { completions: { create: async (body) => completion(await serve(receivers.openai, body)) } } },
        { model: "m" },
      ),
  },
  fetchModel: {
    provider: "openai",
    dialect: "openai",
    make: (serve) =>
      fetchModel("http://localhost/v1", {
        model: "m",
        fetch: async (_url, { body }) => eventStream(await serve(receivers.openai, JSON.parse(body))),
      }),
  },
  openaiResponsesModel: {
    provider: "openai",
    dialect: "responses",
    make: (serve) =>
      openaiResponsesModel(
        {
          responses: {
            create: async (body) => {
              const { content, toolCalls = [] } = await serve(receivers.responses, body);
              const message = {
                type: "message",
                id: "msg_1",
                role: "assistant",
                content: [{ type: "output_text", text: content }],
              };
              const calls = toolCalls.map(({ id, name, args }) => ({
                type: "function_call",
                id: `fc_${id}`,
                call_id: id,
                name,
                arguments: typeof args === "string" ? args : JSON.stringify(args),
              }));
              return { model: "m", status: "completed", output: [message, ...calls], usage };
            },
          },
        },
        { model: "m" },
      ),
  },
  anthropicModel: {
    provider: "anthropic",
    dialect: "anthropic",
    make: (serve) =>
      anthropicModel(
        {
          messages: {
            create: async (body) => {
              const accept = (request, options) => receivers.anthropic(request, { ...options, prefill: false });
              const { content, toolCalls = [] } = await serve(accept, body);
              const calls = toolCalls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
              const text = content === "" ? [] : [{ type: "text", text: content }];
              return { model: "m", stop_reason: "end_turn", content: [...text, ...calls], usage };
            },
          },
        },
        { model: "m" },
      ),
  },
  geminiModel: {
    provider: "gemini",
    dialect: "gemini",
    make: (serve) => {
      const generateContent = async (request) => {
        const { content, toolCalls = [] } = await serve(receivers.gemini, request);
        const calls = toolCalls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
        const parts = [...(content === "" ? [] : [{ text: content }]), ...calls];
        return {
          candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
        };
      };
      const generateContentStream = async (request) => ReadableStream.from([await generateContent(request)]);
      return geminiModel({ models: { generateContent, generateContentStream } }, { model: "m" });
    },
  },
};
for (const [version, create] of [
  [6, createOpenAICompatible],
  [7, createOfVersion7],
]) {
  MODELS[`aiSdkModel of version ${version}`] = {
    provider: "openai",
    make: (serve) => {
      // The format does not know the provider: ids are those that its model gave, and reasoning is what the AI SDK
      // writes for it.
      const accept = (request, { known }) =>
        receivers.openai(request, { known: new Set([...known, "reasoning_content"]), maxId: Number.POSITIVE_INFINITY });
      const fetch = async (_url, { body }) => eventStream(await serve(accept, JSON.parse(body)));
      const given = { name: "wire", baseURL: "http://localhost/v1", apiKey: "k", supportsStructuredOutputs: true };
      return aiSdkModel(create({ ...given, fetch })("m"));
    },
  };
}
/** The kinds of hosts by name. */
const HOSTS = { agent: runAgent, run: runSubAgent, predict: runPredict };

/**
 * Lets one random host ask a model and calls `onRequest` for each of its requests: `{ seed, sender, body, refusal }`.
 */
export async function agentRequests(seed, onRequest) {
  const random = seeded(seed);
  const model = random.pick(Object.keys(MODELS));
  const host = random.pick(["agent", "agent", "agent", "run", "predict"]);
  /**
   * Makes the callback for a model whose replies come from `reply(request)`.
   *
   * @param known names of members that its server accepts besides those of the types.
   */
  const callback = (reply, known = new Set()) => {
    let asked;
    const serve = async (accept, body) => {
      let refusal = null;
      try {
        await accept(body, { known });
      } catch (error) {
        if (error.name !== "Refusal") throw error;
        refusal = error;
      }
      onRequest({ seed, sender: `${model} of ${host}`, body, refusal });
      const given = await reply(asked);
      return typeof given === "string" ? { content: given } : given;
    };
    const llm = MODELS[model].make(serve);
    return (request) => {
      asked = request;
      return llm(request);
    };
  };
  await HOSTS[host](random, MODELS[model], callback);
}

const TOOL_RESULTS = [
  () => "found",
  () => "",
  () => " ",
  () => undefined,
  () => null,
  () => 7,
  () => ({ rows: [1, 2n ** 60n, "x"] }),
  () => "long ".repeat(200),
  () => "cut \ud83d",
  () => ({
    content: [
      { type: "text", text: "seen" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
  }),
  () => ({ content: [], isError: true }),
  () => {
    throw new Error("it failed");
  },
  () => {
    throw new Error("");
  },
  () => Promise.reject(undefined),
  () => new Map([[1, 2]]),
  () => [{ type: "text", text: "a part" }],
];

async function runAgent(random, { provider, dialect: own }, callback) {
  const { below, pick, chance } = random;
  let count = 0;
  const call = () => {
    const id = pick([
      `call_${++count}`,
      `call_${count}`,
      "",
      "c1",
      `functions.search:${count}`,
      "x".repeat(70) + count,
    ]);
    const args = pick([
      { query: "parcel" },
      { query: "parcel" },
      {},
      { query: 3 },
      { fitler: {} },
      "text",
      "{",
      null,
      [1],
      3,
    ]);
    return { id, name: pick(["search", "order", "search", "unknown", "bad name"]), args };
  };
  const texts = ["", " ", "Yes.", "It is in Leipzig. ", "said ".repeat(30), "cut \ud83d"];
  const reply = ({ purpose, schema, tools = [] }) => {
    if (purpose === "summary") return pick(["A summary.", " A summary of it. "]);
    if (purpose === "extraction") return pick(['{"a": "fact"}', "nothing"]);
    if (schema !== undefined) return pick(['{"name": "Ada"}', '{"name": 3}', "no object"]);
    if (chance(0.04)) throw new Error("the model is away");
    if (tools.length > 0 && chance(0.5)) {
      return { content: pick(texts), toolCalls: Array.from({ length: 1 + below(3) }, call) };
    }
    return { content: pick(texts) };
  };
  const dialect = pick(DIALECTS);
  const { messages } = randomHistory(random, dialect);
  // Calls of tools that a provider runs are for its own models.
  const fits = own !== undefined || !JSON.stringify(messages).includes('"providerExecuted":true');
  const conversation = fits && chance(0.5) ? readHistory(dialect, messages) : undefined;
  const run = () => pick(TOOL_RESULTS)();
  const agent = new Agent({
    ...(chance(0.7) && { system: pick(["You help.", "Be brief. "]) }),
    llm: callback(reply, dialect === own ? membersKnownTo(own, messages) : undefined),
    ...(chance(0.8) && {
      tools: {
        search: ["(query :string) -> :any", run],
        order: { description: "Orders.", signature: "(id :int?, query :string?) -> :any", run },
      },
    }),
    ...(conversation !== undefined && { conversation: conversation.repair({ provider }).conversation }),
    ...(chance(0.3) && { approve: () => pick([true, false, "Not today.", "", " "]) }),
    maxSteps: 1 + below(5),
    onFailure: pick(["keep", "keep", "discard"]),
    retry: { attempts: 1 },
    onWarning: () => {},
  });
  const strategies = [
    wholeHistory,
    () => lastNMessages(1 + below(8)),
    () => chunked(1 + below(4)),
    () => retrieveFacts([{ name: "a" }]),
    () => clearToolResults({ keep: below(3) }),
    () => digest({ keep: below(3), handles: chance(0.3) }),
  ];
  for (let calls = 1 + below(4); calls > 0; calls--) {
    const parameters = {
      provider,
      minMessages: pick([0, 3]),
      keepAtLeast: pick([0, 2]),
      ...(chance(0.8) && { compressionStrategy: pick(strategies)() }),
      ...(chance(0.4) && { maxTokens: 300 + below(900), onOverflow: pick(["send", "truncateResults"]) }),
      ...(chance(0.3) && { maxHistorySize: 4 + below(10), onOverflow: "send" }),
      ...(chance(0.3) && { summaryRequest: "behind" }),
      when: "always",
    };
    try {
      if (agent.isUnfinished && chance(0.5)) await agent.resume(parameters);
      else if (chance(0.15)) await agent.generateObject("Who?", "-> name: str", parameters);
      else
        await agent.chat(
          pick([
            "Where is it?",
            "And now? ",
            [
              { role: "user", content: "Two" },
              { role: "user", content: "questions" },
            ],
          ]),
          parameters,
        );
    } catch (error) {
      if (!TurnfoldError.isInstance(error)) throw error;
    }
  }
}

/** Returns the conversation, or undefined for a history that is refused. */
function readHistory(dialect, messages) {
  try {
    return readers[dialect](messages);
  } catch (error) {
    if (error.code !== "invalid_message") throw error;
    return undefined;
  }
}

async function runSubAgent(random, _model, callback) {
  const seed = random.below(2 ** 31);
  const { agent, data, options } = randomRun(seed);
  const { llm, signal } = options();
  await agent.run({ data, llm: callback(llm), signal });
}

async function runPredict(random, _model, callback) {
  const { below, pick, chance } = random;
  const reply = ({ schema }) => {
    if (schema !== undefined && chance(0.5)) return '{"answer": "Yes."}';
    return pick([
      "[[ ## answer ## ]]\nYes.\n\n[[ ## completed ## ]]",
      '{"answer": "Yes."}',
      "",
      " ",
      "Yes.",
      "cut \ud83d",
    ]);
  };
  const history = new History(
    Array.from({ length: below(4) }, () => ({ question: pick(["Why?", "", " "]), answer: pick(["So.", "", "end "]) })),
  );
  const signature = "question, history: History -> answer";
  const options = {
    llm: callback(reply),
    adapter: pick(["default", "chat", "json"]),
    ...(chance(0.3) && { demos: [{ question: "When?", answer: "Now." }] }),
  };
  const program = pick([
    () => new Predict(signature, options),
    () => new ChainOfThought(signature, options),
    () => new ReAct(signature, { ...options, tools: { search: ["(query :string) -> :any", () => "found"] } }),
  ])();
  try {
    await program.call({ question: pick(["Where?", "", " "]), history });
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
  }
}
