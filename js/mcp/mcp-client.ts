import { messageOf } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";

/**
 * A connected client of an MCP server: `Client` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/client`
 * 2.x, or any object with their `listTools` and `callTool`. The other members are used if they are present.
 */
export interface MCPClient {
  // biome-ignore lint/suspicious/noExplicitAny: the versions of the SDK differ in what follows the parameters.
  listTools(params?: { cursor?: string }, ...rest: any[]): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...rest: any[]): Promise<unknown>;
  getServerCapabilities?(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: 1.x takes a schema of the notification, 2.x its method.
  setNotificationHandler?(method: any, handler: any): void;
  /** The transport, whose messages are observed. */
  readonly transport?: unknown;
}

/** A tool as an MCP server describes it. */
export interface MCPTool {
  /** The name on the server. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of the structured result. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Hints of the server about the tool, which may be wrong. */
  readonly annotations?:
    | {
        readonly title?: string | undefined;
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
        readonly openWorldHint?: boolean | undefined;
      }
    | undefined;
}

const MAX_PAGES = 1000;
const MAX_TOOLS = 10_000;

/**
 * Returns the client if it has the methods of a client.
 *
 * @throws {TurnfoldError} `invalid_argument`
 */
export function checkClient(client: unknown): MCPClient {
  const { listTools, callTool } = Object(client) as Partial<MCPClient>;
  if (typeof listTools === "function" && typeof callTool === "function") return client as MCPClient;
  throw new TurnfoldError(
    "invalid_argument",
    `mcpTools() takes a client of an MCP server, with listTools and callTool, got ${describe(client)}`,
    { hint: "const client = new Client({ name, version }); await client.connect(transport); await mcpTools(client)" },
  );
}

/**
 * Returns the capability `tools` of the server; undefined when it has none, null when the client does not report
 * capabilities.
 */
function toolsCapability(client: MCPClient): { listChanged?: unknown } | undefined | null {
  const capabilities: unknown = client.getServerCapabilities?.();
  if (typeof capabilities !== "object" || capabilities === null) return null;
  const { tools } = capabilities as { tools?: unknown };
  return tools === undefined || tools === null ? undefined : Object(tools);
}

/** True unless the server's capabilities exclude announcements of changes. */
export function announcesChanges(client: MCPClient): boolean {
  const tools = toolsCapability(client);
  return tools === null || tools?.listChanged === true;
}

/**
 * Reads all tools of the server that can be called, page by page; none when it has no tools. Tools that must run as
 * tasks can't be called by `callTool` and are omitted; of two tools with one name, the first is used.
 *
 * @throws {TurnfoldError} `mcp_error`
 */
export async function listAllTools(client: MCPClient): Promise<MCPTool[]> {
  if (toolsCapability(client) === undefined) return [];
  const tools = new Map<string, MCPTool>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let count = 0;
  do {
    const page = readPage(await requestPage(client, cursor));
    count += page.tools.length;
    if (count > MAX_TOOLS) throw unreadableList(`has more than ${MAX_TOOLS} tools`);
    for (const given of page.tools) {
      const tool = readTool(given);
      if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
    }
    cursor = page.nextCursor;
    if (cursor !== undefined) {
      if (cursors.has(cursor)) throw unreadableList(`never ends: the cursor ${describe(cursor)} came twice`);
      if (cursors.size >= MAX_PAGES) throw unreadableList(`has more than ${MAX_PAGES} pages`);
      cursors.add(cursor);
    }
  } while (cursor !== undefined);
  return [...tools.values()];
}

async function requestPage(client: MCPClient, cursor: string | undefined): Promise<unknown> {
  try {
    return await (cursor === undefined ? client.listTools() : client.listTools({ cursor }));
  } catch (error) {
    throw new TurnfoldError("mcp_error", `the tools of the MCP server can't be listed: ${messageOf(error)}`, {
      hint: "the client must be connected: await client.connect(transport)",
      cause: error,
    });
  }
}

function readPage(page: unknown): { tools: unknown[]; nextCursor: string | undefined } {
  if (typeof page !== "object" || page === null || Array.isArray(page)) throw unreadableList(`is ${describe(page)}`);
  const { tools, nextCursor = null } = page as { tools?: unknown; nextCursor?: unknown };
  if (!Array.isArray(tools)) throw unreadableList(`has ${describe(tools)} as its tools`);
  if (nextCursor !== null && typeof nextCursor !== "string")
    throw unreadableList(`has ${describe(nextCursor)} as its next cursor`);
  return { tools, nextCursor: nextCursor === null || nextCursor === "" ? undefined : nextCursor };
}

/** Copies and checks a tool of the list; undefined for one that must run as a task. */
function readTool(tool: unknown): MCPTool | undefined {
  if (typeof tool !== "object" || tool === null) throw unreadableList(`has ${describe(tool)} as a tool`);
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = tool as {
    [member in keyof MCPTool | "execution"]?: unknown;
  };
  if (typeof name !== "string" || name === "") throw unreadableList(`has a tool with ${describe(name)} as its name`);
  if (Object(execution).taskSupport === "required") return undefined;
  return {
    name,
    title: textOrUndefined(title),
    description: textOrUndefined(description),
    inputSchema: jsonObject(inputSchema) ?? { type: "object" },
    outputSchema: jsonObject(outputSchema),
    annotations: jsonObject(annotations),
  };
}

function textOrUndefined(given: unknown): string | undefined {
  return typeof given === "string" ? given : undefined;
}

/** Copies an object as JSON; undefined for a value that is not an object or can't be written as JSON. */
function jsonObject(given: unknown): Record<string, unknown> | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  try {
    return JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function unreadableList(problem: string): TurnfoldError {
  return new TurnfoldError("mcp_error", `the list of tools of the MCP server ${problem}`);
}

/** Options of a request, for both versions of the SDK. */
export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
}

/**
 * Calls a tool and returns the result of the client.
 *
 * @throws {TurnfoldError} `mcp_error` for any error of the client: of the protocol, a closed connection, a timeout.
 */
export async function requestCall(
  client: MCPClient,
  name: string,
  args: Record<string, unknown>,
  options: RequestOptions,
): Promise<unknown> {
  const params = { name, arguments: args };
  try {
    return await (takesOptionsSecond(client)
      ? client.callTool(params, options)
      : client.callTool(params, undefined, options));
  } catch (error) {
    throw new TurnfoldError("mcp_error", messageOf(error), { details: { tool: name }, cause: error });
  }
}

/**
 * True when the options are the second parameter. In 1.x a schema of the result with a default is between the
 * parameters and the options.
 */
function takesOptionsSecond(client: MCPClient): boolean {
  return client.callTool.length === 2 || "getProtocolEra" in client;
}
