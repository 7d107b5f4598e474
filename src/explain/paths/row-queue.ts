/** A binary heap of rows by their distance, with decreasing distances. Rows of equal distance leave in the order of their numbers. */
export class RowQueue {
  size = 0;
  private readonly heap: Int32Array;
  /** By row: its position in the heap; -1: not in the heap. */
  private readonly at: Int32Array;

  constructor(private readonly distance: Float64Array) {
    this.heap = new Int32Array(distance.length);
    this.at = new Int32Array(distance.length).fill(-1);
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.at[this.heap[i]] = -1;
    this.size = 0;
  }

  /** Adds a row, or moves it after its distance has fallen. */
  update(row: number): void {
    let i = this.at[row] < 0 ? this.size++ : this.at[row];
    for (; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.isBefore(row, this.heap[parent])) break;
      this.put(this.heap[parent], i);
      i = parent;
    }
    this.put(row, i);
  }

  /** Removes the nearest row. The queue must not be empty. */
  pop(): number {
    const first = this.heap[0];
    const last = this.heap[--this.size];
    this.at[first] = -1;
    if (this.size > 0) this.sink(last);
    return first;
  }

  private sink(row: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.isBefore(this.heap[child + 1], this.heap[child])) child++;
      if (!this.isBefore(this.heap[child], row)) break;
      this.put(this.heap[child], i);
      i = child;
    }
    this.put(row, i);
  }

  private put(row: number, i: number): void {
    this.heap[i] = row;
    this.at[row] = i;
  }

  private isBefore(a: number, b: number): boolean {
    const { distance } = this;
    return distance[a] < distance[b] || (distance[a] === distance[b] && a < b);
  }
}
