// node clients.cjs API ORIGIN [stream]: the chat with the client of a provider: `anthropic`, `chat`, `responses` or `gemini`.

/** A platform may wrap a client, in a module that is required before. */
const wrapped = (client) => globalThis.wrapClient?.(client) ?? client;

/** @returns {(asked: object) => Promise<{ calls: object[] }>} */
function clientOf(api, origin, stream, { system, tool }) {
  const { name, description, parameters } = tool;
  const said = ({ question }) => ({ role: "user", content: question });
  const history = [];
  if (api === "anthropic") {
    const { Anthropic } = require("@anthropic-ai/sdk");
    const client = wrapped(new Anthropic({ baseURL: origin, apiKey: "nobody" }));
    const tools = [{ name, description, input_schema: parameters }];
    return async ({ question, results = [] }) => {
      const content = results.map(({ id, output }) => ({ type: "tool_result", tool_use_id: id, content: output }));
      history.push(question === undefined ? { role: "user", content } : said({ question }));
      const body = { model: "claude-sonnet-4-5", max_tokens: 500, system, tools, messages: history };
      const reply = stream
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body);
      history.push({ role: "assistant", content: reply.content });
      const calls = reply.content.filter(({ type }) => type === "tool_use");
      return { calls: calls.map(({ id, name, input }) => ({ id, name, args: input })) };
    };
  }
  if (api === "gemini") {
    const { GoogleGenAI } = require("@google/genai");
    const client = new GoogleGenAI({ apiKey: "nobody", httpOptions: { baseUrl: origin } });
    const config = {
      systemInstruction: system,
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }],
    };
    return async ({ question, results = [] }) => {
      const parts = results.map(({ id, name, output }) => ({ functionResponse: { id, name, response: { output } } }));
      history.push({ role: "user", parts: question === undefined ? parts : [{ text: question }] });
      const asked = { model: "gemini-2.5-flash", contents: history, config };
      const pieces = [];
      if (stream) for await (const piece of await client.models.generateContentStream(asked)) pieces.push(piece);
      else pieces.push(await client.models.generateContent(asked));
      const made = [];
      for (const part of pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])) {
        const last = made.at(-1);
        if (part.text && last?.text && part.thought === last.thought) last.text += part.text;
        else if (part.text !== "") made.push({ ...part });
      }
      history.push({ role: "model", parts: made });
      return { calls: made.flatMap(({ functionCall }) => (functionCall ? [functionCall] : [])) };
    };
  }
  const OpenAI = require("openai");
  const client = wrapped(new OpenAI({ baseURL: `${origin}/v1`, apiKey: "nobody" }));
  if (api === "chat") {
    history.push({ role: "system", content: system });
    return async ({ question, results = [] }) => {
      if (question !== undefined) history.push(said({ question }));
      for (const { id, output } of results) history.push({ role: "tool", tool_call_id: id, content: output });
      const body = { model: "gpt-4.1", messages: history, tools: [{ type: "function", function: tool }] };
      let message;
      if (stream) {
        message = { role: "assistant", content: "" };
        const options = { stream: true, stream_options: { include_usage: true } };
        for await (const { choices } of await client.chat.completions.create({ ...body, ...options })) {
          const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {};
          message.content += content ?? "";
          for (const { index, id, function: called } of calls) {
            message.tool_calls ??= [];
            message.tool_calls[index] ??= { id, type: "function", function: { name: called.name, arguments: "" } };
            message.tool_calls[index].function.arguments += called.arguments ?? "";
          }
        }
      } else ({ message } = (await client.chat.completions.create(body)).choices[0]);
      history.push(message);
      const calls = message.tool_calls ?? [];
      return {
        calls: calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args: JSON.parse(args) })),
      };
    };
  }
  return async ({ question, results = [] }) => {
    if (question !== undefined) history.push(said({ question }));
    for (const { id, output } of results) history.push({ type: "function_call_output", call_id: id, output });
    const tools = [{ type: "function", strict: false, ...tool }];
    const body = { model: "gpt-5.1", instructions: system, input: history, tools, store: false };
    let output;
    if (stream) {
      for await (const event of await client.responses.create({ ...body, stream: true }))
        if (event.type === "response.completed") ({ output } = event.response);
    } else ({ output } = await client.responses.create(body));
    history.push(...output);
    const calls = output.filter(({ type }) => type === "function_call");
    return { calls: calls.map(({ call_id: id, name, arguments: args }) => ({ id, name, args: JSON.parse(args) })) };
  };
}

async function main([api, origin, mode]) {
  const orders = await import("./orders.mjs");
  const run = () => orders.chat(clientOf(api, origin, mode === "stream", orders));
  await (globalThis.traced?.(run) ?? run());
  await globalThis.flushed?.();
}

main(process.argv.slice(2));
