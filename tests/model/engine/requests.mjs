// Reads the parameters of a request for a chat completion.

import { jsonGrammar } from "./json-grammar.mjs";
import { RequestProblem } from "./request-problem.mjs";
import { Tools } from "./tool-calls.mjs";

/** Unsupported parameters, with the values that have no effect and are accepted. */
const UNSUPPORTED = {
  n: [1],
  functions: [],
  function_call: ["none", "auto"],
  logprobs: [false],
  top_logprobs: [0],
  logit_bias: [],
  frequency_penalty: [0],
  presence_penalty: [0],
  audio: [],
  prediction: [],
};

/**
 * @param {unknown} body
 * @param {string} served the name of the model.
 * @returns `maxTokens` is null when the request names none.
 * @throws {RequestProblem}
 */
export function requestOf(body, served) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new RequestProblem("the body must be a JSON object");
  }
  if (body.model !== served) {
    const message = `The model ${JSON.stringify(body.model)} does not exist: this server has ${served}`;
    throw new RequestProblem(message, { status: 404, code: "model_not_found", param: "model" });
  }
  for (const [param, allowed] of Object.entries(UNSUPPORTED)) {
    const isEmpty = typeof body[param] === "object" && body[param] !== null && Object.keys(body[param]).length === 0;
    if (body[param] === undefined || body[param] === null || isEmpty || allowed.includes(body[param])) continue;
    throw new RequestProblem(`${param} is not supported`, { param, code: "unsupported_parameter" });
  }
  const tools = new Tools(body);
  const { max_completion_tokens, max_tokens, temperature, top_p, seed, stop, stream, stream_options } = body;
  return {
    maxTokens: number(max_completion_tokens ?? max_tokens, "max_tokens", 1, Number.MAX_SAFE_INTEGER, true) ?? null,
    temperature: number(temperature, "temperature", 0, 2) ?? 1,
    topP: number(top_p, "top_p", 0, 1) ?? 1,
    seed: number(seed, "seed", 0, 2 ** 31 - 1, true),
    stop: stopsOf(stop),
    stream: stream === true,
    includeUsage: stream_options?.include_usage === true,
    tools,
    grammarText: tools.grammar ?? grammarOf(body),
  };
}

function number(given, param, min, max, isWhole = false) {
  if (given === undefined || given === null) return undefined;
  if (Number.isFinite(given) && given >= min && given <= max && (!isWhole || Number.isInteger(given))) return given;
  const kind = isWhole ? "a whole number" : "a number";
  throw new RequestProblem(`${param} must be ${kind} from ${min} to ${max}`, { param });
}

function stopsOf(given) {
  const stops = given === undefined || given === null ? [] : [given].flat();
  if (stops.length <= 4 && stops.every((stop) => typeof stop === "string" && stop !== "")) return stops;
  throw new RequestProblem("stop must be a text, or up to four", { param: "stop" });
}

/** The grammar of a request: from its schema, or given in llama.cpp's notation. */
function grammarOf({ response_format: format, grammar }) {
  if (format !== undefined && format !== null && format.type !== "text") {
    if (grammar !== undefined)
      throw new RequestProblem("give response_format or grammar, not both", { param: "grammar" });
    if (format.type === "json_schema") return jsonGrammar(format.json_schema?.schema);
    if (format.type === "json_object") return jsonGrammar({ type: "object" });
    throw new RequestProblem("response_format.type must be text, json_object or json_schema", {
      param: "response_format",
    });
  }
  if (grammar === undefined || typeof grammar === "string") return grammar;
  throw new RequestProblem("grammar must be a text", { param: "grammar" });
}
