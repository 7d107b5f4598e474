/**
 * A k-d tree over points of row-metric.ts, without pointers: it finds the nearest points of a query without visiting all points.
 *
 *   node n of the part [low, high): its halves [low, middle) and [middle, high) are the nodes 2n and 2n + 1, the root is 1
 *   box of a node: the least and the largest of each coordinate;  bound(q, box)² = Σ numbers (outside by)² + [codes outside]
 *
 * A part is halved by rank along the coordinate that contributes most to distances within the part: 2 x variance of a number, the share of
 * differing pairs of a code. A node whose bound is beyond the k-th best so far is skipped. Boxes prune better than balls here: a few
 * differing codes put a whole box out of reach. Points of equal distance are taken in the order of their rows.
 */
import type { RowMetric } from './row-metric.js';

/** Parts of up to this many points are visited point by point. */
const LEAF = 16;
/** The largest relative rounding error of squared distances. */
const SLACK = 1e-12;

/** Points in the order of the tree. */
export interface PlacedRows {
  /** The row of each point. */
  readonly order: Int32Array;
  /** The points in the layout of the metric, concatenated. */
  readonly points: Float64Array;
}

/** The points from `low` to `high`, with the boxes of their nodes. */
export interface RowIndex {
  readonly low: number;
  readonly high: number;
  /** Node by node: the least coordinates, then the largest. */
  readonly boxes: Float64Array;
}

const middleOf = (low: number, high: number): number => (low + high + 1) >> 1;

/** How many numbers the boxes of an index take. A single leaf has no boxes. */
export function boxNumbers({ width }: RowMetric, size: number): number {
  let nodes = size > LEAF ? 2 : 0;
  for (let part = size; part > LEAF; part = (part + 1) >> 1) nodes *= 2;
  return nodes * 2 * width;
}

/** Orders the points of an index as a tree and fills its boxes. */
export function growIndex(metric: RowMetric, placed: PlacedRows, { low, high, boxes }: RowIndex): void {
  const grow = (node: number, from: number, to: number): void => {
    boxOf(metric, placed, from, to, boxes.subarray(2 * metric.width * node, 2 * metric.width * (node + 1)));
    if (to - from <= LEAF) return;
    const middle = middleOf(from, to);
    select(metric, placed, widest(metric, placed, from, to), from, to, middle);
    grow(2 * node, from, middle);
    grow(2 * node + 1, middle, to);
  };
  if (boxes.length) grow(1, low, high);
}

function boxOf({ width }: RowMetric, { points }: PlacedRows, from: number, to: number, box: Float64Array): void {
  box.fill(Infinity, 0, width);
  box.fill(Number.NEGATIVE_INFINITY, width, 2 * width);
  for (let p = from; p < to; p++) {
    for (let i = 0; i < width; i++) {
      const x = points[p * width + i];
      if (x < box[i]) box[i] = x;
      if (x > box[width + i]) box[width + i] = x;
    }
  }
}

/** The coordinate that contributes most to the squares of distances within a part. */
function widest(metric: RowMetric, placed: PlacedRows, from: number, to: number): number {
  const { numbers, width } = metric;
  const shares = Array.from({ length: width }, (_, i) =>
    i < numbers ? 2 * varianceOf(metric, placed, i, from, to) : differingPairs(metric, placed, i, from, to),
  );
  return shares.indexOf(Math.max(...shares));
}

function varianceOf({ width }: RowMetric, { points }: PlacedRows, i: number, from: number, to: number): number {
  let [sum, squares] = [0, 0];
  const first = points[from * width + i];
  for (let p = from; p < to; p++) {
    const x = points[p * width + i] - first;
    sum += x;
    squares += x * x;
  }
  const count = to - from;
  return squares / count - (sum / count) ** 2;
}

function differingPairs({ width }: RowMetric, { points }: PlacedRows, i: number, from: number, to: number): number {
  const counts = new Map<number, number>();
  for (let p = from; p < to; p++) {
    const code = points[p * width + i];
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let same = 0;
  for (const count of counts.values()) same += (count / (to - from)) ** 2;
  return 1 - same;
}

/** Hoare's selection: puts the point of rank `middle` along a coordinate at its place, with no larger point before it. */
function select(
  metric: RowMetric,
  placed: PlacedRows,
  coordinate: number,
  first: number,
  end: number,
  middle: number,
): void {
  const { width } = metric;
  const at = (place: number) => placed.points[place * width + coordinate];
  let [low, high] = [first, end - 1];
  while (low < high) {
    const pivot = at((low + high) >> 1);
    let [i, j] = [low, high];
    while (i <= j) {
      while (at(i) < pivot) i++;
      while (at(j) > pivot) j--;
      if (i <= j) swapPoints(width, placed, i++, j--);
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

function swapPoints(width: number, { order, points }: PlacedRows, a: number, b: number): void {
  if (a === b) return;
  [order[a], order[b]] = [order[b], order[a]];
  for (let i = 0; i < width; i++) {
    const kept = points[a * width + i];
    points[a * width + i] = points[b * width + i];
    points[b * width + i] = kept;
  }
}

/** The nearest points of a query, nearest first. One search runs at a time. */
export class RowSearch {
  /** Places of the points found, and the squares of their distances. */
  readonly places: Int32Array;
  readonly squares: Float64Array;
  found = 0;
  /** The number of points and boxes visited so far. */
  looks = 0;
  private wanted = 0;
  /** Points beyond this distance are not wanted. */
  private most = Infinity;
  private query: Float64Array = new Float64Array();
  private at = 0;
  private boxes: Float64Array = new Float64Array();
  private accepts: (place: number) => boolean = () => true;

  constructor(
    private readonly metric: RowMetric,
    private readonly placed: PlacedRows,
    capacity: number,
  ) {
    this.places = new Int32Array(capacity);
    this.squares = new Float64Array(capacity);
  }

  /** Up to `wanted` accepted points of an index, none further than `reach`. The query is the point that begins at `at`. */
  nearest(
    query: Float64Array,
    at: number,
    { low, high, boxes }: RowIndex,
    wanted: number,
    accepts: (place: number) => boolean,
    reach = Infinity,
  ): number {
    [this.query, this.at, this.boxes, this.wanted, this.accepts] = [query, at, boxes, wanted, accepts];
    this.most = reach * reach * (1 + SLACK);
    this.found = 0;
    if (high > low) this.visit(1, low, high);
    return this.found;
  }

  /** The places of all accepted points within a distance, in the order of the tree. */
  within(
    query: Float64Array,
    at: number,
    index: RowIndex,
    reach: number,
    accepts: (place: number) => boolean,
  ): number[] {
    const places: number[] = [];
    const collect = (place: number) => {
      if (accepts(place)) places.push(place);
      return false;
    };
    this.nearest(query, at, index, 1, collect, reach);
    return places.sort((a, b) => a - b);
  }

  private visit(node: number, low: number, high: number): void {
    if (high - low <= LEAF) {
      this.lookAtEach(low, high);
      return;
    }
    const middle = middleOf(low, high);
    const [left, right] = [this.bound(2 * node), this.bound(2 * node + 1)];
    if (left <= right) {
      if (left <= this.most) this.visit(2 * node, low, middle);
      if (right <= this.most) this.visit(2 * node + 1, middle, high);
    } else {
      if (right <= this.most) this.visit(2 * node + 1, middle, high);
      if (left <= this.most) this.visit(2 * node, low, middle);
    }
  }

  /** A lower bound of the squared distance to the points of a node. The sum stops early once it exceeds the wanted distance. */
  private bound(node: number): number {
    this.looks++;
    const { query, at, boxes, most } = this;
    const { numbers, width } = this.metric;
    const [least, largest] = [2 * width * node, 2 * width * node + width];
    let sum = 0;
    for (let i = numbers; i < width; i++) {
      const x = query[at + i];
      if (x < boxes[least + i] || x > boxes[largest + i]) sum++;
    }
    for (let i = 0; i < numbers && sum <= most; i++) {
      const x = query[at + i];
      const outside = x < boxes[least + i] ? boxes[least + i] - x : x > boxes[largest + i] ? x - boxes[largest + i] : 0;
      sum += outside * outside;
    }
    return sum * (1 - SLACK);
  }

  private lookAtEach(low: number, high: number): void {
    const { metric, placed, query, at } = this;
    this.looks += high - low;
    for (let p = low; p < high; p++) {
      const square = metric.squareWithin(query, at, placed.points, p * metric.width, this.most);
      if (square <= this.most && this.accepts(p)) this.insert(p, square);
    }
  }

  /** Inserts by distance. Equal distances are ordered by their rows. */
  private insert(place: number, square: number): void {
    const { places, squares, placed } = this;
    const isBehind = (k: number) =>
      squares[k] > square || (squares[k] === square && placed.order[places[k]] > placed.order[place]);
    if (this.found === this.wanted && !isBehind(this.found - 1)) return;
    let k = this.found < this.wanted ? this.found++ : this.found - 1;
    for (; k > 0 && isBehind(k - 1); k--) {
      places[k] = places[k - 1];
      squares[k] = squares[k - 1];
    }
    places[k] = place;
    squares[k] = square;
    if (this.found === this.wanted) this.most = squares[this.found - 1];
  }
}
