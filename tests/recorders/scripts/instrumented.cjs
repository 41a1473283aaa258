// node -r ./instrumented.cjs clients.cjs: OpenTelemetry with the instrumentations of PACKAGES, which writes spans and events as OTLP in
// traces.jsonl, and spans as the console exporter prints them in console.txt.

const { appendFileSync } = require("node:fs");
const { inspect } = require("node:util");
const { registerInstrumentations } = require("@opentelemetry/instrumentation");
const { JsonLogsSerializer, JsonTraceSerializer } = require("@opentelemetry/otlp-transformer");
const { ConsoleSpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-node");
const { LoggerProvider, SimpleLogRecordProcessor } = require("@opentelemetry/sdk-logs");
const { logs } = require("@opentelemetry/api-logs");

const toFile = (serializer) => ({
  export(records, done) {
    appendFileSync("traces.jsonl", `${new TextDecoder().decode(serializer.serializeRequest(records))}\n`);
    done({ code: 0 });
  },
  forceFlush: async () => {},
  shutdown: async () => {},
});

class ToText extends ConsoleSpanExporter {
  export(spans, done) {
    const { dir } = console;
    console.dir = (shown, options) => appendFileSync("console.txt", `${inspect(shown, { ...options, colors: false })}\n`);
    super.export(spans, done);
    console.dir = dir;
  }
}

const spanProcessors = [toFile(JsonTraceSerializer), new ToText()].map((exporter) => new SimpleSpanProcessor(exporter));
const tracing = new NodeTracerProvider({ spanProcessors });
tracing.register();
const exporter = toFile(JsonLogsSerializer);
let processor;
try {
  processor = new SimpleLogRecordProcessor({ exporter });
} catch {
  processor = new SimpleLogRecordProcessor(exporter);
}
const logging = new LoggerProvider({ processors: [processor] });
logs.setGlobalLoggerProvider(logging);

const instrumentations = process.env.PACKAGES.split(",").filter(Boolean).map((name) => {
  const [, Instrumentation] = Object.entries(require(name)).find(([made]) => /^(OpenAI|Anthropic)Instrumentation$/.test(made));
  return new Instrumentation({ captureMessageContent: true, traceContent: true });
});
registerInstrumentations({ instrumentations });

globalThis.flushed = async () => {
  await tracing.forceFlush();
  await logging.forceFlush();
};
