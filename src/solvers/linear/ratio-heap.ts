/**
 * The candidates of a ratio test, ordered by ratio and, for equal ratios, by variable. Most tests need only the first candidate: a binary
 * heap gives the first candidate in O(n) and each further candidate in O(log n).
 */
export class RatioHeap {
  size = 0;
  private items = new Int32Array(0);
  private variables: Int32Array = new Int32Array(0);

  /** By position. */
  ratios = new Float64Array(0);

  grow(capacity: number): void {
    this.items = new Int32Array(capacity);
    this.ratios = new Float64Array(capacity);
  }

  /** `variables`: the variable at every position. */
  clear(variables: Int32Array): void {
    this.size = 0;
    this.variables = variables;
  }

  /** Adds a position without an order. `arrange` puts all in order. */
  add(position: number, ratio: number): void {
    this.ratios[position] = ratio;
    this.items[this.size++] = position;
  }

  arrange(): void {
    for (let i = (this.size >> 1) - 1; i >= 0; i--) this.sink(this.items[i], i);
  }

  /** The position of the least ratio. The heap must not be empty. */
  get first(): number {
    return this.items[0];
  }

  pop(): number {
    const first = this.items[0];
    const last = this.items[--this.size];
    if (this.size > 0) this.sink(last, 0);
    return first;
  }

  private sink(item: number, from: number): void {
    const { items, size } = this;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && this.isBefore(items[child + 1], items[child])) child++;
      if (!this.isBefore(items[child], item)) break;
      items[i] = items[child];
      i = child;
    }
    items[i] = item;
  }

  private isBefore(a: number, b: number): boolean {
    const [own, other] = [this.ratios[a], this.ratios[b]];
    return own < other || (own === other && this.variables[a] < this.variables[b]);
  }
}
