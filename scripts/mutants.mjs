// Makes mutants of JavaScript: changes of single expressions and statements, all of which are in the code beside what they replace, so that one
// bundle has every mutant. `globalThis.__mutant`, the number of one, chooses it.

import { parseAst } from "rollup/parseAst";

const COMPARED = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
const COMPUTED = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const LOGICAL = { "&&": "||", "||": "&&" };
/** Methods without which their receiver has too much, too little, or another order. */
const OMITTED = new Set(["filter", "slice", "toSorted", "sort", "toReversed", "reverse", "concat", "trim", "flat"]);

/**
 * Puts mutants into the code of a module. `add(line, original, replacement)` returns the number of a mutant, and `line` is the one of the code.
 */
export function withMutants(code, add) {
  const program = parseAst(code);
  const lineOf = (position) => code.slice(0, position).split("\n").length;
  const text = ({ start, end }) => code.slice(start, end);
  /** The code of a node with the mutants in it. */
  const rendered = (node) => {
    let result = "";
    let at = node.start;
    for (const child of childrenOf(node)) {
      result += code.slice(at, child.start) + wrapped(child, node);
      at = child.end;
    }
    return result + code.slice(at, node.end);
  };
  const wrapped = (node, parent) => {
    const inner = rendered(node);
    const changes = mutationsOf(node, parent, text);
    return changes.reduce((whole, { replacement, isStatement }) => {
      const number = add(lineOf(node.start), text(node), replacement);
      if (isStatement) return `if (globalThis.__mutant !== ${number}) { ${whole} }`;
      return `(globalThis.__mutant === ${number} ? (${replacement}) : (${whole}))`;
    }, inner);
  };
  return rendered(program);
}

/** What may stand in place of a node. */
function mutationsOf(node, parent, text) {
  const by = (...replacements) => replacements.map((replacement) => ({ replacement }));
  switch (node.type) {
    case "BinaryExpression": {
      const operator = COMPARED[node.operator] ?? COMPUTED[node.operator];
      const isText = /^["'`]|["'`]$/.test(text(node));
      return operator === undefined || (node.operator === "+" && isText)
        ? []
        : by(`(${text(node.left)}) ${operator} (${text(node.right)})`);
    }
    case "LogicalExpression":
      return LOGICAL[node.operator] === undefined
        ? by(text(node.left))
        : by(`(${text(node.left)}) ${LOGICAL[node.operator]} (${text(node.right)})`);
    case "UnaryExpression":
      return node.operator === "!" ? by(text(node.argument)) : [];
    case "Literal":
      if (!isValue(node, parent)) return [];
      if (typeof node.value === "boolean") return by(String(!node.value));
      if (typeof node.value === "number") return by(String(node.value + 1));
      return typeof node.value === "string" && node.value !== "" ? by('""') : [];
    case "ConditionalExpression":
      return by(text(node.consequent), text(node.alternate));
    case "CallExpression": {
      const { callee, arguments: given } = node;
      if (callee.type !== "MemberExpression" || callee.computed || node.optional) return [];
      const name = callee.property.name;
      if (text(callee) === "Object.freeze" && given.length === 1) return by(text(given[0]));
      return OMITTED.has(name) ? by(text(callee.object)) : [];
    }
    case "ExpressionStatement":
      return node.expression.type === "CallExpression" &&
        /^(BlockStatement|Program)$/.test(parent.type) &&
        !/^\s*super\b/.test(text(node))
        ? [{ replacement: "", isStatement: true }]
        : [];
    default:
      return parent.type === "IfStatement" && parent.test === node && !/Binary|Logical|Unary/.test(node.type)
        ? by("true", "false")
        : [];
  }
}

/** Whether a literal is a value, and not the name of a member or a module, or the number of `void 0`. */
const isValue = (node, parent) =>
  parent.operator !== "void" &&
  !/^(Import|Export)/.test(parent.type) &&
  !(/^(Property|PropertyDefinition|MethodDefinition)$/.test(parent.type) && parent.key === node);

/** The nodes in a node, by their places. */
function childrenOf(node) {
  // `{ a }` has the place of its name twice, `{ a = 1 }` that of its default once more.
  if (node.type === "Property" && node.shorthand)
    return node.value.type === "AssignmentPattern" ? [node.value.right] : [];
  const children = [];
  for (const [name, value] of Object.entries(node)) {
    if (name === "key" && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (
        typeof child?.type === "string" &&
        !/^(TemplateElement|ChainExpression|Import|ExportSpecifier)/.test(child.type)
      )
        children.push(child);
  }
  return children.sort((one, other) => one.start - other.start);
}
