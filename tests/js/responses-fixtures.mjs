// Items of OpenAI's Responses API: an example of every kind, and random runs of a model with tools.

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
const user = (text) => ({ role: "user", content: text });
const said = (id, text, more = {}) => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  ...more,
});
const thought = (id, ...texts) => ({
  type: "reasoning",
  id,
  summary: texts.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `secret of ${id}`,
});
const called = (id, args = '{"q": "a"}') => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "search",
  arguments: args,
  status: "completed",
});
const gave = (id, output = `result of ${id}`) => ({ type: "function_call_output", call_id: id, output });

export const fixtures = {
  "messages as a host writes them": [
    { role: "system", content: "Be brief." },
    { role: "developer", content: "Be kind." },
    user("Hello"),
    { role: "assistant", content: "Hi." },
    { type: "message", role: "user", content: [{ type: "input_text", text: "x" }] },
    { role: "assistant", content: "I think.", phase: "commentary" },
    { role: "assistant", content: [{ type: "output_text", text: "y" }] },
    { type: "message", id: "m0", role: "user", status: "completed", content: "z" },
  ],
  "no items": [],
  "empty texts": [
    user(""),
    { role: "user", content: [] },
    { role: "assistant", content: "" },
    said("m1", "", { content: [] }),
    { role: "user", content: [{ type: "input_text", text: "" }] },
  ],
  "a turn with reasoning and a call": [
    user("Find a"),
    thought("rs1", "I search.", "With care."),
    called("c1"),
    gave("c1"),
    thought("rs2"),
    said("m1", "Found."),
    user("Thank you"),
  ],
  "calls at once, and texts around them": [
    user("Find a and b"),
    thought("rs1"),
    said("m1", "I look.", { phase: "commentary" }),
    called("c1", ' { "q" : "a" } '),
    called("c2", "no JSON"),
    gave("c2"),
    gave("c1", [{ type: "input_text", text: "none" }]),
    called("c3", ""),
    said("m2", "While it searches."),
    gave("c3"),
  ],
  "texts with citations, refusals, several parts": [
    said("m1", "", {
      content: [
        {
          type: "output_text",
          text: "The tower is 330 m high.",
          annotations: [{ type: "url_citation", url: "https://example.org", title: "t", start_index: 0, end_index: 5 }],
        },
        { type: "output_text", text: "More.", annotations: [] },
        { type: "refusal", refusal: "I can't say more." },
      ],
    }),
    said("m2", "Another message."),
    said("m3", "", { content: [{ type: "output_audio", transcript: "x", data: "AAAA" }], status: "incomplete" }),
  ],
  "images and files": [
    {
      role: "user",
      content: [
        { type: "input_image", image_url: "https://example.org/a.png", detail: "auto" },
        { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "high" },
        { type: "input_image", file_id: "file-1", detail: "low" },
        { type: "input_image", image_url: `data:image/png;base64,${png}` },
        { type: "input_file", file_data: "data:application/pdf;base64,JVBERi0xLjQK", filename: "a.pdf" },
        { type: "input_file", file_id: "file-2" },
        { type: "input_file", file_url: "https://example.org/a.pdf" },
        { type: "hologram", x: 1 },
      ],
    },
  ],
  "tools of OpenAI": [
    user("Search"),
    thought("rs1"),
    { type: "web_search_call", id: "ws1", status: "completed", action: { type: "search", query: "lamps" } },
    thought("rs2"),
    { type: "file_search_call", id: "fs1", status: "completed", queries: ["lamps"], results: [{ text: "a lamp" }] },
    {
      type: "code_interpreter_call",
      id: "ci1",
      status: "completed",
      container_id: "k",
      code: "1 + 1",
      outputs: [{ type: "logs", logs: "2" }],
    },
    { type: "image_generation_call", id: "ig1", status: "completed", result: png, output_format: "webp" },
    { type: "image_generation_call", id: "ig2", status: "failed", result: null },
    { type: "mcp_list_tools", id: "ml1", server_label: "s", tools: [{ name: "f", input_schema: {} }] },
    { type: "mcp_call", id: "mc1", server_label: "s", name: "f", arguments: "{}", output: "done" },
    { type: "tool_search_call", id: "ts1", call_id: null, execution: "server", arguments: {}, status: "completed" },
    { type: "tool_search_output", id: "to1", call_id: null, execution: "server", tools: [], status: "completed" },
    said("m1", "Here."),
  ],
  "tools that the host runs": [
    thought("rs1"),
    {
      type: "computer_call",
      id: "cu1",
      call_id: "c1",
      status: "completed",
      action: { type: "screenshot" },
      pending_safety_checks: [],
    },
    {
      type: "computer_call_output",
      call_id: "c1",
      output: { type: "computer_screenshot", image_url: `data:image/png;base64,${png}` },
      acknowledged_safety_checks: [],
    },
    { type: "computer_call", id: "cu2", call_id: "c2", status: "completed", actions: [], pending_safety_checks: [] },
    { type: "computer_call_output", call_id: "c2", output: { type: "computer_screenshot", file_id: "file-1" } },
    { type: "shell_call", id: "sh1", call_id: "c3", status: "completed", action: { commands: ["ls"] } },
    {
      type: "shell_call_output",
      call_id: "c3",
      max_output_length: 100,
      output: [{ stdout: "a\n", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    },
    {
      type: "local_shell_call",
      id: "ls1",
      call_id: "c4",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    { type: "local_shell_call_output", id: "c4", output: "a" },
    {
      type: "apply_patch_call",
      id: "ap1",
      call_id: "c5",
      status: "completed",
      operation: { type: "delete_file", path: "a" },
    },
    { type: "apply_patch_call_output", call_id: "c5", status: "failed", output: "no such file" },
    { type: "custom_tool_call", id: "ct1", call_id: "c6", name: "grammar", input: "free text" },
    { type: "custom_tool_call_output", call_id: "c6", output: "accepted" },
    { type: "mcp_approval_request", id: "ma1", server_label: "s", name: "f", arguments: "{}" },
    { type: "mcp_approval_response", approval_request_id: "ma1", approve: true, id: "mr1", reason: null },
    {
      type: "tool_search_call",
      id: "ts1",
      call_id: "c7",
      execution: "client",
      arguments: { q: 1 },
      status: "completed",
    },
    { type: "tool_search_output", call_id: "c7", execution: "client", tools: [{ type: "function", name: "f" }] },
    { type: "program", id: "pr1", call_id: "c8", code: "f()", fingerprint: "x" },
    { ...called("c9"), caller: { type: "program", caller_id: "c8" } },
    { ...gave("c9"), caller: { type: "program", caller_id: "c8" } },
    { type: "program_output", id: "po1", call_id: "c8", result: "3", status: "completed" },
    { type: "future_call", id: "fu1", call_id: "c10", x: 1 },
    { type: "future_call_output", id: "fo1", call_id: "c10", y: { z: 1 } },
  ],
  "what is for the server": [
    { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "f" }] },
    { type: "compaction", id: "cmp1", encrypted_content: "all of it" },
    {
      type: "agent_message",
      author: "/root",
      recipient: "/root/reader",
      content: [{ type: "input_text", text: "Read." }],
    },
    user("Go on"),
    { id: "msg_1" },
    { type: "item_reference", id: "msg_2" },
    { type: null, id: "msg_3" },
    { type: "configuration_update", reasoning: { effort: "low" } },
    { type: "compaction_trigger" },
  ],
};

/** A random run with all kinds of items, in the form that the API returns and accepts. */
export function randomItems(random) {
  let count = 0;
  const next = (name) => `${name}${++count}`;
  const some = (max, make) => Array.from({ length: random.below(max + 1) }, make).flat();
  const reasoning = () => (random.chance(0.6) ? [thought(next("rs"), ...some(2, () => ["Hm."]))] : []);
  const search = () => [
    ...reasoning(),
    { type: "web_search_call", id: next("ws"), status: "completed", action: { type: "search", query: "a" } },
  ];
  const step = () => {
    const ids = Array.from({ length: 1 + random.below(3) }, () => next("c"));
    return [
      ...reasoning(),
      ...(random.chance(0.4) ? [said(next("m"), "I look.", { phase: "commentary" })] : []),
      ...ids.map((id) => called(id, random.pick(['{"q":1}', "{", " {} "]))),
      ...ids.map((id) => gave(id, random.pick([`result of ${id} `.repeat(40), [{ type: "input_text", text: "x" }]]))),
    ];
  };
  const screen = () => {
    const id = next("c");
    const image_url = `data:image/png;base64,${png}`;
    return [
      ...reasoning(),
      { type: "computer_call", id: next("cu"), call_id: id, status: "completed", action: { type: "screenshot" } },
      { type: "computer_call_output", call_id: id, output: { type: "computer_screenshot", image_url } },
    ];
  };
  return [
    ...(random.chance(0.5) ? [{ role: "developer", content: "You help." }] : []),
    ...some(6, () => [
      { role: "user", content: random.pick([next("question "), [{ type: "input_text", text: next("question ") }]]) },
      ...some(3, () => random.pick([step, step, search, screen])()),
      ...reasoning(),
      said(next("m"), `answer ${count} `.repeat(1 + random.below(30))),
    ]),
  ];
}
