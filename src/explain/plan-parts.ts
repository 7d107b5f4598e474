/**
 * The parts of a plan that only some rows need: a target of their own, or a policy with entries left out. A part is built at its first use.
 * Parts are kept within a budget of bytes. The least recently used part is dropped first.
 *
 * A part grows while rows use it, since solvers are prepared when a row first needs them. A part is weighed after its 1st, 4th,
 * 16th, 64th ... use: weighing stays cheap for any number of rows.
 */
import { SizedLru } from './sized-lru.js';

interface KeptPart {
  readonly key: string;
  readonly part: unknown;
  readonly bytes: () => number;
  uses: number;
}

export class PlanParts {
  readonly #kept: SizedLru<KeptPart>;
  /** The part that was used last. */
  #last: KeptPart | undefined;

  constructor(maxBytes: number) {
    this.#kept = new SizedLru(maxBytes);
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    this.#weighLast();
    return this.#kept.bytes;
  }

  /** `bytesOf`: the present size of the part. The same key always means the same kind of part. */
  take<T>(key: string, build: () => T, bytesOf: (part: T) => number): T {
    this.#weighLast();
    const last = this.#last;
    const kept = last?.key === key ? last : (this.#kept.get(key) ?? this.#add(key, build(), bytesOf));
    kept.uses++;
    this.#last = kept;
    return kept.part as T;
  }

  #add<T>(key: string, part: T, bytesOf: (part: T) => number): KeptPart {
    const kept = { key, part, bytes: () => bytesOf(part), uses: 0 };
    this.#kept.set(key, kept, 0);
    return kept;
  }

  #weighLast(): void {
    const last = this.#last;
    if (last && isPowerOfFour(last.uses)) this.#kept.resize(last.key, last, last.bytes());
  }
}

/** Exactly one bit is set, at an even position. */
const isPowerOfFour = (count: number): boolean => (count & (count - 1)) === 0 && (count & 0x55555555) !== 0;
