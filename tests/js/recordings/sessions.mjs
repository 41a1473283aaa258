// What each session of Claude Code and Codex gives, and a transcript of Entire.

export const fixtures = [
  {
    file: "claude-code-agent.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "agent",
        title: "Explore",
        messages: [
          "user: List the tests.",
          'call Glob {"pattern":"**/*.test.js"}',
          "result Glob: a.test.js",
          "assistant: One: a.test.js.",
        ],
        requests: [
          "1 msg_41 claude-haiku-4-5 10:00:03 fresh 3 written 9000 output 20",
          "3 msg_42 claude-haiku-4-5 10:00:06 fresh 1 read 9000 written 50 output 8",
        ],
      },
    ],
  },
  {
    file: "claude-code-compacted.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Read a and b.",
          'call Read {"file_path":"a"}',
          "result Read: alpha alpha alpha alpha alpha alpha ",
          'call Read {"file_path":"b"}',
          "result Read: beta beta beta beta ",
          "assistant: Read.",
        ],
        requests: [
          "1 msg_21 claude-opus-4-6 10:00:03 fresh 3 written 20000 output 20",
          "3 msg_22 claude-opus-4-6 10:00:06 fresh 1 read 20000 written 9000 output 20",
          "5 msg_23 claude-opus-4-6 10:00:09 fresh 1 read 29000 written 80 output 3",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: Read a and b.",
          'call Read {"file_path":"a"}',
          "result Read: [Old tool result content cleared]",
          'call Read {"file_path":"b"}',
          "result Read: beta beta beta beta ",
          "assistant: Read.",
          "user: And c?",
          'call Read {"file_path":"c"}',
          "result Read: gamma gamma gamma gamma gamma gamma gamma gamma gamma ",
          "assistant: Three files.",
          "user: What is in b?",
        ],
        requests: [
          "7 msg_24 claude-opus-4-6 10:00:13 fresh 1 read 20100 written 200 output 20",
          "9 msg_25 claude-opus-4-6 10:00:16 fresh 1 read 20300 written 4000 output 4",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: Read a and b.",
          'call Read {"file_path":"a"}',
          "result Read: [Old tool result content cleared]",
          'call Read {"file_path":"b"}',
          "result Read: [Old tool result content cleared]",
          "assistant: Read.",
          "user: And c?",
          'call Read {"file_path":"c"}',
          "result Read: [Old tool result content cleared]",
          "assistant: Three files.",
          "user: What is in b?",
          "assistant: Beta, I think.",
          "user: And now d.",
          "assistant: There is no d.",
        ],
        requests: [
          "11 msg_26 claude-opus-4-6 10:00:19 fresh 1 read 20320 written 60 output 6",
          "13 msg_27 claude-opus-4-6 10:00:22 fresh 1 read 20380 written 20 output 6",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: The session so far: a, b and c were read.",
          "user: And now d.",
          "assistant: There is no d.",
          "user: Then stop.",
          "assistant: I stop.",
        ],
        requests: ["4 msg_28 claude-opus-4-6 10:00:27 fresh 3 read 18000 written 500 output 3"],
      },
    ],
  },
  {
    file: "claude-code-rewind.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "assistant: I ask the shop.",
          'call Bash {"command":"orders 7"}',
          "result Bash: in Leipzig",
          "assistant: In Leipzig.",
          "user: And order 8?",
          "assistant: In Bonn.",
        ],
        requests: [
          "1 msg_11 claude-opus-4-6 10:00:03 fresh 3 written 20000 output 30",
          "3 msg_12 claude-opus-4-6 10:00:07 fresh 1 read 20000 written 60 output 4",
          "5 msg_13 claude-opus-4-6 10:00:11 fresh 1 read 20060 written 20 output 4",
        ],
      },
      {
        kind: "rewound",
        messages: [
          "user: Where is order 7?",
          "assistant: I ask the shop.",
          'call Bash {"command":"orders 7"}',
          "result Bash: in Leipzig",
          "assistant: In Leipzig.",
          "user: And order 9?",
          "assistant: It is not sent.",
        ],
        requests: ["5 msg_14 claude-opus-4-6 10:00:14 fresh 1 read 20060 written 20 output 6"],
      },
      {
        kind: "chat",
        messages: ["user: Implement the plan: send order 9.", "assistant: Sent."],
        requests: ["1 msg_15 claude-opus-4-6 10:00:18 fresh 3 read 19000 written 900 output 3"],
      },
    ],
  },
  {
    file: "claude-code-sidechains.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Find both bugs.",
          'call Task {"description":"Find the first bug","prompt":"Find the bug in a.js.","subagent_type":"general-purpose"}',
          'call Task {"description":"Find the second bug","prompt":"Find the bug in b.js.","subagent_type":"general-purpose"}',
          "result Task: Line 1 of a.js.",
          "result Task: Line 4 of b.js.",
          "user: Be quick.",
          "assistant: a.js:1 and b.js:4.",
        ],
        requests: [
          "1 msg_31 claude-opus-4-6 10:00:03 fresh 3 written 15000 output 120",
          "5 msg_35 claude-opus-4-6 10:00:18 fresh 1 read 15000 written 300 output 12",
        ],
      },
      {
        kind: "agent",
        title: "Find the first bug",
        messages: [
          "user: Find the bug in a.js.",
          'call Read {"file_path":"a.js"}',
          "result Read: 1\treturn a - b",
          "assistant: Line 1 of a.js.",
        ],
        requests: [
          "1 msg_32 claude-sonnet-4-5 10:00:09 fresh 3 written 9000 output 20",
          "3 msg_34 claude-sonnet-4-5 10:00:14 fresh 1 read 9000 written 40 output 8",
        ],
      },
      {
        kind: "agent",
        title: "Find the second bug",
        messages: ["user: Find the bug in b.js.", "assistant: Line 4 of b.js."],
        requests: ["1 msg_33 claude-sonnet-4-5 10:00:11 fresh 3 read 9000 written 10 output 8"],
      },
    ],
  },
  {
    file: "claude-code-stream.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "chat",
        messages: [
          "assistant: I ask an agent.",
          'call Task {"description":"Count the orders","prompt":"Count the orders.","subagent_type":"general-purpose"}',
          "result Task: Two.",
          "assistant: There are two orders.",
        ],
        requests: [
          "0 msg_51 claude-sonnet-4-5 fresh 3 written 15000 output 70",
          "2 msg_54 claude-sonnet-4-5 fresh 1 read 15000 written 120 output 8 dollars 0.0731",
        ],
      },
      {
        kind: "agent",
        title: "Count the orders",
        messages: [
          "user: Count the orders.",
          'call Read {"file_path":"orders.csv"}',
          "result Read: order\n7\n8",
          "assistant: Two.",
        ],
        requests: [
          "1 msg_52 claude-haiku-4-5 fresh 3 written 8000 output 1",
          "3 msg_53 claude-haiku-4-5 fresh 1 read 8000 written 40 output 1",
        ],
      },
    ],
  },
  {
    file: "claude-code.jsonl",
    format: "claude-code",
    chats: [
      {
        kind: "chat",
        title: "Late orders",
        messages: [
          "user: <local-command-caveat>What follows is from local commands.</local-command-caveat>",
          "user: <command-name>/model</command-name>",
          "user: <local-command-stdout>Set model to opus</local-command-stdout>",
          "user: Which orders of @orders.csv are late?",
          "user: <system-reminder>\n/home/ann/shop/orders.csv\n/home/ann/shop/orders.csv\norder,due\n7,Monday\n\n</system-reminder>",
          "user: <system-reminder>\nToday is Tuesday.\n</system-reminder>",
          "thought: Order 7 was due on Monday.",
          "assistant: I look at both.",
          'call Read {"file_path":"/home/ann/shop/orders.csv"}',
          'call Bash {"command":"date"}',
          "result Read: 1\torder,due\n2\t7,Monday",
          "result Bash: Tue Mar  3",
          "user: And tell Ann.",
          'user: <system-reminder>\n{"id":"1","subject":"Find late orders","status":"in_progress"}\n</system-reminder>',
          "assistant: Order 7 is late. I told Ann.",
          "user: [Request interrupted by user]",
          "assistant: No response requested.",
          "user: Thanks.",
          "assistant: You are welcome.",
        ],
        requests: [
          "6 msg_01 claude-opus-4-6 10:00:12 fresh 3 written 21000 writtenForHour 21000 output 150",
          "11 msg_02 claude-opus-4-6 10:00:24 fresh 1 read 21000 written 400 output 12",
          "15 msg_03 claude-opus-4-6 10:00:31 fresh 1 read 21400 written 60 output 5",
        ],
      },
    ],
  },
  {
    file: "codex-2025.jsonl",
    format: "codex",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "thought: Looking.",
          'call shell {"command":["orders","7"]}',
          'result shell: {"output":"in Leipzig","metadata":{"exit_code":0}}',
          "assistant: In Leipzig.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "codex-agent.jsonl",
    format: "codex",
    chats: [
      {
        kind: "agent",
        title: "Euler",
        messages: [
          "system: You are a coding agent.",
          "user: Where is order 7?",
          "assistant: I let Euler look.",
          "user: Look for order 7.",
          'call exec_command {"cmd":"orders 7"}',
          "result exec_command: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "4 gpt-5.5 10:00:07 fresh 100 read 12000 output 20",
          "6 gpt-5.5 10:00:09 fresh 40 read 12100 output 5",
        ],
      },
    ],
  },
  {
    file: "codex-compacted.jsonl",
    format: "codex",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: # AGENTS.md instructions for /home/ann/shop\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
          "user: Read a.",
          'call apply_patch {"input":"*** Begin Patch"}',
          "result apply_patch: Done",
          "assistant: Done.",
        ],
        requests: [
          "2 gpt-5.1-codex 10:00:02 fresh 9000 output 40",
          "4 gpt-5.1-codex 10:00:04 fresh 100 read 9000 output 4",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: # AGENTS.md instructions for /home/ann/shop\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
          "user: Read a.",
          "user: A was patched.",
          "user: And b?",
          "assistant: Not yet.",
        ],
        requests: ["4 gpt-5.1-codex 10:00:07 fresh 7050 output 5"],
      },
      {
        kind: "compacted",
        messages: [
          "user: And b?",
          "assistant: Not yet.",
          "user: Then b.",
          "user: b is patched.",
          "assistant: Done, too.",
        ],
        requests: ["4 gpt-5.1-codex 10:00:11 fresh 7100 output 5"],
      },
    ],
  },
  {
    file: "codex-exec.jsonl",
    format: "codex",
    chats: [
      {
        kind: "chat",
        messages: [
          "thought: **Looking**",
          'call shell {"command":"orders 7"}',
          "result shell: in Leipzig\n",
          'call shop__cancel {"order":7}',
          "result shop__cancel: too late",
          "assistant: In Leipzig.",
          "assistant: It stays there.",
        ],
        requests: ["0", "2", "4 fresh 12400 read 12300 output 230", "4 fresh 200 read 12300 output 10"],
      },
    ],
  },
  {
    file: "codex.jsonl",
    format: "codex",
    chats: [
      {
        kind: "chat",
        title: "Order 7",
        messages: [
          "system: You are a coding agent.",
          "system: <permissions instructions>\nAll is allowed.\n</permissions instructions>",
          "user: <environment_context>\n  <cwd>/home/ann/shop</cwd>\n</environment_context>",
          "user: Where is order 7?",
          "thought: **Looking**",
          "assistant: I ask the shop.",
          'call exec_command {"cmd":"orders 7"}',
          'call exec_command {"cmd":"date"}',
          "result exec_command: in Leipzig",
          "result exec_command: Tuesday",
          "thought: ",
          "assistant: In Leipzig.",
          "user: Cancel it.",
          "assistant: It is cancelled.",
        ],
        requests: [
          "4 gpt-5.5 10:00:03 fresh 12000 output 120 reasoning 64",
          "7 gpt-5.5 10:00:07 fresh 300 read 11900 output 20 reasoning 8",
          "9 gpt-5.5-codex 10:00:13 fresh 100 read 12200 output 8",
        ],
      },
      {
        kind: "rewound",
        title: "Order 7",
        messages: [
          "system: You are a coding agent.",
          "system: <permissions instructions>\nAll is allowed.\n</permissions instructions>",
          "user: <environment_context>\n  <cwd>/home/ann/shop</cwd>\n</environment_context>",
          "user: Where is order 7?",
          "thought: **Looking**",
          "assistant: I ask the shop.",
          'call exec_command {"cmd":"orders 7"}',
          'call exec_command {"cmd":"date"}',
          "result exec_command: in Leipzig",
          "result exec_command: Tuesday",
          "thought: ",
          "assistant: In Leipzig.",
          "user: Keep it.",
          "assistant: I keep it.",
        ],
        requests: ["9 gpt-5.5-codex 10:00:15 fresh 90 read 12200 output 6"],
      },
    ],
  },
  {
    file: "entire.jsonl",
    format: "entire",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          "assistant: I ask.",
          'call Bash {"command":"orders 7"}',
          'call Read {"file_path":"a.csv"}',
          "result Bash: in Leipzig",
          "result Read: 7",
          "assistant: In Leipzig.",
          "user: Cancel it.",
          'call Bash {"command":"cancel 7"}',
        ],
        requests: ["1 msg_1 10:00:01", "4 msg_2 10:00:02", "6 10:00:04"],
      },
    ],
  },
];
