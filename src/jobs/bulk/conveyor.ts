/** A queue of limited length between a producer loop and a consumer loop. Each waits for the other. */
export class Conveyor<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  #ended = false;
  #wake: () => void = () => {};
  #changed = this.#nextChange();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Waits while the queue is full. False: the queue was ended, and the item is not taken. */
  async put(item: T): Promise<boolean> {
    while (!this.#ended && this.#items.length >= this.#capacity) await this.#changed;
    if (this.#ended) return false;
    this.#items.push(item);
    this.#tell();
    return true;
  }

  /** No more items. The items in the queue are still given out. */
  end(): void {
    this.#ended = true;
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#items.length === 0 && !this.#ended) await this.#changed;
      if (this.#items.length === 0) return;
      const item = this.#items.shift()!;
      this.#tell();
      yield item;
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #tell(): void {
    const wake = this.#wake;
    this.#changed = this.#nextChange();
    wake();
  }
}
