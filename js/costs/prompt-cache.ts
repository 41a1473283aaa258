/** A piece of a request: a message, or a part of one up to a marked place. */
export interface RequestPiece {
  /** Two pieces with the same key are the same to the provider. */
  readonly key: string;
  /** The text of which a part may be cached; null when only the whole piece can be. */
  readonly text: string | null;
  /** True when there is a breakpoint at its end. */
  readonly isMarked: boolean;
}

/** The cached beginning of a request: a number of pieces, and of UTF-16 units of the text of the next one. */
export interface CachedPrefix {
  pieces: number;
  units: number;
}

/** Number of blocks before a breakpoint in which a provider looks for an earlier one. */
const LOOKBACK_BLOCKS = 20;

/** The end of a beginning of earlier requests. */
interface PrefixNode {
  readonly next: Map<string, { readonly text: string | null; readonly node: PrefixNode }>;
  /** Time at which a request with this beginning was last sent. */
  sentAt: number;
  /** Time at which such a request last marked this place, or read up to it; -Infinity if none did. */
  markedAt: number;
}

/** A model of a provider's cache of the beginnings of requests. */
export class PromptCache {
  private readonly root: PrefixNode = newNode();
  private readonly lifetime: number;
  private readonly atBreakpoints: boolean;
  /** The last request, with the nodes of its pieces: the next one begins with most of them. */
  private last: { pieces: readonly RequestPiece[]; nodes: readonly PrefixNode[] } = { pieces: [], nodes: [] };
  /** The time of the last request. Without a time, the first request is sent at 0. */
  private now = Number.NEGATIVE_INFINITY;

  /**
   * @param cache its lifetime in milliseconds, null when entries never expire; and whether only marked places are
   * cached.
   */
  constructor({ lifetime, breakpoints }: { lifetime: number | null; breakpoints: boolean }) {
    this.lifetime = lifetime ?? Number.POSITIVE_INFINITY;
    this.atBreakpoints = breakpoints;
  }

  /**
   * Sends a request: returns the beginning that is in the cache, and stores the whole request.
   *
   * @param at the time in milliseconds. A request without a time immediately follows the previous one.
   */
  send(pieces: readonly RequestPiece[], at: number | undefined): CachedPrefix {
    this.now = Math.max(this.now, at ?? (Number.isFinite(this.now) ? this.now : 0));
    const nodes = this.knownNodes(pieces);
    const dead = nodes.findIndex(({ sentAt }) => !this.isAlive(sentAt));
    const path = dead < 0 ? nodes.slice() : nodes.slice(0, dead);
    const known = this.atBreakpoints ? this.markedPrefix(pieces, path) : this.sharedPrefix(pieces, path);
    for (const [index, { key, text, isMarked }] of pieces.entries()) {
      let node = nodes[index];
      if (node === undefined) {
        node = newNode();
        (nodes[index - 1] ?? this.root).next.set(key, { text, node });
        nodes.push(node);
      }
      node.sentAt = this.now;
      if (isMarked || index + 1 === known.pieces) node.markedAt = this.now;
    }
    this.last = { pieces, nodes };
    return known;
  }

  /** Returns the nodes of the first pieces, as far as earlier requests had them. */
  private knownNodes(pieces: readonly RequestPiece[]): PrefixNode[] {
    let count = 0;
    while (count < pieces.length && pieces[count]?.key === this.last.pieces[count]?.key) count++;
    const nodes = this.last.nodes.slice(0, count);
    for (let node = nodes.at(-1) ?? this.root; count < pieces.length; count++) {
      const next = node.next.get((pieces[count] as RequestPiece).key);
      if (next === undefined) break;
      node = next.node;
      nodes.push(node);
    }
    return nodes;
  }

  private sharedPrefix(pieces: readonly RequestPiece[], path: readonly PrefixNode[]): CachedPrefix {
    const text = pieces[path.length]?.text ?? null;
    let units = 0;
    if (text !== null) {
      for (const { text: other, node } of (path.at(-1) ?? this.root).next.values()) {
        if (other !== null && this.isAlive(node.sentAt)) units = Math.max(units, commonLength(text, other));
      }
    }
    return { pieces: path.length, units };
  }

  private markedPrefix(pieces: readonly RequestPiece[], path: readonly PrefixNode[]): CachedPrefix {
    for (let mark = pieces.length; mark > 0; mark--) {
      if (pieces[mark - 1]?.isMarked !== true) continue;
      for (let count = Math.min(mark, path.length); count > Math.max(0, mark - LOOKBACK_BLOCKS); count--) {
        if (this.isAlive((path[count - 1] as PrefixNode).markedAt)) return { pieces: count, units: 0 };
      }
    }
    return { pieces: 0, units: 0 };
  }

  private isAlive(at: number): boolean {
    return this.now - at <= this.lifetime && at > Number.NEGATIVE_INFINITY;
  }
}

const newNode = (): PrefixNode => ({
  next: new Map(),
  sentAt: Number.NEGATIVE_INFINITY,
  markedAt: Number.NEGATIVE_INFINITY,
});

/** Returns the length of the common beginning of two texts, in UTF-16 units; surrogate pairs are not split. */
function commonLength(left: string, right: string): number {
  const maxLength = Math.min(left.length, right.length);
  let units = 0;
  while (units < maxLength && left.charCodeAt(units) === right.charCodeAt(units)) units++;
  return units > 0 && units < left.length && /[\uD800-\uDBFF]/.test(left[units - 1] as string) ? units - 1 : units;
}
