// Names that the programs of the guide on strategies use without declaring them: the user's own run.

import { SubAgent } from "turnfold";

const replies = ["(def a 1)", '(println "a is" a)', "(return (+ a 1))"];
const agent = new SubAgent({ mission: "Count", llm: () => `\`\`\`clojure\n${replies.shift()}\n\`\`\`` });
export const step = await agent.run();
