// The types that the compiler infers from a signature, as text: `InputsOf` and `OutputsOf` of the package.

import type { Field, Signature } from "turnfold";

/** The side of a field: optional inputs may be omitted, outputs are always present. */
type Side = "in" | "out";

/** Declarations of the inputs and the outputs, with the imports that they need. */
export function typesOf({ inputs, outputs }: Pick<Signature, "inputs" | "outputs">): string {
  const types = [declared("Inputs", inputs, "in"), declared("Outputs", outputs, "out")].join("\n\n");
  const named = ["History", "Keyword", "Value"].filter((name) => new RegExp(`\\b${name}\\b(?!["?:])`).test(types));
  return named.length === 0 ? types : `import type { ${named.join(", ")} } from "turnfold";\n\n${types}`;
}

function declared(name: string, fields: readonly Field[], side: Side): string {
  const members = fields.map((field) => `  ${memberOf(field, side)};\n`);
  return `type ${name} = {\n${members.join("")}};`;
}

function memberOf({ name, type, optional, default: fallback }: Field, side: Side): string {
  const text = read(type, side);
  if (optional !== true) return entry(name, text, false, side);
  // A default replaces a missing output, so an output always has a value.
  return side === "out" && fallback != null ? entry(name, text, false, side) : entry(name, text, true, side);
}

function entry(name: string, type: string, optional: boolean, side: Side): string {
  const key = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
  if (!optional) return `${key}: ${type}`;
  return `${key}${side === "in" ? "?" : ""}: ${orNull(type)}`;
}

/** Adds null to a type. `unknown` and `Value` include null already. */
const orNull = (type: string): string => (/^(?:unknown|Value)$/.test(type) ? type : `${type} | null`);

const words: Readonly<Record<string, readonly [input: string, output: string]>> = {
  str: ["string", "string"],
  int: ["number", "number"],
  float: ["number", "number"],
  bool: ["boolean", "boolean"],
  dict: ["Readonly<Record<string, unknown>>", "Record<string, Value>"],
  Any: ["unknown", "Value"],
  History: ["History", "History"],
  ":string": ["string", "string"],
  ":int": ["number", "number"],
  ":float": ["number", "number"],
  ":bool": ["boolean", "boolean"],
  ":keyword": ["string | Keyword", "string"],
  ":map": ["Readonly<Record<string, unknown>>", "Record<string, Value>"],
  ":any": ["unknown", "Value"],
};

const TOKEN = /"(?:[^"\\]|\\.)*"|:?[\p{L}\p{N}_.+-]+|[[\]{}(),?|]/gu;
const LITERAL = /^(?:"|-?\d|true$|false$)/;

/** Converts the type of a field in the package's notation: `list[str]`, or a type of turns such as `[{id :int}]`. */
function read(text: string, side: Side): string {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const takes = (sign: string): boolean => tokens[at] === sign && ++at > 0;

  /** A type with an optional `?`. */
  const type = (): string => {
    const [one, optional] = marked();
    return optional ? orNull(one) : one;
  };
  const marked = (): readonly [type: string, optional: boolean] => {
    const one = unmarked();
    // `type | null`: a value that must be present and may be null.
    if (!takes("|")) return [one, takes("?")];
    at++;
    return [orNull(one), false];
  };

  const unmarked = (): string => {
    const token = tokens[at++] ?? "";
    if (token === "[") return closed(listOf(type()));
    if (token === "{") return record();
    if (token === "(") return unmarked();
    if (LITERAL.test(token)) return alternatives(token);
    if (tokens[at] === "[") {
      at++;
      if (token === "Literal") return literal();
      const inner = type();
      return closed(token === "Optional" ? orNull(inner) : listOf(inner));
    }
    return words[token]?.[side === "in" ? 0 : 1] ?? (side === "in" ? "unknown" : "Value");
  };
  const alternatives = (first: string): string => {
    const options = [first];
    while (tokens[at] === "|" && LITERAL.test(tokens[at + 1] ?? "")) {
      options.push(tokens[at + 1] ?? "");
      at += 2;
    }
    takes(")");
    return options.join(" | ");
  };
  const closed = (type: string): string => {
    takes("]");
    return type;
  };
  const listOf = (element: string): string => {
    const list = / \| |^readonly /.test(element) && !/^\{.*\}$/.test(element) ? `(${element})[]` : `${element}[]`;
    return side === "in" ? `readonly ${list}` : list;
  };
  const record = (): string => {
    const members: string[] = [];
    while (at < tokens.length && !takes("}")) {
      const name = tokens[at++] ?? "";
      const [inner, optional] = marked();
      // A member of an output's record may be missing.
      members.push(entry(name, inner, optional, "in"));
      takes(",");
    }
    return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
  };
  const literal = (): string => {
    const options: string[] = [];
    while (at < tokens.length && !takes("]")) {
      options.push(tokens[at++] ?? "");
      takes(",");
    }
    return options.join(" | ");
  };
  return type();
}
