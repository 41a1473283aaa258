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
          "assistant: Not yet.",
        ],
        requests: ["3 gemini-3-pro-preview 10:00:33 fresh 2000 output 4"],
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
        requests: ["1 gemini-2.5-flash 10:00:02", "4 gemini-2.5-flash 10:00:05"],
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
        ],
        requests: ["5 qwen3-coder-flash 10:00:22 fresh 350 read 15000 output 3"],
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
];
