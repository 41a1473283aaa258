// Reads TypeDoc's output for the package: its exports, and the examples in their documentation.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/tools.mjs";

/** TypeDoc's numbers of declaration kinds. */
const kinds = {
  variable: 32,
  function: 64,
  class: 128,
  constructor: 512,
  property: 1024,
  method: 2048,
  accessor: 262144,
};

const isValue = ({ kind }) => [kinds.variable, kinds.function, kinds.class].includes(kind);
const isMember = ({ kind }) => [kinds.property, kinds.method, kinds.accessor].includes(kind);

/** All exports: name, the entry that exports it, whether it exists at run time, and TypeDoc's reflection. */
export function exportsOf() {
  const { children } = JSON.parse(readFileSync(join(root, ".cache", "api.json"), "utf8"));
  const found = new Map();
  for (const { name: specifier, children: reflections = [] } of children) {
    for (const reflection of reflections) {
      const { name } = reflection;
      // The entries of the exact counters export the counter types again.
      if (reflection.variant !== "reference" && !found.has(name))
        found.set(name, { name, specifier, isValue: isValue(reflection), reflection });
    }
  }
  return [...found.values()];
}

/** The comments of an export or a member, including its overloads and accessors. */
const commentsOf = ({ comment, signatures = [], getSignature, setSignature, type }) =>
  [comment, ...[...signatures, getSignature, setSignature].map((each) => each?.comment), ...ofType(type)].filter(
    Boolean,
  );

/** A constant that is a function, or an object of functions, is documented in its type. */
const ofType = (type) => (type?.declaration?.signatures ?? []).map(({ comment }) => comment).filter(Boolean);

const examplesIn = (comments) =>
  comments.flatMap(({ blockTags = [] }) =>
    blockTags.filter(({ tag }) => tag === "@example").map(({ content }) => content.map(({ text }) => text).join("")),
  );

const isDescribed = (comments) => comments.some(({ summary }) => summary.some(({ text }) => text.trim() !== ""));

/** The exports and members without a description or an example, a line each. */
export function undocumented() {
  const problems = [];
  for (const { name, isValue: isThere, reflection } of exportsOf()) {
    const comments = commentsOf(reflection);
    if (!isDescribed(comments)) problems.push(`${name} is not described`);
    const members = (reflection.children ?? []).filter(isMember);
    const all = [...comments, ...(reflection.children ?? []).flatMap(commentsOf)];
    if (isThere && examplesIn(all).length === 0) problems.push(`${name} has no @example`);
    if (reflection.kind !== kinds.class) continue;
    for (const member of members) {
      if (!member.name.startsWith("[") && !isDescribed(commentsOf(member)))
        problems.push(`${name}.${member.name} is not described`);
    }
  }
  return problems;
}

/** The examples of all exports as a document. */
export function examples() {
  const sections = exportsOf().flatMap(({ name, reflection }) => {
    const own = examplesIn([reflection, ...(reflection.children ?? [])].flatMap(commentsOf));
    return own.map((example) => `## ${name}\n\n${example}\n`);
  });
  return `# Examples\n\n${sections.join("\n")}`;
}
