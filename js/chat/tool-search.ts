import { estimate } from "../tokens/tokens.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import type { ChatMessage } from "./chat-message.ts";
import type { ChatTools, RequestTool } from "./chat-tools.ts";

/**
 * The name of the tool that finds tools.
 *
 * @internal
 */
export const SEARCH_TOOL_NAME = "tool_search";

/** Maximum number of tools that a search returns. */
const MAX_FOUND = 5;

/** Maximum characters of the names in the description. */
const MAX_NAMES = 1000;

/**
 * The tools of a chat that are offered within a budget.
 *
 * @internal
 */
export interface ToolSearch {
  /** The tool that finds the others; null when all fit. */
  readonly tool: ToolDefinition | null;
  /** The tools that do not fit, by their names. */
  readonly others: ReadonlyMap<string, RequestTool>;
}

/**
 * Returns the tools that do not fit into a budget of tokens, and the tool that finds them. The first ones fit: the
 * tools of a conversation are the same in each request.
 *
 * @internal
 */
export function toolSearch(tools: ChatTools, budget: number): ToolSearch {
  let left = budget;
  const others = new Map<string, RequestTool>();
  for (const [name, { offered }] of tools) {
    if (left >= 0) left -= estimate.count(JSON.stringify(offered));
    if (left < 0) others.set(name, offered);
  }
  return { tool: others.size === 0 ? null : searchTool(others), others };
}

function searchTool(others: ReadonlyMap<string, RequestTool>): ToolDefinition {
  const names = [...others.keys()].join(", ");
  const listed = names.length <= MAX_NAMES ? names : `${names.slice(0, names.lastIndexOf(",", MAX_NAMES))}, …`;
  return {
    signature: "(query :string) -> {tools [{name :string, description :string?}]}",
    description: `Finds tools by words of their names and descriptions; those that it returns can be called afterwards. There are ${others.size} more tools: ${listed}`,
    run: ({ query }: { query: string }) => ({
      tools: bestOf([...others.values()], query).map(({ name, description }) => ({ name, description })),
    }),
  };
}

/** The tools that a query is about, the best first: a word of it counts more in a name than in a description. */
function bestOf(tools: readonly RequestTool[], query: string): RequestTool[] {
  const words = query.toLowerCase().match(/[^\s\-_/.,]+/g) ?? [];
  const relevance = ({ name, description = "" }: RequestTool): number => {
    const [inName, inDescription] = [name.toLowerCase(), description.toLowerCase()];
    const points = words.map((word) => {
      // A name may have the singular of a word.
      const stem = word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
      return inName.includes(stem) ? 3 : Number(inDescription.includes(stem));
    });
    return points.reduce((sum, point) => sum + point, 0);
  };
  const found = tools.map((tool) => ({ tool, relevance: relevance(tool) })).filter((each) => each.relevance > 0);
  found.sort((one, other) => other.relevance - one.relevance);
  return found.slice(0, MAX_FOUND).map(({ tool }) => tool);
}

/**
 * Returns the names of the tools that searches among these results have found.
 *
 * @internal
 */
export function toolsFoundIn(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(({ toolName, content }) => {
    if (toolName !== SEARCH_TOOL_NAME || typeof content !== "string") return [];
    try {
      const { tools } = Object(JSON.parse(content)) as { tools?: unknown };
      return (Array.isArray(tools) ? tools : []).map((tool) => String(Object(tool).name));
    } catch {
      // An error, or the text of a refusal.
      return [];
    }
  });
}

/**
 * Returns the names of found tools in a checkpoint.
 *
 * @internal
 */
export function checkFoundTools(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}
