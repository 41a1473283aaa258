// Writes docs/api.md: every export of the package with its declaration, its TSDoc, what it throws and an example.
//
// It reads the declarations that the build writes, so it tells what users get: `node scripts/reference.mjs` after a build.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { build } from "./build.mjs";
import { anchors } from "./markdown.mjs";
import { main, Problem } from "./process.mjs";
import { setup } from "./setup.mjs";
import { root } from "./tools.mjs";

export const path = "docs/api.md";

const entries = [
  { entry: "index", specifier: "turnfold" },
  { entry: "tokens/o200k", specifier: "turnfold/tokens/o200k" },
  { entry: "tokens/cl100k", specifier: "turnfold/tokens/cl100k" },
];

/** Which modules' exports stand under which heading, in this order. */
const topics = [
  {
    title: "Agents in turns",
    modules: [
      ...["subagent", "agent", "run", "step", "trace", "replay", "template"].map((name) => `agent/${name}`),
      "sandbox/tools",
    ],
  },
  {
    title: "Turns and their messages",
    modules: ["to-messages", "turn", "renderer", "options", "compression", "rendered", "message"].map(
      (name) => `turns/${name}`,
    ),
  },
  { title: "The sandbox", modules: ["sandbox/lisp", "sandbox/check", "sandbox/limits"] },
  {
    title: "Chat histories",
    modules: [
      ...["chat-agent", "exchange", "reply-stream", "chat-tools", "conversation", "chat-message", "manage-history"].map(
        (name) => `chat/${name}`,
      ),
      ...[
        "planning",
        "parameters",
        "strategies",
        "count-messages",
        "recall-tool",
        "summary-store",
        "provider-rules",
        "repair",
        "merge-roles",
      ].map((name) => `chat/${name}`),
      ...["formats", "openai", "responses", "anthropic", "vercel", "detect", "cache-marks"].map(
        (name) => `formats/${name}`,
      ),
      "recordings/read-conversation",
    ],
  },
  {
    title: "Typed calls",
    modules: [
      "predict/predict",
      "predict/react",
      "predict/program",
      "signature/history",
      "signature/signature",
      "signature/infer",
      "signature/object-schema",
    ],
  },
  {
    title: "The model",
    modules: [
      ...[
        "openai-model",
        "openai-responses-model",
        "anthropic-model",
        "ai-sdk-model",
        "fetch-model",
        "model-options",
      ].map((name) => `models/${name}`),
      ...["model", "finish-reason", "retry", "usage"].map((name) => `model/${name}`),
    ],
  },
  { title: "Prices", modules: ["model/prices", "costs/bill", "costs/compare-costs", "chat/fold-advice"] },
  { title: "What a fold takes away", modules: ["recall/need-recall", "recall/shares"] },
  { title: "Tokens", modules: ["tokens/tokens", "tokens/calibrate", "tokens/o200k", "tokens/cl100k"] },
  { title: "Values", modules: ["values/values", "sandbox/clojure"] },
  { title: "Errors and set-up", modules: ["errors", "boundary/init", "version"] },
];

/** All exports: name, module, where they are imported from, declarations with their docs, whether they are there at run time. */
export function readExports() {
  const found = new Map();
  for (const { entry, specifier } of entries) {
    for (const { name, module } of exportsOf(entry)) {
      // An entry of a counter repeats the type of counters.
      if (found.has(name)) continue;
      const declarations = declarationsOf(module, name);
      found.set(name, { name, module, specifier, declarations, isValue: declarations.some(isValue) });
    }
  }
  return [...found.values()];
}

const modules = new Map();

function moduleOf(module) {
  if (!modules.has(module)) {
    const text = readFileSync(join(root, "dist", `${module}.d.ts`), "utf8");
    const { program, comments, errors } = parseSync(`${module}.d.ts`, text);
    if (errors.length > 0) throw new Problem(`dist/${module}.d.ts can't be read: ${errors[0].message}`);
    modules.set(module, { text, body: program.body, comments });
  }
  return modules.get(module);
}

/** What an entry exports, and where it stands. */
function exportsOf(entry) {
  const folder = entry.includes("/") ? `${entry.slice(0, entry.lastIndexOf("/"))}/` : "";
  return moduleOf(entry).body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration") return [];
    if (node.source === null) return namesOf(node.declaration).map((name) => ({ name, module: entry }));
    const module = join(folder, node.source.value).replace(/\.js$/, "");
    return node.specifiers.map(({ exported }) => ({ name: exported.name, module }));
  });
}

function namesOf(declaration) {
  if (declaration === null) return [];
  if (declaration.type === "VariableDeclaration") return declaration.declarations.map(({ id }) => id.name);
  return [declaration.id.name];
}

/** Overloads, or a class and the interface beside it. */
function declarationsOf(module, name) {
  const source = moduleOf(module);
  return source.body
    .filter((node) => node.type === "ExportNamedDeclaration" && namesOf(node.declaration).includes(name))
    .map((node) => ({ node: node.declaration, source, doc: docOf(source, node), start: node.declaration.start }));
}

/** The TSDoc in front of a node: text, what it throws, examples. */
function docOf({ text, comments }, { start }) {
  const comment = comments.findLast(({ end }) => end <= start);
  const isDoc =
    comment?.type === "Block" && comment.value.startsWith("*") && text.slice(comment.end, start).trim() === "";
  const doc = { summary: "", parameters: [], returns: "", throws: "", examples: [] };
  if (!isDoc) return doc;
  const lines = comment.value
    .slice(1)
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .trim();
  const tags = lines.split(/^(?=@\w)/m);
  if (!lines.startsWith("@")) doc.summary = tags.shift().trim();
  for (const tag of tags) {
    const [, name, rest] = /^@(\w+)\s*([\s\S]*)$/.exec(tag);
    const value = rest.trim();
    if (name === "param") doc.parameters.push(value);
    else if (name === "returns") doc.returns = value;
    else if (name === "throws") doc.throws = value.replace(/^\{TurnfoldError\}\s*/, "");
    else if (name === "example") doc.examples.push(value);
    else if (name !== "packageDocumentation") throw new Problem(`@${name} has no place in ${path}.`);
  }
  return doc;
}

const isClass = ({ node }) => node.type === "ClassDeclaration";
const isCallable = ({ node }) => node.type === "TSDeclareFunction" || node.type === "VariableDeclaration";
const isValue = (each) => isClass(each) || isCallable(each);

/** What users may touch of a class, each once: an overload or setter stands with the first of its name. */
function membersOf({ node, source }) {
  return node.body.body
    .filter(({ accessibility }) => accessibility === undefined || accessibility === null)
    .map((member) => ({ member, doc: docOf(source, member), name: memberName(source, member) }));
}

function memberName({ text }, { key, computed }) {
  const name = text.slice(key.start, key.end);
  return computed ? `[${name}]` : name;
}

/** What lacks a doc or an example, a line each. */
export function undocumented() {
  const problems = [];
  for (const { name, declarations } of readExports()) {
    if (declarations.length === 0) problems.push(`${name} is not found`);
    if (!declarations.some(({ doc }) => doc.summary !== "")) problems.push(`${name} has no TSDoc`);
    if (declarations.some(isValue) && !declarations.some(({ doc }) => doc.examples.length > 0))
      problems.push(`${name} has no @example`);
    for (const declaration of declarations.filter(isClass)) {
      for (const { member, doc, name: own } of membersOf(declaration)) {
        if (member.kind === "constructor" || isOwn(own)) continue;
        if (doc.summary === "") problems.push(`${name}.${own} has no TSDoc`);
      }
    }
  }
  return problems;
}

/** Members that mean what they mean everywhere. */
function isOwn(name) {
  return name === "[Symbol.dispose]" || name === "[Symbol.hasInstance]";
}

/** The document. */
export function reference() {
  const all = readExports();
  const homeless = all.filter(({ module }) => !topics.some(({ modules }) => modules.includes(module)));
  if (homeless.length > 0)
    throw new Problem(`No topic of scripts/reference.mjs has ${homeless.map(({ module }) => module).join(", ")}.`);
  const sections = topics.map(({ title, modules }) => {
    const own = modules.flatMap((module) => all.filter((each) => each.module === module));
    return { title, own: [...own.filter((each) => each.isValue), ...own.filter((each) => !each.isValue)] };
  });
  const known = anchorsOf(sections);
  const contents = sections.map(({ title, own }) => {
    const names = own.map(({ name }) => `[\`${name}\`](#${known.get(name)})`).join(" · ");
    return `**${title}:** ${names}\n`;
  });
  const parts = sections.flatMap(({ title, own }) => [`## ${title}\n`, ...own.map((each) => entryText(each, known))]);
  return [HEAD, ...contents, ...parts].join("\n");
}

/** Where each name stands: of names that differ by their case alone, the second has a number behind it. */
function anchorsOf(sections) {
  const anchor = anchors();
  const known = new Map();
  anchor("API reference");
  for (const { title, own } of sections) {
    anchor(title);
    for (const each of own) {
      known.set(each.name, anchor(each.name));
      for (const heading of memberHeadings(each)) known.set(heading, anchor(heading));
    }
  }
  return known;
}

function memberHeadings({ name, declarations }) {
  return declarations.filter(isClass).flatMap((declaration) =>
    membersOf(declaration)
      .filter(isMethod)
      .map((each) => memberHeading(name, each)),
  );
}

/** Methods have headings; what can only be read stands in the class. */
function isMethod({ member, name }) {
  return member.type.endsWith("MethodDefinition") && member.kind !== "get" && !isOwn(name);
}

function memberHeading(name, { member, name: own }) {
  return member.kind === "constructor" ? `new ${name}` : `${name}.${own}`;
}

const HEAD = `# API reference

Every export of \`turnfold\`, with its declaration, what it throws and an example. \`turnfold/slim\` exports the same names without the wasm inside. This file is written by \`node scripts/reference.mjs\` from the documentation in the sources.

Errors are \`TurnfoldError\`s with the \`code\` that is named. Whatever takes values of yours may also throw \`invalid_value\`, \`cyclic_value\` and \`nesting_too_deep\`, with the path to what is wrong.
`;

function entryText({ name, specifier, declarations }, known) {
  const lines = [`### ${name}\n`];
  if (specifier !== "turnfold") lines.push(`From \`${specifier}\`.\n`);
  const told = declarations.filter(({ doc }) => doc.summary !== "");
  const main = told.find(isClass) ?? told[0] ?? declarations[0];
  const prose = (doc) => docLines(doc, known);
  const [summary, ...rest] = prose(main.doc);
  if (summary !== undefined) lines.push(summary);
  const shown = declarations.filter((each) => !isClass(each) && !isBare(each));
  if (shown.length > 0) lines.push(fence(shown.map(declarationText).join("\n")));
  lines.push(...rest);
  for (const declaration of declarations.filter(isClass)) {
    const members = membersOf(declaration);
    lines.push(fence(classText(declaration, members)));
    for (const each of members.filter(isMethod)) {
      lines.push(`#### ${memberHeading(name, each)}\n`, fence(memberText(declaration.source, each.member)));
      lines.push(...prose(each.doc));
    }
  }
  return lines.join("\n");
}

/** An interface that only says that a class is something else too. */
function isBare({ node }) {
  return node.type === "TSInterfaceDeclaration" && node.body.body.length === 0 && node.extends.length > 0;
}

function docLines({ summary, parameters, returns, throws, examples }, known) {
  const lines = [];
  if (summary !== "") lines.push(`${linked(summary, known)}\n`);
  const told = parameters.map((text) => {
    const [, name, rest] = /^(\S+)\s*([\s\S]*)$/.exec(text);
    return `- \`${name}\`: ${linked(rest, known)}`;
  });
  if (returns !== "") told.push(`- Returns ${linked(returns, known)}`);
  if (throws !== "") told.push(`- Throws ${linked(throws, known)}`);
  if (told.length > 0) lines.push(`${told.join("\n").replaceAll(/\n(?!- )/g, "\n  ")}\n`);
  lines.push(...examples.map((text) => `${text}\n`));
  return lines;
}

/** Links of TSDoc as links within the document. */
function linked(text, known) {
  return text.replaceAll(/\{@link ([\w.]+)\}/g, (_, name) => {
    const anchor = known.get(name);
    return anchor === undefined ? `\`${name}\`` : `[\`${name}\`](#${anchor})`;
  });
}

function fence(text) {
  return `\`\`\`typescript\n${text}\n\`\`\`\n`;
}

/** A declaration with the docs of its members, as an editor shows it. */
function declarationText({ node, source }) {
  const text = source.text.slice(node.start, node.end).replace(/^declare /, "");
  return withoutLinks(text);
}

/** A class with what can be read of it. */
function classText({ node, source }, members) {
  const head = source.text
    .slice(node.start, node.body.start)
    .replace(/^declare /, "")
    .trim();
  const read = members
    .filter((each) => !isMethod(each) && !isOwn(each.name))
    .flatMap(({ member, doc }) => {
      const summary = withoutLinks(doc.summary).split("\n");
      const told =
        summary.length === 1 ? [`/** ${summary[0]} */`] : ["/**", ...summary.map((line) => ` * ${line}`), " */"];
      return [...told, memberText(source, member)].map((line) => `    ${line}`);
    });
  return read.length === 0 ? `${head} { … }` : `${head} {\n${read.join("\n")}\n    …\n}`;
}

function withoutLinks(text) {
  return text.replaceAll(/\{@link ([\w.]+)\}/g, "`$1`");
}

function memberText({ text }, { start, end }) {
  return text.slice(start, end);
}

main(import.meta, async () => {
  setup({ tests: true });
  await build();
  writeFileSync(join(root, path), reference());
});
