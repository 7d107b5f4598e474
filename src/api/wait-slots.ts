/** How many may wait side by side: each holds a connection, and some hold one to Redis as well. */
export class WaitSlots {
  readonly #total: number;
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Gives the function that gives the place back, to be called once; undefined when all are taken. */
  take(): (() => void) | undefined {
    if (this.#taken >= this.#total) return undefined;
    this.#taken++;
    return () => {
      this.#taken--;
    };
  }
}
