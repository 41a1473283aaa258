import { isBag } from "../../formats/data.ts";
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

/**
 * The tools of a call, which count in limits: those of a model's request, or an object of tools by their names. Tools of the
 * provider, whose definitions it does not tell, are left out.
 *
 * @internal
 */
export function offeredTools(tools: unknown): OfferedTool[] {
  const named = Array.isArray(tools) ? tools.map((tool) => [Object(tool).name, tool]) : Object.entries(Object(tools));
  return named.flatMap(([name, tool]) => {
    if (typeof tool !== "object" || tool === null) return [];
    const { type, description, inputSchema } = tool as Record<string, unknown>;
    if (type !== undefined && type !== "function" && type !== "dynamic") return [];
    const schema = schemaOf(inputSchema);
    return [{ name: String(name), ...(typeof description === "string" ? { description } : {}), schema }];
  });
}

/** JSON Schema; an empty one where the schema has to be loaded or can produce none. */
function schemaOf(given: unknown): object {
  try {
    const made = typeof given === "function" && !("~standard" in given) ? given() : given;
    const schema = jsonSchemaOf(made);
    return isBag(schema) ? schema : { type: "object" };
  } catch {
    return { type: "object" };
  }
}
