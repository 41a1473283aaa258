// OpenAI's client with a fake Responses API, whose answers a function computes.

import OpenAI from "openai";

/** The members of a request body that the tests read. */
export interface Body {
  input: { type?: string; id?: string; call_id?: string; encrypted_content?: string }[];
  instructions?: string;
  store?: boolean;
}

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  input_tokens_details: {},
  output_tokens_details: {},
};

/** @param answer returns the items of a response. */
export function clientOf(answer: (body: Body) => object[]): OpenAI {
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const output = answer(JSON.parse(String(init?.body)) as Body);
    const response = { id: "resp_1", object: "response", status: "completed", output, usage };
    return new Response(JSON.stringify(response), { headers: { "content-type": "application/json" } });
  };
  return new OpenAI({ apiKey: "key", fetch });
}

/** The message of an answer. */
export function answered(text: string): object {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part] };
}
