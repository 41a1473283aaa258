// Random messages of a user interface of the AI SDK (UIMessage), as versions 6 and 7 store them.

import { seeded } from "./random.mjs";

const STATES = [
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
];

/**
 * Returns UI messages that the AI SDK validates.
 *
 * @param version 6 omits the parts that only version 7 has.
 */
export function randomUIMessages(seed, version = 7) {
  const { below, pick, chance } = seeded(seed);
  let count = 0;
  const id = (kind) => `${kind}-${seed}-${count++}`;
  const metadata = (name) => (chance(0.2) ? { [name]: { anthropic: { cacheControl: { type: "ephemeral" } } } } : {});
  const text = () => ({
    type: "text",
    text: pick(["Hello", "", "A longer text.\nWith two lines."]),
    ...metadata("providerMetadata"),
  });
  const file = () => ({
    type: "file",
    mediaType: pick(["image/png", "application/pdf"]),
    url: pick(["https://example.com/a.png", "data:image/png;base64,iVBORw0KGgo="]),
    ...(chance(0.5) ? { filename: "a.png" } : {}),
    ...(version === 7 && chance(0.2) ? { providerReference: { openai: "file_1" } } : {}),
    ...metadata("providerMetadata"),
  });
  const data = () => ({ type: "data-weather", id: id("data"), data: { degrees: below(40) } });

  function approval(state) {
    const asked = {
      id: id("approval"),
      ...(chance(0.2) ? { signature: "signed" } : {}),
      ...(version === 7 && chance(0.2) ? { isAutomatic: true, requestReason: "It costs money." } : {}),
    };
    if (state === "approval-requested") return { approval: asked };
    const reason = chance(0.5) ? { reason: "Too dear." } : {};
    if (state === "approval-responded") return { approval: { ...asked, approved: chance(0.5), ...reason } };
    if (state === "output-denied") return { approval: { ...asked, approved: false, ...reason } };
    return state.startsWith("output") && chance(0.3) ? { approval: { ...asked, approved: true, ...reason } } : {};
  }

  function tool() {
    const state = pick(STATES);
    const named = chance(0.7)
      ? { type: `tool-${pick(["order", "look-up"])}` }
      : { type: "dynamic-tool", toolName: "search" };
    const input = { query: pick(["lamps", "chairs"]) };
    const part = { ...named, toolCallId: id("call"), state, ...approval(state), ...metadata("callProviderMetadata") };
    if (chance(0.2)) part.providerExecuted = true;
    if (state === "input-streaming") return chance(0.5) ? { ...part, input } : part;
    if (state === "output-error") {
      const given = chance(0.6) ? { input } : { rawInput: '{"query": "la' };
      return { ...part, ...given, errorText: "There is no such order.", ...metadata("resultProviderMetadata") };
    }
    if (state !== "output-available") return { ...part, input };
    const output = pick(["found", { found: 3 }, [1, 2], null, { content: [{ type: "text", text: "three" }] }]);
    const unavailable = part.type === "dynamic-tool" && chance(0.2) ? { dynamic: false } : {};
    return { ...part, ...unavailable, input, output, ...metadata("resultProviderMetadata") };
  }

  const rare = () =>
    version === 7 && chance(0.3)
      ? pick([
          { type: "custom", kind: "openai.compaction", ...metadata("providerMetadata") },
          { type: "reasoning-file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" },
          { type: "steering-message", id: id("steering"), parts: [text(), file()] },
        ])
      : { type: "source-url", sourceId: id("source"), url: "https://example.com" };

  const answerPart = () =>
    pick([
      text,
      tool,
      tool,
      file,
      data,
      rare,
      () => ({ type: "step-start" }),
      () => ({ type: "reasoning", text: "I think.", ...metadata("providerMetadata") }),
      () => ({ type: "source-document", sourceId: id("source"), mediaType: "text/plain", title: "A page" }),
    ])();

  const parts = (make, from) => Array.from({ length: from + below(7) }, make);
  const messages = chance(0.3) ? [{ id: id("system"), role: "system", parts: parts(text, 1) }] : [];
  for (let turns = 1 + below(4); turns > 0; turns--) {
    messages.push({ id: id("user"), role: "user", parts: parts(() => pick([text, text, file, data])(), 1) });
    if (chance(0.9)) {
      const known = chance(0.3) ? { metadata: { createdAt: 1_700_000_000_000 + count, model: "some" } } : {};
      messages.push({ id: id("assistant"), role: "assistant", ...known, parts: parts(answerPart, 0) });
    }
  }
  return messages;
}
