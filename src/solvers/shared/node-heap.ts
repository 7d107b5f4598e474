/** A binary heap of search nodes, least bound first. Nodes of equal bounds leave in the order of their arrival. */
export class NodeHeap<N> {
  private readonly nodes: N[] = [];
  private readonly keys: number[] = [];
  private readonly ages: number[] = [];
  private births = 0;

  get size(): number {
    return this.nodes.length;
  }

  /** The least bound of all nodes; Infinity when the heap is empty. */
  least(): number {
    return this.nodes.length ? this.keys[0] : Infinity;
  }

  push(node: N, key: number): void {
    let at = this.nodes.length;
    const age = this.births++;
    this.nodes.push(node);
    this.keys.push(key);
    this.ages.push(age);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): N | undefined {
    if (!this.nodes.length) return undefined;
    this.swap(0, this.nodes.length - 1);
    const node = this.nodes.pop();
    this.keys.pop();
    this.ages.pop();
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.nodes.length && this.before(child, least)) least = child;
      if (least === at) return node;
      this.swap(at, least);
      at = least;
    }
  }

  private before(a: number, b: number): boolean {
    return this.keys[a] < this.keys[b] || (this.keys[a] === this.keys[b] && this.ages[a] < this.ages[b]);
  }

  private swap(a: number, b: number): void {
    for (const list of [this.nodes, this.keys, this.ages] as unknown[][]) [list[a], list[b]] = [list[b], list[a]];
  }
}
