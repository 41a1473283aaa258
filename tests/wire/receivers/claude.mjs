// A server of Anthropic's that signs thinking and checks it when it comes back: that of models with adaptive thinking,
// which is valid only after what was before it, or that of older models, which require it in the last round of calls.

import { Refusal, received } from "../refusal.mjs";
import { acceptAnthropic } from "./anthropic.mjs";

const BOUND =
  "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set " +
  '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
  "`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";
const GAP = `${BOUND} The \`thinking\` block that preceded this one when it was created is missing from this request.`;
const MODIFIED =
  "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must " +
  "remain as they were in the original response.";
const MISSING =
  "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding the lastmost " +
  "set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`.";

const isThinking = ({ type }) => type === "thinking" || type === "redacted_thinking";
const signatureOf = ({ signature, data }) => signature ?? data;

export class Claude {
  /** What was signed, by the signatures. */
  #signed = new Map();
  #replies = 0;
  /** Blocks of thinking that requests had, those that came back. */
  returned = 0;

  /** @param options for `acceptAnthropic`, and `isBound`: false for models whose thinking is valid after anything. */
  constructor(options = {}) {
    this.options = { prefill: false, ...options };
  }

  /**
   * Receives a request and returns the blocks of the reply, in which thinking is signed.
   *
   * @param blocks of the reply; `{ type: "thinking", thinking }` and `{ type: "redacted_thinking" }` get signatures.
   * @throws {Refusal}
   */
  reply(request, blocks) {
    this.accept(request);
    const body = received(request);
    const reply = this.#replies++;
    const before = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isThinking) : []));
    let previous = before.length === 0 ? null : signatureOf(before.at(-1));
    const content = [];
    for (const block of blocks) {
      if (!isThinking(block)) {
        content.push(block);
        continue;
      }
      const signature = `signed_${this.#signed.size}`;
      const signed = block.type === "thinking" ? { ...block, signature } : { ...block, data: signature };
      const prefix = prefixOf({ ...body, messages: [...body.messages, { role: "assistant", content: [...content] }] });
      this.#signed.set(signature, { text: block.thinking, prefix, previous, reply });
      previous = signature;
      content.push(signed);
    }
    return content;
  }

  /** @throws {Refusal} */
  accept(request) {
    const { isBound = true } = this.options;
    acceptAnthropic(request, this.options);
    const body = received(request);
    const isEnabled = body.thinking?.type === "enabled";
    if (isEnabled) checkRound(body.messages);
    const sent = [];
    body.messages.forEach(({ content }, index) => {
      if (!Array.isArray(content)) return;
      content.forEach((block, place) => {
        if (isThinking(block)) sent.push({ block, index, place });
      });
    });
    this.returned += sent.length;
    this.#checkLatest(body.messages);
    sent.forEach(({ block, index, place }, number) => {
      const path = ["messages", String(index), "content", String(place)];
      const known = this.#signed.get(signatureOf(block));
      if (known === undefined || known.text !== block.thinking) {
        refuse("signature", path, "Invalid `signature` in `thinking` block");
      }
      if (isEnabled || !isBound) return;
      const messages = body.messages.slice(0, index + 1);
      messages[index] = { ...messages[index], content: messages[index].content.slice(0, place) };
      if (prefixOf({ ...body, messages }) !== known.prefix) refuse("bound thinking", path, BOUND);
      if (number > 0 && signatureOf(sent[number - 1].block) !== known.previous) refuse("gap in thinking", path, GAP);
    });
  }

  /** The thinking of the latest answer comes back as a whole or not at all. */
  #checkLatest(messages) {
    const index = messages.findLastIndex(({ role }) => role === "assistant");
    const content = messages[index]?.content;
    if (!Array.isArray(content)) return;
    const signatures = content.filter(isThinking).map(signatureOf);
    const replies = new Set(signatures.map((signature) => this.#signed.get(signature)?.reply));
    for (const reply of replies) {
      const whole = [...this.#signed].filter(([, known]) => known.reply === reply).map(([signature]) => signature);
      if (whole.every((signature, place) => signature === signatures[place])) return;
      refuse("modified thinking", ["messages", String(index)], MODIFIED);
    }
  }
}

function refuse(rule, path, message) {
  throw new Refusal(rule, path, `${path.join(".")}: ${message}`);
}

/** In the last round of calls, the answer begins with thinking. */
function checkRound(messages) {
  const { role, content } = messages.at(-1);
  if (role !== "user" || !Array.isArray(content) || content[0]?.type !== "tool_result") return;
  const index = messages.findLastIndex((message) => message.role === "assistant");
  const [first] = messages[index].content;
  if (isThinking(first)) return;
  const path = ["messages", String(index), "content", "0", "type"];
  refuse(
    "thinking of the last round",
    path,
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. ${MISSING}`,
  );
}

/** What a block of thinking is bound to: system, tools and messages, without thinking and marks for the cache. */
function prefixOf({ system, tools = [], messages }) {
  const blocksOf = (content = []) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
  const turns = [];
  for (const { role, content } of messages) {
    const blocks = blocksOf(content).filter((block) => !isThinking(block));
    if (turns.at(-1)?.role === role) turns.at(-1).blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  // Tools that are loaded later are no part of the prefix.
  const known = tools.filter(({ defer_loading: isDeferred }) => isDeferred !== true);
  const names = known.map(ordered).sort((left, right) => (left.name < right.name ? -1 : 1));
  return JSON.stringify([ordered(blocksOf(system ?? [])), names, turns.map(ordered)]);
}

/** A copy with sorted names of members, without marks for the cache. */
function ordered(value) {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).filter((name) => name !== "cache_control");
  return Object.fromEntries(names.sort().map((name) => [name, ordered(value[name])]));
}
