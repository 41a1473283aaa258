import { messageOf } from "../boundary/host.ts";
import { isLater, Waits } from "../waiting/waiting-call.ts";
import type { AroundToolCall } from "./inner-calls.ts";

/** What is used of a span of OpenTelemetry. */
export interface TelemetrySpan {
  setAttribute(name: string, value: string): unknown;
  recordException(error: { name: string; message: string }): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** What is used of a tracer of OpenTelemetry. */
export interface TelemetryTracer {
  startActiveSpan(
    name: string,
    options: { attributes: Record<string, string> },
    run: (span: TelemetrySpan) => Promise<unknown>,
  ): unknown;
}

/**
 * Spans for the calls that programs make, below the span of the program's call. The settings of the AI SDK are some; those of
 * version 7 need the tracer that its integration has.
 */
export interface ProgramTelemetry {
  /** Without a tracer there are no spans. */
  readonly tracer?: TelemetryTracer | undefined;
  /** Default true. */
  readonly isEnabled?: boolean | undefined;
  /** Whether the spans have the arguments. Default true. */
  readonly recordInputs?: boolean | undefined;
  /** Whether the spans have the results, and the messages of errors. Default true. */
  readonly recordOutputs?: boolean | undefined;
}

/** The code of a status that is an error. */
const ERROR = 2;

/** Runs each call within a span that is named and described as those of tools are by OpenTelemetry. */
export function inSpans({
  tracer,
  isEnabled = true,
  recordInputs = true,
  recordOutputs = true,
}: ProgramTelemetry): AroundToolCall | undefined {
  if (tracer === undefined || !isEnabled) return undefined;
  return ({ id, name, args }, run) => {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      ...(recordInputs ? { "gen_ai.tool.call.arguments": jsonOf(args) } : {}),
    };
    return tracer.startActiveSpan(`execute_tool ${name}`, { attributes }, async (span) => {
      try {
        const result = await run();
        const isOpen = isLater(result) || result instanceof Waits;
        if (recordOutputs && !isOpen) span.setAttribute("gen_ai.tool.call.result", jsonOf(result));
        return result;
      } catch (error) {
        const message = recordOutputs ? messageOf(error) : "";
        const { name: kind = "Error" } = Object(error) as { name?: string };
        span.setAttribute("error.type", kind);
        span.recordException({ name: kind, message });
        span.setStatus({ code: ERROR, message });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return String(value);
  }
}
