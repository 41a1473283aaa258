// What each recording of an app, of a provider's API and of an export gives.

export const fixtures = [
  {
    file: "ai-sdk-chat.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "user: Where is order 7?",
          "thought: I look it up.",
          'call findOrder {"order":7}',
          'call track {"order":7}',
          'result findOrder: {"city":"Leipzig"}',
          "result track: The carrier does not answer.",
          "assistant: It is in Leipzig.",
          "user: Cancel it.",
          "assistant: Shall I really?",
          "user: Yes.",
          "user file",
          'call cancel {"order":7}',
          "assistant tool-approval-request",
          "tool tool-approval-response",
          "result cancel: Not by me.",
          "assistant: It was not allowed.",
        ],
        requests: [
          "1 gpt-5-mini 10:00:04",
          "3 gpt-5-mini 10:00:04",
          "5 gpt-5-mini fresh 188 read 512 output 30 reasoning 20",
          "7",
          "9",
        ],
      },
    ],
  },
  {
    file: "ai-sdk-chats.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        title: "First",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 claude-haiku-4-5 fresh 9 output 4"],
      },
      {
        kind: "chat",
        title: "Second",
        messages: ["system: You help.", "user: Bye", "call wave {}", "result wave: waved", "assistant: Bye."],
        requests: ["2", "4"],
      },
    ],
    warnings: ["chat 2 was skipped: it holds no messages"],
  },
  {
    file: "ai-sdk-rows.jsonl",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["1 10:00:02", "3 10:00:02", "5 10:00:05"],
      },
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 10:00:03"],
      },
    ],
  },
  {
    file: "ai-sdk-v4.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
          "user: And 8?",
          'call findOrder {"order":8}',
          'result findOrder: {"city":"Bonn"}',
          "assistant: In Bonn.",
        ],
        requests: ["1 08:00:05", "3 08:00:05", "5 08:01:05", "7 08:01:05"],
      },
    ],
  },
  {
    file: "ai-studio.json",
    format: "ai-studio",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: [driveDocument 1AbC]",
          "user: Where is order 7?",
          "thought: The letter names Leipzig.",
          "assistant: In Leipzig.",
          "user: Sum its numbers.",
          'call code_execution {"code":"print(7)"}',
          "result code_execution: 7",
          "assistant: Seven.",
        ],
        requests: ["3 gemini-2.5-pro 08:00:03", "5 gemini-2.5-pro"],
      },
    ],
  },
  {
    file: "anthropic-batch-results.jsonl",
    format: "anthropic",
    chats: [
      {
        kind: "chat",
        messages: ["assistant: Four."],
        requests: ["0 msg_01 claude-sonnet-4-5-20250929 fresh 12 read 1024 output 3"],
      },
      {
        kind: "chat",
        messages: ["thought: Hm.", 'call findOrder {"order":7}'],
        requests: ["0 msg_02 claude-sonnet-4-5-20250929 fresh 40 output 30"],
      },
    ],
  },
  {
    file: "anthropic-stored.json",
    format: "anthropic",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "thought: I look it up.",
          'call findOrder {"order":7}',
          "result findOrder: no such order",
          "assistant: There is no order 7.",
        ],
        requests: [
          "2 claude-sonnet-4-5-20250929 fresh 20 written 1500 writtenForHour 1000 output 50",
          "4 claude-sonnet-4-5-20250929 fresh 25 read 1500 output 9",
        ],
      },
    ],
  },
  {
    file: "app-messages.jsonl",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["user: Where is order 7?", "assistant: In Leipzig.", "user: Thanks.", "assistant: Gladly."],
        requests: ["1 gpt-4.1 10:00:02", "3 gpt-4.1 10:00:06"],
      },
    ],
  },
  {
    file: "bedrock-cloudwatch.json",
    format: "anthropic",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 msg_bdrk_1 anthropic.claude-sonnet-4-20250514-v1:0 10:00:01 fresh 20 written 1500 output 30",
          "4 msg_bdrk_2 anthropic.claude-sonnet-4-20250514-v1:0 10:00:03 fresh 9 read 1500 written 40 output 6",
        ],
      },
    ],
  },
  {
    file: "bedrock-converse.json",
    format: "bedrock",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "user image",
          "thought: I look it up.",
          "assistant: I look.",
          'call findOrder {"order":7}',
          "call track {}",
          'result findOrder: {"city":"Leipzig"}',
          "result track: down",
          "assistant: In Leipzig.",
        ],
        requests: ["2 eu.amazon.nova-pro-v1:0", "4 eu.amazon.nova-pro-v1:0"],
      },
    ],
  },
  {
    file: "bedrock-log.jsonl",
    format: "bedrock",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "user image",
          "thought: I look it up.",
          "assistant: I look.",
          'call findOrder {"order":7}',
          "call track {}",
          'result findOrder: {"city":"Leipzig"}',
          "result track: down",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 eu.amazon.nova-pro-v1:0 10:00:01 fresh 40 written 2000 output 20",
          "4 eu.amazon.nova-pro-v1:0 10:00:03 fresh 30 read 2000 output 8",
        ],
      },
      {
        kind: "chat",
        messages: ["system: You help.", "user: Hello", "assistant: Hello to you."],
        requests: ["2 msg_bdrk_1 anthropic.claude-3-5-haiku-20241022-v1:0 10:00:04 fresh 14 output 6"],
      },
    ],
  },
  {
    file: "chat-template.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where are the orders 7 and 8?",
          'call findOrder {"order":7}',
          'call findOrder {"order":8}',
          'result findOrder: {"city":"Leipzig"}',
          'result findOrder: ["Bonn"]',
          "assistant: In Leipzig and Bonn.",
          "user: 12:00",
          "assistant: Noon.",
        ],
        requests: ["1", "4", "6"],
      },
    ],
  },
  {
    file: "chatgpt-export.json",
    format: "chatgpt",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "system: Ann sells lamps.\nAnswer shortly.",
          "user: [image_asset_pointer]\nWhere is this order?",
          "user: <PARSED TEXT FOR PAGE: 1 / 1>\nThe lamp of order 7.",
          "thought: The number is 7.",
          'call web.search {"input":"{\\"q\\":\\"order 7\\"}"}',
          "result web.search: Leipzig",
          "assistant: In Leipzig.",
          "user: Compute 6 * 7.",
          'call python {"input":"6 * 7"}',
          "result python: 42",
          "assistant: 42.",
        ],
        requests: [
          "3 gpt-5-thinking 08:00:03",
          "5 gpt-5-thinking 08:00:07",
          "7 gpt-5-1 08:00:21",
          "9 gpt-5-1 08:00:23",
        ],
      },
      {
        kind: "chat",
        title: "Greeting",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 gpt-4o 08:00:31"],
      },
    ],
    warnings: [
      "chat 2 was skipped: it holds no messages: it has the members title, create_time, conversation_id, id, default_model_slug",
    ],
  },
  {
    file: "claude-ai-chat.json",
    format: "claude-ai",
    chats: [
      {
        kind: "chat",
        title: "Edited",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 claude-sonnet-4-5-20250929 07:06:02"],
      },
    ],
  },
  {
    file: "claude-ai-export.json",
    format: "claude-ai",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "user: Where is the order of the letter?",
          "user: Order 7, please.",
          "user: [stamp.png]",
          "thought: I look it up.",
          "assistant: I look.",
          'call Shop:find_order {"order":7}',
          "result Shop:find_order: Leipzig",
          "call track {}",
          "result track: no answer",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["1 07:06:05", "3 07:06:05", "5 07:06:05", "7 07:06:31"],
      },
      {
        kind: "chat",
        title: "Old",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 07:06:51"],
      },
    ],
    warnings: ["chat 2 was skipped: it holds no messages"],
  },
  {
    file: "deepseek.json",
    format: "deepseek",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "user: Where is order 7?",
          "thought: The page names Leipzig.",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["1 deepseek-reasoner 10:00:10", "3 deepseek-reasoner 10:00:21"],
      },
    ],
    warnings: ["chat 2 was skipped: it holds no messages"],
  },
  {
    file: "gemini-exchanges.json",
    format: "gemini",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          'result findOrder: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 g1 gemini-2.5-flash fresh 50 output 42 reasoning 30",
          "4 g2 gemini-2.5-flash fresh 1000 read 4000 output 6",
        ],
      },
    ],
  },
  {
    file: "langgraph-checkpoint.json",
    format: "langgraph",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "1 claude-haiku-4-5-20251001 fresh 100 written 1500 output 20",
          "3 claude-haiku-4-5-20251001 fresh 150 read 1500 output 8",
        ],
      },
    ],
  },
  {
    file: "langgraph-history.json",
    format: "langgraph",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 claude-haiku-4-5-20251001 fresh 100 written 1500 output 20",
          "4 claude-haiku-4-5-20251001 fresh 150 read 1500 output 8",
        ],
      },
    ],
  },
  {
    file: "langgraph-threads.json",
    format: "langgraph",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 claude-haiku-4-5-20251001 fresh 100 written 1500 output 20",
          "4 claude-haiku-4-5-20251001 fresh 150 read 1500 output 8",
        ],
      },
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 claude-haiku-4-5-20251001 fresh 5 output 4"],
      },
    ],
  },
  {
    file: "librechat-branches.json",
    format: "librechat",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "thought: I look it up.",
          "assistant: I look.",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["2 gpt-4.1 08:00:15", "4 gpt-4.1 08:00:15", "6 gpt-4.1 08:00:30"],
      },
    ],
  },
  {
    file: "librechat-tree.json",
    format: "librechat",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "user: Where is order 7?",
          "thought: I look it up.",
          "assistant: I look.",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["1 gpt-4.1 08:00:15", "3 gpt-4.1 08:00:15", "5 gpt-4.1 08:00:30"],
      },
    ],
  },
  {
    file: "mastra-messages.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          'result findOrder: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["1 10:00:02", "3 10:00:02", "5 gpt-5-mini 10:00:05 fresh 70 output 3"],
      },
    ],
  },
  {
    file: "mistral.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "thought: I look it up.",
          "assistant: I look.",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2 magistral-medium-2509", "4 magistral-medium-2509"],
      },
    ],
  },
  {
    file: "ollama-response.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 qwen3:8b 09:00:00 fresh 11 output 5"],
      },
    ],
  },
  {
    file: "ollama.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where are the orders 7 and 8, and how is the weather?",
          "thought: Three calls.",
          'call findOrder {"order":7}',
          'call findOrder {"order":8}',
          "call weather {}",
          "result weather: rain",
          "result findOrder: Leipzig",
          "result findOrder: Bonn",
          "assistant: In Leipzig and in Bonn; it rains.",
        ],
        requests: ["2 qwen3:8b", "6 qwen3:8b"],
      },
    ],
  },
  {
    file: "open-webui.json",
    format: "open-webui",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "user: [letter.pdf]",
          "thought: I look it up.",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: ["2 gpt-4o 08:00:02", "4 gpt-4o 08:00:02", "6 gpt-4o 08:00:09 fresh 16 read 64 output 3"],
      },
      {
        kind: "chat",
        title: "Weather",
        messages: [
          "user: How is the weather?",
          "thought: A call\nis needed.",
          "assistant: I look.",
          'call weather {"city":"Ulm"}',
          "result weather: rain",
          "assistant: It rains.",
          "user: Hm.",
          "assistant: Yes.",
        ],
        requests: ["1 qwen3:8b 08:00:21", "3 qwen3:8b 08:00:21", "5 qwen3:8b 08:00:30 fresh 50 output 3"],
      },
    ],
    warnings: ["chat 3 was skipped: it holds no messages"],
  },
  {
    file: "openai-batch-input.jsonl",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["user: What is 2 + 2?"],
        requests: [],
      },
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
        ],
        requests: ["2 gpt-4.1"],
      },
    ],
  },
  {
    file: "openai-batch-output.jsonl",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["assistant: Four."],
        requests: ["0 chatcmpl-3 gpt-4.1-2025-04-14 08:00:03 fresh 9 output 2"],
      },
      {
        kind: "chat",
        messages: ['call findOrder {"order":7}'],
        requests: ["0 chatcmpl-4 gpt-4.1-2025-04-14 08:00:04 fresh 30 output 15"],
      },
    ],
  },
  {
    file: "openai-conversation-items.json",
    format: "openai-responses",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "openai-exchanges.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 chatcmpl-1 gpt-4.1-2025-04-14 08:00:00 fresh 60 output 20",
          "4 chatcmpl-2 gpt-4.1-2025-04-14 08:00:02 fresh 26 read 64 output 8 reasoning 4",
        ],
      },
      {
        kind: "chat",
        messages: ["user: Name this chat.", "assistant: Order 7"],
        requests: ["1 chatcmpl-t gpt-4.1-2025-04-14 08:00:01 fresh 12 output 2"],
      },
    ],
  },
  {
    file: "openai-fine-tuning.jsonl",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2", "4"],
      },
      {
        kind: "chat",
        messages: [
          "user: Where is order 8?",
          'call findOrder {"order":8}',
          'call findOrder {"order":9}',
          "result findOrder: Ulm",
          "result findOrder: Bonn",
          "assistant: In Bonn.",
        ],
        requests: ["1", "4"],
      },
      {
        kind: "chat",
        messages: [
          "user: Where is order 10?",
          'call findOrder {"order":10}',
          "result findOrder: Kiel",
          "assistant: In Kiel.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "openai-stored-responses.json",
    format: "openai-responses",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          "thought: I look it up.",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 resp_1 gpt-5.1 08:00:00 fresh 50 output 40 reasoning 20",
          "4 resp_2 gpt-5.1 08:00:03 fresh 46 read 64 output 8",
        ],
      },
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Search for lamps.",
          "assistant: I cannot search.",
          "assistant: Here are some.",
        ],
        requests: ["2 resp_9 gpt-5.1 08:00:09 fresh 300 output 20"],
      },
    ],
  },
  {
    file: "openrouter-completion.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["user: Hello", "thought: A greeting.", "assistant: Hello to you."],
        requests: ["1 gen-1 deepseek/deepseek-r1 08:00:09 fresh 5 output 40 reasoning 30 dollars 0.0012"],
      },
    ],
  },
  {
    file: "pydantic-ai.json",
    format: "pydantic-ai",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "system: You know orders.",
          "user: Where is this order?",
          "user image",
          "user file",
          "thought: I look it up.",
          'call find_order {"order":7}',
          'call track {"order":7}',
          'result find_order: {"city":"Leipzig"}',
          "result track: The carrier does not answer.",
          "assistant: In Leipzig.",
          "user: Answer in German.",
          'call code_execution {"code":"7"}',
          "result code_execution: 7",
          "assistant: In Leipzig, 7.",
        ],
        requests: [
          "3 msg_1 claude-sonnet-4-5-20250929 10:00:02 fresh 100 written 1500 output 60",
          "6 msg_2 claude-sonnet-4-5-20250929 10:00:05 fresh 200 read 1500 output 8",
          "8 claude-sonnet-4-5-20250929 10:00:08 fresh 220 read 1500 output 5",
        ],
      },
    ],
  },
  {
    file: "rollouts.jsonl",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: ["user: Where is order 8?", "assistant: In Bonn."],
        requests: ["1"],
      },
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2", "4"],
      },
    ],
  },
  {
    file: "sharegpt.jsonl",
    format: "sharegpt",
    chats: [
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you.", "user: Bye", "assistant: Bye."],
        requests: ["1", "3"],
      },
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          'result findOrder: {"city": "Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: ["2", "4"],
      },
      {
        kind: "chat",
        messages: [
          "system: You call functions.",
          "user: Where are the orders 7 and 8?",
          "assistant: I look.",
          'call findOrder {"order":7}',
          'call findOrder {"order":8}',
          "result findOrder: Leipzig",
          "result findOrder: Bonn",
          "assistant: In Leipzig and Bonn.",
        ],
        requests: ["2", "5"],
      },
    ],
  },
  {
    file: "typingmind.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          "result findOrder: Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["1 gpt-4.1 10:00:02", "3 gpt-4.1 10:00:04"],
      },
    ],
    warnings: ["chat 2 was skipped: it holds no messages"],
  },
  {
    file: "vertex-log.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.",
          "user: Where is order 7?",
          'call findOrder {"order":7}',
          'result findOrder: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 gemini-2.5-flash 10:00:01 fresh 40 output 12",
          "4 gemini-2.5-flash 10:00:03 fresh 952 read 2048 output 14 reasoning 9",
        ],
      },
    ],
  },
  {
    file: "ai-sdk-v4-model.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "user image",
          "thought: I look it up.",
          'call lookup {"order":7}',
          'call lookup {"order":8}',
          'result lookup: {"city":"Leipzig"}',
          "result lookup: no such order",
          "assistant: In Leipzig.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "google-adk.json",
    format: "google-adk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "thought: I must look.",
          "assistant: I look.",
          'call lookup {"order_id":7}',
          'result lookup: {"result":"in Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "1 gemini-2.5-flash 10:00:02 fresh 60 output 14 reasoning 5",
          "3 gemini-2.5-flash 10:00:04 fresh 30 read 60 output 4",
        ],
      },
      {
        kind: "compacted",
        messages: ["user: Order 7 is in Leipzig.", "user: And 8?", "assistant: In Bonn."],
        requests: ["2 gemini-2.5-flash 10:00:07 fresh 50 output 3"],
      },
    ],
  },
  {
    file: "google-adk-events.json",
    format: "google-adk",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call lookup {"order_id":7}',
          'result lookup: {"order_place":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "1 gemini-2.5-flash 10:00:01 fresh 60 output 9",
          "3 gemini-2.5-flash 10:00:03 fresh 30 read 60 output 4",
        ],
      },
    ],
  },
  {
    file: "haystack.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "thought: I must look.",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: no order 7",
          "assistant: It is lost.",
        ],
        requests: ["2 gpt-4.1 fresh 60 output 14", "4 gpt-4.1 fresh 30 read 60 output 4"],
      },
    ],
  },
  {
    file: "semantic-kernel.json",
    format: "ai-sdk",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call shop-lookup {"order":7}',
          "result shop-lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2", "4"],
      },
    ],
  },
  {
    file: "smolagents.json",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You solve tasks with tools.",
          "user: New task:\nWhere is order 7?",
          "assistant: Calling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {'name': 'lookup', 'arguments': {'order': 7}}}]",
          "user: Observation:\nin Leipzig",
          'call final_answer {"answer":"In Leipzig."}',
        ],
        requests: [
          "2 chatcmpl-1 gpt-4.1 10:00:12 fresh 60 output 14",
          "4 chatcmpl-2 gpt-4.1 10:00:22 fresh 30 read 60 output 9",
        ],
      },
    ],
  },
  {
    file: "strands.json",
    format: "bedrock",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "thought: I must look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["1 fresh 21 written 1800 output 28", "3 fresh 40 read 1800 output 8"],
      },
    ],
  },
];
