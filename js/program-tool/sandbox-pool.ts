import { Lisp, type LispOptions } from "../sandbox/lisp.ts";
import type { SavedSandbox } from "../sandbox/saved-sandbox.ts";

/** Sandboxes that are kept between programs. */
const KEPT_SANDBOXES = 4;

/** Sandboxes with the same tools, each of which runs the program of one conversation at a time. */
export class SandboxPool {
  private readonly options: LispOptions;
  private readonly idle: Lisp[];
  /** The state of a new conversation. */
  readonly empty: SavedSandbox;
  readonly warnings: readonly string[];

  constructor(options: LispOptions) {
    this.options = options;
    const first = new Lisp(options);
    this.idle = [first];
    this.empty = first.state;
    this.warnings = first.warnings;
  }

  /** Runs `use` in a sandbox with this state: the one that has it, if it is idle. */
  async run<T>(state: SavedSandbox, use: (lisp: Lisp) => Promise<T>): Promise<T> {
    const at = this.idle.findIndex((each) => each.state === state);
    const [lisp = new Lisp(this.options)] = at < 0 ? this.idle.splice(-1) : this.idle.splice(at, 1);
    lisp.state = state;
    try {
      return await use(lisp);
    } finally {
      if (this.idle.length < KEPT_SANDBOXES) this.idle.push(lisp);
      else lisp.dispose();
    }
  }
}
