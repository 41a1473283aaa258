import type { SavedChatExample } from "../store.ts";

const call = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

/** The history of an agent loop that crashed between calls and results, and that cuts its history to a number of messages. */
const messages = [
  { role: "system", content: "You keep the build green. Read logs, try one fix at a time, and say what you did." },
  { role: "tool", tool_call_id: "call_a1", content: "exit code 1\nerror[E0308]: mismatched types in src/fold.rs:88" },
  { role: "assistant", content: "The types in src/fold.rs do not match. I will look at the file and at its tests." },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      call("call_b1", "read_file", { path: "src/fold.rs" }),
      call("call_b2", "run_tests", { filter: "fold" }),
    ],
  },
  {
    role: "tool",
    tool_call_id: "call_b1",
    content:
      "86  fn total(&self) -> usize {\n87      let sum = self.turns.iter().map(Turn::size).sum();\n88      sum as u32\n89  }",
  },
  { role: "user", content: "Are you still there? The test run has been going for ten minutes." },
  { role: "assistant", content: "" },
  {
    role: "assistant",
    content: "I mend line 88 and run the tests again.",
    tool_calls: [call("call_c1", "edit_file", { path: "src/fold.rs", line: 88, text: "      sum" })],
  },
  { role: "tool", tool_call_id: "call_c1", content: "1 line changed" },
  { role: "tool", tool_call_id: "call_c1", content: "1 line changed" },
  { role: "tool", tool_call_id: "call_d1", content: "14 passed, 0 failed" },
  { role: "assistant", content: null, tool_calls: [call("call_d1", "run_tests", { filter: "fold" })] },
  { role: "user", content: "So is it green?" },
  { role: "assistant", content: "All 14 tests of fold pass. The mismatch in src/fold.rs:88 is gone." },
];

export const torn: SavedChatExample = {
  title: "Torn history",
  summary: "what a broken agent left behind: results without calls, calls without results",
  saved: { messages: JSON.stringify(messages, null, 2), options: { n: "4" } },
};
