// What each recording of a tool gives whose format was found after the readers were written.

const order = [
  "system: You help.",
  "user: Where is order 7?",
  'call find {"order":7}',
  'result find: [{"type":"text","text":"Leipzig"}]',
  "assistant: In Leipzig.",
];
const chat = (messages, requests, title) => ({
  kind: "chat",
  ...(title === undefined ? {} : { title }),
  messages,
  requests,
});

export const fixtures = [
  {
    file: "unused-lm-studio.json",
    format: "lm-studio",
    chats: [
      chat(
        [
          "system: You help.",
          "user: Rain in Leipzig?",
          "thought: I look it up.",
          'call weather {"city":"Leipzig"}',
          "result weather: Dry, 8 degrees",
          "assistant: It stays dry.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        ["2 qwen/qwen3-8b", "4 qwen/qwen3-8b", "6 qwen/qwen3-8b fresh 80 output 3"],
        "Weather",
      ),
    ],
  },
  {
    file: "unused-silly-tavern.jsonl",
    format: "sillytavern",
    chats: [
      chat(
        [
          "assistant: The boat waits.",
          "user: Over the river, please.",
          "thought: He can pay.",
          "assistant: Two coins.",
        ],
        ["2 gpt-5-mini 10:00:09"],
        "Ferryman",
      ),
    ],
  },
  {
    file: "unused-autogen.json",
    format: "autogen",
    chats: [
      chat(
        [
          "system: You help.",
          "user: Where is order 7?",
          "assistant: I look it up.",
          'call find_order {"order":7}',
          "result find_order: Leipzig",
          "assistant: It is in Leipzig.",
        ],
        ["2", "4"],
        "clerk",
      ),
    ],
  },
  {
    file: "unused-autogen-events.json",
    format: "autogen",
    chats: [
      chat(
        [
          "user: Where is order 7?",
          'call find_order {"order":7}',
          "result find_order: Leipzig",
          "thought: Found.",
          "assistant: It is in Leipzig.",
        ],
        ["1 10:00:02 fresh 50 output 9", "3 10:00:04 fresh 70 output 6"],
      ),
    ],
  },
  {
    file: "unused-llama-index.json",
    format: "openai",
    chats: [chat(order, ["2", "4"]), chat(["user: Hello", "assistant: Hello to you."], ["1"])],
  },
  {
    file: "unused-letta.json",
    format: "openai",
    chats: [
      chat(
        [...order.slice(0, 2), "assistant: I look it up.", ...order.slice(2)],
        ["2 gpt-5-mini 10:00:02", "4 gpt-5-mini"],
        "clerk",
      ),
    ],
  },
  {
    file: "unused-texts.json",
    format: "openai",
    chats: [chat(["user: Hello", "assistant: Hello to you."], ["1 10:00:02"])],
  },
  {
    file: "unused-chatbox.json",
    format: "ai-sdk",
    chats: [
      chat(
        [
          "system: You help.",
          "user: Where is it?",
          "thought: I look it up.",
          'call find {"order":7}',
          "result find: Leipzig",
          "assistant: In Leipzig.",
        ],
        ["2 GPT-5 10:00:02", "4 GPT-5 10:00:02"],
        "Order 7",
      ),
    ],
  },
  {
    file: "unused-next-chat.json",
    format: "openai",
    chats: [chat(["user: Hello", "assistant: Hello to you."], ["1 gpt-5-mini"], "Greeting")],
    warnings: ["chat 2 was skipped: it holds no messages"],
  },
];
