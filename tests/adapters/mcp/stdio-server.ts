import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { lampServer } from "./server.js";

await lampServer().connect(new StdioServerTransport());
