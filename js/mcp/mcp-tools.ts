import { messageOf, withDeadline } from "../boundary/host.ts";
import { countOption, invalidOption, readOptions } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { toolShape } from "../signature/json-schema.ts";
import { checkPolicy } from "../tools/approval.ts";
import { type ForeignTool, refreshKey } from "../tools/tool.ts";
import { printable } from "../values/printable.ts";
import { type ListChanges, listChanges } from "./list-changes.ts";
import { checkClient, listAllTools, type MCPClient, type MCPTool, requestCall } from "./mcp-client.ts";
import { argumentsSchema } from "./tool-arguments.ts";
import { ToolNames } from "./tool-names.ts";
import { resultValue } from "./tool-result.ts";

/** Options of {@link mcpTools}. */
export interface MCPToolsOptions {
  /**
   * The tools to include: their names on the server, or a function that returns true for each of them and is called
   * again when the list changes. Default all.
   */
  include?: readonly string[] | ((tool: MCPTool) => boolean) | undefined;
  /**
   * Distinguishes the tools of several servers: with `github`, the tool `search` is named `github_search`. Letters, digits, `_` and
   * `-`, at most 32; no `_` is added after a prefix that ends with `_` or `-`.
   */
  prefix?: string | undefined;
  /**
   * Whether a call of a tool needs an approval: for all of them, or decided by the tool, with its annotations, and the arguments of the
   * call. Default false.
   */
  needsApproval?: boolean | ((tool: MCPTool, args: Record<string, unknown>) => boolean | Promise<boolean>) | undefined;
  /** Maximum time of a call in milliseconds, for the client to enforce. Default: that of the client. */
  timeout?: number | undefined;
}

/**
 * Reads the tools of an MCP server, by name, for {@link SubAgent}, {@link Agent} and any other function with tools.
 *
 * Names have letters, digits, `_` and `-`; each run of other characters in a tool's name on the server becomes a `-`,
 * and a name that is already used gets a number: `-2`. Arguments are checked by the tool's schema before the server is
 * called. The result of a call is the structured content, or otherwise the content: a text, or the data of a text that
 * is a JSON object or array; the address, type and size of images, sounds and files; a list when there are several.
 * After an error of the server or of the connection the call fails.
 *
 * The object follows the server: when the server announces that its list changed, an agent with this object as its
 * tools reads the list at the start of its next run, for at most 10 seconds. A copy, such as `{ ...tools }`, does not change.
 *
 * @param client a connected client: `Client` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`.
 * @throws {TurnfoldError} `invalid_argument`, `invalid_option`; `mcp_error` when the tools can't be listed.
 * @example
 * ```ts
 * // `github` is a connected client: new Client({ name, version }), await github.connect(transport)
 * const tools = await mcpTools(github, { include: ["list_commits", "get_commit"], prefix: "github" });
 * const agent = new SubAgent({ mission: "Find out what changed since the last release", tools, llm });
 * ```
 */
export async function mcpTools(client: MCPClient, options: MCPToolsOptions = {}): Promise<Record<string, ForeignTool>> {
  const connected = wrapReadErrors("invalid_argument", "the client of mcpTools()", () => checkClient(client));
  const { include, ...others } = readOptions("the options of mcpTools()", options, {
    include: checkInclude,
    prefix: checkPrefix,
    needsApproval: checkPolicy as (policy: unknown) => MCPToolsOptions["needsApproval"],
    timeout: countOption(undefined, 1),
  });
  const list = new ToolList(connected, { ...include, ...others });
  await list.load();
  return list.tools;
}

interface CheckedMCPOptions {
  includes: (tool: MCPTool) => boolean;
  /** The names of tools that the server must have. */
  required: readonly string[];
  prefix: string;
  needsApproval: MCPToolsOptions["needsApproval"];
  timeout: number | undefined;
}

function checkInclude(include: unknown): Pick<CheckedMCPOptions, "includes" | "required"> {
  if (include === undefined) return { includes: () => true, required: [] };
  if (typeof include === "function")
    return { includes: checkedPredicate(include as (tool: MCPTool) => unknown), required: [] };
  if (!Array.isArray(include) || !include.every((name) => typeof name === "string")) {
    throw invalidOption("include", "a list of names or a function", include, 'include: ["search", "read_file"]');
  }
  const names = new Set<string>(include);
  return { includes: ({ name }) => names.has(name), required: [...names] };
}

/** Checks that `include` returns a boolean: a promise would be true for every tool. */
function checkedPredicate(include: (tool: MCPTool) => unknown): (tool: MCPTool) => boolean {
  return (tool) => {
    const answer = wrapReadErrors("invalid_option", `include, called for ${JSON.stringify(tool.name)},`, () =>
      include(tool),
    );
    if (typeof answer === "boolean") return answer;
    throw invalidOption("include", "a function that returns true or false", answer);
  };
}

function checkPrefix(prefix: unknown): string {
  if (prefix === undefined) return "";
  if (typeof prefix !== "string" || !/^[\w-]{1,32}$/.test(prefix)) {
    throw invalidOption("prefix", "1 to 32 letters, digits, _ and -", prefix, 'prefix: "github"');
  }
  return /[_-]$/.test(prefix) ? prefix : `${prefix}_`;
}

/** A tool of the object, and the JSON of the server's tool from which it was made. */
interface ServerTool {
  readonly tool: ForeignTool;
  readonly source: string;
}

/** Milliseconds after which an agent starts with the tools that it knows. */
const REFRESH_DEADLINE = 10_000;

/** The tools of a server, and the object that follows their list. */
class ToolList {
  readonly tools: Record<string, ForeignTool> = {};
  private readonly client: MCPClient;
  private readonly options: CheckedMCPOptions;
  private readonly names: ToolNames;
  private readonly serverTools = new Map<string, ServerTool>();
  /** Names whose tools the host has removed or replaced; they are not set again. */
  private readonly namesOfHost = new Set<string>();
  /** The counter of changes, and its count, when the list was last read. */
  private lastRead: { changes: ListChanges | null; count: number } = { changes: null, count: 0 };
  private refreshing: Promise<void> | null = null;

  constructor(client: MCPClient, options: CheckedMCPOptions) {
    this.client = client;
    this.options = options;
    this.names = new ToolNames(options.prefix);
    Object.defineProperty(this.tools, refreshKey, { value: () => this.refresh() });
  }

  /**
   * Reads the list for the first time.
   *
   * @throws {TurnfoldError} `mcp_error`, `invalid_option`
   */
  async load(): Promise<void> {
    const known = await this.read();
    const missing = this.options.required.filter((name) => !known.includes(name));
    if (missing.length === 0) return;
    throw new TurnfoldError(
      "invalid_option",
      `include names ${quotedNames(missing)}, which the server does not offer`,
      {
        details: { option: "include", missing, known },
        hint: `its tools are ${quotedNames(known)}`,
      },
    );
  }

  /**
   * Reads the list if it may have changed. After a failure, and when the server does not answer in time, the object is
   * not changed, and the list is read again the next time.
   */
  private refresh(): Promise<void> {
    this.refreshing ??= withDeadline(
      this.readIfChanged(),
      REFRESH_DEADLINE,
      () => new Error("the server does not answer"),
    )
      .catch(() => {})
      .finally(() => {
        this.refreshing = null;
      });
    return this.refreshing;
  }

  private async readIfChanged(): Promise<void> {
    const changes = listChanges(this.client);
    if (changes !== null && (changes !== this.lastRead.changes || changes.count !== this.lastRead.count))
      await this.read();
  }

  /** Reads the list and brings the object up to date. Returns the names of all tools of the server. */
  private async read(): Promise<string[]> {
    try {
      // Changes that are announced from here on may be missing from the answer.
      const changes = listChanges(this.client);
      const count = changes?.count ?? 0;
      const listed = await listAllTools(this.client);
      this.update(listed.filter(this.options.includes));
      this.lastRead = { changes, count };
      return listed.map(({ name }) => name);
    } catch (error) {
      if (TurnfoldError.isInstance(error)) throw error;
      throw new TurnfoldError("mcp_error", `the client of the MCP server failed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  private update(listed: readonly MCPTool[]): void {
    this.names.assign(listed.map(({ name }) => name));
    const named = new Map(listed.map((tool) => [this.names.of(tool.name), tool]));
    for (const [name, { tool }] of this.serverTools) {
      if (this.tools[name] !== tool) this.namesOfHost.add(name);
      else if (named.has(name)) continue;
      else delete this.tools[name];
      this.serverTools.delete(name);
    }
    for (const [name, described] of named) {
      const source = JSON.stringify(described);
      const own = this.serverTools.get(name);
      const isHosts = this.namesOfHost.has(name) || (own === undefined && Object.hasOwn(this.tools, name));
      if (isHosts || own?.source === source) continue;
      const tool = toolOf(this.client, name, described, this.options);
      this.tools[name] = tool;
      this.serverTools.set(name, { tool, source });
    }
  }
}

function toolOf(
  client: MCPClient,
  name: string,
  described: MCPTool,
  { needsApproval, timeout }: CheckedMCPOptions,
): ForeignTool {
  const inputSchema = argumentsSchema(described.inputSchema);
  const description = descriptionOf(name, described);
  return {
    ...(description === "" ? {} : { description }),
    inputSchema,
    ...(described.outputSchema === undefined ? {} : { outputSchema: described.outputSchema }),
    needsApproval:
      typeof needsApproval === "function"
        ? (args: Record<string, unknown>) => needsApproval(described, args)
        : needsApproval,
    async execute(args: Record<string, unknown>, ...rest: unknown[]) {
      const { signal } = Object(rest.at(-1)) as { signal?: AbortSignal };
      const options = { ...(signal === undefined ? {} : { signal }), ...(timeout === undefined ? {} : { timeout }) };
      return resultValue(name, await requestCall(client, described.name, args, options));
    },
  };
}

/** Returns the description of a tool for the model, in addition to its signature. */
function descriptionOf(
  name: string,
  { name: original, title, description, inputSchema, annotations }: MCPTool,
): string {
  const isNamed = name.endsWith(original);
  const text = description || title || annotations?.title || (isNamed ? "" : original);
  const keys = Object.keys(Object(inputSchema.properties) as object);
  const isUnlisted = keys.length > 0 && toolShape(inputSchema) === undefined;
  const hints = [
    isUnlisted ? `Takes a map with the keys ${quotedNames(keys)}` : "",
    annotations?.readOnlyHint === true ? "read-only" : "",
    annotations?.readOnlyHint !== true && annotations?.destructiveHint === true ? "destructive" : "",
  ].filter((hint) => hint !== "");
  const parts = [text, hints.length === 0 ? "" : `(${hints.join("; ")})`];
  return parts
    .map((part) => printable(part).trim())
    .filter((part) => part !== "")
    .join(" ");
}

const MAX_LISTED = 50;

function quotedNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => JSON.stringify(name));
  return shown.join(", ") + (names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "");
}
