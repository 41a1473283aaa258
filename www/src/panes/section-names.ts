import type { SectionKind } from "turnfold";

/** The visible names of the kinds of sections, because colours alone are not accessible. */
export const sectionNames: Readonly<Record<SectionKind, string>> = {
  system: "system",
  mission: "mission",
  tool: "tool/",
  data: "data/",
  expected: "expected",
  user: "user/",
  toolCalls: "calls",
  output: "output",
  error: "error",
  turnsLeft: "turns left",
  program: "program",
  feedback: "feedback",
  separator: "",
};
