// node -r ./platform.cjs clients.cjs: the chat with a client that PLATFORM wraps (`langsmith`, `langfuse` or `braintrust`). What it sends is
// written to records.json as the API of the platform gives it back: a record for each run, of all that was sent of it.

const { writeFileSync } = require("node:fs");
const { createServer } = require("node:http");

const records = new Map();
const merge = (one, other) => {
  const merged = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const isBoth = [merged[name], value].every((each) => typeof each === "object" && each && !Array.isArray(each));
    if (value !== undefined && value !== null) merged[name] = isBoth ? merge(merged[name], value) : value;
  }
  return merged;
};
const add = (id, record) => records.set(id, merge(records.get(id) ?? {}, record));

/** Serves a platform: `answer` has the body of each request, and returns that of the response. */
async function served(answer) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = text === "" ? {} : JSON.parse(text);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer(request.url, body, request.method) ?? {}));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return [`http://127.0.0.1:${server.address().port}`, () => server.close().closeAllConnections()];
}

const ready = {
  async langsmith() {
    const { Client } = require("langsmith");
    const { traceable } = require("langsmith/traceable");
    const [apiUrl, close] = await served((url, body, method) => {
      if (method === "GET" || !url.startsWith("/runs")) return;
      add(body.id ?? url.split("/").at(-1), body);
    });
    const client = new Client({ apiUrl, apiKey: "nobody", autoBatchTracing: false });
    const options = { client, tracingEnabled: true };
    return {
      wrap: (given) =>
        given.messages
          ? require("langsmith/wrappers/anthropic").wrapAnthropic(given, options)
          : require("langsmith/wrappers").wrapOpenAI(given, options),
      traced: (run) => traceable(run, { name: "orders", ...options })(),
      flush: () => client.awaitPendingTraceBatches(),
      close,
    };
  },
  async langfuse() {
    const { NodeTracerProvider } = require("@opentelemetry/sdk-trace-node");
    const { LangfuseSpanProcessor } = require("@langfuse/otel");
    const { startActiveObservation } = require("@langfuse/tracing");
    const data = (given) => {
      try {
        return JSON.parse(given);
      } catch {
        return given;
      }
    };
    const time = ([seconds, nanos]) => new Date(seconds * 1000 + nanos / 1e6).toISOString();
    // What the platform makes of a span, by the types of its API.
    const exporter = {
      export(spans, done) {
        for (const span of spans) {
          const { name, attributes, startTime, endTime, parentSpanContext } = span;
          const { traceId, spanId: id } = span.spanContext();
          const at = (member) => data(attributes[`langfuse.observation.${member}`]);
          add(id, {
            id,
            traceId,
            name,
            type: String(at("type") ?? "span").toUpperCase(),
            startTime: time(startTime),
            endTime: time(endTime),
            parentObservationId: parentSpanContext?.spanId,
            input: at("input"),
            output: at("output"),
            model: at("model.name"),
            usageDetails: at("usage_details"),
          });
        }
        done({ code: 0 });
      },
      shutdown: async () => {},
      forceFlush: async () => {},
    };
    const processor = new LangfuseSpanProcessor({ exporter, publicKey: "pk", secretKey: "sk", exportMode: "immediate" });
    new NodeTracerProvider({ spanProcessors: [processor] }).register();
    return {
      wrap: (given) => require("@langfuse/openai").observeOpenAI(given),
      traced: (run) => startActiveObservation("orders", run),
      flush: () => processor.forceFlush(),
      close: () => {},
    };
  },
  async braintrust() {
    const braintrust = require("braintrust");
    const [url, close] = await served((path, { rows }) => {
      if (path.endsWith("/login")) return { org_info: [{ id: "org", name: "org", api_url: url, proxy_url: url }] };
      if (path.includes("/register")) return { project: { id: "project", name: "orders" } };
      for (const { _is_merge: isMerge, ...row } of rows ?? []) add(row.id, row);
      return [];
    });
    const logger = braintrust.initLogger({ projectName: "orders", apiKey: "nobody", appUrl: url });
    return {
      wrap: (given) => (given.messages ? braintrust.wrapAnthropic(given) : braintrust.wrapOpenAI(given)),
      traced: (run) => braintrust.traced(run, { name: "orders" }),
      flush: () => logger.flush(),
      close,
    };
  },
};

const platform = ready[process.env.PLATFORM]();
let known;
globalThis.wrapClient = (client) => known.wrap(client);
globalThis.traced = async (run) => {
  known = await platform;
  await known.traced(run);
};
globalThis.flushed = async () => {
  // What ends a run is sent when its reply was read.
  await new Promise((later) => setTimeout(later, 500));
  await known.flush();
  known.close();
  writeFileSync("records.json", JSON.stringify([...records.values()], null, 1));
};
