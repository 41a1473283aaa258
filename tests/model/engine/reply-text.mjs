/** The text of generated tokens, up to the first stop text. */
export class ReplyText {
  text = "";
  isStopped = false;
  #model;
  #stop;
  #onText;
  /** The previous tokens, as context for decoding the next ones. */
  #before = [];
  /** Tokens that end within a character. */
  #open = [];
  /** Text that may be the beginning of a stop text. */
  #held = "";

  constructor(model, stop, onText) {
    this.#model = model;
    this.#stop = stop;
    this.#onText = onText;
  }

  push(token) {
    this.#open.push(token);
    const text = this.#model.detokenize(this.#open, false, this.#before);
    // A character has at most four bytes, so text that is incomplete after four tokens stays incomplete.
    if (text.endsWith("\ufffd") && this.#open.length < 4) return;
    this.#close(text);
  }

  /** Emits the text that was held back. */
  end() {
    if (this.#open.length > 0) this.#close(this.#model.detokenize(this.#open, false, this.#before));
    if (!this.isStopped) this.#give(this.#held.length);
  }

  #close(text) {
    this.#before = [...this.#before, ...this.#open].slice(-4);
    this.#open = [];
    this.#held += text;
    const places = this.#stop.map((stop) => this.#held.indexOf(stop)).filter((place) => place >= 0);
    if (places.length > 0) {
      this.#give(Math.min(...places));
      this.isStopped = true;
      return;
    }
    const kept = Math.max(0, ...this.#stop.map((stop) => sharedEnd(this.#held, stop)));
    this.#give(this.#held.length - kept);
  }

  #give(length) {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (text === "") return;
    this.text += text;
    this.#onText(text);
  }
}

/** The length of the longest suffix of `text` that is a prefix of `stop`. */
function sharedEnd(text, stop) {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
