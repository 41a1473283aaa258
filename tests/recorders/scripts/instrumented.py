"""python instrumented.py INSTRUMENTATION API ORIGIN [stream]: the chat of clients.py, with OpenTelemetry.

Spans and events are written as OTLP in traces.jsonl, as a collector's file exporter does, and spans in spans.jsonl as the SDK prints them.
"""

import base64
import importlib
import json
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult

import clients


def with_hex_ids(given):
    """OTLP has ids as hexadecimal digits, where JSON of other messages has base64."""
    if isinstance(given, list):
        return [with_hex_ids(one) for one in given]
    if not isinstance(given, dict):
        return given
    ids = {"traceId", "spanId", "parentSpanId"}
    return {
        name: base64.b64decode(value).hex() if name in ids and isinstance(value, str) else with_hex_ids(value)
        for name, value in given.items()
    }


class ToFile:
    def __init__(self, encode, success):
        self.encode, self.success = encode, success

    def export(self, records):
        message = MessageToDict(self.encode(records), use_integers_for_enums=True)
        with open("traces.jsonl", "a") as file:
            file.write(json.dumps(with_hex_ids(message), ensure_ascii=False) + "\n")
        if self.encode is encode_spans:
            with open("spans.jsonl", "a") as file:
                file.writelines(span.to_json(indent=None) + "\n" for span in records)
        return self.success

    def shutdown(self):
        pass

    def force_flush(self, timeout_millis=0):
        return True


def main(instrumentation, api, origin, mode=None):
    spans = SimpleSpanProcessor(ToFile(encode_spans, SpanExportResult.SUCCESS))
    tracing, logging = TracerProvider(), LoggerProvider()
    logging.add_log_record_processor(SimpleLogRecordProcessor(ToFile(encode_logs, 0)))
    set_logger_provider(logging)
    if instrumentation == "logfire":
        import logfire

        logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[spans])
        logfire.instrument_anthropic() if api == "anthropic" else logfire.instrument_openai()
    else:
        tracing.add_span_processor(spans)
        trace.set_tracer_provider(tracing)
        name, made = instrumentation.split(":")
        instrumentor = getattr(importlib.import_module(name), made)()
        instrumentor.instrument(tracer_provider=tracing, logger_provider=logging)
    clients.main(api, origin, mode)


main(*sys.argv[1:])
