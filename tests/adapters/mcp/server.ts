// A server of lamps, with a tool for each kind of result.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const lamps = [
  { id: 1, name: "Desk lamp", price: 42.75 },
  { id: 2, name: "Floor lamp", price: 120 },
  { id: 3, name: "Night light", price: 9.5 },
];

export function lampServer(): McpServer {
  const server = new McpServer({ name: "lamps", version: "1.0.0" });
  let aborted = 0;
  server.registerTool(
    "search",
    {
      title: "Search",
      description: "Lamps whose names contain the query",
      inputSchema: { query: z.string().min(2), limit: z.number().int().optional() },
      outputSchema: { hits: z.array(z.object({ id: z.number().int(), name: z.string(), price: z.number() })) },
      annotations: { readOnlyHint: true },
    },
    ({ query, limit }) => {
      const hits = lamps.filter(({ name }) => name.includes(query)).slice(0, limit);
      return { structuredContent: { hits }, content: [{ type: "text", text: JSON.stringify({ hits }) }] };
    },
  );
  server.registerTool("stock.of", { inputSchema: { id: z.number().int() } }, ({ id }) => {
    const lamp = lamps.find((each) => each.id === id);
    if (lamp === undefined) throw new Error(`there is no lamp ${id}`);
    return { content: [{ type: "text", text: JSON.stringify([{ id, stock: 3 }]) }] };
  });
  server.registerTool("photo", { inputSchema: { id: z.number().int() } }, ({ id }) => ({
    content: [
      { type: "text", text: `Lamp ${id}` },
      { type: "image", data: Buffer.alloc(1000).toString("base64"), mimeType: "image/png" },
      { type: "resource_link", uri: `lamps://${id}`, name: `lamp ${id}`, size: 12 },
    ],
  }));
  server.registerTool(
    "wait",
    { description: "Waits until the call is aborted" },
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted++;
          resolve({ content: [] });
        });
      }),
  );
  server.registerTool("aborted", {}, () => ({ content: [{ type: "text", text: `${aborted} calls` }] }));
  server.registerTool("restock", { description: "Adds the tool order" }, () => {
    server.registerTool("order", { inputSchema: { id: z.number().int() } }, ({ id }) => ({
      content: [{ type: "text", text: `ordered ${id}` }],
    }));
    return { content: [] };
  });
  return server;
}
