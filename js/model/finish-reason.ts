/**
 * The reason why a reply ended: `stop`: the model was done · `length`: the token limit or the model's window cut it off
 * · `content-filter`: the model refused, or a filter withheld or cut the reply · `tool-calls`: tools have to be called
 * first · `error`: the provider could not complete the reply · `other`: anything else.
 */
export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/**
 * The words of OpenAI (Chat Completions and Responses), Anthropic, Gemini, Bedrock, Cohere, Mistral, Ollama, llama.cpp, vLLM,
 * TGI, LM Studio, DeepSeek, Z.ai, watsonx and the AI SDK, in lower case without separators.
 */
const REASON_WORDS: Record<Exclude<FinishReason, "other">, string> = {
  stop: `stop endturn stopsequence stopstringfound stopcriteriamet complete completed done finish finished success eos eostoken
    eosfound endoftext word`,
  length: `length limit maxtokens maxoutputtokens maxlength maxnewtokens maxpredictedtokensreached modellength tokenlimit
    errorlimit contextlengthreached contextlengthexceeded modelcontextwindowexceeded incomplete`,
  "content-filter": `contentfilter contentfiltered contentmoderation refusal refused safety imagesafety recitation
    imagerecitation prohibitedcontent imageprohibitedcontent blocklist blocked spii modelarmor guardrailintervened errortoxic
    sensitive`,
  "tool-calls": "toolcall toolcalls tooluse functioncall functioncalls",
  error: `error failed networkerror insufficientsystemresource malformedfunctioncall malformedtooluse malformedmodeloutput
    malformedresponse unexpectedtoolcall toomanytoolcalls missingthoughtsignature modelunloaded timeout timelimit abort aborted
    cancel cancelled canceled`,
};

const REASON_BY_WORD: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(REASON_WORDS).flatMap(([reason, words]) =>
    words.split(/\s+/).map((word) => [word, reason as FinishReason]),
  ),
);

/**
 * Returns the reason for a provider's word in any spelling: `MAX_TOKENS`, `max_tokens`, `FinishReason.MAX_TOKENS`.
 *
 * @param given anything but a word counts as no reason, which is `stop`.
 * @param callsTools true for a reply with tool calls. Some providers give the word for a complete reply then.
 *
 * @internal
 */
export function finishReasonOf(given: unknown, callsTools: boolean): FinishReason {
  const word =
    typeof given === "string"
      ? given
          .toLowerCase()
          .replace(/[^a-z]+/g, "")
          .replace(/^finishreason/, "")
      : "";
  const reason = word === "" ? "stop" : (REASON_BY_WORD.get(word) ?? "other");
  return callsTools && reason === "stop" ? "tool-calls" : reason;
}
