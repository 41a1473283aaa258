// Instrumentations of the clients of providers for OpenTelemetry, in JavaScript.

import { countsOf, node, originOf, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const session = (name, packages, api, mode, more = {}) => [
  `${name}: ${api}, ${mode}`,
  {
    files: scripts("instrumented.cjs", "clients.cjs"),
    script,
    counts: countsOf(api),
    recordings: /traces\.jsonl$/,
    run: async (context) => {
      const args = ["./instrumented.cjs", "clients.cjs", api, originOf(api, context.origins), mode];
      await node("-r", () => args, {
        env: {
          PACKAGES: packages,
          OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
          ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE: packages === "" ? "content" : "",
        },
      })(context);
    },
    ...more,
  },
];

const modes = ["stream", "whole"];

export default {
  name: "OpenTelemetry in JavaScript",
  npm: [
    "openai",
    "@anthropic-ai/sdk",
    "@opentelemetry/api",
    "@opentelemetry/sdk-node",
    "@opentelemetry/instrumentation-openai",
    "@traceloop/instrumentation-openai",
    "@arizeai/openinference-instrumentation-openai",
    "@arizeai/openinference-instrumentation-anthropic",
  ],
  sessions: Object.fromEntries(
    modes.flatMap((mode) => [
      // It has no counts of the cache, and of streamed responses no output.
      session("OpenTelemetry", "@opentelemetry/instrumentation-openai", "chat", mode, { counts: ["input", "output"] }),
      session("OpenTelemetry", "@opentelemetry/instrumentation-openai", "responses", "whole", {
        counts: ["input", "output"],
      }),
      session(
        "OpenLLMetry",
        "@traceloop/instrumentation-openai",
        "chat",
        mode,
        // It has no usage of streams, and records no streamed responses.
        mode === "stream" ? { partial: ["usage"] } : { counts: ["input", "output"] },
      ),
      session("OpenInference", "@arizeai/openinference-instrumentation-openai", "chat", mode, {
        partial: mode === "stream" ? ["usage"] : [],
      }),
      session("OpenInference", "@arizeai/openinference-instrumentation-openai", "responses", mode),
      session("OpenInference", "@arizeai/openinference-instrumentation-anthropic", "anthropic", mode),
      session("Anthropic's client", "", "anthropic", mode),
    ]),
  ),
};
