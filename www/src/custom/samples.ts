/** The strategies that are shown until another one is written. */
export const samples = {
  turns: `import { toMessages } from "turnfold";

// The journal, with a reminder above its last line when few turns are left: an agent that knows
// that it must end returns what it has.
const FEW = 5;

export default {
  name: "journal-with-reminder",

  toMessages(turns, memory, options) {
    const journal = ["journal", options.strategyOptions];
    const { messages, breakpoints } = toMessages(turns, memory, { ...options, compression: journal });
    if (options.turnsLeft > FEW) return { messages, breakpoints };
    const last = messages.at(-1);
    const end = last.content.lastIndexOf("\\n");
    const reminder = "\\n;; Few turns are left: finish, and return what you have.";
    const content = last.content.slice(0, end) + reminder + last.content.slice(end);
    // The provider caches the request up to its breakpoints, which are before the last line.
    return { messages: messages.with(-1, { ...last, content }), breakpoints };
  },
};
`,
  chat: `// Each finished question becomes one summary, with all that was done for it. The last two stay
// word for word.
const KEPT = 2;

export default {
  name: "per-question",

  plan(messages) {
    const plan = { keep: [], summarize: [] };
    const questions = [...messages.keys()].filter((index) => messages[index].role === "user");
    const firstKept = questions.at(-KEPT) ?? 0;
    let group = null;
    for (const [index, { role, pinned }] of messages.entries()) {
      if (role === "system" || pinned || index >= firstKept) {
        plan.keep.push(index);
        continue;
      }
      if (role === "user" || group === null) {
        group = { covers: [], prompt: "Say in three sentences what was asked, found and decided." };
        plan.summarize.push(group);
      }
      group.covers.push(index);
    }
    return plan;
  },
};
`,
} as const;
