/**
 * Copies of bounds for the nodes of a search, in arrays that are used again for the next person: making a typed array costs
 * more than a small node's arithmetic. Long searches make further ones, which the garbage collector gets.
 */

/** How many arrays are kept. */
const KEPT = 256;

export class BoundsPool {
  private readonly kept: Float64Array[] = [];
  private used = 0;

  /** From here on all arrays may be used again. */
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
