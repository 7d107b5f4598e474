/**
 * Copies of bounds for the nodes of a search. The arrays are reused for the next person, because allocating a typed array costs more than a
 * small node's arithmetic. Long searches allocate further arrays, which the garbage collector frees.
 */

/** How many arrays the pool keeps. */
const KEPT = 256;

export class BoundsPool {
  private readonly kept: Float64Array[] = [];
  private used = 0;

  /** Makes all arrays available again. */
  begin(): void {
    this.used = 0;
  }

  copyOf(source: Float64Array): Float64Array {
    if (this.used >= KEPT) return source.slice();
    this.kept[this.used] ??= new Float64Array(source.length);
    const copy = this.kept[this.used++];
    for (let k = 0; k < source.length; k++) copy[k] = source[k];
    return copy;
  }
}
