// What each recording of a coding agent gives.

export const fixtures = [
  {
    file: "gemini-cli.json",
    format: "gemini-cli",
    chats: [
      {
        kind: "chat",
        title: "Count the tests",
        messages: [
          "user: How many tests does the parser have?",
          "thought: Searching: The tests are beside the sources.",
          "assistant: I look for them.",
          'call glob {"pattern":"**/*.test.ts"}',
          'call run_shell_command {"command":"grep -c \'test(\' src/parser.test.ts"}',
          "result glob: src/parser.test.ts\nsrc/lexer.test.ts",
          "result run_shell_command: User denied the command",
          "assistant: Two files have tests; I may not count further.",
          "user: What is on this picture?",
          "user image",
          "assistant: A dot.",
        ],
        requests: [
          "1 gemini-2.5-pro 10:00:04 fresh 5000 read 4000 output 65 reasoning 25",
          "3 gemini-2.5-flash 10:00:09 fresh 200 read 9000 output 12",
          "5 gemini-2.5-pro 10:00:33 fresh 9300 output 3",
        ],
      },
    ],
  },
  {
    file: "gemini-cli.jsonl",
    format: "gemini-cli",
    chats: [
      {
        kind: "chat",
        title: "Correct add",
        messages: [
          "user: Fix add.",
          "assistant: I read it.",
          'call read_file {"absolute_path":"/src/add.js"}',
          "result read_file: export const add = (a, b) => a - b;",
          "assistant: It subtracts. Shall I delete the file?",
          "user: Yes, delete it.",
          "assistant: Deleted.",
        ],
        requests: [
          "1 gemini-3-pro-preview 10:00:04 fresh 8000 output 20",
          "3 gemini-3-pro-preview 10:00:09 fresh 100 read 8000 output 40 reasoning 10",
          "5 gemini-3-pro-preview 10:00:14 fresh 200 read 8000 output 5",
        ],
      },
      {
        kind: "rewound",
        title: "Correct add",
        messages: [
          "user: Fix add.",
          "assistant: I read it.",
          'call read_file {"absolute_path":"/src/add.js"}',
          "result read_file: export const add = (a, b) => a - b;",
          "assistant: It subtracts. Shall I delete the file?",
          "user: No, correct it.",
          "assistant: Corrected.",
        ],
        requests: ["5 gemini-3-pro-preview 10:00:22 fresh 300 read 8000 output 6"],
      },
      {
        kind: "compacted",
        title: "Correct add",
        messages: [
          "user: <state_snapshot>add was corrected</state_snapshot>",
          "assistant: Got it.",
          "user: Is it tested?",
          "thought: I think.",
          "assistant: Not yet.",
          "user: Then test it.",
          "assistant: I look.",
          'call read_file {"file_path":"/src/add.test.js"}',
          "result read_file: add(1, 2) === 3",
          "assistant: It is tested.",
        ],
        requests: [
          "3 gemini-3-pro-preview 10:00:33 fresh 2000 output 4",
          "5 gemini-3-pro-preview 10:01:04 fresh 100 read 2000 output 9",
          "7 gemini-3-pro-preview 10:01:08 fresh 100 read 2100 output 5",
        ],
      },
      {
        kind: "compacted",
        title: "Correct add",
        messages: [
          "user: <state_snapshot>add was corrected</state_snapshot>",
          "assistant: Got it.",
          "user: Is it tested?",
          "thought: I think.",
          "assistant: Not yet.",
          "user: Then test it.",
          "assistant: I look.",
          'call read_file {"file_path":"/src/add.test.js"}',
          "result read_file: add(1, 2) === 3",
          "result read_file: add(1, 2) === 3",
          "assistant: It is tested.",
          "user: Really?",
          "assistant: Really.",
        ],
        requests: ["10 gemini-3-pro-preview 10:02:04 fresh 400 read 2000 output 3"],
      },
      {
        kind: "compacted",
        title: "Correct add",
        messages: [
          "user: <state_snapshot>add is tested</state_snapshot>",
          "assistant: Got it.",
          "user: Thanks.",
          "assistant: You are welcome.",
        ],
        requests: ["3 gemini-3-pro-preview 10:03:04 fresh 900 output 4"],
      },
    ],
  },
  {
    file: "gemini-cli-stream.jsonl",
    format: "gemini-cli",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Which branch is this?",
          "assistant: I ask git.",
          'call run_shell_command {"command":"git branch --show-current"}',
          'call read_file {"absolute_path":"/.git/HEAD"}',
          "result run_shell_command: main",
          "result read_file: Path is ignored",
          "assistant: main",
        ],
        requests: ["1 gemini-2.5-flash 10:00:02", "4 gemini-2.5-flash 10:00:05 fresh 8210 read 8000 output 90"],
      },
    ],
  },
  {
    file: "gemini-cli-checkpoint.json",
    format: "gemini",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: This is the Gemini CLI. My setup: Linux.",
          "user: What is in notes.md?",
          'call read_file {"path":"notes.md"}',
          "result read_file: Buy milk",
          "assistant: A shopping list.",
        ],
        requests: ["2", "4"],
      },
    ],
  },
  {
    file: "qwen-code.jsonl",
    format: "qwen-code",
    chats: [
      {
        kind: "chat",
        title: "Routes",
        messages: [
          "user: List the routes.",
          "thought: Routes are in app.ts.",
          'call read_file {"absolute_path":"/app/app.ts"}',
          "result read_file: app.get('/health', ok)",
          "assistant: One route: /health.",
          "user: Rename it.",
          "assistant: To what?",
        ],
        requests: [
          "1 qwen3-coder-plus 10:00:03 fresh 15000 output 60 reasoning 20",
          "3 qwen3-coder-plus 10:00:06 fresh 200 read 15000 output 10",
          "5 qwen3-coder-plus 10:00:12 fresh 300 read 15000 output 4",
        ],
      },
      {
        kind: "rewound",
        title: "Routes",
        messages: [
          "user: List the routes.",
          "thought: Routes are in app.ts.",
          'call read_file {"absolute_path":"/app/app.ts"}',
          "result read_file: app.get('/health', ok)",
          "assistant: One route: /health.",
          "user: Add /ready.",
          "assistant: Added.",
          "assistant: <state_snapshot>/health and /ready exist</state_snapshot>",
        ],
        requests: [
          "5 qwen3-coder-flash 10:00:22 fresh 350 read 15000 output 3",
          "6 qwen3-coder-plus 10:00:29 fresh 650 read 15350 output 90",
        ],
      },
      {
        kind: "compacted",
        title: "Routes",
        messages: [
          "user: <state_snapshot>/health and /ready exist</state_snapshot>",
          "assistant: Got it. Thanks for the additional context!",
          "user: Which exist?",
          "assistant: /health and /ready.",
        ],
        requests: ["3 qwen3-coder-plus 10:00:33 fresh 900 output 8"],
      },
    ],
  },
  {
    file: "crush.json",
    format: "crush",
    chats: [
      {
        kind: "chat",
        title: "Price of tea",
        messages: [
          "user: What does tea cost?",
          "thought: The prices are in a file.",
          "assistant: I look.",
          'call view {"file_path":"prices.json"}',
          "call ls {}",
          'result view: { "tea": 4 }',
          "result ls: no such folder",
          "assistant: 4.",
        ],
        requests: ["1 gpt-5.1 10:00:02", "4 gpt-5.1 10:00:07"],
      },
    ],
  },
  {
    file: "qwen-code-stream.jsonl",
    format: "qwen-code",
    chats: [
      {
        kind: "chat",
        messages: [
          "assistant: I read it.",
          'call read_file {"file_path":"/app/app.ts"}',
          "result read_file: app.get('/health', ok)",
          'call agent {"description":"Look","prompt":"Which files?"}',
          "result agent: app.ts",
          "assistant: One route.",
        ],
        requests: [
          "0 qwen3-coder-plus fresh 19000 output 35",
          "2 qwen3-coder-plus fresh 80 read 19000 output 30",
          "4 qwen3-coder-plus fresh 70 read 19080 output 6",
        ],
      },
      { kind: "agent", messages: ["assistant: app.ts"], requests: ["0 qwen3-coder-plus fresh 9000 output 5"] },
    ],
  },
  {
    file: "opencode.json",
    format: "opencode",
    chats: [
      {
        kind: "chat",
        title: "Speed up the build",
        messages: [
          "user: Why is the build slow?\n<file>\n1| vite build\n</file>",
          "thought: Look at the logs.",
          "assistant: I read the log.",
          'call bash {"command":"tail build.log"}',
          'call read {"filePath":"/app/none"}',
          "result bash: minify took 40 s",
          "result read: File not found: /app/none",
          "assistant: Minifying takes 40 s.",
          "user: Sketch:",
          "user image",
          "user: What did we do so far?",
          "assistant: The build is slow because of minifying.",
        ],
        requests: [
          "1 claude-sonnet-4-5 10:00:02 fresh 20 written 9000 output 60 dollars 0.03",
          "4 claude-sonnet-4-5 10:00:05 fresh 30 read 9000 written 200 output 25 dollars 0.004",
          "7 claude-sonnet-4-5 10:00:43 fresh 40 read 9200 output 300 dollars 0.02",
        ],
      },
      {
        kind: "compacted",
        title: "Speed up the build",
        messages: [
          "user: What did we do so far?",
          "assistant: The build is slow because of minifying.",
          "user: Then disable it.",
          "thought: minify: false",
          "assistant: Disabled.",
          "user: Thanks.",
          "assistant: Gladly.",
        ],
        requests: [
          "3 gpt-5.1 10:01:02 fresh 1200 output 80 reasoning 30 dollars 0.005",
          "5 gpt-5.1 10:01:12 fresh 1300 output 8 dollars 0.001",
        ],
      },
    ],
  },
  {
    file: "opencode-agent.json",
    format: "opencode",
    chats: [
      {
        kind: "agent",
        title: "Find logs (@explore subagent)",
        messages: [
          "system: You explore.",
          "user: Find log files.",
          'call glob {"pattern":"**/*.log"}',
          "result glob: build.log",
          "assistant: build.log",
        ],
        requests: [
          "2 claude-sonnet-4-5 10:00:02 fresh 50 written 100 output 9 reasoning 4 dollars 0.001",
          "4 claude-sonnet-4-5 10:00:02 fresh 60 read 100 output 3 dollars 0.001",
        ],
      },
    ],
  },
  {
    file: "opencode-run.jsonl",
    format: "opencode",
    chats: [
      {
        kind: "chat",
        messages: [
          "assistant: I list the files.",
          'call read {"filePath":"a.ts"}',
          'call list {"path":"."}',
          "result read: one",
          "result list: a.ts\nb.ts",
          "assistant: Two files.",
        ],
        requests: [
          "0 10:00:04 fresh 20 written 9000 output 60 dollars 0.03",
          "3 10:00:07 fresh 30 read 9000 written 200 output 25 dollars 0.004",
        ],
      },
    ],
  },
  {
    file: "cline-xml.json",
    format: "cline",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <task>\nRename f to g.\n</task>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: <thinking>\nI need the file.\n</thinking>",
          'call read_file {"path":"src/a.ts"}',
          "result read_file: export function f() {}",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: I write it.",
          'call write_to_file {"path":"src/a.ts","content":"export function g() {}"}',
          "result write_to_file: The user denied this operation.\n<feedback>\nCall it h.\n</feedback>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: <attempt_completion>\n<result>\nNot renamed.\n</result>\n</attempt_completion>",
        ],
        requests: ["1", "4", "7"],
      },
    ],
  },
  {
    file: "cline-native.json",
    format: "cline",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <task>\nList the tests.\n</task>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "user image",
          "thought: They are in tests.",
          "assistant: I list them.",
          'call list_files {"path":"tests"}',
          'call read_file {"path":"x"}',
          "result list_files: [list_files for 'tests'] Result:\na.test.ts",
          "result read_file: The tool was not executed.",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          'call attempt_completion {"result":"One: a.test.ts"}',
        ],
        requests: [
          "1 anthropic/claude-sonnet-4.5 10:00:03 fresh 12000 output 80 dollars 0.04",
          "5 anthropic/claude-sonnet-4.5 10:00:06 fresh 200 read 12000 output 20 dollars 0.005",
        ],
      },
    ],
  },
  {
    file: "cline-session.json",
    format: "cline",
    chats: [
      {
        kind: "agent",
        messages: [
          "system: You are Cline.",
          "user: Which port?",
          'call search {"q":"listen"}',
          'result search: [{"query":"listen","result":"app.listen(8080)","success":true},{"query":"port","error":"nothing","success":false}]',
          "assistant: 8080",
        ],
        requests: [
          "2 grok-code-fast-1 10:00:02 fresh 500 read 4000 written 500 output 30 dollars 0.002",
          "4 grok-code-fast-1 10:00:04 fresh 100 read 5000 output 3 dollars 0.001",
        ],
      },
    ],
  },
  {
    file: "roo-code.json",
    format: "cline",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <task>\nCount.\n</task>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "thought: One step.",
          'call execute_command {"command":"ls | wc -l"}',
          "result execute_command: 12",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: 12 files.",
        ],
        requests: ["1 10:00:02", "4 10:00:05"],
      },
      {
        kind: "compacted",
        messages: [
          "user: ## Conversation Summary\nThere are 12 files.",
          "user: <user_message>\nAnd folders?\n</user_message>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: 3 folders.",
        ],
        requests: ["2 10:00:14"],
      },
      {
        kind: "compacted",
        messages: [
          "user: ## Conversation Summary\nThere are 12 files.",
          "user: [Sliding window truncation: 2 messages hidden to reduce context]",
          "user: <user_message>\nAnd links?\n</user_message>",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: None.",
        ],
        requests: ["3 10:00:23"],
      },
    ],
  },
  {
    file: "cline-ui.json",
    format: "cline",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <task>\nRead a.ts\n</task>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "thought: It is short.",
          "assistant: I read it.",
          'call readFile {"path":"a.ts","content":"/app/a.ts"}',
          'call readFile {"path":"b.ts","content":"/app/b.ts"}',
          "result readFile: export {}",
          "result readFile: There is no b.ts.",
          "user: <environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: It exports nothing.",
          "user: <feedback>\nWhy?\n</feedback>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: It is a stub.",
          "user: <feedback>\nFill it.\n</feedback>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
        ],
        requests: [
          "1 claude-sonnet-4-5 10:00:01 fresh 900 written 8000 output 40 dollars 0.03",
          "5 claude-sonnet-4-5 10:00:04 fresh 50 read 8000 written 100 output 9 dollars 0.004",
          "7 claude-sonnet-4-5 10:00:10 fresh 20 read 8100 output 5 dollars 0.003",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: <task>\nRead a.ts\n</task>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "thought: It is short.",
          "assistant: I read it.",
          'call readFile {"path":"a.ts","content":"/app/a.ts"}',
          'call readFile {"path":"b.ts","content":"/app/b.ts"}',
          "user: <feedback>\nWhy?\n</feedback>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: It is a stub.",
          "user: <feedback>\nFill it.\n</feedback>\n\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n</environment_details>",
          "assistant: Filled.",
        ],
        requests: ["5 claude-sonnet-4-5 10:00:21 fresh 400 read 7000 output 6 dollars 0.005"],
      },
    ],
  },
  {
    file: "roo-code-ui.json",
    format: "cline",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: How many files?",
          'call execute_command {"command":"ls | wc -l"}',
          "result execute_command: 12",
          'call listFilesTopLevel {"path":"src"}',
          "result listFilesTopLevel: a.ts\nb.ts",
          "assistant: 12, two of them in src.",
        ],
        requests: [
          "1 10:00:01 fresh 500 read 8000 written 500 output 30 dollars 0.01",
          "3 10:00:04 fresh 600 read 8500 output 12 dollars 0.004",
          "5 10:00:06 fresh 200 read 9000 output 5 dollars 0.003",
        ],
      },
    ],
  },
  {
    file: "copilot-chat.json",
    format: "copilot-chat",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <context>\nThe date is March 2.\n</context>\n<userRequest>\nWhat does a.ts export?\n</userRequest>",
          "thought: Start with a.ts.",
          "assistant: I look.",
          'call read_file {"filePath":"/app/a.ts"}',
          'call grep_search {"input":"{\\"query\\":"}',
          "result read_file: File a.ts\nexport const f = 1;",
          "result grep_search: ERROR: invalid JSON",
          "assistant: It exports f.",
          "user: Run the tests.",
          'call run_in_terminal {"command":"npm test"}',
          "result run_in_terminal: 12 passed",
        ],
        requests: ["1 gpt-5.1-codex 10:00:02", "4 gpt-5.1-codex 10:00:05 fresh 21000 output 60", "6 gpt-5.1 10:00:22"],
      },
      {
        kind: "compacted",
        messages: [
          "user: <conversation-summary>f is exported; tests pass</conversation-summary>",
          "assistant: All pass.",
          "user: Hello?",
          "assistant: I look.It exports f.",
        ],
        requests: ["1 gpt-5.1 10:00:30 fresh 3000 output 5", "3 gpt-5.1 10:00:40"],
      },
    ],
  },
  {
    file: "copilot-chat.jsonl",
    format: "copilot-chat",
    chats: [
      {
        kind: "chat",
        title: "Exports of a.ts",
        messages: [
          "user: <context>\nThe date is March 2.\n</context>\n<userRequest>\nWhat does a.ts export?\n</userRequest>",
          "thought: Start with a.ts.",
          "assistant: I look.",
          'call read_file {"filePath":"/app/a.ts"}',
          'call grep_search {"input":"{\\"query\\":"}',
          "result read_file: File a.ts\nexport const f = 1;",
          "result grep_search: ERROR: invalid JSON",
          "assistant: It exports f.",
          "user: Thanks",
          "assistant: Gladly.",
        ],
        requests: [
          "1 gpt-5.1-codex 10:00:02",
          "4 gpt-5.1-codex 10:00:05 fresh 21000 output 60",
          "6 gpt-5.1 10:00:50 fresh 100 output 2",
        ],
      },
    ],
  },
  {
    file: "copilot-cli.jsonl",
    format: "copilot-cli",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are the GitHub Copilot CLI.",
          "user: <current_datetime>2026-03-02</current_datetime>\n\nWhy does CI fail?",
          "thought: Look at the run.",
          'call bash {"command":"gh run view"}',
          'call task {"agent_type":"explore","prompt":"Find the config"}',
          "result bash: lint failed",
          "result task: There is none.",
          "assistant: Lint fails: biome.json is missing.",
        ],
        requests: [
          "2 claude-sonnet-4.5 10:00:03 fresh 1000 written 8000 output 70",
          "5 claude-sonnet-4.5 10:00:08 fresh 300 read 9000 output 12",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "system: You are the GitHub Copilot CLI.",
          "user: CI fails because biome.json is missing.",
          "user: Add it.",
          "assistant: Added.",
        ],
        requests: ["3 resp_9 claude-sonnet-4.5 10:00:32 fresh 3000 output 3"],
      },
      {
        kind: "agent",
        title: "Explore",
        messages: ['call glob {"pattern":"biome.json"}', "result glob: no match", "assistant: There is none."],
        requests: ["0 claude-haiku-4.5 10:00:05 fresh 2000 output 9", "2 claude-sonnet-4.5 10:00:06"],
      },
    ],
  },
  {
    file: "pi.jsonl",
    format: "pi",
    chats: [
      {
        kind: "chat",
        title: "Files",
        messages: [
          "user: What is in the folder?",
          "thought: List it.",
          'call bash {"command":"ls"}',
          'result bash: [{"type":"text","text":"a.png\\nb.txt"},{"type":"media","data":"iVBORw0KGgo=","mediaType":"image/png"}]',
          "assistant: Two files.",
          "user: Delete b.txt.",
          "assistant: Deleted.",
        ],
        requests: [
          "1 claude-opus-4-5 10:00:03 fresh 20 written 5000 output 40 dollars 0.03",
          "3 claude-opus-4-5 10:00:06 fresh 30 read 5000 written 100 output 9 dollars 0.01",
          "5 claude-opus-4-5 10:00:12 fresh 40 read 5100 written 50 output 4 dollars 0.01",
        ],
      },
      {
        kind: "rewound",
        title: "Files",
        messages: [
          "user: What is in the folder?",
          "thought: List it.",
          'call bash {"command":"ls"}',
          'result bash: [{"type":"text","text":"a.png\\nb.txt"},{"type":"media","data":"iVBORw0KGgo=","mediaType":"image/png"}]',
          "assistant: Two files.",
          "user: b.txt was deleted.",
          "user: Make c.txt.",
          "assistant: Made.",
          "user: Ran `ls`\na.png\nc.txt",
        ],
        requests: ["6 gpt-5.1 10:00:23 fresh 60 read 5100 written 60 output 3 dollars 0.01"],
      },
      {
        kind: "compacted",
        title: "Files",
        messages: [
          "user: Files were listed, b.txt deleted.",
          "user: Make c.txt.",
          "assistant: Made.",
          "user: Ran `ls`\na.png\nc.txt",
          "user: And now?",
          "assistant: a.png and c.txt.",
        ],
        requests: ["5 claude-opus-4-5 10:00:33 fresh 900 output 8 dollars 0.01"],
      },
    ],
  },
  {
    file: "openclaw.jsonl",
    format: "pi",
    chats: [
      {
        kind: "chat",
        messages: ["user: Weather?", "call weather {}", "result weather: Rain", "assistant: It rains."],
        requests: [
          "1 claude-opus-4-5 10:00:02 fresh 10 output 5 dollars 0.01",
          "3 claude-opus-4-5 10:00:04 fresh 15 output 4 dollars 0.01",
        ],
      },
      {
        kind: "compacted",
        messages: [
          "user: Rain was asked for.",
          "assistant: It rains.",
          "user: It is ten.",
          "assistant: Take an umbrella.",
        ],
        requests: ["3 claude-opus-4-5 10:00:07 fresh 20 output 5 dollars 0.01"],
      },
    ],
  },
  {
    file: "cursor.jsonl",
    format: "cursor",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: <user_query>\nWhere is main?\n</user_query>",
          "assistant: I search.",
          'call Grep {"pattern":"fn main"}',
          'call Glob {"glob_pattern":"*.rs"}',
          "assistant: In src/main.rs.",
          "user: <user_query>\nThanks\n</user_query>",
          "assistant: Gladly.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "cursor-stream.jsonl",
    format: "cursor",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: What is in a.md?",
          "assistant: I read it.",
          'call read {"path":"a.md"}',
          'call shell {"command":"wc a.md"}',
          "result read: # A",
          "result shell: 1 2 4",
          'call docs_search {"q":"A"}',
          "result docs_search: no server",
          "assistant: A heading.",
        ],
        requests: ["1 GPT-5.1 Codex", "4 GPT-5.1 Codex 10:00:02", "6 GPT-5.1 Codex"],
      },
    ],
  },
  {
    file: "cursor-export.md",
    format: "cursor",
    chats: [
      {
        kind: "chat",
        title: "Sorting in Rust",
        messages: [
          "user: How do I sort a vector?",
          "assistant: Call `sort`:\n\n```rust\nv.sort();\n```",
          "user: And descending?",
          "assistant: Use `v.sort_by(|a, b| b.cmp(a))`.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "goose.json",
    format: "goose",
    chats: [
      {
        kind: "chat",
        title: "Disk usage",
        messages: [
          "user: What fills the disk?",
          "thought: du",
          'call developer__shell {"command":"du -s *"}',
          'call developer__shell {"command":"df"}',
          "result developer__shell: 900 logs",
          "result developer__shell: denied",
          "assistant: The logs.",
        ],
        requests: ["1 gpt-5.1 10:00:03", "4 gpt-5.1 10:00:06"],
      },
      {
        kind: "compacted",
        title: "Disk usage",
        messages: [
          "user: The user asked what fills the disk: the logs.",
          "assistant: Your context was compacted.",
          "user: Delete them.",
          "assistant: Deleted.",
        ],
        requests: ["3 gpt-5.1 10:00:24"],
      },
    ],
  },
  {
    file: "goose.jsonl",
    format: "goose",
    chats: [
      {
        kind: "chat",
        title: "Greeting",
        messages: [
          "user: Say hello in a file.",
          "assistant: I write it.",
          'call developer__text_editor {"command":"write","path":"a.txt"}',
          "result developer__text_editor: written",
          "assistant: Done.",
        ],
        requests: ["1 10:00:02", "3 10:00:05"],
      },
    ],
  },
  {
    file: "kimi-context.jsonl",
    format: "kimi",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are Kimi.",
          "user: <system>CHECKPOINT 0</system>",
          "user: List the files.",
          "thought: ls",
          "assistant: I list them.",
          'call Shell {"command":"ls"}',
          "result Shell: a.py\nb.py",
          "assistant: Two files.",
        ],
        requests: ["3", "5"],
      },
    ],
  },
  {
    file: "kimi-wire.jsonl",
    format: "kimi",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: List the files.",
          "thought: ls",
          "assistant: I list them.",
          'call Shell {"command":"ls"}',
          "result Shell: a.py",
          "assistant: One file.",
        ],
        requests: ["1 10:00:03 fresh 900 read 6000 written 100 output 40", "3 10:00:09 fresh 60 read 7000 output 4"],
      },
      {
        kind: "compacted",
        messages: ["user: Thanks", "assistant: Gladly."],
        requests: ["1 10:00:11 fresh 500 output 2"],
      },
      {
        kind: "agent",
        messages: ["user: Count.", "assistant: One."],
        requests: ["1 10:00:03"],
      },
    ],
  },
  {
    file: "kimi-code.jsonl",
    format: "kimi",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Which shell?",
          "thought: echo",
          'call Shell {"command":"echo $0"}',
          "result Shell: bash",
          "assistant: bash",
        ],
        requests: [
          "1 kimi-k2.6 10:00:02 fresh 50 read 8000 written 20 output 30",
          "3 kimi-k2.6 10:00:04 fresh 40 read 8070 output 2",
        ],
      },
    ],
  },
  {
    file: "aider.md",
    format: "aider",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: make the greeting configurable\nand add a default",
          "thought: It needs a parameter.",
          "assistant: I add a parameter.\n\n#### Step 1\n\napp.py\n```python\nprint(greeting)\n```\n\n> A quotation of the answer.",
          "user: is it tested?",
          "assistant: No.",
        ],
        requests: [
          "1 anthropic/claude-sonnet-4-5 fresh 5100 read 1000 written 3000 output 120 dollars 0.03",
          "3 anthropic/claude-sonnet-4-5 fresh 9400 output 850 dollars 0.0041",
        ],
      },
      {
        kind: "chat",
        messages: ["user: hello", "assistant: Hello!"],
        requests: ["1 ollama_chat/qwen3 fresh 1200 output 3"],
      },
    ],
  },
  {
    file: "aider-llm-history.txt",
    format: "aider",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: Act as an expert developer.\n\nReply with blocks.",
          "user: I added these files:\n\napp.py",
          "assistant: Ok.",
          "user: make the greeting configurable",
          "assistant: I add a parameter.\n\n----",
          "user: is it tested?",
          "assistant: No.",
        ],
        requests: ["4 10:00:04", "6 10:01:02"],
      },
    ],
  },
  {
    file: "amp.json",
    format: "amp",
    chats: [
      {
        kind: "chat",
        title: "Port in use",
        messages: [
          "user: Which process has port 80?",
          "thought: lsof",
          'call Bash {"cmd":"lsof -i :80"}',
          'call Read {"path":"/etc/x"}',
          "result Bash: nginx 12",
          "result Read: no such file",
          "assistant: nginx.",
        ],
        requests: [
          "1 claude-opus-4-6 10:00:02 fresh 10 written 12000 output 50",
          "4 claude-opus-4-6 10:00:05 fresh 12 read 12000 written 80 output 4",
        ],
      },
    ],
  },
  {
    file: "droid.jsonl",
    format: "droid",
    chats: [
      {
        kind: "chat",
        title: "Free the port",
        messages: [
          "user: <system-reminder>Linux</system-reminder>",
          "user: Free port 80.",
          "thought: Find it.",
          'call Execute {"command":"lsof -i :80"}',
          "result Execute: nginx 12",
          "assistant: It is nginx. Stop it?",
          "user: Yes.",
        ],
        requests: ["1 10:00:03", "3 10:00:06"],
      },
      {
        kind: "compacted",
        title: "Free the port",
        messages: ["user: nginx has port 80.", "user: Yes.", "assistant: Stopped."],
        requests: ["2 gpt-5.1 10:00:11"],
      },
    ],
  },
  {
    file: "continue.json",
    format: "continue",
    chats: [
      {
        kind: "chat",
        title: "What is tested?",
        messages: [
          "user: ```a.test.ts\ntest('adds')\n```",
          "user: What is tested here?",
          "thought: One test.",
          "assistant: I look for more.",
          'call builtin_grep_search {"query":"test("}',
          "result builtin_grep_search: a.test.ts:1",
          "assistant: Only addition.",
        ],
        requests: ["1 Claude Sonnet 4.5 fresh 4000 output 30", "3 Claude Sonnet 4.5 fresh 4100 output 5"],
      },
      {
        kind: "compacted",
        title: "What is tested?",
        messages: ["user: Only addition is tested.", "user: Thanks", "user image", "assistant: Gladly."],
        requests: ["2 claude-sonnet-4-5 fresh 90 read 1000 written 200 output 6"],
      },
    ],
  },
  {
    file: "kiro.json",
    format: "kiro",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: Which kernel?",
          "assistant: I ask.",
          'call execute_bash {"command":"uname -r"}',
          'result execute_bash: {"exit_status":"0","stdout":"6.8"}\nok',
          "assistant: 6.8",
        ],
        requests: ["1 claude-sonnet-4.5 10:00:02", "3 claude-sonnet-4.5 10:00:04"],
      },
    ],
  },
  {
    file: "amazon-q.json",
    format: "kiro",
    chats: [
      {
        kind: "chat",
        messages: ["user: Hello", "assistant: Hello to you."],
        requests: ["1 10:00:00"],
      },
    ],
  },
  {
    file: "kiro.jsonl",
    format: "kiro",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: List files.",
          "assistant: I list them.",
          'call shell {"command":"ls"}',
          "result shell: a\nb",
          "assistant: Two.",
        ],
        requests: ["1", "3"],
      },
    ],
  },
  {
    file: "grok.jsonl",
    format: "grok",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are Grok.",
          "user: Policy: be brief.",
          "user: What is in a.rs?",
          "thought: Read it.",
          "assistant: I read it.",
          'call read_file {"target_file":"a.rs"}',
          "result read_file: fn main() {}",
          "assistant: An empty program.",
        ],
        requests: ["3 grok-4.5", "5 grok-4.5"],
      },
    ],
  },
  {
    file: "droid-stream.jsonl",
    format: "droid",
    chats: [
      {
        kind: "chat",
        messages: [
          "user: List files.",
          "thought: ls",
          "assistant: I list them.",
          'call Execute {"command":"ls"}',
          "result Execute: a\nb",
          "assistant: Two.",
        ],
        requests: ["1 claude-opus-4-7 10:00:01", "3 claude-opus-4-7 10:00:05"],
      },
    ],
  },
  {
    file: "goose-stream.jsonl",
    format: "goose",
    chats: [
      {
        kind: "chat",
        messages: [
          "assistant: I look.",
          'call developer__shell {"command":"date"}',
          "result developer__shell: Monday",
          "assistant: It is Monday.",
        ],
        requests: ["0 10:00:01", "2 10:00:04"],
      },
    ],
  },
  {
    file: "gptme.jsonl",
    format: "gptme",
    chats: [
      {
        kind: "chat",
        messages: [
          "system: You are gptme.",
          "user: Write hello.py.",
          "assistant: ```save hello.py\nprint('hello')\n```",
          "user: Saved to hello.py",
          "assistant: Done.",
        ],
        requests: [
          "2 anthropic/claude-sonnet-4-6 10:00:03 fresh 20 written 4000 output 30 dollars 0.02",
          "4 anthropic/claude-sonnet-4-6 10:00:06 fresh 40 read 4000 written 60 output 3 dollars 0.002",
        ],
      },
    ],
  },
  {
    file: "specstory.md",
    format: "specstory",
    chats: [
      {
        kind: "chat",
        title: "Flaky test",
        messages: [
          "user: Why is the test in app.py flaky?",
          "thought: It may sleep.",
          "assistant: I read it.",
          'call Read {"summary":"Tool use: **Read** • Read file: app.py"}',
          "result Read: ```python\ntime.sleep(1)\n```",
          "assistant: It sleeps.",
          "user: Mend it.",
          "assistant: Mended.",
        ],
        requests: ["1 claude-opus-4-8 10:00:05", "3 claude-opus-4-8 10:00:10", "5 gpt-5.1"],
      },
      {
        kind: "agent",
        messages: ["assistant: Nothing else sleeps."],
        requests: ["0 claude-opus-4-8 10:00:09"],
      },
    ],
  },
];
