import { Float, Fn, Keyword, Ref, type ToolFunction, type Value } from "turnfold/lisp";
import answersPage from "./answers.html?raw";
import { readLiteral } from "./literal.ts";

/** Matches a tool's answer that is a JavaScript function: no Clojure or JSON text begins like this. */
const FUNCTION = /^(async\s*)?(function\b|[\w$]+\s*=>|\([^()]*(\([^()]*\)[^()]*)*\)\s*=>)/;

export const isFunctionText = (answer: string): boolean => FUNCTION.test(answer);

const MAX_DELAY_MS = 600_000;

/** The function of a tool. Throws when the text of the answer can't be read. */
export function readAnswer(text: string): (args: readonly Value[], signal?: AbortSignal) => unknown {
  const source = text.trim();
  if (source === "")
    return () => {
      throw new Error("it has no answer: write one for it under Tools on the Run or REPL tab");
    };
  if (isFunctionText(source)) return (args, signal) => answers.call(source, args.map(plain), signal);
  const value = readLiteral(source);
  return () => value;
}

export function readDelay(text: string): number {
  const digits = text.trim();
  if (digits === "") return 0;
  if (/^\d{1,6}$/.test(digits) && Number(digits) <= MAX_DELAY_MS) return Number(digits);
  throw new TypeError(`Write whole milliseconds, at most ${MAX_DELAY_MS}, or nothing`);
}

/** A tool's function, which waits for the delay and then answers. Its last argument is the options of the host function. */
export const toolFunction =
  (answer: ReturnType<typeof readAnswer>, delay: number): ToolFunction =>
  async (...given) => {
    const { signal } = given.pop() as { readonly signal?: AbortSignal };
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return answer(given as Value[], signal);
  };

/** Converts a value to plain JavaScript: keywords to their names, floats to numbers. */
export function plain(value: Value): unknown {
  if (value instanceof Keyword) return value.name;
  if (value instanceof Float) return value.value;
  if (value instanceof Fn) return value.source ?? `#fn[${value.params}]`;
  if (value instanceof Ref) return value.text;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return new Set([...value].map(plain));
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [plain(key), plain(each)]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The frame that JavaScript functions run in. Created by the first call. */
class AnswerFrame {
  #frame: Promise<HTMLIFrameElement> | null = null;
  #element: HTMLIFrameElement | null = null;
  #waiting = new Map<number, Waiting>();
  #lastId = 0;

  async call(source: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    this.#frame ??= this.#open();
    const frame = await this.#frame;
    if (signal?.aborted === true) throw new Error("stopped");
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => this.#close(), { once: true });
      frame.contentWindow?.postMessage({ id, source, args }, "*");
    });
  }

  #open(): Promise<HTMLIFrameElement> {
    const frame = document.createElement("iframe");
    this.#element = frame;
    frame.hidden = true;
    frame.title = "Tools’ answers";
    frame.setAttribute("sandbox", "allow-scripts");
    // The text of the frame is part of the page, because the service worker does not serve a frame without an origin.
    frame.srcdoc = answersPage;
    return new Promise((resolve) => {
      frame.addEventListener("load", () => resolve(frame), { once: true });
      document.body.append(frame);
    });
  }

  /** Removes the frame, because a stopped function may never return. */
  #close(): void {
    this.#element?.remove();
    this.#element = null;
    this.#frame = null;
    for (const { reject } of this.#waiting.values()) reject(new Error("stopped"));
    this.#waiting.clear();
  }

  take(event: MessageEvent): void {
    if (this.#element === null || event.source !== this.#element.contentWindow) return;
    const { id, value, error } = (event.data ?? {}) as { id?: number; value?: unknown; error?: unknown };
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(String(error)));
  }
}

const answers = new AnswerFrame();
addEventListener("message", (event) => answers.take(event));
