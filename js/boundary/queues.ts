/** Runs what has the same key one after the other, in the order in which it came; an error does not hold up the rest. */
export class Queues<K> {
  private readonly last = new Map<K, Promise<unknown>>();

  async run<R>(key: K, task: () => Promise<R>): Promise<R> {
    const before = this.last.get(key);
    const own = before === undefined ? task() : before.then(task, task);
    this.last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.last.get(key) === own) this.last.delete(key);
    }
  }
}
