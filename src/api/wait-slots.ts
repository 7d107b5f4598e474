/** Limits concurrent waits: each holds a connection, and some also hold a connection to Redis. */
export class WaitSlots {
  readonly #total: number;
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Returns the function that releases the slot, to be called once. Undefined: all slots are taken. */
  take(): (() => void) | undefined {
    if (this.#taken >= this.#total) return undefined;
    this.#taken++;
    return () => {
      this.#taken--;
    };
  }
}
