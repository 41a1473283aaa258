// JSON Schemas of what providers accept, generated from the types of their own packages, in which unknown members are
// errors. They are generated once for each version of the packages, into .cache/wire.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(root, ".cache", "wire");

/** The types by the names of their schemas; `from` is the package and `type` the type in it. */
const TYPES = {
  anthropic: { from: "@anthropic-ai/sdk", type: "Anthropic.Messages.MessageCreateParams" },
  anthropicBeta: { from: "@anthropic-ai/sdk", type: "Anthropic.Beta.Messages.MessageCreateParams" },
  openai: { from: "openai", type: "OpenAI.Chat.Completions.ChatCompletionCreateParams" },
  responses: { from: "openai", type: "OpenAI.Responses.ResponseCreateParams" },
  gemini: { from: "@google/genai", type: "GenerateContentParameters" },
  aiSDK: { from: "ai", type: "ModelMessage[]" },
};

const compiled = new Map();

/** True when the package with the type of a schema is installed. */
export const hasSchema = (name) => versionOf(TYPES[name].from) !== null;

/**
 * Returns the first error of a value by a schema, or null: the path of a member as a list, and the error of Ajv there.
 *
 * @param known names of members that are accepted besides those of the types; they are removed from the value.
 */
export function schemaError(name, value, known = new Set()) {
  let validate = compiled.get(name);
  if (validate === undefined) {
    const ajv = new Ajv({ strict: false, validateFormats: false, verbose: true, inlineRefs: false });
    validate = ajv.compile(discriminated(schemaOf(name)));
    compiled.set(name, validate);
  }
  for (;;) {
    if (validate(value)) return null;
    const [error] = [...validate.errors].sort((left, right) => rank(right) - rank(left));
    const path = error.instancePath.split("/").slice(1).map(unescapePointer);
    const { additionalProperty: member } = error.params;
    if (member === undefined || !known.has(member)) return { ...error, path };
    delete path.reduce((inner, step) => inner[step], value)[member];
  }
}

/** Orders errors of alternatives: the deepest ones are about the alternative that was meant. */
function rank({ instancePath, keyword }) {
  const kinds = ["anyOf", "if", "type", "const", "enum", "required", "additionalProperties"];
  return instancePath.split("/").length * kinds.length + kinds.indexOf(keyword);
}

const unescapePointer = (name) => name.replaceAll("~1", "/").replaceAll("~0", "~");

function versionOf(name) {
  // Packages do not export their manifests.
  const file = createRequire(import.meta.url)
    .resolve.paths(name)
    .map((path) => join(path, name, "package.json"));
  const manifest = file.find(existsSync);
  return manifest === undefined ? null : JSON.parse(readFileSync(manifest, "utf8")).version;
}

let schemas;

function schemaOf(name) {
  schemas ??= readSchemas();
  return schemas[name];
}

function readSchemas() {
  const names = Object.keys(TYPES).filter(hasSchema);
  const versions = names.map((name) => [name, TYPES[name], versionOf(TYPES[name].from)]);
  const generator = versionOf("ts-json-schema-generator");
  const key = createHash("sha256")
    .update(JSON.stringify([versions, generator]))
    .digest("hex")
    .slice(0, 16);
  const file = join(folder, `${key}.json`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    // Other processes read it as soon as it is there.
    const whole = join(folder, `${key}-${process.pid}.json`);
    writeFileSync(whole, JSON.stringify(generate(names)));
    renameSync(whole, file);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

function generate(names) {
  // The generator brings a TypeScript of its own; it is only loaded when there is something to generate.
  const { createGenerator } = createRequire(import.meta.url)("ts-json-schema-generator");
  const lines = names.map((name) => {
    const { from, type } = TYPES[name];
    const [first] = /^\w+/.exec(type);
    return `import type { ${first} as ${name}_ } from "${from}";\nexport type ${name} = ${type.replace(first, `${name}_`)};`;
  });
  const [path, tsconfig] = [join(folder, "types.d.mts"), join(folder, "tsconfig.json")];
  writeFileSync(path, `${lines.join("\n")}\n`);
  const options = { module: "nodenext", target: "es2022", lib: ["es2023", "dom"], strict: true, types: ["node"] };
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: options, files: ["types.d.mts"] }));
  const generator = createGenerator({
    path,
    tsconfig,
    skipTypeCheck: true,
    additionalProperties: false,
    expose: "all",
    jsDoc: "none",
    functions: "hide",
  });
  return Object.fromEntries(names.map((name) => [name, generator.createSchema(name)]));
}

/**
 * Returns a schema in which alternatives that differ by a tag (`type`, `role`) are chosen by the tag, so that errors
 * are those of one alternative.
 */
function discriminated(whole) {
  const resolve = ({ $ref }) => whole.definitions[decodeURIComponent($ref.slice("#/definitions/".length))];
  const resolved = (schema) => (schema.$ref === undefined ? schema : resolved(resolve(schema)));
  /** Returns the alternatives of a schema that has nothing else. */
  const alternatives = (branch) => {
    const { anyOf, ...others } = resolved(branch);
    return anyOf !== undefined && Object.keys(others).length === 0 ? anyOf.flatMap(alternatives) : [branch];
  };
  const change = (schema) => {
    if (Array.isArray(schema)) return schema.map(change);
    if (typeof schema !== "object" || schema === null) return schema;
    const { anyOf, ...others } = schema;
    // Members of these keywords are named as the types name them, and may have the names of keywords.
    const inside = (name, value) => (/^(?:properties|definitions)$/.test(name) ? mapped(value, change) : change(value));
    const rest = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, inside(name, value)]));
    if (anyOf === undefined) return rest;
    // The alternatives are references, so that changing them ends.
    const branches = ["type", "role"].reduce((left, tag) => groupBy(left, tag), anyOf.flatMap(alternatives));
    return { ...rest, anyOf: branches.map((branch) => (branch.isChanged ? branch.schema : change(branch))) };
  };
  const groupBy = (branches, tag) => {
    const groups = new Map();
    const others = [];
    for (const branch of branches) {
      const values = branch.isChanged ? null : tagValues(resolved(branch), tag);
      if (values === null) others.push(branch);
      else for (const value of values) groups.set(value, [...(groups.get(value) ?? []), change(branch)]);
    }
    if (groups.size < 2) return branches;
    const schema = {
      type: "object",
      required: [tag],
      properties: { [tag]: { enum: [...groups.keys()] } },
      allOf: [...groups].map(([value, found]) => ({
        if: { properties: { [tag]: { const: value } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: found.length === 1 ? found[0] : { anyOf: found },
      })),
    };
    return [...others, { isChanged: true, schema }];
  };
  return change(whole);
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

function tagValues({ properties, required }, tag) {
  const property = properties?.[tag];
  if (property === undefined || !required?.includes(tag)) return null;
  return property.const !== undefined ? [property.const] : (property.enum ?? null);
}
