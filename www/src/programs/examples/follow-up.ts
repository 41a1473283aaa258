import type { ProgramExample } from "../store.ts";

/** A call whose question and answer make no sense without the earlier turns. */
export const followUp: ProgramExample = {
  title: "A signature with history",
  summary: "a follow-up question that only the earlier turns explain",
  saved: {
    signature: "question, history: History -> answer: str, year: Optional[int]",
    instructions:
      "Answer questions about bridges in one short sentence. Name the year that the answer is about, if any.",
    inputs: [{ name: "question", text: "And how long did that take?" }],
    history: [
      {
        values: [
          { name: "question", text: "Which bridge connects San Francisco with Marin County?" },
          { name: "answer", text: "The Golden Gate Bridge." },
          { name: "year", text: "1937" },
        ],
      },
      {
        values: [
          { name: "question", text: "When was it begun?" },
          { name: "answer", text: "Construction began on 5 January 1933." },
          { name: "year", text: "1933" },
        ],
      },
    ],
    replies: ["Answer: A little over four years, from January 1933 to May 1937.\nYear: 1937"],
  },
};
