import type { ProgramExample } from "../store.ts";

export const exchange: ProgramExample = {
  title: "ReAct, with a tool",
  summary: "the model calls a tool of the page before it answers",
  saved: {
    kind: "react",
    signature: "question -> answer: str, euros: float",
    inputs: [{ name: "question", text: "Was kosten 250 Schweizer Franken in Euro?" }],
    replies: [
      'Next_thought: Ich brauche den Kurs von Franken zu Euro.\nNext_tool_name: exchange_rate\nNext_tool_args: {"from": "CHF", "to": "EUR"}',
      "Next_thought: 250 mal 1,06 sind 265. Das genügt.\nNext_tool_name: finish\nNext_tool_args: {}",
      "Answer: 250 Schweizer Franken sind 265 Euro.\nEuros: 265",
    ],
  },
  tools: [
    {
      name: "exchange_rate",
      signature: "(from :string, to :string) -> :float",
      description: "What one unit of a currency is worth in another",
      answer: '({ from, to }) => ({ "CHF EUR": 1.06, "EUR CHF": 0.943 })[[from, to].join(" ")] ?? 1',
    },
  ],
};
