// The AI SDK, versions 4 to 7: what applications store of chats, and the telemetry.

import { node, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const versions = ["4", "5", "6", "7"];

const session = (version, provider, ...more) => [
  `version ${version}, ${[provider, ...more].join(" ")}`,
  {
    files: scripts("ai-sdk.mjs"),
    script,
    // OpenAI's Chat Completions have no count of tokens that were written to the cache, and versions 4 and 5 leave out others'.
    ...(provider === "openai" && (more.length > 0 || version < "6") ? { counts: ["input", "read", "output"] } : {}),
    // A message of the user interface has the usage of all its steps, and the version 4 no usage.
    recordings: [
      { files: /traces\.jsonl$/ },
      {
        files: /chat\.json$/,
        partial: ["usage", "time"],
        // Its usage of Anthropic leaves out what was written to the cache.
        ...(version === "5" && provider === "anthropic" && { counts: ["fresh", "read", "output"] }),
      },
      { files: /model-messages\.json$/, partial: ["usage", "time"] },
    ],
    run: node("ai-sdk.mjs", ({ anthropic, openai }) => [
      version,
      provider,
      provider === "anthropic" ? anthropic : openai,
      ...more,
    ]),
  },
];

export default {
  name: "AI SDK",
  npm: [
    ...versions.flatMap((version, index) => [
      `ai${version}@npm:ai@${version}`,
      `openai${version}@npm:@ai-sdk/openai@${index + 1}`,
      `anthropic${version}@npm:@ai-sdk/anthropic@${index + 1}`,
    ]),
    "@ai-sdk/otel",
    "zod@3",
    "@opentelemetry/api",
    "@opentelemetry/sdk-trace-node",
    "@opentelemetry/otlp-transformer",
    // Version 7 needs it.
    "node@22",
  ],
  sessions: Object.fromEntries(
    versions.flatMap((version) => [
      session(version, "anthropic"),
      session(version, "openai"),
      ...(version === "4" ? [] : [session(version, "openai", "chat")]),
    ]),
  ),
};
