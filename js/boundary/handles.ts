import { call, generation, type Part } from "./wasm.ts";

/** A handle of the wasm side. */
interface Handle {
  free(): void;
}

/**
 * The open handles of one kind of object, which are caches: an object keeps what its handle is made from. Those that
 * were not used for longest are freed when all of them occupy more than `maxBytes`. Garbage collection alone would not
 * bound them: it frees handles in a task of its own, which does not run during a loop without tasks.
 *
 * A handle is valid until another one of its pool is set.
 */
export class HandlePool {
  /** The part of the crate that the handles are of. */
  readonly part: Part;
  /** Bytes that each handle counts in addition to what it is made from. */
  readonly baseBytes: number;
  private readonly maxBytes: number;
  /** The least recently used one first. */
  private readonly slots = new Set<HandleSlot<Handle>>();
  private bytes = 0;

  constructor(part: Part, maxBytes: number, baseBytes = 16_384) {
    this.part = part;
    this.baseBytes = baseBytes;
    this.maxBytes = maxBytes;
  }

  /** @internal */
  use(slot: HandleSlot<Handle>): void {
    this.slots.delete(slot);
    this.slots.add(slot);
  }

  /** @internal */
  add(slot: HandleSlot<Handle>, bytes: number): void {
    this.use(slot);
    this.bytes += bytes;
    for (const oldest of this.slots) {
      if (this.bytes <= this.maxBytes || oldest === slot) break;
      oldest.free();
    }
  }

  /** @internal */
  remove(slot: HandleSlot<Handle>, bytes: number): void {
    if (this.slots.delete(slot)) this.bytes -= bytes;
  }
}

/** The handle of one object. */
export class HandleSlot<H extends Handle> {
  private readonly pool: HandlePool;
  private handle: H | null = null;
  /** The instance of the wasm that has the handle. */
  private generation = 0;
  private counted = 0;

  constructor(pool: HandlePool) {
    this.pool = pool;
  }

  /** The handle; null when there is none, when it was freed, and when its instance was replaced. */
  get current(): H | null {
    if (this.handle === null || this.generation !== generation(this.pool.part)) return null;
    this.pool.use(this);
    return this.handle;
  }

  /** The size of what the handle is made from. */
  get bytes(): number {
    return Math.max(0, this.counted - this.pool.baseBytes);
  }

  /** @param bytes the size of what it was made from, shared parts included. */
  set(handle: H, bytes: number): H {
    this.free();
    this.handle = handle;
    this.generation = generation(this.pool.part);
    this.grow(this.pool.baseBytes + bytes);
    return handle;
  }

  /** Counts bytes that were added to the object. */
  grow(bytes: number): void {
    this.counted += bytes;
    this.pool.add(this, bytes);
  }

  /**
   * Frees the handle, except that of a replaced instance: its number may identify another object in the new instance.
   */
  free(): void {
    const { handle } = this;
    this.handle = null;
    this.pool.remove(this, this.counted);
    this.counted = 0;
    if (handle === null || this.generation !== generation(this.pool.part)) return;
    call(this.pool.part, () => handle.free());
  }
}
