/** A piece of a request: a message, or a part of one up to a marked place. */
export interface RequestPiece {
  /** Two pieces with the same key are the same to the provider. */
  readonly key: string;
  /** The text of which a part may be cached; null when only the whole piece can be. */
  readonly text: string | null;
}

/** A request of which the cache knows the beginning. */
interface CachedRequest {
  readonly pieces: readonly RequestPiece[];
  /** The numbers of pieces before each breakpoint, in order. */
  readonly marks: readonly number[];
  /** How many pieces at the beginning are those of the last request that was sent. Others may be equal to them. */
  readonly shared: number;
  /** The time in milliseconds. A request without a time immediately follows the previous one. */
  readonly at: number | undefined;
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
  readonly key: string;
  readonly text: string | null;
  readonly next: Map<string, PrefixNode>;
  /** Time at which a request with this beginning was last sent, unless that is the last request. */
  sentAt: number;
  /** Time at which such a request last marked this place, or read up to it; -Infinity if none did. */
  markedAt: number;
}

/** A model of a provider's cache of the beginnings of requests. */
export class PromptCache {
  private readonly root: PrefixNode = newNode({ key: "", text: null });
  private readonly lifetime: number;
  private readonly atBreakpoints: boolean;
  /** The nodes of the pieces of the last request. */
  private readonly nodes: PrefixNode[] = [];
  /** The time of the last request. Without a time, the first request is sent at 0. */
  private now = Number.NEGATIVE_INFINITY;
  /** True when the request before the last one was sent within the lifetime of its beginning. */
  followsWarm = false;

  /**
   * @param cache its lifetime in milliseconds, null when entries never expire; and whether only marked places are
   * cached.
   */
  constructor({ lifetime, breakpoints }: { lifetime: number | null; breakpoints: boolean }) {
    this.lifetime = lifetime ?? Number.POSITIVE_INFINITY;
    this.atBreakpoints = breakpoints;
  }

  /**
   * Sends a request: returns the beginning that is in the cache, and stores the whole request. Takes time in proportion
   * to the pieces that are not shared.
   */
  send(request: CachedRequest): CachedPrefix {
    const { pieces, marks, at } = request;
    const { nodes } = this;
    const before = this.now;
    this.now = Math.max(before, at ?? (Number.isFinite(before) ? before : 0));
    this.followsWarm = this.isAlive(before);
    const same = this.sameCount(request);
    for (const node of nodes.splice(same)) node.sentAt = before;
    const known = this.knownPrefix(request, before);
    for (const piece of pieces.slice(nodes.length)) {
      const { next } = nodes.at(-1) ?? this.root;
      const node = next.get(piece.key) ?? newNode(piece);
      next.set(piece.key, node);
      nodes.push(node);
    }
    for (const count of [known.pieces, ...marks]) if (count > 0) (nodes[count - 1] as PrefixNode).markedAt = this.now;
    return known;
  }

  /**
   * Returns the beginning that would be in the cache if a request that continues the last one were sent at the same
   * time. Stores nothing.
   */
  peek(request: CachedRequest): CachedPrefix {
    return this.knownPrefix(request, this.now);
  }

  /** Releases the beginnings that were not sent within the lifetime. */
  forgetExpired(): void {
    const kept = new Set(this.nodes);
    const open = [this.root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [key, next] of node.next) {
        if (kept.has(next) || this.isAlive(next.sentAt)) open.push(next);
        else node.next.delete(key);
      }
    }
  }

  /** Returns how many pieces a request has in common with the last one. */
  private sameCount({ pieces, shared }: CachedRequest): number {
    let count = shared;
    while (count < pieces.length && pieces[count]?.key === this.nodes[count]?.key) count++;
    return count;
  }

  /**
   * Returns the beginning that is in the cache, of a request that begins with the pieces of `nodes`, which were sent at
   * `sentAt`.
   */
  private knownPrefix({ pieces, marks }: CachedRequest, sentAt: number): CachedPrefix {
    const own = this.isAlive(sentAt) ? this.nodes.length : 0;
    const path: PrefixNode[] = [];
    const nodeAt = (count: number) => (count > own ? path[count - own - 1] : this.nodes[count - 1]);
    // When the last request is forgotten, so are all that begin with its pieces.
    if (own === this.nodes.length) {
      for (let last = nodeAt(own) ?? this.root; own + path.length < pieces.length; ) {
        const next = last.next.get((pieces[own + path.length] as RequestPiece).key);
        if (next === undefined || !this.isAlive(next.sentAt)) break;
        path.push(next);
        last = next;
      }
    }
    const length = own + path.length;
    if (!this.atBreakpoints) return this.sharedPrefix(pieces[length], length, nodeAt(length) ?? this.root);
    for (const mark of [...marks].reverse()) {
      for (let count = Math.min(mark, length); count > Math.max(0, mark - LOOKBACK_BLOCKS); count--) {
        if (this.isAlive((nodeAt(count) as PrefixNode).markedAt)) return { pieces: count, units: 0 };
      }
    }
    return { pieces: 0, units: 0 };
  }

  /** Adds to the known pieces the beginning of the text after them. */
  private sharedPrefix(piece: RequestPiece | undefined, pieces: number, last: PrefixNode): CachedPrefix {
    const text = piece?.text ?? null;
    let units = 0;
    if (text !== null) {
      for (const { text: other, sentAt } of last.next.values()) {
        if (other !== null && this.isAlive(sentAt)) units = Math.max(units, commonLength(text, other));
      }
    }
    return { pieces, units };
  }

  private isAlive(at: number): boolean {
    return this.now - at <= this.lifetime && at > Number.NEGATIVE_INFINITY;
  }
}

const newNode = ({ key, text }: RequestPiece): PrefixNode => ({
  key,
  text,
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
