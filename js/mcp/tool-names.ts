/** Maximum length of a name that all providers accept. */
const MAX_LENGTH = 64;

/** Maximum number of characters read of a tool's name on the server. */
const MAX_READ_LENGTH = 256;

/**
 * Assigns names for agents to a server's tools, which programs can write and all providers accept: letters, digits, `_`
 * and `-`. A tool keeps its name for the lifetime of this object.
 */
export class ToolNames {
  private readonly prefix: string;
  private readonly assigned = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** The number that was last appended, by the name that was already used. */
  private readonly counts = new Map<string, number>();

  /** @param prefix precedes each name; it has only characters of names. */
  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Assigns names to the tools that have none yet. Names that need no change are never given to other tools of the list. */
  assign(tools: readonly string[]): void {
    const isKept = (tool: string) => this.prefix + tool === this.validName(tool);
    const fresh = tools.filter((tool) => !this.assigned.has(tool));
    for (const tool of [...fresh.filter(isKept), ...fresh.filter((each) => !isKept(each))]) {
      const name = this.unusedName(this.validName(tool));
      this.assigned.set(tool, name);
      this.taken.add(name);
    }
  }

  /** Returns the assigned name of a tool. */
  of(tool: string): string {
    return this.assigned.get(tool) as string;
  }

  private validName(tool: string): string {
    const dashed = tool
      .slice(0, MAX_READ_LENGTH)
      .replace(/^[^\w-]+|[^\w-]+$/g, "")
      .replace(/[^\w-]+/g, "-");
    // A name without ASCII letters and digits is replaced by its code points, and so is `__proto__`, which every object
    // has.
    const named = /[A-Za-z0-9]/.test(dashed) && dashed !== "__proto__" ? dashed : codePointsOf(tool);
    return (this.prefix + named).slice(0, MAX_LENGTH);
  }

  private unusedName(name: string): string {
    let candidate = name;
    let count = this.counts.get(name) ?? 1;
    while (this.taken.has(candidate)) {
      const suffix = `-${++count}`;
      candidate = name.slice(0, MAX_LENGTH - suffix.length) + suffix;
    }
    this.counts.set(name, count);
    return candidate;
  }
}

/** Writes the code points of a text: `u5929-u6c17`. */
function codePointsOf(text: string): string {
  return Array.from(
    text.slice(0, MAX_LENGTH),
    (character) => `u${(character.codePointAt(0) as number).toString(16)}`,
  ).join("-");
}
