// The formats of the frameworks, with receivers: what their own code makes of the messages is sent to a provider.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { MessageList } from "@mastra/core/agent";
import * as ai7 from "ai-7";
import { langchain } from "../../dist/adapters/langchain.js";
import { mastra } from "../../dist/adapters/mastra.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { aiSDKReceiver } from "../wire/receivers/ai-sdk.mjs";
import { receivers } from "../wire/receivers.mjs";
import { Refusal } from "../wire/refusal.mjs";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, input_tokens: 1, output_tokens: 1 };
const message = { role: "assistant", content: "Yes." };
const completion = { id: "r", model: "m", choices: [{ index: 0, finish_reason: "stop", message }], usage };
const output = [
  { ...message, type: "message", id: "msg_1", content: [{ type: "output_text", text: "Yes.", annotations: [] }] },
];
const response = { id: "resp_1", object: "response", status: "completed", model: "m", output, usage };
const content = [{ type: "text", text: "Yes." }];
const reply = { id: "r", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn", usage };

/**
 * Makes a receiver from a framework's call of a provider.
 *
 * @param ask takes a `fetch` and returns the function that asks the provider with messages. Its errors are the `cause`
 * of refusals.
 */
function through(accept, answer, ask) {
  let refusal = null;
  const send = ask(async (_url, { body }) => {
    try {
      accept(JSON.parse(body));
    } catch (error) {
      refusal = error;
    }
    return Response.json(answer);
  });
  return async (messages) => {
    refusal = null;
    try {
      await send(messages);
    } catch (error) {
      throw Object.assign(new Refusal(error.name, [], error.message), { cause: error });
    }
    if (refusal !== null) throw refusal;
  };
}

/**
 * Members that LangChain and the AI SDK write or pass on from one provider to another, and ids as the providers of the
 * messages made them.
 */
const ofFrameworks = {
  known: new Set(["name", "reasoning_content", "cache_control", "citations"]),
  maxId: Number.POSITIVE_INFINITY,
};
const acceptOpenAI = (body) => receivers.openai(body, ofFrameworks);

/**
 * LangChain omits what OpenAI's types have in messages of the model, and the size of images, and leaves an empty list of
 * the model's reasoning.
 */
function acceptResponses(body) {
  const whole = (item, index) => {
    const { role, content } = item;
    if (!Array.isArray(content)) return item;
    if (role === "assistant" && content.length === 0) return { ...item, content: "" };
    if (role === "assistant") return { id: `msg_${index}`, status: "completed", ...item };
    const withDetail = (part) => (part.type === "input_image" ? { detail: "auto", ...part } : part);
    return { ...item, content: content.map(withDetail) };
  };
  receivers.responses({ ...body, input: body.input.map(whole) }, ofFrameworks);
}

/** LangChain omits reasoning, and leaves an empty list of it. */
function acceptOfLangChain(body) {
  const isEmpty = ({ content }) => Array.isArray(content) && content.length === 0;
  acceptOpenAI({ ...body, messages: body.messages.map((each) => (isEmpty(each) ? { ...each, content: "" } : each)) });
}

/** What `anthropic.to` corrects besides `repair`, and LangChain does not. */
const LEFT_TO_LANGCHAIN = ["blank text", "trailing whitespace", "empty assistant message"];

function acceptAnthropic(body) {
  try {
    receivers.anthropic(body, ofFrameworks);
  } catch (error) {
    if (!LEFT_TO_LANGCHAIN.includes(error.rule)) throw error;
  }
}

/** Receives prompts of the AI SDK's models, which Mastra uses. */
export const acceptPrompt = through(acceptOpenAI, completion, (fetch) => {
  const model = createOpenAICompatible({ name: "wire", baseURL: "http://localhost/v1", apiKey: "k", fetch })("m");
  return (prompt) => model.doGenerate({ prompt });
});

/** Returns the prompt that Mastra makes of messages of its memory. */
export function mastraPrompt(messages) {
  const list = new MessageList();
  list.addSystem(messages.filter(({ role }) => role === "system"));
  list.add(
    messages.filter(({ role }) => role !== "system"),
    "memory",
  );
  return list.get.all.aiV5.llmPrompt({ supportedUrls: { "*/*": [/^/] } });
}

/**
 * True for messages without parts that LangChain passes on to every provider as they are: those of a provider's own
 * tools, and images in results, which Chat Completions refuses.
 */
const isCommon = ({ messages }) =>
  messages.every((message) => {
    const text = JSON.stringify(message);
    const isResult = message.toolCallId !== undefined || text.includes('"tool-result"');
    return (
      !/"(?:\w+_tool_use|\w+_tool_result|\w+_call|compaction|executableCode|codeExecutionResult)"/.test(text) &&
      !(isResult && text.includes('"image'))
    );
  });

export const frameworks = {
  langchain: {
    provider: "openai",
    fits: isCommon,
    write: (conversation) => langchain.to(conversation),
    accept: through(acceptOfLangChain, completion, (fetch) => {
      const model = new ChatOpenAI({ model: "m", apiKey: "k", maxRetries: 0, configuration: { fetch } });
      return (messages) => model.invoke(messages);
    }),
  },
  "langchain to the Responses API": {
    provider: "openai",
    fits: isCommon,
    write: (conversation) => langchain.to(conversation),
    accept: through(acceptResponses, response, (fetch) => {
      const options = { model: "m", apiKey: "k", maxRetries: 0, configuration: { fetch } };
      const model = new ChatOpenAI({ ...options, useResponsesApi: true });
      return (messages) => model.invoke(messages);
    }),
  },
  "langchain to Anthropic": {
    provider: "anthropic",
    fits: isCommon,
    write: (conversation) => langchain.to(conversation),
    accept: through(acceptAnthropic, reply, (fetch) => {
      const model = new ChatAnthropic({
        model: "m",
        apiKey: "k",
        maxTokens: 9,
        maxRetries: 0,
        clientOptions: { fetch },
      });
      return (messages) => model.invoke(messages);
    }),
  },
  mastra: {
    provider: "openai",
    write: (conversation) => mastra.to(conversation),
    accept: async (messages) => acceptPrompt(await mastraPrompt(messages)),
  },
  "AI SDK 7": {
    dialect: "aiSdk",
    provider: "openai",
    write: (conversation) => aiSdk.to(conversation),
    accept: aiSDKReceiver(ai7, "v4"),
  },
};
