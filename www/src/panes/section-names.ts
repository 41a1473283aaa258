import type { SectionKind } from "turnfold";

/** How the page calls each kind of section; colours alone tell nobody apart. */
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
