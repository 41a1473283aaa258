import { aiStudioReader } from "./apps/ai-studio.ts";
import { chatGPTReader } from "./apps/chatgpt.ts";
import { claudeAIReader } from "./apps/claude-ai.ts";
import { deepSeekReader } from "./apps/deepseek.ts";
import { libreChatReader } from "./apps/librechat.ts";
import { lmStudioReader } from "./apps/lm-studio.ts";
import { openWebUIReader } from "./apps/open-webui.ts";
import { sillyTavernReader } from "./apps/silly-tavern.ts";
import { aiderReader } from "./coding-agents/aider.ts";
import { ampReader } from "./coding-agents/amp.ts";
import { claudeCodeReader } from "./coding-agents/claude-code.ts";
import { clineReader } from "./coding-agents/cline.ts";
import { codexReader } from "./coding-agents/codex.ts";
import { continueReader } from "./coding-agents/continue.ts";
import { copilotChatReader } from "./coding-agents/copilot-chat.ts";
import { copilotCliReader } from "./coding-agents/copilot-cli.ts";
import { crushReader } from "./coding-agents/crush.ts";
import { cursorReader } from "./coding-agents/cursor.ts";
import { droidReader } from "./coding-agents/droid.ts";
import { entireReader } from "./coding-agents/entire.ts";
import { geminiCliReader } from "./coding-agents/gemini-cli.ts";
import { gooseReader } from "./coding-agents/goose.ts";
import { gptmeReader } from "./coding-agents/gptme.ts";
import { grokReader } from "./coding-agents/grok.ts";
import { kimiReader } from "./coding-agents/kimi.ts";
import { kiroReader } from "./coding-agents/kiro.ts";
import { openCodeReader } from "./coding-agents/opencode.ts";
import { openHandsReader } from "./coding-agents/openhands.ts";
import { piReader } from "./coding-agents/pi.ts";
import { qwenCodeReader } from "./coding-agents/qwen-code.ts";
import { specStoryReader } from "./coding-agents/specstory.ts";
import { atifReader } from "./evals/atif.ts";
import { inspectReader } from "./evals/inspect.ts";
import { promptfooReader } from "./evals/promptfoo.ts";
import { miniSweAgentReader, sweAgentReader } from "./evals/swe-agent.ts";
import { tau2Reader } from "./evals/tau2.ts";
import { adkReader } from "./libraries/adk.ts";
import { autoGenReader } from "./libraries/autogen.ts";
import { geminiReader } from "./libraries/gemini.ts";
import { langChainReader } from "./libraries/langchain.ts";
import { langGraphReader } from "./libraries/langgraph.ts";
import { savedReader } from "./libraries/messages.ts";
import { pydanticAIReader } from "./libraries/pydantic-ai.ts";
import { responsesReader } from "./libraries/responses.ts";
import { shareGPTReader } from "./libraries/sharegpt.ts";
import type { RecordingReader } from "./reading/reader.ts";
import { braintrustReader } from "./traces/braintrust.ts";
import { curlReader } from "./traces/curl.ts";
import { exchangeReaders } from "./traces/exchanges.ts";
import { harReader } from "./traces/har.ts";
import { langfuseReader } from "./traces/langfuse.ts";
import { langSmithReader } from "./traces/langsmith.ts";
import { openTelemetryReader } from "./traces/open-telemetry.ts";
import { proxyLogReader } from "./traces/proxy-log.ts";
import { weaveReader } from "./traces/weave.ts";

/**
 * The readers of all formats whose recordings have signs of their own. The first one that recognizes a recording reads
 * it, so one whose signs are a part of another's stands behind that.
 */
export const readers: readonly RecordingReader[] = [
  clineReader,
  openCodeReader,
  crushReader,
  ampReader,
  continueReader,
  kiroReader,
  savedReader,
  deepSeekReader,
  chatGPTReader,
  claudeAIReader,
  aiStudioReader,
  openWebUIReader,
  libreChatReader,
  lmStudioReader,
  sillyTavernReader,
  autoGenReader,
  adkReader,
  langGraphReader,
  pydanticAIReader,
  shareGPTReader,
  atifReader,
  geminiCliReader,
  qwenCodeReader,
  copilotCliReader,
  copilotChatReader,
  cursorReader,
  gooseReader,
  kimiReader,
  droidReader,
  piReader,
  grokReader,
  gptmeReader,
  aiderReader,
  specStoryReader,
  claudeCodeReader,
  codexReader,
  entireReader,
  sweAgentReader,
  miniSweAgentReader,
  inspectReader,
  tau2Reader,
  openHandsReader,
  promptfooReader,
  braintrustReader,
  weaveReader,
  langSmithReader,
  langfuseReader,
  openTelemetryReader,
  harReader,
  curlReader,
  proxyLogReader,
  ...exchangeReaders,
  geminiReader,
  responsesReader,
  langChainReader,
];
