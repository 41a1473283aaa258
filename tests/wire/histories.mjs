// Random histories as hosts have them, in every dialect: pairs of calls and results with what providers and frameworks
// write besides, and the damage that histories have: empty texts, odd and repeated ids, results that are missing or
// stray, arguments that are no object.

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
const WORDS = [
  "parcel",
  "Leipzig",
  "größer",
  "物",
  "😀",
  "/src/app.ts",
  "order 7",
  "`code`",
  "\n",
  "https://example.org/a",
];
const TOOLS = ["search", "read_file", "order"];
/** Names by which models call tools that nobody offered. */
const ODD_NAMES = ["functions.search", "order<|channel|>", "search it", "x".repeat(210)];

/** The dialects of histories; `read` makes the conversation. */
export const DIALECTS = ["neutral", "openai", "responses", "anthropic", "gemini", "aiSdk"];

const sentence = (random, length = 12) =>
  Array.from({ length: 1 + random.below(length) }, () => random.pick(WORDS))
    .join(" ")
    .trim() || "word";

const text = (random) => (random.chance(0.02) ? sentence(random, 300) : sentence(random));
/** A text that may be empty, blank, or half of a character. */
const odd = (random) => (random.chance(0.08) ? random.pick(["", " ", "\n\n", "cut \ud83d", "end "]) : text(random));

const maybe = (random, probability, members) => (random.chance(probability) ? members() : {});

const dataURL = (type = "image/png") => `data:${type};base64,${PNG}`;

/** Some queries are longer than what replaces cleared arguments. */
function query(random) {
  const short = sentence(random, 3);
  return short.length % 3 === 0 ? Array(6).fill(short).join(" ") : short;
}

function args(random) {
  const value = { query: query(random), ...maybe(random, 0.3, () => ({ limit: random.below(9) })) };
  return random.chance(0.06) ? random.pick([null, "text", 3, [1], {}, '{"query": ', "{}"]) : value;
}

/** The outline of a history: turns of the user and the model, calls with what came of them. */
function outline(random) {
  let count = 0;
  const tidy = random.chance(0.5);
  const damaged = (probability) => !tidy && random.chance(probability);
  const id = () => {
    count++;
    if (damaged(0.1)) {
      return random.pick(["", "c1", "functions.search:0", "a|b", `call_${"x".repeat(70)}${count}`, "é 1", "c1"]);
    }
    return random.pick([`call_${count}`, `toolu_${count}`, `c${count}`]);
  };
  const call = () => ({
    id: id(),
    name: damaged(0.02) ? random.pick(ODD_NAMES) : random.pick(TOOLS),
    args: tidy ? { query: query(random) } : args(random),
    outcome: random.pick(["ok", "ok", "ok", "ok", "error", "denied"]),
    output: tidy ? text(random) : odd(random),
    shape: random.pick(["text", "text", "json", "parts", "image"]),
    isMissing: damaged(0.08),
    isStray: damaged(0.05),
    isTwice: damaged(0.03),
  });
  const server = () => ({ id: `srvtoolu_${++count}`, query: sentence(random, 3), isMissing: damaged(0.1) });
  const step = () => ({
    text: random.chance(0.5) ? (tidy ? text(random) : odd(random)) : null,
    thinking: random.chance(0.3) ? text(random) : null,
    server: random.chance(0.1) ? [server()] : [],
    calls: Array.from({ length: 1 + random.below(3) }, call),
  });
  const rounds = Array.from({ length: 1 + random.below(6) }, () => ({
    user: tidy ? text(random) : odd(random),
    media: random.chance(0.15) ? random.pick(["image", "imageURL", "pdf"]) : null,
    steps: Array.from({ length: random.chance(0.6) ? random.below(4) : 0 }, step),
    answer: damaged(0.08) ? random.pick([null, "", " ", "said "]) : text(random),
    thinking: random.chance(0.2) ? text(random) : null,
    endsInThinking: damaged(0.04),
    approval: random.chance(0.05) ? { approved: random.chance(0.5), isOpen: random.chance(0.3) } : null,
    repeats: damaged(0.05),
  }));
  return {
    tidy,
    system: Array.from({ length: random.below(3) === 0 ? 0 : 1 + random.below(2) }, () => text(random)),
    lateSystem: damaged(0.05) ? text(random) : null,
    compaction: random.chance(0.04) ? text(random) : null,
    rounds,
    isOpen: random.chance(0.2),
    foreign: random.chance(0.5),
  };
}

/** Members that other providers and frameworks put in messages. */
function foreign(random, isForeign) {
  if (!isForeign || !random.chance(0.3)) return {};
  return random.pick([
    () => ({ toolName: "search" }),
    () => ({ isError: random.chance(0.5) }),
    () => ({ dynamic: true }),
    () => ({ title: "Search" }),
    () => ({ state: "output-available" }),
    () => ({ usage: { input_tokens: 3, output_tokens: 4 } }),
    () => ({ stop_reason: "end_turn", stop_sequence: null }),
    () => ({ id: "msg_1", type: "message", model: "m" }),
    () => ({ provider_specific_fields: { a: 1 } }),
    () => ({ reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }] }),
    () => ({ reasoning: "hm", reasoning_content: "hm" }),
    () => ({ annotations: [], audio: null, function_call: null, refusal: null }),
    () => ({ createdAt: "2026-01-01T00:00:00Z", metadata: { a: 1 } }),
    () => ({ providerMetadata: { openai: { itemId: "i" } }, experimental_providerMetadata: {} }),
    () => ({ timestamp: 1_700_000_000_000 }),
  ])();
}

const DENIED = "The user declined.";

const writers = {
  neutral(random, history) {
    /** `function_call` is refused with a hint at `openai.from`. */
    const more = () => {
      const { function_call: _call, ...members } = foreign(random, history.foreign);
      return members;
    };
    const media = {
      image: () => ({ type: "image", image: PNG, mediaType: "image/png" }),
      imageURL: () => ({ type: "image", image: "https://example.org/a.png" }),
      pdf: () => ({ type: "file", data: PNG, mediaType: "application/pdf", filename: "a.pdf" }),
    };
    const result = (call) => {
      const failed = call.outcome === "error" && { isError: true };
      const denied = call.outcome === "denied" && { isDenied: true };
      return {
        role: "tool",
        toolCallId: call.id,
        toolName: call.name,
        content: call.shape === "image" ? [{ type: "text", text: call.output }, media.image()] : call.output,
        ...failed,
        ...denied,
        ...more(),
      };
    };
    const asked = ({ calls, text, thinking }) => ({
      role: "assistant",
      content: thinking === null ? text : [reasoning(thinking), ...(text === null ? [] : [{ type: "text", text }])],
      toolCalls: calls.map(({ id, name, args }) => ({ id, name, args })),
      ...more(),
    });
    const reasoning = (text) => ({
      type: "reasoning",
      text,
      ...maybe(random, 0.5, () => ({ providerOptions: { anthropic: { signature: "sig" } } })),
    });
    return assembled(history, {
      system: (content) => ({ role: random.pick(["system", "developer"]), content, ...more() }),
      user: (text, kind) => ({
        role: "user",
        content: kind === null ? text : [{ type: "text", text }, media[kind]()],
        ...more(),
      }),
      step: (step) => asked(step),
      results: (calls) => calls.map(result),
      answer: (text, thinking, isAtEnd) => ({
        role: "assistant",
        content:
          thinking === null
            ? text
            : isAtEnd
              ? [{ type: "text", text: text ?? "" }, reasoning(thinking)]
              : [reasoning(thinking), { type: "text", text: text ?? "" }],
        ...more(),
      }),
    });
  },

  openai(random, history) {
    const more = () => foreign(random, history.foreign);
    const media = {
      image: () => ({ type: "image_url", image_url: { url: dataURL() } }),
      imageURL: () => ({ type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } }),
      pdf: () => ({ type: "file", file: { file_data: dataURL("application/pdf"), filename: "a.pdf" } }),
    };
    return assembled(history, {
      system: (content) => ({ role: random.pick(["system", "developer"]), content, ...more() }),
      user: (text, kind) => ({
        role: "user",
        content: kind === null ? text : [{ type: "text", text }, media[kind]()],
        ...more(),
      }),
      step: ({ text, calls, thinking }) => ({
        role: "assistant",
        content: text,
        ...(thinking !== null && { reasoning_content: thinking }),
        tool_calls: calls.map(({ id, name, args }, index) => ({
          id,
          type: "function",
          function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
          ...maybe(random, history.foreign ? 0.2 : 0, () => ({ index, extra_content: { google: { a: 1 } } })),
        })),
        ...more(),
      }),
      results: (calls) =>
        calls.map(({ id, name, output, outcome, shape }) => ({
          role: "tool",
          tool_call_id: id,
          content: outcome === "denied" ? DENIED : shape === "parts" ? [{ type: "text", text: output }] : output,
          ...(history.foreign && { name }),
          ...more(),
        })),
      answer: (content, thinking) => ({
        role: "assistant",
        content,
        ...(thinking !== null && { reasoning_content: thinking }),
        ...more(),
      }),
    });
  },

  responses(random, history) {
    let count = 0;
    /** Members with the meaning that they have in items are not foreign here. */
    const more = () => {
      const { id: _id, type: _type, ...members } = foreign(random, history.foreign);
      return members;
    };
    const item = (prefix) => `${prefix}_${++count}`;
    const media = {
      image: () => ({ type: "input_image", image_url: dataURL(), detail: "auto" }),
      imageURL: () => ({ type: "input_image", image_url: "https://example.org/a.png", detail: "low" }),
      pdf: () => ({ type: "input_file", file_data: dataURL("application/pdf"), filename: "a.pdf" }),
    };
    const reasoning = (text) => ({
      type: "reasoning",
      id: item("rs"),
      summary: [{ type: "summary_text", text }],
      encrypted_content: "ZW5j",
    });
    const said = (text) => ({
      type: "message",
      id: item("msg"),
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    });
    return assembled(history, {
      system: (content) => ({ role: random.pick(["system", "developer"]), content }),
      user: (text, kind) => ({
        role: "user",
        content: kind === null ? text : [{ type: "input_text", text }, media[kind]()],
        ...more(),
      }),
      step: ({ text, calls, thinking, server }) => [
        ...(thinking === null ? [] : [reasoning(thinking)]),
        ...server.map(({ query }) => ({
          type: "web_search_call",
          id: item("ws"),
          status: "completed",
          action: { type: "search", query },
        })),
        ...(text === null ? [] : [said(text)]),
        ...calls.map(({ id, name, args }) => ({
          type: "function_call",
          ...maybe(random, 0.7, () => ({ id: item("fc"), status: "completed" })),
          call_id: id,
          name,
          arguments: typeof args === "string" ? args : JSON.stringify(args),
        })),
      ],
      results: (calls) =>
        calls.map(({ id, output, outcome, shape }) => ({
          type: "function_call_output",
          call_id: id,
          output:
            outcome === "denied"
              ? DENIED
              : shape === "image"
                ? [{ type: "input_text", text: output }, media.image()]
                : output,
          ...maybe(random, 0.2, () => ({ id: item("fco"), status: "completed" })),
        })),
      answer: (text, thinking, isAtEnd) => {
        const thoughts = thinking === null ? [] : [reasoning(thinking)];
        const answer = text === null ? [] : [said(text)];
        return isAtEnd ? [...answer, ...thoughts] : [...thoughts, ...answer];
      },
      compaction: (text) => ({ type: "compaction", id: item("cmp"), encrypted_content: text }),
    });
  },

  anthropic(random, history) {
    const more = () => foreign(random, history.foreign);
    const mark = () => maybe(random, 0.1, () => ({ cache_control: { type: "ephemeral" } }));
    const media = {
      image: () => ({ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }),
      imageURL: () => ({ type: "image", source: { type: "url", url: "https://example.org/a.png" } }),
      pdf: () => ({ type: "document", source: { type: "base64", media_type: "application/pdf", data: PNG } }),
    };
    const reasoning = (thinking) => ({ type: "thinking", thinking, signature: "sig" });
    const messages = assembled(
      { ...history, system: [] },
      {
        system: (text) => ({ role: "user", content: text }),
        user: (text, kind) => ({
          role: "user",
          content:
            kind === null && random.chance(0.5)
              ? text
              : [...(kind === null ? [] : [media[kind]()]), { type: "text", text, ...mark() }],
          ...more(),
        }),
        step: ({ text, calls, thinking, server }) => ({
          role: "assistant",
          content: [
            ...(thinking === null ? [] : [reasoning(thinking)]),
            ...(text === null ? [] : [{ type: "text", text, ...maybe(random, 0.2, () => ({ citations: null })) }]),
            ...server.flatMap(({ id, query, isMissing }) => [
              { type: "server_tool_use", id, name: "web_search", input: { query } },
              ...(isMissing
                ? []
                : [
                    {
                      type: "web_search_tool_result",
                      tool_use_id: id,
                      content: [
                        {
                          type: "web_search_result",
                          title: "A",
                          url: "https://example.org",
                          encrypted_content: "ZW5j",
                          page_age: null,
                        },
                      ],
                    },
                  ]),
            ]),
            ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args, ...mark() })),
          ],
          ...more(),
        }),
        results: (calls, extra) => ({
          role: "user",
          content: [
            ...calls.map(({ id, output, outcome, shape }) => ({
              type: "tool_result",
              tool_use_id: id,
              content:
                shape === "text"
                  ? output
                  : [{ type: "text", text: output }, ...(shape === "image" ? [media.image()] : [])],
              ...(outcome !== "ok" && { is_error: true }),
              ...mark(),
            })),
            ...(extra === null ? [] : [{ type: "text", text: extra }]),
          ],
          ...more(),
        }),
        answer: (text, thinking, isAtEnd) => {
          const thoughts = thinking === null ? [] : [reasoning(thinking)];
          const answer = text === null ? [] : [{ type: "text", text }];
          return {
            role: "assistant",
            content:
              thoughts.length === 0 && random.chance(0.5)
                ? (text ?? "")
                : isAtEnd
                  ? [...answer, ...thoughts]
                  : [...thoughts, ...answer],
            ...more(),
          };
        },
        compaction: (content) => ({ role: "assistant", content: [{ type: "compaction", content }] }),
      },
    );
    const system = history.system.map((text) => ({ type: "text", text, ...mark() }));
    return { ...(system.length > 0 && { system }), messages };
  },

  gemini(random, history) {
    const more = () => foreign(random, history.foreign);
    const media = {
      image: () => ({ inlineData: { data: PNG, mimeType: "image/png" } }),
      imageURL: () => ({ fileData: { fileUri: "https://example.org/a.png", mimeType: "image/png" } }),
      pdf: () => ({ inlineData: { data: PNG, mimeType: "application/pdf" } }),
    };
    const signature = () => ({ thoughtSignature: "c2lnbmF0dXJl" });
    const thoughts = (thinking) => (thinking === null ? [] : [{ text: thinking, thought: true }]);
    /** Vertex AI gives calls no ids. */
    const hasIds = random.chance(0.7);
    const idOf = (id) => (hasIds ? { id } : {});
    const response = ({ output, outcome, shape }) =>
      outcome !== "ok"
        ? { error: outcome === "denied" ? DENIED : output }
        : shape === "json"
          ? { result: output }
          : { output };
    const contents = assembled(
      { ...history, system: [] },
      {
        system: (text) => ({ role: "user", parts: [{ text }] }),
        user: (text, kind) => ({
          role: "user",
          parts: [{ text }, ...(kind === null ? [] : [media[kind]()])],
          ...more(),
        }),
        step: ({ text, calls, thinking, server }) => ({
          role: "model",
          parts: [
            ...thoughts(thinking),
            ...(text === null ? [] : [{ text, ...maybe(random, 0.1, signature) }]),
            ...server.flatMap(({ query }) => [
              { executableCode: { language: "PYTHON", code: query } },
              { codeExecutionResult: { outcome: "OUTCOME_OK", output: query } },
            ]),
            ...calls.map(({ id, name, args }, index) => ({
              functionCall: { ...idOf(id), name, args },
              ...(index === 0 && maybe(random, 0.8, signature)),
            })),
          ],
          ...more(),
        }),
        results: (calls, extra) => ({
          role: "user",
          parts: [
            ...calls.map((call) => ({
              functionResponse: {
                ...idOf(call.id),
                name: call.name,
                response: response(call),
                ...(call.shape === "image" && { parts: [media.image()] }),
              },
            })),
            ...(extra === null ? [] : [{ text: extra }]),
          ],
          ...more(),
        }),
        answer: (text, thinking, isAtEnd) => {
          const own = text === null ? [] : [{ text }, ...(random.chance(0.3) ? [{ text: "", ...signature() }] : [])];
          return {
            role: "model",
            parts: isAtEnd ? [...own, ...thoughts(thinking)] : [...thoughts(thinking), ...own],
            ...more(),
          };
        },
      },
    );
    const parts = history.system.map((text) => ({ text }));
    return { ...(parts.length > 0 && { systemInstruction: { parts } }), contents };
  },

  aiSdk(random, history) {
    const more = () => foreign(random, history.foreign);
    const options = () => maybe(random, 0.1, () => ({ providerOptions: { openai: { itemId: "i" } } }));
    const media = {
      image: () => ({ type: "image", image: random.pick([PNG, new Uint8Array(Buffer.from(PNG, "base64"))]) }),
      imageURL: () => ({ type: "image", image: new URL("https://example.org/a.png") }),
      pdf: () => ({ type: "file", data: PNG, mediaType: "application/pdf", filename: "a.pdf" }),
    };
    const reasoning = (text) => ({
      type: "reasoning",
      text,
      ...maybe(random, 0.5, () => ({ providerOptions: { anthropic: { signature: "sig" } } })),
    });
    const output = ({ output, outcome, shape }) => {
      if (outcome === "denied") return { type: "execution-denied", ...maybe(random, 0.5, () => ({ reason: DENIED })) };
      if (outcome === "error")
        return random.pick([
          { type: "error-text", value: output },
          { type: "error-json", value: { error: output } },
        ]);
      if (shape === "json") return { type: "json", value: { found: output } };
      if (shape === "text") return { type: "text", value: output };
      const image = { type: "image-data", data: PNG, mediaType: "image/png" };
      return { type: "content", value: [{ type: "text", text: output }, ...(shape === "image" ? [image] : [])] };
    };
    return assembled(history, {
      system: (content) => ({ role: "system", content, ...options() }),
      user: (text, kind) => ({
        role: "user",
        content: kind === null ? text : [{ type: "text", text }, media[kind]()],
        ...options(),
        ...more(),
      }),
      step: ({ text, calls, thinking, server, approval }) => ({
        role: "assistant",
        content: [
          ...(thinking === null ? [] : [reasoning(thinking)]),
          ...(text === null ? [] : [{ type: "text", text, ...options() }]),
          ...server.flatMap(({ id, query, isMissing }) => [
            { type: "tool-call", toolCallId: id, toolName: "web_search", input: { query }, providerExecuted: true },
            ...(isMissing
              ? []
              : [
                  {
                    type: "tool-result",
                    toolCallId: id,
                    toolName: "web_search",
                    output: { type: "json", value: [{ title: "A" }] },
                  },
                ]),
          ]),
          ...calls.map(({ id, name, args }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: name,
            input: args,
            ...options(),
            ...maybe(random, history.foreign ? 0.1 : 0, () =>
              random.pick([{ dynamic: true }, { title: "T" }, { invalid: true, error: "e" }]),
            ),
          })),
          ...(approval ?? []),
        ],
        ...more(),
      }),
      results: (calls) => ({
        role: "tool",
        content: calls.map((call) => ({
          type: "tool-result",
          toolCallId: call.id,
          toolName: call.name,
          output: output(call),
          ...options(),
          ...maybe(random, history.foreign ? 0.1 : 0, () => random.pick([{ dynamic: true }, { isError: true }])),
        })),
        ...more(),
      }),
      answer: (text, thinking, isAtEnd) => ({
        role: "assistant",
        content:
          thinking === null
            ? (text ?? "")
            : isAtEnd
              ? [{ type: "text", text: text ?? "" }, reasoning(thinking)]
              : [reasoning(thinking), { type: "text", text: text ?? "" }],
        ...options(),
        ...more(),
      }),
      approval: ({ approved, isOpen }, call, number) => [
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: call.id, toolName: call.name, input: { query: "x" } },
            { type: "tool-approval-request", approvalId: `approval-${number}`, toolCallId: call.id },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-approval-response", approvalId: `approval-${number}`, approved },
            ...(isOpen
              ? []
              : [
                  {
                    type: "tool-result",
                    toolCallId: call.id,
                    toolName: call.name,
                    output: approved ? { type: "text", value: "done" } : { type: "execution-denied" },
                  },
                ]),
          ],
        },
      ],
    });
  },
};

/** Puts a history together from what a writer makes of its pieces. */
function assembled({ system, lateSystem, compaction, rounds, isOpen }, write) {
  const list = (made) => (Array.isArray(made) ? made : [made]);
  const messages = system.flatMap((text) => list(write.system(text)));
  rounds.forEach(({ user, media, steps, answer, thinking, endsInThinking, repeats, approval }, index) => {
    const isLast = index === rounds.length - 1;
    if (index === 1 && compaction !== null && write.compaction !== undefined) {
      messages.push(...list(write.compaction(compaction)));
    }
    if (index === 1 && lateSystem !== null) messages.push(...list(write.system(lateSystem)));
    messages.push(...list(write.user(user, media)));
    if (repeats) messages.push(...list(write.user("And?", null)));
    steps.forEach((step, place) => {
      messages.push(...list(write.step(step)));
      const answered = step.calls.filter(({ isMissing }) => !isMissing);
      const twice = answered.filter(({ isTwice }) => isTwice);
      const stray = step.calls
        .filter(({ isStray }) => isStray)
        .map((call) => ({ ...call, id: `stray_${index}_${place}` }));
      const results = [...answered, ...twice, ...stray];
      if (results.length > 0) messages.push(...list(write.results(results, null)));
    });
    if (isLast && isOpen && steps.length > 0) return;
    if (approval !== null && write.approval !== undefined) {
      const isWaiting = approval.isOpen && isLast;
      const call = { id: `approved_${index}`, name: "order" };
      messages.push(...write.approval({ ...approval, isOpen: isWaiting }, call, index));
      if (isWaiting) return;
    }
    messages.push(...list(write.answer(answer, endsInThinking ? (thinking ?? "hm") : thinking, endsInThinking)));
  });
  return messages;
}

/** A random history in a dialect. `tidy` is true for one without damage. */
export function randomHistory(random, dialect) {
  const history = outline(random);
  return { messages: writers[dialect](random, history), tidy: history.tidy, isOpen: history.isOpen };
}
