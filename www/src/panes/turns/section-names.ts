import type { SectionKind } from "turnfold";

/** The visible names of the kinds of sections, because colours alone are not accessible. */
export const sectionNames: Readonly<Record<SectionKind, string>> = {
  system: "system",
  mission: "mission",
  tool: "tools",
  data: "data",
  expected: "expected",
  user: "defined",
  toolCalls: "calls",
  output: "printed",
  error: "error",
  turnsLeft: "turns left",
  program: "program",
  feedback: "feedback",
  separator: "",
};
