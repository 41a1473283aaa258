// The functions of tools need no annotations in strict code, in each form that has a parameter.

import { Agent, Lisp, SubAgent } from "turnfold";
import { ReAct } from "turnfold/predict";

const llm = () => "yes";

new Agent({
  llm,
  tools: { plain: ({ id }) => id, pair: ["(id :int) -> :int", async ({ id }, { signal }) => [id, signal]] },
});
new Agent({ llm, tools: { whole: { signature: "(id :int) -> :int", run: ({ id }) => id } } });
new SubAgent({ mission: "Go", llm, tools: { plain: ({ id }) => id, pair: ["(id :int) -> :int", ({ id }) => id] } });
new Lisp({ tools: { pair: ["(id :int) -> :int", async ({ id }, { signal }) => [id, signal]] } });
new ReAct("question -> answer", { llm, tools: { pair: ["(id :int) -> :int", ({ id }) => id] } });
