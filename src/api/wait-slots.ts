import { ElsewiseError } from '../documents/error.js';

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

/** Takes a slot of each kind, or none. */
export function takeSlots(...kinds: readonly WaitSlots[]): () => void {
  const taken = kinds.flatMap((kind) => kind.take() ?? []);
  const leave = () => {
    for (const one of taken) one();
  };
  if (taken.length === kinds.length) return leave;
  leave();
  throw new ElsewiseError('too-many-requests', 'too many requests wait or convert tables already');
}
