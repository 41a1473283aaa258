import { errorChain, readMember, statusOf } from "./error-chain.ts";

/**
 * The limits in an error for a request that is too long for the model, in the provider's tokens.
 *
 * @internal
 */
export interface ContextRefusal {
  /** Maximum tokens of the input; the tokens that the request reserved for the reply are subtracted. */
  limit?: number;
  /** Tokens of the refused input. */
  requested?: number;
}

/** Codes and types of errors for input that is too long. */
const REFUSAL_CODES =
  /^(?:context_length_exceeded|context_window_exceeded|model_context_window_exceeded|exceed_context_size_error|prompt_too_long|request_too_large)$/;

/**
 * Messages of providers and servers for input that is too long: OpenAI and compatible servers, Anthropic, Gemini,
 * Bedrock, Mistral, Cohere, xAI, Groq, Together, OpenRouter, Moonshot, llama.cpp, vLLM, SGLang, LM Studio, Ollama.
 */
const REFUSAL_TEXTS: readonly RegExp[] = [
  /\b(?:prompt|input) (?:is )?too long\b/,
  /\bexceeds? (?:the |this |its )?(?:model['’]?s? |maximum |available |configured )*context (?:window|length|size|limit)/,
  /\bcontext (?:window|length|size|limit) (?:has been |is |was )?exceed(?:ed|s)/,
  /\bmaximum (?:context|prompt|model) length\b/,
  /\bmaximum allowed (?:input )?length\b/,
  /\btoken count\b.{0,40}\bexceeds the (?:maximum|limit)/,
  /\binput tokens exceed/,
  /\btokens in the prompt exceeds the limit/,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)/,
  /\b(?:greater|longer) than the (?:model['’]?s )?context length/,
  /\btoo long to fit into the model\b/,
  /\bexceeded model token limit/,
  /\bcontext length of only\b/,
  /\btoo many total text bytes\b/,
];

/** Limits on several requests together, for which waiting helps. */
const RATE_LIMIT_TEXTS = /\brate.?limit|\btokens per (?:min|hour|day)|\bTPM\b|\bquota\b|too many requests/i;

/** A single request that exceeds the limit per minute, for which waiting does not help. */
const TOO_LARGE_FOR_RATE = /\brequest too large for\b/;

const NUMBER_PATTERN = "([\\d,]+)";
const numberPatterns = (...patterns: string[]) =>
  patterns.map((pattern) => new RegExp(pattern.replaceAll("#", NUMBER_PATTERN)));

/** Tokens of the model's window. */
const WINDOW_TOKENS = numberPatterns(
  "maximum (?:context|prompt|model|allowed|allowed input) length (?:is |of )?\\(?#",
  "# maximum context length",
  "tokens > #",
  "context limit: [\\d,]+ \\+ [\\d,]+ > #",
  "maximum number of tokens allowed \\(?#",
  "context (?:size|length|window) (?:\\(|is |of )?(?:only )?#",
  "(?:exceeds the|configured) limit of #",
  "model token limit: #",
  '"?n_ctx"?: ?#',
  "\\blimit:? #, requested",
);

/** Tokens of the input. */
const INPUT_TOKENS = numberPatterns(
  "# tokens >",
  "context limit: # \\+",
  "resulted in # tokens",
  "(?:contains|has) (?:at least )?#(?: input)? tokens",
  "token count (?:of )?\\(?#",
  "\\b(?:request|input|prompt|input length) \\((?:length )?#",
  "total length #",
  '"?n_prompt_tokens"?: ?#',
  "input length #",
);

/** Tokens of the input and the reply. */
const TOTAL_TOKENS = numberPatterns("requested (?:about )?# tokens", "\\(requested: #", ", requested:? #");

/** Tokens that were reserved for the reply. */
const OUTPUT_TOKENS = numberPatterns(
  "# (?:in|for) (?:the|your) (?:completion|output)",
  "requested # output tokens",
  "is too large: #",
  "context limit: [\\d,]+ \\+ # >",
);

/**
 * Reads the error for a request that is too long for the model; null for any other error. The error, its causes and the
 * body of its response are read.
 *
 * @internal
 */
export function contextRefusal(error: unknown): ContextRefusal | null {
  const chain = errorChain(error);
  const texts = [error, ...chain.flatMap(textsOf)].filter((text) => typeof text === "string");
  const isKnown = chain.some(
    (one) => [readMember(one, "code"), readMember(one, "type")].some(isCode) || statusOf(one) === 413,
  );
  // The numbers and the code may be in different texts.
  const refusals = texts.map((text) => text.slice(0, MAX_TEXT_LENGTH).toLowerCase()).filter(isRefusalText);
  if (!isKnown && refusals.length === 0) return null;
  const all = [...refusals, ...chain.map(llamaNumbers)].join("\n");
  const window = numberIn(WINDOW_TOKENS, all);
  const output = numberIn(OUTPUT_TOKENS, all) ?? 0;
  const total = numberIn(TOTAL_TOKENS, all);
  const requested = numberIn(INPUT_TOKENS, all) ?? (total === undefined ? undefined : total - output);
  const limit = window !== undefined && output < window ? window - output : window;
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(requested === undefined || requested <= 0 ? {} : { requested }),
  };
}

/** Maximum number of characters read of a text: bodies of responses may be whole web pages. */
const MAX_TEXT_LENGTH = 4000;

function textsOf(error: object): unknown[] {
  return ["message", "error", "cause", "body", "responseBody", "data", "detail"].map((name) => readMember(error, name));
}

function isCode(code: unknown): boolean {
  return typeof code === "string" && REFUSAL_CODES.test(code);
}

/** @param text in lower case. */
function isRefusalText(text: string): boolean {
  if (TOO_LARGE_FOR_RATE.test(text)) return true;
  return (
    !RATE_LIMIT_TEXTS.test(text) &&
    (REFUSAL_TEXTS.some((pattern) => pattern.test(text)) || /\bexceed_context_size_error\b/.test(text))
  );
}

/** Returns the numbers that llama.cpp gives as members of its error. */
function llamaNumbers(error: object): string {
  const [requested, limit] = [readMember(error, "n_prompt_tokens"), readMember(error, "n_ctx")];
  return typeof requested === "number" && typeof limit === "number"
    ? `n_prompt_tokens: ${requested} n_ctx: ${limit}`
    : "";
}

function numberIn(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const number = Number(pattern.exec(text)?.[1]?.replaceAll(",", ""));
    if (number > 0) return number;
  }
  return undefined;
}
