/** A stretch of a request: a message, or the part of one up to a marked place. */
export interface Piece {
  /** Two pieces with the same key are the same to the provider. */
  readonly key: string;
  /** The text in which a part of the piece may be known; null when only the whole of it can be. */
  readonly text: string | null;
  /** True when a breakpoint stands at its end. */
  readonly isMarked: boolean;
}

/** The known beginning of a request: so many pieces, and so many UTF-16 units of the text of the next one. */
export interface Known {
  pieces: number;
  units: number;
}

/** Blocks before a breakpoint in which a provider looks for an earlier one. */
const LOOK_BACK = 20;

/** The place behind a beginning of earlier requests. */
interface Node {
  readonly next: Map<string, { readonly text: string | null; readonly node: Node }>;
  /** When a request with this beginning was sent last. */
  sentAt: number;
  /** When such a request marked this place last, or read up to it; -Infinity if none did. */
  markedAt: number;
}

/** What a provider's cache remembers of the beginnings of requests. */
export class PromptCache {
  private readonly root: Node = newNode();
  private readonly lifetime: number;
  private readonly atBreakpoints: boolean;
  private now = 0;

  /** @param cache its lifetime in milliseconds, null when it never forgets; whether only marked places count. */
  constructor({ lifetime, breakpoints }: { lifetime: number | null; breakpoints: boolean }) {
    this.lifetime = lifetime ?? Number.POSITIVE_INFINITY;
    this.atBreakpoints = breakpoints;
  }

  /**
   * Sends a request: gives the beginning that the cache knows, and remembers all of it.
   *
   * @param at in milliseconds. A request without a time follows the one before at once.
   */
  send(pieces: readonly Piece[], at: number | undefined): Known {
    this.now = Math.max(this.now, at ?? this.now);
    const path = this.path(pieces);
    const known = this.atBreakpoints ? this.markedBeginning(pieces, path) : this.sharedBeginning(pieces, path);
    let node = this.root;
    for (const [index, { key, text, isMarked }] of pieces.entries()) {
      let next = node.next.get(key)?.node;
      if (next === undefined) {
        next = newNode();
        node.next.set(key, { text, node: next });
      }
      node = next;
      node.sentAt = this.now;
      if (isMarked || index + 1 === known.pieces) node.markedAt = this.now;
    }
    return known;
  }

  /** The nodes behind the first pieces, as far as the cache remembers them. */
  private path(pieces: readonly Piece[]): Node[] {
    const path: Node[] = [];
    let node: Node | undefined = this.root;
    for (const { key } of pieces) {
      node = node.next.get(key)?.node;
      if (node === undefined || !this.lives(node.sentAt)) break;
      path.push(node);
    }
    return path;
  }

  private sharedBeginning(pieces: readonly Piece[], path: readonly Node[]): Known {
    const text = pieces[path.length]?.text ?? null;
    let units = 0;
    if (text !== null) {
      for (const { text: other, node } of (path.at(-1) ?? this.root).next.values()) {
        if (other !== null && this.lives(node.sentAt)) units = Math.max(units, sharedUnits(text, other));
      }
    }
    return { pieces: path.length, units };
  }

  private markedBeginning(pieces: readonly Piece[], path: readonly Node[]): Known {
    for (let mark = pieces.length; mark > 0; mark--) {
      if (pieces[mark - 1]?.isMarked !== true) continue;
      for (let place = Math.min(mark, path.length); place > Math.max(0, mark - LOOK_BACK); place--) {
        if (this.lives((path[place - 1] as Node).markedAt)) return { pieces: place, units: 0 };
      }
    }
    return { pieces: 0, units: 0 };
  }

  private lives(at: number): boolean {
    return this.now - at <= this.lifetime && at > Number.NEGATIVE_INFINITY;
  }
}

const newNode = (): Node => ({
  next: new Map(),
  sentAt: Number.NEGATIVE_INFINITY,
  markedAt: Number.NEGATIVE_INFINITY,
});

/** UTF-16 units that two texts begin with; the halves of a character stay together. */
function sharedUnits(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let units = 0;
  while (units < most && left.charCodeAt(units) === right.charCodeAt(units)) units++;
  return units > 0 && units < left.length && /[\uD800-\uDBFF]/.test(left[units - 1] as string) ? units - 1 : units;
}
