// Messages of each provider by name: every kind of message and part, and unusual ones.

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
const pdf = "JVBERi0xLjQK";

const call = (id, name, text, extra = {}) => ({
  id,
  type: "function",
  function: { name, arguments: text },
  ...extra,
});
const calls = (...tool_calls) => ({ role: "assistant", content: null, tool_calls });

/** Messages of the AI SDK with a call that a person approved. One of them has only the approval. */
export const approvedCall = [
  { role: "user", content: "Look." },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} },
      { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
    ],
  },
  { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "It is lit." } },
    ],
  },
];

export const fixtures = {
  openai: {
    "texts of all roles": [
      { role: "system", content: "Be brief." },
      { role: "developer", content: "Be kind." },
      { role: "user", content: "Hello", name: "ada" },
      { role: "assistant", content: "Hi", name: "bot" },
    ],
    "no messages": [],
    "empty texts": [
      { role: "user", content: "" },
      { role: "assistant", content: "" },
      { role: "user", content: [] },
      { role: "user", content: [{ type: "text", text: "" }] },
    ],
    "parts of text": [
      { role: "system", content: [{ type: "text", text: "a" }] },
      { role: "developer", content: [{ type: "text", text: "b" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "c", prompt_cache_breakpoint: { mode: "explicit" } },
          { type: "text", text: "d" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "e" }] },
    ],
    images: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://example.org/a.png" } },
          { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "high" } },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } },
          { type: "image_url", image_url: { url: "data:image/svg+xml,%3Csvg/%3E" } },
          { type: "image_url", image_url: { url: "data:;base64,AAAA" } },
          { type: "image_url", image_url: { url: "data:image/png;charset=x;base64,AAAA" } },
          { type: "image_url", image_url: { url: "" } },
          { type: "image_url", image_url: { url: "AAAA" } },
        ],
      },
    ],
    audio: [
      {
        role: "user",
        content: [
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
          { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
          { type: "input_audio", input_audio: { data: "SUQz", format: "flac" } },
        ],
      },
      { role: "assistant", content: null, audio: { id: "audio_1" } },
      { role: "assistant", content: "x", audio: null },
    ],
    files: [
      {
        role: "user",
        content: [
          { type: "file", file: { file_id: "file-1" } },
          { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
          { type: "file", file: { file_data: `data:application/pdf;base64,${pdf}` } },
          { type: "file", file: { filename: "a.pdf", file_data: pdf } },
          { type: "file", file: { filename: "a.png", file_data: `data:image/png;base64,${png}` } },
        ],
      },
    ],
    "calls beside text, and their results": [
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [call("c1", "search", '{"q":"a"}'), call("c2", "search", '{"q":"b"}')],
      },
      { role: "tool", tool_call_id: "c1", content: "found" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "none" }] },
      { role: "assistant", content: "Done." },
    ],
    "arguments of every sort": [
      calls(
        call("c1", "f", ""),
        call("c2", "f", "{}"),
        call("c3", "f", ' {"a" : 1.0}\n'),
        call("c4", "f", '{"a":1,"a":2}'),
        call("c5", "f", '{"a":'),
        call("c6", "f", "[1,2]"),
        call("c7", "f", '"text"'),
        call("c8", "f", "null"),
        call("c9", "f", '{"n":12345678901234567890,"m":1e400}'),
        call("c10", "f", '{"__proto__":{"x":1},"constructor":2}'),
        call("c11", "f", '{"2":1,"1":2}'),
        call("c12", "f", '{"a":"\\u00e9"}'),
      ),
    ],
    "custom calls, and calls of types unknown here": [
      calls(
        { id: "c1", type: "custom", custom: { name: "shell", input: "ls" } },
        { id: "c2", type: "custom", custom: { name: "shell", input: '{"json":true}' } },
        { id: "c3", type: "search", search: { query: "x" } },
        { id: "c4", function: { name: "f", arguments: "{}" } },
      ),
    ],
    "members that are unknown": [
      {
        role: "assistant",
        content: "x",
        reasoning_content: "hm",
        vendor: { deep: [1, { a: null }] },
        tool_calls: [call("c1", "f", "{}", { rank: 0, extra_content: { google: { thought_signature: "s" } } })],
      },
      calls({ id: "c2", type: "function", function: { name: "f", arguments: "{}", strict: true } }),
      { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] },
      { role: "user", content: "x", providerOptions: { a: { b: 1 } }, cache_control: null },
    ],
    "parts that are unknown": [
      { role: "user", content: [{ type: "hologram", data: { x: 1 } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "x" },
        ],
      },
      { role: "assistant", content: [{ type: "reasoning", text: "hm" }] },
      { role: "user", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    ],
    "no content, and content that is null": [
      { role: "assistant", tool_calls: [call("c1", "f", "{}")] },
      { role: "assistant", content: null },
      { role: "assistant" },
      { role: "assistant", content: "x", tool_calls: [] },
      { role: "assistant", content: "x", tool_calls: null, function_call: null },
      { role: "assistant", content: "x", tool_calls: undefined },
    ],
    refusals: [
      { role: "assistant", content: null, refusal: "I can't." },
      { role: "assistant", content: "x", refusal: null },
      { role: "assistant", content: [{ type: "refusal", refusal: "I won't." }] },
    ],
    "calls of before there were lists of them": [
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a": 1}' } },
      { role: "function", name: "f", content: "1" },
      { role: "assistant", content: "more", function_call: { name: "g", arguments: "oops" } },
      { role: "function", name: "g", content: null },
      { role: "function", name: "h", content: "of no call" },
      {
        role: "assistant",
        content: null,
        function_call: { name: "f", arguments: "{}" },
        tool_calls: [call("c", "g", "{}")],
      },
    ],
    "a role that is unknown": [{ role: "critic", content: "Hm." }],
  },

  anthropic: {
    "texts, without a system prompt": {
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
    },
    "a system prompt": { system: "Be brief.", messages: [{ role: "user", content: "Hello" }] },
    "no messages": { messages: [] },
    "an empty system prompt": { system: "", messages: [] },
    "a system prompt without blocks": { system: [], messages: [] },
    "a system prompt of blocks": {
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind.", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
      messages: [],
    },
    "system messages inside": {
      system: "Be brief.",
      messages: [
        { role: "system", content: "At the front." },
        { role: "user", content: "Hello" },
        { role: "system", content: [{ type: "text", text: "Be kind." }] },
        { role: "assistant", content: "Hi" },
      ],
    },
    "a system message at the front": { messages: [{ role: "system", content: "x" }] },
    "empty texts": {
      messages: [
        { role: "user", content: "" },
        { role: "user", content: [] },
        { role: "assistant", content: [] },
        { role: "assistant", content: [{ type: "text", text: "" }] },
      ],
    },
    "texts with marks and citations": {
      messages: [
        { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" }, citations: null }] },
        {
          role: "assistant",
          content: [
            {
              type: "text",
              text: "x",
              citations: [
                { type: "char_location", cited_text: "x", document_index: 0, start_char_index: 0, end_char_index: 1 },
              ],
            },
          ],
        },
      ],
    },
    images: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
            { type: "image", source: { type: "base64", media_type: "image/gif", data: "https://odd" } },
            { type: "image", source: { type: "base64", data: png } },
            { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
            { type: "image", source: { type: "url", url: "no address" } },
            { type: "image", source: { type: "url", url: `data:image/png;base64,${png}` } },
            { type: "image", source: { type: "file", file_id: "file_1" } },
            {
              type: "image",
              source: { type: "url", url: "https://example.org/b.png" },
              cache_control: { type: "ephemeral" },
            },
          ],
        },
        { role: "assistant", content: [{ type: "image", source: { type: "url", url: "https://example.org/a.png" } }] },
      ],
    },
    documents: {
      messages: [
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "Grüße ✓" },
              title: "Greetings",
              context: "old",
              citations: { enabled: true },
            },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "half" }, title: null },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "\ufeffmarked" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "" } },
            { type: "document", source: { type: "url", url: "https://example.org/a.pdf" }, title: "" },
            { type: "document", source: { type: "content", content: [{ type: "text", text: "x" }] } },
            { type: "document", source: { type: "file", file_id: "file_1" } },
          ],
        },
      ],
    },
    thinking: {
      messages: [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig" },
            { type: "redacted_thinking", data: "secret" },
            { type: "thinking", thinking: "", signature: "sig2" },
            { type: "thinking", thinking: "unsigned" },
            { type: "text", text: "x" },
          ],
        },
      ],
    },
    "calls between texts, and their results": {
      messages: [
        {
          role: "assistant",
          content: [
            { type: "text", text: "first" },
            { type: "tool_use", id: "c1", name: "search", input: { q: "a" } },
            { type: "text", text: "then" },
            {
              type: "tool_use",
              id: "c2",
              name: "search",
              input: {},
              cache_control: { type: "ephemeral" },
              caller: { type: "direct" },
            },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "found" },
            { type: "tool_result", tool_use_id: "c2" },
            { type: "text", text: "and?" },
          ],
        },
      ],
    },
    "results of every sort": {
      messages: [
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "" },
            { type: "tool_result", tool_use_id: "c2", content: "failed", is_error: true },
            { type: "tool_result", tool_use_id: "c3", content: "fine", is_error: false },
            { type: "tool_result", tool_use_id: "c4", is_error: true },
            { type: "tool_result", tool_use_id: "c5", content: [] },
            {
              type: "tool_result",
              tool_use_id: "c6",
              cache_control: { type: "ephemeral" },
              content: [
                { type: "text", text: "x", cache_control: { type: "ephemeral" } },
                { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
                { type: "document", source: { type: "text", media_type: "text/plain", data: "d" } },
                { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "x" }] },
                { type: "tool_reference", tool_name: "f" },
              ],
              is_error: true,
            },
          ],
        },
      ],
    },
    "tools that Anthropic runs": {
      messages: [
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
            {
              type: "web_search_tool_result",
              tool_use_id: "s1",
              content: [{ type: "web_search_result", url: "u", title: "t", encrypted_content: "e" }],
            },
            { type: "mcp_tool_use", id: "m1", name: "f", server_name: "s", input: {} },
            { type: "mcp_tool_result", tool_use_id: "m1", is_error: false, content: [{ type: "text", text: "x" }] },
            { type: "container_upload", file_id: "file_1" },
          ],
        },
      ],
    },
    "members and blocks that are unknown": {
      messages: [
        {
          role: "assistant",
          vendor: { output: 1 },
          content: [{ type: "hologram", x: 1 }],
        },
        {
          role: "user",
          name: "ada",
          providerOptions: { a: {} },
          content: [{ type: "text", text: "x", detail: "low" }],
        },
        { role: "user", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
        { role: "user", content: [{ type: "reasoning", text: "x" }] },
      ],
    },
  },

  gemini: {
    "texts, without an instruction": {
      contents: [
        { role: "user", parts: [{ text: "Hello" }] },
        { role: "model", parts: [{ text: "Hi" }] },
        { role: "user", parts: [{ text: "One" }, { text: "Two" }] },
      ],
    },
    "an instruction": {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    },
    "an instruction of several parts": {
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "Be kind." }] },
      contents: [],
    },
    "an instruction with a role": { systemInstruction: { role: "system", parts: [{ text: "x" }] }, contents: [] },
    "an instruction that is a text": { systemInstruction: "Be brief.", contents: [] },
    "an instruction that is a list": { systemInstruction: ["Be brief.", { text: "Be kind." }], contents: [] },
    "no messages": { contents: [] },
    "a content without a role": {
      contents: [{ parts: [{ text: "Hello" }] }, { role: "model", parts: [{ text: "Hi" }] }],
    },
    "empty texts and contents": {
      contents: [
        { role: "user", parts: [{ text: "" }, { text: "Hello" }] },
        { role: "model", parts: [] },
        { role: "model" },
        { role: "user", parts: [{ text: "Hello?" }] },
        { role: "model", parts: [{ text: "Hi" }] },
      ],
    },
    "calls beside text, and their results": {
      contents: [
        { role: "user", parts: [{ text: "Look." }] },
        {
          role: "model",
          parts: [
            { text: "I look." },
            { functionCall: { id: "c1", name: "search", args: { q: "a" } }, thoughtSignature: "c2lnbmF0dXJl" },
            { functionCall: { id: "c2", name: "search", args: { q: "b" } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "c1", name: "search", response: { output: "found" } } },
            { functionResponse: { id: "c2", name: "search", response: { error: "none" } } },
            { text: "And?" },
          ],
        },
        { role: "model", parts: [{ text: "Done.", thoughtSignature: "YQ==" }] },
      ],
    },
    "calls without ids": {
      contents: [
        { role: "user", parts: [{ text: "Look." }] },
        {
          role: "model",
          parts: [
            { functionCall: { name: "search", args: { q: "a" } } },
            { functionCall: { name: "read", args: {} } },
            { functionCall: { name: "search" } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "search", response: { output: "found a" } } },
            { functionResponse: { name: "read", response: { output: "read" } } },
            { functionResponse: { name: "search", response: { output: "found" } } },
          ],
        },
        { role: "model", parts: [{ functionCall: { id: null, name: "search", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "search", response: {} } }] },
      ],
    },
    "names of tools": {
      contents: [
        { role: "user", parts: [{ text: "Look." }] },
        { role: "model", parts: [{ functionCall: { id: "c", name: "default_api:files.read-all", args: {} } }] },
        {
          role: "user",
          parts: [{ functionResponse: { id: "c", name: "default_api:files.read-all", response: { output: 1 } } }],
        },
      ],
    },
    "results of every sort": {
      contents: [
        { role: "user", parts: [{ text: "Look." }] },
        {
          role: "model",
          parts: Array.from({ length: 11 }, (_, index) => ({ functionCall: { id: `c${index}`, name: "f", args: {} } })),
        },
        {
          role: "user",
          parts: [
            { output: "" },
            { output: { rows: [1, null] } },
            { output: null },
            { error: "no" },
            { error: { code: 5 } },
            { result: "of another name" },
            { output: "a", error: "b" },
            {},
            { output: "seen" },
            {},
            { error: "blurred" },
          ].map((response, index) => ({
            functionResponse: {
              id: `c${index}`,
              name: "f",
              response,
              ...(index >= 8 && { parts: [{ inlineData: { data: png, mimeType: "image/png" } }] }),
              ...(index === 0 && { scheduling: "SILENT" }),
            },
          })),
        },
      ],
    },
    thoughts: {
      contents: [
        { role: "user", parts: [{ text: "Why?" }] },
        {
          role: "model",
          parts: [
            { text: "hm", thought: true },
            { inlineData: { data: png, mimeType: "image/png" }, thought: true, thoughtSignature: "dA==" },
            { text: "So.", thoughtSignature: "c2ln" },
            { text: "", thoughtSignature: "ZW5k" },
          ],
        },
      ],
    },
    "images and files": {
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { data: png, mimeType: "image/png" } },
            {
              inlineData: { data: png, mimeType: "image/png", displayName: "a.png" },
              mediaResolution: { level: "LOW" },
            },
            { inlineData: { data: pdf, mimeType: "application/pdf" } },
            { inlineData: { data: "SUQz", mimeType: "audio/mp3" } },
            { fileData: { fileUri: "https://example.org/a.jpg", mimeType: "image/jpeg" } },
            { fileData: { fileUri: "gs://bucket/a.mp4", mimeType: "video/mp4" }, videoMetadata: { fps: 5 } },
            { fileData: { fileUri: "https://www.youtube.com/watch?v=x" } },
            { fileData: { fileUri: "files/abc", mimeType: "application/pdf" } },
          ],
        },
        { role: "model", parts: [{ inlineData: { data: png, mimeType: "image/png" }, thoughtSignature: "c2ln" }] },
      ],
    },
    "tools that Gemini runs": {
      contents: [
        { role: "user", parts: [{ text: "Add them up." }] },
        {
          role: "model",
          parts: [
            { text: "I compute." },
            { executableCode: { language: "PYTHON", code: "print(2)" }, thoughtSignature: "Yw==" },
            { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
            { toolCall: { id: "t", toolType: "GOOGLE_SEARCH", args: {} } },
            { toolResponse: { id: "t", toolType: "GOOGLE_SEARCH", response: {} } },
            { text: "2" },
          ],
        },
      ],
    },
    "members and parts that are unknown": {
      contents: [
        { role: "user", parts: [{ text: "x", partMetadata: { a: 1 } }, { hologram: { x: 1 } }], vendor: { a: [1] } },
        { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {}, willContinue: false }, vendor: 1 }] },
      ],
    },
  },

  aiSdk: {
    "texts of all roles": [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
      { role: "system", content: "Be kind.", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
    ],
    "no messages": [],
    "empty texts": [
      { role: "user", content: "" },
      { role: "user", content: [] },
      { role: "assistant", content: [] },
      { role: "assistant", content: [{ type: "text", text: "" }] },
      { role: "tool", content: [] },
    ],
    "images and files": [
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image", image: png, mediaType: "image/png" },
          { type: "image", image: "https://example.org/a.png" },
          { type: "image", image: new URL("https://example.org/a.png"), mediaType: "image/*" },
          { type: "image", image: new Uint8Array([137, 80, 78, 71]) },
          { type: "image", image: Buffer.from("abc"), mediaType: "image/png" },
          { type: "image", image: new Uint8Array([1, 2, 3]).buffer },
          { type: "image", image: `data:image/png;base64,${png}` },
          { type: "file", data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
          { type: "file", data: new URL("https://example.org/a.pdf"), mediaType: "application/pdf" },
          { type: "file", data: new Uint8Array(0), mediaType: "audio/wav", providerOptions: { x: { y: 1 } } },
        ],
      },
      { role: "assistant", content: [{ type: "file", data: png, mediaType: "image/png" }] },
    ],
    reasoning: [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } },
          { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "secret" } } },
          { type: "reasoning", text: "plain", signature: "odd" },
          { type: "reasoning-file", data: png, mediaType: "image/png" },
          { type: "text", text: "x", providerOptions: undefined },
        ],
      },
    ],
    "calls between texts, and their results": [
      {
        role: "assistant",
        content: [
          { type: "text", text: "first" },
          { type: "tool-call", toolCallId: "c1", toolName: "f", input: { a: [1, null] } },
          { type: "text", text: "then" },
          { type: "tool-call", toolCallId: "c2", toolName: "g", input: "text", providerOptions: { a: { b: "c" } } },
          { type: "tool-call", toolCallId: "c3", toolName: "h", input: undefined, providerExecuted: true },
          { type: "tool-result", toolCallId: "c3", toolName: "h", output: { type: "json", value: null } },
          { type: "text", text: "last" },
        ],
        providerOptions: { openai: { itemId: "i" } },
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "f", output: { type: "json", value: { a: 1 } } },
          { type: "tool-result", toolCallId: "c2", toolName: "g", output: { type: "error-text", value: "no" } },
        ],
      },
    ],
    "results of every sort": [
      {
        role: "tool",
        content: [
          { type: "text", value: "x", providerOptions: { a: {} } },
          { type: "error-json", value: [1] },
          { type: "execution-denied", reason: "no" },
          { type: "execution-denied" },
          {
            type: "content",
            value: [
              { type: "text", text: "x" },
              { type: "image-data", data: png, mediaType: "image/png" },
              { type: "image-url", url: "https://example.org/a.png" },
              { type: "file-data", data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
              { type: "file-url", url: "https://example.org/a.pdf" },
              { type: "file-id", fileId: { openai: "file-1" } },
              { type: "media", data: png, mediaType: "image/png" },
              { type: "custom", providerOptions: { a: {} } },
            ],
          },
          { type: "hologram", value: 1 },
        ].map((output, index) => ({ type: "tool-result", toolCallId: `c${index}`, toolName: "", output })),
      },
    ],
    approvals: [
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "f", input: {} },
          { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1", signature: "s" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true, reason: "ok" }] },
    ],
    "members and parts that are unknown": [
      {
        role: "user",
        name: "ada",
        vendor: { a: 1 },
        content: [{ type: "text", text: "x", cache_control: null, x: 1 }],
      },
      { role: "assistant", content: [{ type: "hologram", x: [1] }], reasoning_content: "hm", refusal: "no" },
      { role: "user", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "" } }],
      },
      { role: "assistant", content: [{ type: "image", image: png }] },
    ],
  },
};
