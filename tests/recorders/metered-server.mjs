// A server that speaks as the providers do, counts the tokens of each request, and keeps what it was asked and what it billed: the
// truth that recordings are compared with.

import { createServer } from "node:http";
import { send } from "../js/loopback.mjs";
import { speak } from "../js/model-server.mjs";
import { Claude } from "../wire/receivers/claude.mjs";
import { acceptResponses } from "../wire/receivers/responses.mjs";

const tokens = (text) => Math.ceil(text.length / 4);

/** A body in the order in which providers cache it, in pieces that a later request either repeats or doesn't. */
function pieces({ tools = [], system, instructions, systemInstruction, messages, input, contents }) {
  const before = [tools, system ?? instructions ?? systemInstruction ?? ""];
  const history = messages ?? contents ?? input;
  return [...before, ...(Array.isArray(history) ? history : [history])].map((piece) =>
    JSON.stringify(piece, withoutMarks),
  );
}

/** Marks for the cache move from one request to the next. */
export const withoutMarks = (name, value) => (name === "cache_control" ? undefined : value);

/** Members that Codex sends and the types of OpenAI's package lack. */
const KNOWN = new Set(["client_metadata", "external_web_access", "search_content_types", "status"]);

/** Members of bodies that the types of Anthropic's package lack. */
const KNOWN_TO_ANTHROPIC = new Set(["safeguards", "temperature"]);

/** Items that only Codex sends. */
const OWN = /^(?:agent_message|configuration_update)$/;

/**
 * Throws the error of OpenAI for a body that it refuses. What programs leave out or add that its types require or lack is put in or
 * left out: of Codex ids of messages of the user, metadata of items, items of its own, reasoning whose content is null, and
 * reasoning alone, of a stream that broke off; what the AI SDK leaves out of tools and of replies; and the ids of reasoning, which
 * opencode and older versions of Codex leave out.
 */
function accept(body, pathname) {
  if (!/\/responses(\/compact)?$/.test(pathname) || !Array.isArray(body.input)) return;
  const input = body.input
    .filter(({ type }, index) => !OWN.test(type) && (type !== "reasoning" || isFollowed(body.input, index)))
    .map(({ id, content, internal_chat_message_metadata_passthrough: _, ...item }, index) => {
      if (item.role === "assistant" && Array.isArray(content))
        return {
          type: "message",
          status: "completed",
          id: id ?? `msg_${index}`,
          ...item,
          content: content.map((part) => (part.type === "output_text" ? { annotations: [], ...part } : part)),
        };
      return {
        ...item,
        ...(item.type === "message" ? {} : { id: id ?? (item.type === "reasoning" ? `rs_${index}` : undefined) }),
        ...(item.type === "reasoning" && !content?.length ? {} : { content }),
      };
    });
  const tools = body.tools?.map((tool) => (tool.type === "function" ? { strict: null, ...tool } : tool));
  acceptResponses({ ...body, input, ...(tools && { tools }) }, { known: KNOWN });
}

const isFollowed = (input, index) => {
  const next = input.slice(index + 1).find(({ type }) => type !== "reasoning");
  return next !== undefined && (next.role === "assistant" || /_call$/.test(next.type));
};

/** The tools of a request, which may also be an item of the history. */
const hasTools = ({ tools, input }) =>
  tools?.length > 0 || (Array.isArray(input) && input.some(({ type }) => type === "additional_tools"));

/** Smaller prompts are not cached. */
const SMALLEST = 1024;

/**
 * Starts a server.
 *
 * A request of the work is replied to by the next entry of `script` (a reply of `modelServer`, whose calls are `[name, args]`, or a
 * function that makes one of the body), and when none is left by a text; `script` may also be one such function. Other requests, such
 * as for a title, have the reply `isAside(body, path)` returns; it returns false for those of the work. `requests` has what was asked
 * and billed:
 * `{ path, headers, body, reply: { id, model, text, calls, usage }, aside }`, in its order. A reply with a `status` is an error,
 * and `"kill"` ends the program while it waits (`onKill`); nobody is billed for them. `others` are those requests and the ones to no
 * model, and `refused` the errors of those that the provider would refuse. A reply may name parts of its `usage`, and that of a
 * request which the program does not record has `isRecorded: false`. Thinking of replies in Anthropic's format is signed, and checked
 * when it comes back.
 */
export async function meteredServer(
  script,
  isAside = (body) => !hasTools(body) && { text: "Prices" },
  onKill = () => {},
) {
  const [requests, others, refused, cached] = [[], [], [], []];
  const waiting = typeof script === "function" ? [] : [...script];
  const claude = new Claude({ known: KNOWN_TO_ANTHROPIC });

  function usageOf(body, pathname, { text = "", calls = [], usage }) {
    const own = pieces(body);
    const sizes = own.map(tokens);
    const sum = (count) => sizes.slice(0, count).reduce((left, right) => left + right, 0);
    let same = 0;
    for (const { model, known } of cached) {
      if (model !== body.model) continue;
      let count = 0;
      while (count < own.length && known[count] === own[count]) count++;
      same = Math.max(same, count);
    }
    cached.push({ model: body.model, known: own });
    const read = sum(same) < SMALLEST ? 0 : sum(same);
    const rest = sum(own.length) - read;
    // Chat Completions and Gemini have no count of what was written.
    const isCounted = /\/(messages|responses)$/.test(pathname) && (rest >= SMALLEST || read > 0);
    const written = isCounted ? Math.max(0, rest - (sizes.at(-1) ?? 0)) : 0;
    const output = 12 + tokens(text) + tokens(JSON.stringify(calls));
    return { fresh: rest - written, read, written, output, reasoning: 5, ...usage };
  }

  const server = createServer(async (request, response) => {
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) text += chunk;
    const { pathname } = new URL(request.url, "http://localhost");
    const asked = text === "" ? undefined : JSON.parse(text);
    const isModel = /\/(messages|chat\/completions|responses(\/compact)?)$|:(stream)?[gG]enerateContent$/.test(
      pathname,
    );
    if (request.method !== "POST" || !isModel) {
      others.push({ method: request.method, path: request.url, body: asked });
      const counts = pathname.endsWith("/count_tokens") || pathname.endsWith(":countTokens");
      const count = counts ? tokens(text) : 0;
      response.writeHead(counts || pathname.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ input_tokens: count, totalTokens: count, object: "list", data: [] }));
      return;
    }
    const model = asked.model ?? /\/models\/(.+):/.exec(pathname)?.[1];
    const body = { ...asked, model };
    const isAnthropic = pathname.endsWith("/messages");
    try {
      if (isAnthropic) {
        claude.options.beta = request.headers["anthropic-beta"] !== undefined;
        claude.options.isBound = !/-[34](?:[-.]|$)/.test(model);
        claude.accept(body);
      } else accept(asked, pathname);
    } catch (error) {
      refused.push(Object.assign(error, { body }));
      send(
        response,
        { type: "error", error: { message: error.message, type: "invalid_request_error" } },
        error.status ?? 400,
      );
      return;
    }
    const aside = isAside(body, pathname);
    const next =
      aside || (typeof script === "function" ? script : (waiting.shift() ?? { text: "Nothing is left to do." }));
    const planned = typeof next === "function" ? next(body) : next;
    if (planned === "kill" || planned.status !== undefined) {
      others.push({ method: request.method, path: request.url, body });
      const error = planned.refuse ?? { type: "error", error: { type: "api_error", message: planned.text } };
      if (planned === "kill") onKill();
      else send(response, error, planned.status);
      return;
    }
    const number = requests.length + 1;
    const id = `${isAnthropic ? "msg_01" : pathname.endsWith("/responses") ? "resp_" : "chatcmpl-"}reply${number}`;
    const calls = (planned.calls ?? []).map(([name, args], index) => [`toolu_${number}x${index}`, name, args]);
    // Gemini accepts more than the adapters may send: turns of the same role in a row, as Gemini CLI sends them.
    const isChecked = false;
    const reply = { ...planned, id, model, calls, usage: usageOf(body, pathname, planned), isChecked };
    if (isAnthropic) reply.thinking = thinkingOf(claude, body, reply);
    const isBroken = planned.after !== undefined || planned.failed !== undefined;
    requests.push({ path: request.url, headers: request.headers, body, reply, aside: Boolean(aside) || isBroken });
    await speak(request.url, body, reply, response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    requests,
    others,
    refused,
    waiting,
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

/** The signed thinking of a reply; null where the request asks for none. */
function thinkingOf(claude, body, { text = "", calls }) {
  if ((body.thinking ?? { type: "disabled" }).type === "disabled") return null;
  const said = text === "" ? [] : [{ type: "text", text }];
  const uses = calls.map(([id, name, input]) => ({ type: "tool_use", id, name, input }));
  const [thinking] = claude.reply(body, [{ type: "thinking", thinking: "I add them up." }, ...said, ...uses]);
  return thinking;
}
