// Instrumentations of the clients of providers for OpenTelemetry, in Python.

import { countsOf, originOf, python, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const session = (name, instrumentation, api, mode, more = {}, env = {}) => [
  `${name}: ${api}, ${mode}`,
  {
    files: scripts("instrumented.py", "clients.py"),
    script,
    counts: countsOf(api),
    recordings: [/traces\.jsonl$/, /spans\.jsonl$/],
    run: async (context) => {
      const args = [instrumentation, api, originOf(api, context.origins), mode];
      await python("instrumented.py", () => args, {
        env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true", ...env },
      })(context);
    },
    ...more,
  },
];

const modes = ["stream", "whole"];
const official = "opentelemetry.instrumentation.openai_v2:OpenAIInstrumentor";
const llmetry = (name) => `opentelemetry.instrumentation.${name.toLowerCase()}:${name}Instrumentor`;
const inference = (name) => `openinference.instrumentation.${name.toLowerCase()}:${name}Instrumentor`;
const latest = {
  OTEL_SEMCONV_STABILITY_OPT_IN: "gen_ai_latest_experimental",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_AND_EVENT",
};

export default {
  name: "OpenTelemetry in Python",
  pip: [
    "openai",
    "anthropic",
    // OpenTelemetry's instrumentation needs it.
    "httpx",
    "opentelemetry-sdk",
    "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-instrumentation-openai-v2",
    "opentelemetry-util-genai<1",
    "opentelemetry-instrumentation-openai",
    "opentelemetry-instrumentation-anthropic",
    "openinference-instrumentation-openai",
    "openinference-instrumentation-anthropic",
    "logfire",
  ],
  sessions: Object.fromEntries(
    modes.flatMap((mode) => [
      // It has no counts of the cache; its events have no text beside calls, and its spans no messages.
      session("OpenTelemetry", official, "chat", mode, {
        script: script.map(({ calls, text }) => (calls ? { calls } : { text })),
        counts: ["input", "output"],
        recordings: /traces\.jsonl$/,
      }),
      session("OpenTelemetry, newest", official, "chat", mode, { counts: ["input", "output"] }, latest),
      session("OpenLLMetry", llmetry("OpenAI"), "chat", mode),
      // It has no count of tokens written to the cache, and counts a token of a stream twice.
      session("OpenLLMetry", llmetry("OpenAI"), "responses", mode, { counts: ["input", "read", "output"] }),
      session("OpenLLMetry", llmetry("Anthropic"), "anthropic", mode, {
        counts: ["fresh", "read", "written", ...(mode === "whole" ? ["output"] : [])],
      }),
      session("OpenInference", inference("OpenAI"), "chat", mode),
      session("OpenInference", inference("OpenAI"), "responses", mode),
      session("OpenInference", inference("Anthropic"), "anthropic", mode),
      session("Logfire", "logfire", "chat", mode),
      session("Logfire", "logfire", "responses", mode),
      session("Logfire", "logfire", "anthropic", mode),
    ]),
  ),
};
