import { aiStudioReader } from "./ai-studio.ts";
import { aiderReader } from "./aider.ts";
import { ampReader } from "./amp.ts";
import { atifReader } from "./atif.ts";
import { autoGenReader } from "./autogen.ts";
import { braintrustReader } from "./braintrust.ts";
import { chatGPTReader } from "./chatgpt.ts";
import { claudeAIReader } from "./claude-ai.ts";
import { claudeCodeReader } from "./claude-code.ts";
import { clineReader } from "./cline.ts";
import { codexReader } from "./codex.ts";
import { continueReader } from "./continue.ts";
import { copilotChatReader } from "./copilot-chat.ts";
import { copilotCliReader } from "./copilot-cli.ts";
import { curlReader } from "./curl.ts";
import { cursorReader } from "./cursor.ts";
import { deepSeekReader } from "./deepseek.ts";
import { droidReader } from "./droid.ts";
import { entireReader } from "./entire.ts";
import { exchangeReaders } from "./exchanges.ts";
import { geminiReader } from "./gemini.ts";
import { geminiCliReader } from "./gemini-cli.ts";
import { gooseReader } from "./goose.ts";
import { gptmeReader } from "./gptme.ts";
import { grokReader } from "./grok.ts";
import { harReader } from "./har.ts";
import { inspectReader } from "./inspect.ts";
import { kimiReader } from "./kimi.ts";
import { kiroReader } from "./kiro.ts";
import { langChainReader } from "./langchain.ts";
import { langfuseReader } from "./langfuse.ts";
import { langGraphReader } from "./langgraph.ts";
import { langSmithReader } from "./langsmith.ts";
import { libreChatReader } from "./librechat.ts";
import { lmStudioReader } from "./lm-studio.ts";
import { savedReader } from "./messages.ts";
import { openTelemetryReader } from "./open-telemetry.ts";
import { openWebUIReader } from "./open-webui.ts";
import { openCodeReader } from "./opencode.ts";
import { openHandsReader } from "./openhands.ts";
import { piReader } from "./pi.ts";
import { promptfooReader } from "./promptfoo.ts";
import { proxyLogReader } from "./proxy-log.ts";
import { pydanticAIReader } from "./pydantic-ai.ts";
import { qwenCodeReader } from "./qwen-code.ts";
import type { RecordingReader } from "./reader.ts";
import { responsesReader } from "./responses.ts";
import { shareGPTReader } from "./sharegpt.ts";
import { sillyTavernReader } from "./silly-tavern.ts";
import { specStoryReader } from "./specstory.ts";
import { miniSweAgentReader, sweAgentReader } from "./swe-agent.ts";
import { tau2Reader } from "./tau2.ts";
import { weaveReader } from "./weave.ts";

/**
 * The readers of all formats whose recordings have signs of their own. The first one that recognizes a recording reads
 * it, so one whose signs are a part of another's stands behind that.
 */
export const readers: readonly RecordingReader[] = [
  clineReader,
  openCodeReader,
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
