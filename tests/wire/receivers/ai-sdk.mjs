// Accepts and refuses messages as the AI SDK does: by the types of its messages, and by its own `generateText`.

import { Refusal } from "../refusal.mjs";
import { schemaError } from "../schemas.mjs";

/** A model that answers every request. */
function answeringModel(specificationVersion) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const reply = { content: [{ type: "text", text: "Yes." }], finishReason: { unified: "stop" }, usage, warnings: [] };
  return {
    specificationVersion,
    provider: "wire",
    modelId: "m",
    // Nothing is downloaded.
    supportedUrls: { "*/*": [/^/] },
    doGenerate: async () => reply,
  };
}

/**
 * Makes the receiver for a version of the AI SDK.
 *
 * @param sdk its module
 * @param specification the version of the specification of its models: `v3`, `v4`
 */
export function aiSDKReceiver({ generateText, jsonSchema, tool }, specification) {
  const model = answeringModel(specification);
  const inputSchema = jsonSchema({ type: "object" });
  const needed = tool({ inputSchema, execute: async () => "done", needsApproval: true });
  const tools = { search: tool({ inputSchema, execute: async () => "found" }), read_file: needed, order: needed };
  /** @throws {Refusal} */
  return async function acceptAISDK(messages, { known } = {}) {
    const error = schemaError("aiSDK", plain(messages), known);
    if (error !== null) {
      const { keyword, params, path } = error;
      const member = params.additionalProperty ?? params.missingProperty;
      const place = member === undefined ? path : [...path, member];
      const rule =
        keyword === "additionalProperties" ? "unknown member" : keyword === "required" ? "missing member" : "types";
      throw new Refusal(rule, place, `ModelMessage[] does not have this: ${place.join(".")} (${error.message})`);
    }
    checkOrphans(messages);
    try {
      await generateText({ model, tools, messages, maxRetries: 0, allowSystemInMessages: true });
    } catch (error) {
      throw new Refusal(error.name, [], error.message);
    }
  };
}

/** A result has its call in an earlier message; providers refuse others, which the AI SDK passes on. */
function checkOrphans(messages) {
  const called = new Set();
  messages.forEach(({ role, content }, index) => {
    if (typeof content === "string") return;
    content.forEach((part, place) => {
      if (part.type === "tool-call") called.add(part.toolCallId);
      if (part.type !== "tool-result" || called.has(part.toolCallId)) return;
      throw new Refusal(`result without call in ${role}`, [String(index), "content", String(place)], part.toolCallId);
    });
  });
}

/** Returns messages with texts in place of bytes and URLs, for which the schema has types of JavaScript. */
function plain(value) {
  if (value instanceof URL) return value.href;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members.map(([name, inner]) => [name, plain(inner)]));
}
