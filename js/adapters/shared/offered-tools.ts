import { isBag } from "../../formats/data.ts";
import { member } from "../../model/error-chain.ts";
import { jsonSchemaOf } from "../../signature/json-schema.ts";

/**
 * A tool as a model is offered it.
 *
 * @internal
 */
export interface OfferedTool {
  name: string;
  description?: string;
  schema: object;
}

/** The names under which frameworks and providers have the schema of a tool's input. */
const SCHEMAS = ["inputSchema", "schema", "parameters", "input_schema"];

/**
 * The tools that a framework offers a model, a list or an object by names: they count in limits, and go with a request for a
 * summary behind the conversation. A schema that can't be read allows everything. Tools of the provider, whose definitions it
 * does not tell, are left out.
 *
 * @returns undefined when there is none.
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
  const type = member(given, "type");
  if (type !== undefined && type !== "function" && type !== "dynamic" && type !== "custom") return [];
  // In the words of OpenAI's chats.
  const inner = member(given, "function");
  const tool = type === "function" && isBag(inner) ? inner : given;
  const name = key ?? member(tool, "name") ?? member(tool, "id");
  const description = member(tool, "description");
  const schema = SCHEMAS.map((each) => schemaOf(made(member(tool, each)))).find((found) => found !== undefined);
  return [
    {
      name: typeof name === "string" ? name : "tool",
      ...(typeof description === "string" ? { description } : {}),
      schema: schema ?? { type: "object" },
    },
  ];
}

/** What a function makes that gives the schema when it is needed. */
function made(given: unknown): unknown {
  if (typeof given !== "function" || "~standard" in given || "toJsonSchema" in given) return given;
  try {
    return given();
  } catch {
    // It has to be loaded.
    return undefined;
  }
}

/**
 * The JSON Schema that a schema is or makes; undefined when there is none.
 *
 * @internal
 */
export function schemaOf(given: unknown): object | undefined {
  try {
    const schema = jsonSchemaOf(given);
    return isBag(schema) ? (JSON.parse(JSON.stringify(schema)) as object) : undefined;
  } catch {
    // The schema has no form in JSON.
    return undefined;
  }
}
