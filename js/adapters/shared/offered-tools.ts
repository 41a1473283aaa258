import { isPlainObject } from "../../formats/data.ts";
import { readMember } from "../../model/error-chain.ts";
import { jsonSchemaOf } from "../../signature/json-schema.ts";

/**
 * A tool as offered to a model.
 *
 * @internal
 */
export interface OfferedTool {
  name: string;
  description?: string;
  schema: object;
}

/** The names under which frameworks and providers have the schema of a tool's input. */
const SCHEMA_MEMBERS = ["inputSchema", "schema", "parameters", "input_schema"];

/**
 * Returns the tools that a framework offers to a model, given as a list or an object by names: they count in limits,
 * and are sent with a request for a summary behind the conversation. A schema that can't be read is replaced by one
 * that allows any object. Tools of the provider, whose definitions are not public, are omitted.
 *
 * @returns undefined when there are none.
 *
 * @internal
 */
export function offeredTools(tools: unknown): OfferedTool[] | undefined {
  const named: [string | undefined, unknown][] = Array.isArray(tools)
    ? tools.map((tool) => [undefined, tool])
    : Object.entries(Object(tools) as Record<string, unknown>);
  const offered = named.flatMap(([key, tool]) => offeredTool(key, tool));
  return offered.length === 0 ? undefined : offered;
}

function offeredTool(key: string | undefined, given: unknown): OfferedTool[] {
  if (typeof given !== "object" || given === null) return [];
  const type = readMember(given, "type");
  if (type !== undefined && type !== "function" && type !== "dynamic" && type !== "custom") return [];
  // A tool in the format of OpenAI's chat completions.
  const inner = readMember(given, "function");
  const tool = type === "function" && isPlainObject(inner) ? inner : given;
  const name = key ?? readMember(tool, "name") ?? readMember(tool, "id");
  const description = readMember(tool, "description");
  const schema = SCHEMA_MEMBERS.map((each) => schemaOf(resolveSchema(readMember(tool, each)))).find(
    (found) => found !== undefined,
  );
  return [
    {
      name: typeof name === "string" ? name : "tool",
      ...(typeof description === "string" ? { description } : {}),
      schema: schema ?? { type: "object" },
    },
  ];
}

/** Calls a function that makes the schema when it is needed. */
function resolveSchema(given: unknown): unknown {
  if (typeof given !== "function" || "~standard" in given || "toJsonSchema" in given) return given;
  try {
    return given();
  } catch {
    // The schema has to be loaded first.
    return undefined;
  }
}

/**
 * Returns the JSON Schema that a schema is or makes; undefined when there is none.
 *
 * @internal
 */
export function schemaOf(given: unknown): object | undefined {
  try {
    const schema = jsonSchemaOf(given);
    return isPlainObject(schema) ? (JSON.parse(JSON.stringify(schema)) as object) : undefined;
  } catch {
    // The schema can't be written as JSON.
    return undefined;
  }
}
