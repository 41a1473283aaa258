// The receivers by the names of the formats.

import * as ai from "ai";
import { aiSDKReceiver } from "./receivers/ai-sdk.mjs";
import { acceptAnthropic } from "./receivers/anthropic.mjs";
import { acceptGemini } from "./receivers/gemini.mjs";
import { acceptOpenAI } from "./receivers/openai.mjs";
import { acceptResponses } from "./receivers/responses.mjs";

export const receivers = {
  anthropic: acceptAnthropic,
  openai: acceptOpenAI,
  responses: acceptResponses,
  gemini: acceptGemini,
  aiSdk: aiSDKReceiver(ai, "v3"),
};
