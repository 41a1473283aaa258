import type { ProgramExample } from "../store.ts";

export const trains: ProgramExample = {
  title: "Chain of thought, in Japanese",
  summary: "the model writes its thoughts before the answer",
  saved: {
    kind: "chainOfThought",
    adapter: "chat",
    signature: 'question: str, history: History -> minutes: int, confidence: Literal["高い", "低い"]',
    instructions: "日本語で考え、答えは分単位の整数で書いてください。",
    inputs: [{ name: "question", text: "では、名古屋で15分の乗り換えがあると、新大阪まで全部で何分かかりますか。" }],
    history: [
      {
        values: [
          { name: "question", text: "東京から名古屋までは、のぞみで何分ですか。" },
          { name: "reasoning", text: "のぞみは東京と名古屋の間をおよそ1時間40分で走ります。" },
          { name: "minutes", text: "100" },
          { name: "confidence", text: '"高い"' },
        ],
      },
      {
        values: [
          { name: "question", text: "名古屋から新大阪までは？" },
          { name: "minutes", text: "50" },
          { name: "confidence", text: '"高い"' },
        ],
      },
    ],
    replies: [
      "[[ ## reasoning ## ]]\n東京から名古屋まで100分、乗り換えに15分、名古屋から新大阪まで50分です。100 + 15 + 50 = 165。\n\n[[ ## minutes ## ]]\n165\n\n[[ ## confidence ## ]]\n高い",
    ],
  },
};
