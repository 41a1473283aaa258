/**
 * The formats of recordings, with the names by which users know them. docs/recordings.md says what is read of each.
 *
 * @example
 * ```ts
 * recordingFormats["claude-code"]; // => 'a session of Claude Code'
 * ```
 */
export const recordingFormats = {
  openai: "messages of OpenAI",
  "openai-responses": "items of OpenAI’s Responses API",
  anthropic: "messages of Anthropic",
  "ai-sdk": "messages of the AI SDK",
  gemini: "Gemini’s format",
  bedrock: "messages of Bedrock’s Converse API",
  langchain: "messages of LangChain",
  "pydantic-ai": "messages of Pydantic AI",
  langgraph: "states of LangGraph",
  sharegpt: "a dataset in the format of ShareGPT",
  "claude-code": "a session of Claude Code",
  codex: "a session of Codex",
  entire: "a transcript of Entire",
  "gemini-cli": "a session of Gemini CLI",
  "copilot-chat": "a chat of GitHub Copilot in VS Code",
  "copilot-cli": "a session of GitHub Copilot CLI",
  cursor: "a chat of Cursor",
  aider: "a history of Aider",
  goose: "a session of goose",
  pi: "a session of pi",
  amp: "a thread of Amp",
  continue: "a session of Continue",
  droid: "a session of Factory’s Droid",
  grok: "a session of Grok Build",
  gptme: "a conversation of gptme",
  specstory: "a chat that SpecStory saved",
  kiro: "a conversation of Kiro CLI or Amazon Q",
  kimi: "a session of Kimi CLI",
  opencode: "a session of opencode",
  cline: "a task of Cline, Roo Code or Kilo Code",
  "qwen-code": "a session of Qwen Code",
  atif: "an agent’s trajectory in ATIF",
  chatgpt: "an export of ChatGPT",
  "swe-agent": "a trajectory of SWE-agent",
  "mini-swe-agent": "a trajectory of mini-swe-agent",
  inspect: "a log of Inspect AI",
  tau2: "results of tau2-bench",
  openhands: "events of OpenHands",
  promptfoo: "results of promptfoo",
  opentelemetry: "a trace of OpenTelemetry",
  langsmith: "runs of LangSmith",
  langfuse: "a trace of Langfuse",
  braintrust: "rows of Braintrust",
  weave: "calls of Weave",
  har: "an HTTP archive (HAR)",
  "proxy-log": "a log of requests to a model",
  curl: "a command of curl",
  "claude-ai": "an export of Claude.ai",
  deepseek: "an export of DeepSeek",
  "ai-studio": "a prompt of Google’s AI Studio",
  "open-webui": "an export of Open WebUI",
  librechat: "an export of LibreChat",
  "lm-studio": "a conversation of LM Studio",
  sillytavern: "a chat of SillyTavern",
  autogen: "messages of AutoGen",
  turnfold: "a conversation of Turnfold",
} as const;

/** A format of recordings, one of the names of {@link recordingFormats}. */
export type RecordingFormat = keyof typeof recordingFormats;
