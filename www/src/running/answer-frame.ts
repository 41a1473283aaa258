import answersPage from "./answers.html?raw";

interface Answer {
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: unknown;
  /** Where the function can’t be parsed, `:line:column`. */
  readonly place?: string;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A frame that JavaScript functions run in. Created by the first call. */
export class AnswerFrame {
  readonly #title: string;
  #frame: Promise<HTMLIFrameElement> | null = null;
  #element: HTMLIFrameElement | null = null;
  #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(title: string) {
    this.#title = title;
    addEventListener("message", (event) => this.#take(event));
  }

  async call(source: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    this.#frame ??= this.#open();
    const frame = await this.#frame;
    if (signal?.aborted === true) throw new Error("stopped");
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => this.close(), { once: true });
      frame.contentWindow?.postMessage({ id, source, args }, "*");
    });
  }

  #open(): Promise<HTMLIFrameElement> {
    const frame = document.createElement("iframe");
    this.#element = frame;
    frame.hidden = true;
    frame.title = this.#title;
    frame.setAttribute("sandbox", "allow-scripts");
    // The text of the frame is part of the page, because the service worker does not serve a frame without an origin.
    frame.srcdoc = answersPage;
    return new Promise((resolve) => {
      frame.addEventListener("load", () => resolve(frame), { once: true });
      document.body.append(frame);
    });
  }

  /** Removes the frame, because a stopped function may never return. */
  close(): void {
    this.#element?.remove();
    this.#element = null;
    this.#frame = null;
    for (const { reject } of this.#waiting.values()) reject(new Error("stopped"));
    this.#waiting.clear();
  }

  #take(event: MessageEvent): void {
    if (this.#element === null || event.source !== this.#element.contentWindow) return;
    const { id, value, error, place } = (event.data ?? {}) as Answer;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(String(error), place === undefined ? {} : { cause: place }));
  }
}

/** The frame of the tools. */
export const answers = new AnswerFrame("Tools’ answers");
