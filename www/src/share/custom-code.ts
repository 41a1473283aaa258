import { statementsOf } from "../custom/statements.ts";
import type { JsWriter } from "./js-text.ts";

/** The module of a custom strategy as a part of a program, in which it is named `strategy`. */
export function customCode(source: string, writer: JsWriter): string {
  const body = statementsOf(source, (names, entry) => {
    const found = [...names.matchAll(/(\w+)(?:\s+as\s+(\w+))?/g)];
    for (const [, name = ""] of found) writer.use(name, entry);
    return found.flatMap(([, name, alias]) => (alias === undefined ? [] : [`const ${alias} = ${name};`])).join(" ");
  });
  return `// The strategy of the page, whose names stay apart from those of this program.
const strategy = (() => {
${body.replace("const strategy=", "const strategy = ").trim()}
return strategy;
})();
`;
}
