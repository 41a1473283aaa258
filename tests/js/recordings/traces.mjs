// What each log of requests and each trace gives.

export const fixtures = [
  {
    file: "har.json",
    format: "har",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are an engineer.\nBe short.",
          "system: The folder is /src.",
          "user: How long is a.js?",
          "thought: I must read it.",
          "assistant: I read it.",
          'call Read {"file_path":"/src/a.js","limit":20}',
          "result Read: 1 let a = 1;",
          "assistant: One line — “a”.",
        ],
        requests: [
          "2 msg_01 claude-sonnet-4-5-20250929 09:00:05 fresh 4 written 900 writtenForHour 900 output 57",
          "4 msg_02 claude-sonnet-4-5-20250929 09:00:09 fresh 10 read 900 written 80 output 12",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "system: You are an engineer.\nBe short.",
          "system: The folder is /src.",
          "user: This session continues: the user asked how long a.js is, and it has one line.",
          "assistant: Go on, please.",
        ],
        requests: ["2 msg_04 claude-sonnet-4-5-20250929 09:01:03 fresh 120 output 6"],
      },
      {
        kind: "agent",
        messages: [
          "system: You search files.\nAnswer with paths.",
          "user: Find the tests of a.js.",
          "assistant: /src/a.test.js",
        ],
        requests: ["2 msg_03 claude-haiku-4-5 09:00:21 fresh 300 output 9"],
      },
    ],
  },
  {
    file: "har-providers.json",
    format: "har",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 chatcmpl-1 gpt-4.1-2025-04-14 09:00:01 fresh 60 output 14",
          "4 chatcmpl-2 gpt-4.1-2025-04-14 09:00:06 fresh 26 read 64 output 4",
        ],
      },
      {
        kind: "chat",
        messages: [
          "system: You know the weather.",
          "user: And the weather there?",
          "thought: The weather is asked.",
          'call weather {"city":"Leipzig"}',
          "result weather: rain",
          "assistant: It rains.",
        ],
        requests: [
          "2 resp_1 gpt-5.1-2025-11-13 09:01:02 fresh 70 output 40 reasoning 24",
          "4 resp_2 gpt-5.1-2025-11-13 09:02:02 fresh 56 read 64 output 5",
        ],
      },
      {
        kind: "chat",
        messages: [
          "system: You count.",
          "user: Count the lines.",
          "assistant: I use wc.",
          'call wc {"path":"a"}',
          "result wc: 3 a",
          "assistant: Three.",
        ],
        requests: [
          "2 g1 gemini-2.5-flash 09:03:01 fresh 30 output 20 reasoning 12",
          "4 g2 gemini-2.5-flash 09:03:06 fresh 40 read 20 output 2",
        ],
      },
    ],
  },
  {
    file: "proxy-log-turnfold.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You help.\nBe kind.",
          "user: Read a.txt.",
          "assistant: I read.",
          'call read {"path":"a.txt"}',
          "result read: The whole file has these lines, which nobody needs later: line 0; line 1; line 2; line 3; line 4; line 5; line 6; line 7; line 8; line 9; line 10; line 11;",
          "assistant: It has twelve lines, and the last one is line 11; shall I read b.txt too, or is it enough for today?",
          "user: Yes.",
          "assistant: I read it.",
        ],
        requests: [
          "2 claude-opus-4-5 10:00:01 fresh 40 output 20",
          "4 claude-opus-4-5 10:00:05 fresh 20 written 200 output 30",
          "6 claude-opus-4-5 10:00:09 fresh 150 output 5 omitted 45",
        ],
      },
      {
        kind: "agent",
        messages: ["system: You summarize files.", "user: Read a.txt.", "assistant: A summary."],
        requests: ["2 claude-opus-4-5 10:01:10 fresh 15 output 3"],
      },
      {
        kind: "chat",
        messages: ["system: You help.\nBe kind.", "user: Hello", "assistant: Hello to you."],
        requests: ["2 claude-opus-4-5 10:01:00 fresh 15 output 5"],
      },
      {
        kind: "chat",
        messages: ["system: You help.\nBe kind.", "user: Good day", "assistant: And to you."],
        requests: ["2 claude-opus-4-5 10:01:20 fresh 15 output 5"],
      },
    ],
  },
  {
    file: "proxy-log-claude-trace.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are an engineer.\nBe short.",
          "system: The folder is /src.",
          "user: How long is a.js?",
          "thought: I must read it.",
          "assistant: I read it.",
          'call Read {"file_path":"/src/a.js","limit":20}',
          "result Read: 1 let a = 1;",
          "assistant: One line.",
          "user: And b.js?",
          "assistant: Two lines.",
          "user: Thanks.",
          "assistant: Welcome.",
        ],
        requests: [
          "2 msg_01 claude-sonnet-4-5-20250929 10:00:04 fresh 4 written 900 writtenForHour 900 output 57",
          "4 msg_02 claude-sonnet-4-5-20250929 10:00:06 fresh 10 read 900 written 80 output 12",
          "6 msg_05 claude-sonnet-4-5-20250929 10:00:22 fresh 30 read 990 output 4",
          "8 msg_06 claude-sonnet-4-5-20250929 10:00:32 fresh 30 read 990 output 2",
        ],
      },
    ],
  },
  {
    file: "proxy-log-litellm.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "thought: Leipzig.",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 chatcmpl-a claude-sonnet-4-5 10:00:01 fresh 50 written 10 output 14 dollars 0.0004",
          "4 chatcmpl-b claude-sonnet-4-5 10:00:03 fresh 16 read 64 written 10 output 4 dollars 0.0002",
        ],
      },
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello."],
        requests: ["1 chatcmpl-d claude-sonnet-4-5 10:00:07 written 10 output 2 dollars 0.0001"],
      },
    ],
  },
  {
    file: "proxy-log-helicone.jsonl",
    format: "proxy-log",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 chatcmpl-1 gpt-4.1-2025-04-14 09:00:01 fresh 60 output 14 dollars 0.001",
          "4 chatcmpl-2 gpt-4.1-2025-04-14 09:00:06 fresh 26 read 64 output 4 dollars 0.001",
        ],
      },
      {
        kind: "chat",
        messages: ["system: You look up orders.", "user: Thanks", "assistant: In Leipzig."],
        requests: ["2 chatcmpl-3 gpt-4.1-2025-04-14 09:09:01 fresh 26 read 64 output 4 dollars 0.001"],
      },
    ],
  },
  {
    file: "curl.txt",
    format: "curl",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where's order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
          "user: Thanks.",
        ],
        requests: ["2", "4"],
      },
      {
        kind: "chat",
        messages: ["system: You help.", "user: It's 'Hello'!", "assistant: Hello.", "user: Bye"],
        requests: ["2"],
      },
      { kind: "chat", messages: ["user: Count.", "assistant: One."], requests: ["1"] },
    ],
  },
  {
    file: "opentelemetry.json",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          'result lookup: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 resp_1 gpt-5.1-2025-11-13 10:00:03 fresh 60 output 14 reasoning 5",
          "4 resp_2 gpt-5.1-2025-11-13 10:00:07 fresh 20 read 64 written 6 output 16",
        ],
      },
      {
        kind: "agent",
        title: "maps",
        messages: ["system: You search maps.", "user: Find the street.", "assistant: Main Street."],
        requests: ["2 gpt-5-mini 10:00:09 fresh 60 output 14"],
      },
    ],
  },
  {
    file: "opentelemetry-events.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 gpt-4.1-2025-04-14 10:00:02 fresh 60 output 14",
          "4 gpt-4.1-2025-04-14 10:00:04 fresh 90 output 4",
        ],
      },
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 gpt-4.1-2025-04-14 10:00:06 fresh 9 output 2"],
      },
    ],
  },
  {
    file: "opentelemetry-openllmetry.json",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 claude-sonnet-4-5-20250929 10:00:02 fresh 60 written 1000 output 40",
          "4 claude-sonnet-4-5-20250929 10:00:05 fresh 100 read 1000 output 6",
        ],
      },
    ],
  },
  {
    file: "opentelemetry-openinference.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 gpt-4.1 10:00:03 fresh 60 output 14 dollars 0.0003",
          "4 gpt-4.1 10:00:07 fresh 26 read 64 output 4",
        ],
      },
      { kind: "chat", messages: ["user: Hello", "assistant: Hello to you."], requests: ["1 gpt-4.1 10:00:11"] },
    ],
  },
  {
    file: "opentelemetry-ai-sdk.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: I look.",
          'call lookup {"order":7}',
          'result lookup: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 msg_1 claude-sonnet-4-5-20250929 10:00:03 fresh 60 read 1000 output 14",
          "4 msg_2 claude-sonnet-4-5-20250929 10:00:06 fresh 90 read 1000 output 4",
        ],
      },
    ],
  },
  {
    file: "langsmith.jsonl",
    format: "langsmith",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 run--1 gpt-5.1-2025-11-13 10:00:03 fresh 40 written 20 output 14 reasoning 4 dollars 0.001",
          "4 run--2 gpt-5.1-2025-11-13 10:00:06 fresh 26 read 64 output 4",
        ],
      },
    ],
  },
  {
    file: "langsmith-wrapped.json",
    format: "langsmith",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "1 chatcmpl-1 gpt-4.1-2025-04-14 10:00:02 fresh 60 output 14",
          "3 chatcmpl-2 gpt-4.1-2025-04-14 10:00:04 fresh 26 read 64 output 4",
        ],
      },
      {
        kind: "chat",
        messages: ["system: You help.", "user: Hello", "thought: Hm.", "assistant: Hello to you."],
        requests: ["2 msg_1 claude-sonnet-4-5-20250929 10:00:06 fresh 14 read 1000 output 5"],
      },
    ],
  },
  {
    file: "langfuse.json",
    format: "langfuse",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 gpt-4.1-2025-04-14 10:00:02 fresh 60 output 14 dollars 0.0003",
          "4 gpt-4.1-2025-04-14 10:00:06 fresh 26 read 64 output 4 reasoning 1 dollars 0.0002",
        ],
      },
      {
        kind: "agent",
        messages: ["system: You name chats.", "user: Name it.", "assistant: Order 7"],
        requests: ["2 gpt-4.1-mini 10:00:09 fresh 12 output 2 dollars 0.00001"],
      },
    ],
  },
  {
    file: "swe-agent.json",
    format: "swe-agent",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You solve issues.",
          "user: A demonstration: open a file, edit it.",
          "user: Fix add in add.py.",
          "thought: It may subtract.",
          "assistant: I look at the file.",
          'call bash {"command":"cat add.py"}',
          "result bash: OBSERVATION:\ndef add(a, b): return a - b",
          "call submit {}",
          "result submit: Submitted.",
        ],
        requests: ["3 claude-sonnet-4-20250514", "5 claude-sonnet-4-20250514"],
      },
    ],
  },
  {
    file: "swe-agent-attempts.json",
    format: "swe-agent",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You solve issues. Answer with one command.",
          "user: Fix add in add.py.",
          "assistant: I look.\n```\ncat add.py\n```",
          "user: def add(a, b): return a - b\n(Open file: n/a)",
          "assistant: ```\nsubmit\n```",
        ],
        requests: ["2", "4"],
      },
      {
        kind: "chat",
        messages: [
          "system: You solve issues. Answer with one command.",
          "user: Fix add in add.py.",
          "assistant: ```\nsubmit\n```",
        ],
        requests: ["2"],
      },
    ],
  },
  {
    file: "mini-swe-agent.json",
    format: "mini-swe-agent",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You solve issues with bash.",
          "user: Fix add in add.py.",
          "assistant: I look at the file.",
          'call bash {"command":"cat add.py"}',
          "result bash: <returncode>0</returncode>\n<output>return a - b</output>",
          "assistant: It subtracts.",
        ],
        requests: [
          "2 chatcmpl-1 claude-sonnet-4-5-20250929 10:00:01 fresh 800 output 40 dollars 0.003",
          "4 chatcmpl-r claude-sonnet-4-5-20250929 fresh 40 read 800 output 6 dollars 0.001",
        ],
      },
      {
        kind: "rewound",
        messages: [
          "system: You solve issues with bash.",
          "user: Fix add in add.py.",
          "assistant: I look at the file.",
          'call bash {"command":"cat add.py"}',
          "result bash: <returncode>0</returncode>\n<output>return a - b</output>",
          "user: Every response must include a call.",
          'call bash {"command":"sed -i s/-/+/ add.py"}',
          "result bash: <returncode>0</returncode>",
        ],
        requests: ["5 chatcmpl-2 claude-sonnet-4-5-20250929 10:00:04 fresh 70 read 800 output 30 dollars 0.0012"],
      },
    ],
  },
  {
    file: "mini-swe-agent-responses.json",
    format: "mini-swe-agent",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You solve issues with bash.",
          "user: Fix add in add.py.",
          "thought: I read it first.",
          "assistant: I look.",
          'call bash {"command":"cat add.py"}',
          "result bash: return a - b",
          "assistant: It subtracts.",
        ],
        requests: [
          "2 resp_1 gpt-5.1-2025-11-13 10:00:01 fresh 800 output 60 reasoning 20 dollars 0.002",
          "4 resp_2 gpt-5.1-2025-11-13 10:00:05 fresh 132 read 768 output 9 dollars 0.001",
        ],
      },
    ],
  },
  {
    file: "inspect.json",
    format: "inspect",
    chats: [
      {
        kind: "chat",
        title: "order-7",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "thought: I look it up.",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 gpt-5.1-2025-11-13 10:00:03 fresh 60 output 30 reasoning 8",
          "4 gpt-5.1-2025-11-13 10:00:07 fresh 30 read 64 output 8 reasoning 8 dollars 0.001",
        ],
      },
      {
        kind: "agent",
        title: "order-7",
        messages: ["user: Is the answer right? In Leipzig.", "assistant: Yes."],
        requests: ["1 gpt-5.1-2025-11-13 10:00:11"],
      },
      {
        kind: "chat",
        title: "2",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 gpt-5.1-2025-11-13"],
      },
    ],
  },
  {
    file: "tau-bench.json",
    format: "openai",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: # Policy",
          "user: Where is my order?",
          'call get_order {"id":1}',
          'result get_order: {"status": "sent"}',
          "assistant: It is sent.",
          "user: ###STOP###",
        ],
        requests: ["2", "4"],
      },
      {
        kind: "chat",
        messages: [
          "system: # Policy",
          "user: Where is my order?",
          'call get_order {"id":2}',
          'result get_order: {"status": "sent"}',
          "assistant: It is sent.",
          "user: ###STOP###",
        ],
        requests: ["2", "4"],
      },
    ],
  },
  {
    file: "tau2.json",
    format: "tau2",
    chats: [
      {
        kind: "chat",
        title: "t-1",
        messages: [
          "system: # Telecom policy",
          "assistant: Hi! How can I help you today?",
          "user: My phone has no signal.",
          'call get_line {"phone":"555"}',
          "call get_plan {}",
          "result get_line: active",
          "result get_plan: basic",
          "assistant: Please switch the airplane mode off.",
          "user: It works. ###STOP###",
        ],
        requests: [
          "3 gpt-4.1 10:00:03 fresh 388 read 512 output 30 dollars 0.002",
          "6 gpt-4.1 10:00:05 fresh 960 output 12 dollars 0.003",
        ],
      },
    ],
  },
  {
    file: "openhands.json",
    format: "openhands",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.",
          "assistant: I look at both files.",
          'call execute_bash {"command":"cat a.py"}',
          'call str_replace_editor {"command":"view","path":"b.py"}',
          "result execute_bash: let a = 1;",
          "result str_replace_editor: let b = 2;",
        ],
        requests: ["2 r-1 claude-sonnet-4-20250514 10:00:04 fresh 1000 output 50"],
      },
      {
        kind: "compacted",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.",
          "user: a.py and b.py define a and b.",
          'call finish {"message":"Done."}',
        ],
        requests: ["3 r-2 claude-sonnet-4-20250514 10:00:10 fresh 200 read 1000 output 20"],
      },
    ],
  },
  {
    file: "openhands-evaluation.jsonl",
    format: "openhands",
    chats: [
      {
        kind: "chat",
        title: "repo__1",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.",
          "assistant: It is right already.",
        ],
        requests: ["2 10:00:04"],
      },
      {
        kind: "chat",
        title: "repo__2",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.",
          "assistant: It is right already.",
        ],
        requests: ["2 10:00:04"],
      },
      {
        kind: "chat",
        title: "repo__3",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.",
          "assistant: It is right already.",
        ],
        requests: ["2 10:00:04"],
      },
    ],
  },
  {
    file: "openhands-sdk.json",
    format: "openhands",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.\n<skills>none</skills>",
          "thought: Read first.",
          "assistant: I look at a.py.",
          'call execute_bash {"command":"cat a.py"}',
          "result execute_bash: let a = 1;",
          'call read {"path":"b.py"}',
          'call read {"path":"c.py"}',
          "result read: no such file: b.py",
          "result read: no such file: c.py",
        ],
        requests: [
          "2 r-1 claude-sonnet-4-5 10:00:02 fresh 100 written 900 output 40 reasoning 10",
          "4 r-2 claude-sonnet-4-5 10:00:04 fresh 200 read 900 output 20",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "system: You are OpenHands agent.",
          "user: Compare a.py and b.py.\n<skills>none</skills>",
          "user: a.py defines a.",
          'call read {"path":"b.py"}',
          'call read {"path":"c.py"}',
          "result read: no such file: b.py",
          "result read: no such file: c.py",
          "assistant: There is no b.py.",
        ],
        requests: ["6 r-3 claude-sonnet-4-5 10:00:07 fresh 100 read 500 output 8"],
      },
    ],
  },
  {
    file: "promptfoo.json",
    format: "promptfoo",
    chats: [
      {
        kind: "chat",
        messages: ["user: Say hello.", "assistant: Hello."],
        requests: ["1 gpt-4.1 10:00:00 fresh 10 output 2 dollars 0.0001"],
      },
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: In Leipzig.",
          "user: Thanks.",
          "call close {}",
        ],
        requests: ["2 gpt-4.1 10:00:00 fresh 35 output 5 reasoning 3 dollars 0.0001", "4 gpt-4.1 10:00:00"],
      },
    ],
  },
  {
    file: "atif.json",
    format: "atif",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "thought: It needs a place.",
          "assistant: I ask the maps.",
          'call maps {"order":7}',
          "result maps: Leipzig",
          'call log {"place":"Leipzig"}',
          "result log: logged",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 claude-sonnet-4-5 10:00:03 fresh 60 written 1000 output 30 dollars 0.005",
          "6 claude-haiku-4-5 10:00:05 fresh 120 read 1000 output 6",
        ],
      },
      {
        kind: "agent",
        title: "maps",
        messages: ["user: Find order 7.", "assistant: Leipzig"],
        requests: ["1 gpt-5-mini 10:00:02 fresh 40 output 2"],
      },
    ],
  },
  {
    file: "atif-continued.json",
    format: "atif",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Summary: order 7 is in Leipzig.",
          "assistant: I see.",
          "user: Since when?",
          "assistant: Since Monday.",
        ],
        requests: ["3 claude-sonnet-4-5 10:00:04 fresh 90 output 4"],
      },
    ],
  },
  {
    file: "braintrust.jsonl",
    format: "braintrust",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2 gpt-4.1 10:00:02 fresh 60 output 14", "4 gpt-4.1 10:00:05 fresh 26 read 64 output 4"],
      },
      {
        kind: "chat",
        messages: ["system: You help.", "user: Hello", "assistant: Hello to you."],
        requests: ["2 claude-sonnet-4-5 10:00:09 fresh 14 read 900 written 100 output 5"],
      },
    ],
  },
  {
    file: "weave.jsonl",
    format: "weave",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 chatcmpl-1 gpt-4.1-2025-04-14 10:00:02 fresh 60 output 14",
          "4 chatcmpl-2 gpt-4.1-2025-04-14 10:00:05 fresh 26 read 64 output 4",
        ],
      },
      {
        kind: "agent",
        messages: ["system: You name chats.", "user: Name it.", "assistant: Order 7"],
        requests: ["2 msg_1 claude-sonnet-4-5-20250929 10:00:07 fresh 14 output 5"],
      },
    ],
  },
  {
    file: "tau2-simulation.json",
    format: "tau2",
    chats: [
      {
        kind: "chat",
        title: "t-2",
        messages: [
          "system: # Airline policy",
          "assistant: Hi! How can I help you today?",
          "user: Cancel my flight.",
          'call cancel {"id":"F1"}',
          "result cancel: Error: not allowed",
          "assistant: I may not cancel it.",
        ],
        requests: ["3 10:00:03 fresh 900 output 30 dollars 0.002", "5 10:00:05 fresh 960 output 12 dollars 0.003"],
      },
    ],
  },
  {
    file: "opentelemetry-ai-sdk-versions.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: I look.",
          'call lookup {"order":7}',
          'result lookup: {"city":"Leipzig"}',
          "assistant: In Leipzig.",
        ],
        requests: [
          "2 msg_1 claude-sonnet-4-5 10:00:03 fresh 21 written 1800 output 28",
          "4 msg_2 claude-sonnet-4-5 10:00:06 fresh 2500 read 1800 written 70 output 18",
        ],
      },
      {
        kind: "chat",
        messages: ["system: You look up orders.", "user: Where is order 7?", "assistant: In Bonn."],
        requests: ["2 msg_3 claude-sonnet-4-5 10:00:13 fresh 2500 read 1800 written 70 output 28"],
      },
      {
        kind: "chat",
        messages: [
          "system: You count.",
          "user: Count.",
          "assistant: One.",
          "user: Go on.",
          "thought: Two is next.",
          "assistant: Two.",
        ],
        requests: ["4 msg_4 claude-sonnet-4-5 10:00:23 fresh 54 read 1854 written 73 output 18"],
      },
    ],
  },
  {
    file: "opentelemetry-details.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where are orders 7 and 8?",
          "assistant: I look.",
          'call lookup {"order":7}',
          'call lookup {"order":8}',
          "result lookup: in Leipzig",
          "result lookup: in Bonn",
          "assistant: In Leipzig and Bonn.",
        ],
        requests: ["2 resp_1 gpt-5.1 10:00:03 fresh 60 output 20", "5 resp_2 gpt-5.1 10:00:06 fresh 90 output 8"],
      },
    ],
  },
  {
    file: "opentelemetry-anthropic.jsonl",
    format: "opentelemetry",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where are orders 7 and 8?",
          "assistant: I look.",
          'call lookup {"order":7}',
          'call lookup {"order":8}',
          "result lookup: in Leipzig",
          "result lookup: in Bonn",
          "assistant: In Leipzig and Bonn.",
        ],
        requests: ["2 msg_1 claude-sonnet-4-5 10:00:03 fresh 15 written 100 output 28", "4 claude-sonnet-4-5 10:00:06"],
      },
      {
        kind: "chat",
        messages: [
          "system: You know orders.",
          "user: And 9?",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["4 msg_3 claude-sonnet-4-5 10:00:12 fresh 10 read 100 written 50 output 18"],
      },
    ],
  },
  {
    file: "braintrust-streamed.jsonl",
    format: "braintrust",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You look up orders.",
          "user: Where is order 7?",
          "assistant: I look.",
          'call lookup {"order":7}',
          "result lookup: in Leipzig",
          "assistant: In Leipzig.",
        ],
        requests: ["2 gpt-4.1 10:00:02 fresh 60 output 14", "4 gpt-4.1 10:00:04 fresh 30 read 60 output 4"],
      },
    ],
  },
];
