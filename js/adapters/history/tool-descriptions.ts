import { isBag } from "../../formats/data.ts";
import { member } from "../../model/error-chain.ts";
import { jsonSchemaOf } from "../../signature/json-schema.ts";

/**
 * What models are told of a framework's tools, so that it counts in limits. Schemas that can't be read are left out.
 *
 * @param schemas the names under which tools have their schemas.
 */
export function describeTools(tools: unknown, schemas: readonly string[]): object[] | undefined {
  const named: [string | undefined, unknown][] = Array.isArray(tools)
    ? tools.map((tool) => [undefined, tool])
    : Object.entries(Object(tools) as Record<string, unknown>);
  if (named.length === 0) return undefined;
  return named.map(([key, tool]) => {
    // A tool in the words of a provider.
    if (isBag(tool) && key === undefined && tool.execute === undefined && tool.schema === undefined) return tool;
    const own = member(tool, "name") ?? member(tool, "id");
    const description = member(tool, "description");
    const schema = schemas.map((name) => schemaOf(member(tool, name))).find((found) => found !== undefined);
    return {
      name: key ?? (typeof own === "string" ? own : "tool"),
      ...(typeof description === "string" ? { description } : {}),
      ...(schema === undefined ? {} : { parameters: schema }),
    };
  });
}

/** The JSON Schema that a schema is or makes; undefined when there is none. */
export function schemaOf(given: unknown): unknown {
  try {
    const schema = jsonSchemaOf(given);
    return isBag(schema) ? (JSON.parse(JSON.stringify(schema)) as unknown) : undefined;
  } catch {
    // The schema has no form in JSON.
    return undefined;
  }
}
