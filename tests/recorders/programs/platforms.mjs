// Platforms for traces: what their clients in JavaScript send.

import { countsOf, node, originOf, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const session = (platform, api, mode, more = {}) => [
  `${platform}: ${api}, ${mode}`,
  {
    files: scripts("platform.cjs", "clients.cjs"),
    script,
    counts: countsOf(api),
    recordings: /records\.json$/,
    run: async (context) => {
      const args = ["./platform.cjs", "clients.cjs", api, originOf(api, context.origins), mode];
      await node("-r", () => args, { env: { PLATFORM: platform } })(context);
    },
    ...more,
  },
];

export default {
  name: "Platforms",
  npm: [
    "openai",
    "@anthropic-ai/sdk",
    "langsmith",
    "@langfuse/openai",
    "@langfuse/otel",
    "@langfuse/tracing",
    "@opentelemetry/sdk-node",
    "braintrust",
  ],
  sessions: Object.fromEntries(
    ["stream", "whole"].flatMap((mode) => [
      session("langsmith", "chat", mode),
      // The wrapped clients leave out how much of the input of Responses was written to the cache.
      session("langsmith", "responses", mode, { counts: ["input", "read", "output"] }),
      session("langsmith", "anthropic", mode),
      session("langfuse", "chat", mode),
      session("langfuse", "responses", mode, { counts: ["input", "read", "output"] }),
      session("braintrust", "chat", mode),
      session("braintrust", "responses", mode, { counts: ["input", "read", "output"] }),
      session("braintrust", "anthropic", mode),
    ]),
  ),
};
