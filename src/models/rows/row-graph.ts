/**
 * A graph over the rows of the background, with edges between adjacent rows (Poyiadzi et al., FACE, 2020).
 *
 *   k nearest     i - j   where j is among the k nearest rows of i, or i among those of j
 *   epsilon       i - j   where d(i, j) <= epsilon
 *   sparsity(i)   the distance to the k-th nearest row, counting copies: small where rows are dense. The k-NN estimate of a density
 *                 falls with this distance.
 *
 * d is the metric of row-metric.ts. Equal rows are one node. Edges join only rows that agree in the fixed features, which a policy forbids
 * to change: a path could never use an edge between other rows, and such an edge would use up a place among the k nearest. Each group of
 * rows that agree has its own index (row-index.ts). The name of a node is its place in the index.
 *
 * The graph does not depend on costs. It is valid for a model, k or epsilon, and the fixed features. Its arrays are in shared memory.
 */
import { sharedFloats, sharedInts } from '../../linalg/shared.js';
import { beyondBound } from '../bounds.js';
import { type LoadedModel, Scorer } from '../load.js';
import { boxNumbers, growIndex, type PlacedRows, type RowIndex, RowSearch } from './row-index.js';
import { RowMetric } from './row-metric.js';

export interface GraphSpec {
  readonly k: number;
  /** Null: the k nearest rows are adjacent. */
  readonly epsilon: number | null;
  /** Features in which adjacent rows have to agree, by index. */
  readonly fixed: readonly number[];
}

/** The parts of a graph that threads share. */
export interface SharedRowGraph extends PlacedRows {
  /** The start of each group of places, and the end of the last one. */
  readonly groups: Int32Array;
  /** The boxes of the indices of all groups, concatenated. */
  readonly boxes: Float64Array;
  /** The start of each place's neighbours, and the end of the last ones. */
  readonly start: Int32Array;
  readonly neighbour: Int32Array;
  readonly sparsity: Float64Array;
  /** The model's raw outputs, place by place. Empty if the model is scored elsewhere. */
  readonly raw: Float64Array;
}

export const graphKey = ({ k, epsilon, fixed }: GraphSpec): string => JSON.stringify([k, epsilon, fixed]);

export function graphBytes(graph: SharedRowGraph): number {
  return Object.values(graph).reduce((sum, array: Int32Array | Float64Array) => sum + array.byteLength, 0);
}

/** `onRow` is called whenever the neighbours of a row are found. The number of calls and the work between them are bounded. */
export function buildRowGraph(loaded: LoadedModel, spec: GraphSpec, onRow: () => void = () => {}): SharedRowGraph {
  const metric = new RowMetric(loaded);
  const { rows, copies, groups } = arrangeRows(loaded, spec.fixed);
  const placed = placeRows(loaded, metric, rows);
  const boxes = sharedFloats(boxesOf(metric, groups));
  const indices = indicesOf(metric, { groups, boxes });
  for (const index of indices) growIndex(metric, placed, index);
  const search = new RowSearch(metric, placed, spec.k);
  const work = new GraphWork(loaded);
  const sparsity = sharedFloats(rows.length);
  const near: number[][] = [];
  for (const index of indices) {
    for (let place = index.low; place < index.high; place++) {
      const at = place * metric.width;
      const isOther = (other: number) => other !== place;
      search.nearest(placed.points, at, index, spec.k, isOther);
      sparsity[place] = distanceOfCopy(
        search,
        spec.k,
        copies[placed.order[place]] - 1,
        (other) => copies[placed.order[other]],
      );
      near.push(
        spec.epsilon === null
          ? [...search.places.subarray(0, search.found)]
          : search.within(placed.points, at, index, spec.epsilon, isOther),
      );
      work.note(search.looks, near[place].length);
      onRow();
    }
  }
  return {
    ...placed,
    groups,
    boxes,
    ...packed(spec.epsilon === null ? inBothDirections(near) : near),
    sparsity,
    raw: scoreRows(loaded, placed.order),
  };
}

const boxesOf = (metric: RowMetric, groups: Int32Array): number =>
  groups.reduce((sum, end, g) => (g ? sum + boxNumbers(metric, end - groups[g - 1]) : 0), 0);

/** The index of each group. */
export function indicesOf(metric: RowMetric, { groups, boxes }: Pick<SharedRowGraph, 'groups' | 'boxes'>): RowIndex[] {
  let used = 0;
  return Array.from({ length: groups.length - 1 }, (_, g) => {
    const [low, high] = [groups[g], groups[g + 1]];
    const numbers = boxNumbers(metric, high - low);
    used += numbers;
    return { low, high, boxes: boxes.subarray(used - numbers, used) };
  });
}

/** Counts work against the bounds of the model. */
class GraphWork {
  private edges = 0;

  constructor(private readonly loaded: LoadedModel) {}

  note(searched: number, edges: number): void {
    const { pathDistances, pathEdges } = this.loaded.bounds;
    this.edges += edges;
    if (searched > pathDistances)
      throw beyondBound(
        'policy.path',
        `the graph of ${this.loaded.background.samples.length} background rows takes more than ${pathDistances} distances; bring fewer samples`,
        'pathDistances',
      );
    if (this.edges > pathEdges)
      throw beyondBound(
        'policy.path',
        `the graph has more than ${pathEdges} edges; take a smaller epsilon or k`,
        'pathEdges',
      );
  }
}

interface ArrangedRows {
  /** Distinct rows, group by group. */
  readonly rows: Int32Array;
  /** By row: its number of copies in the background. */
  readonly copies: Int32Array;
  readonly groups: Int32Array;
}

function arrangeRows({ background: { samples } }: LoadedModel, fixed: readonly number[]): ArrangedRows {
  const copies = new Int32Array(samples.length);
  const firsts = new Map<string, number>();
  const groups = new Map<string, number[]>();
  for (const [row, values] of samples.entries()) {
    const key = values.join();
    const first = firsts.get(key);
    copies[first ?? row]++;
    if (first !== undefined) continue;
    firsts.set(key, row);
    const group = groupKey(values, fixed);
    const members = groups.get(group) ?? [];
    members.push(row);
    groups.set(group, members);
  }
  const parts = [...groups.values()];
  const starts = sharedInts(parts.length + 1);
  for (const [g, part] of parts.entries()) starts[g + 1] = starts[g] + part.length;
  return { rows: Int32Array.from(parts.flat()), copies, groups: starts };
}

/** A key that is equal for rows that agree in the fixed features. */
export const groupKey = (values: Float64Array, fixed: readonly number[]): string => fixed.map((f) => values[f]).join();

function placeRows({ background: { samples } }: LoadedModel, metric: RowMetric, rows: Int32Array): PlacedRows {
  const order = sharedInts(rows.length);
  const points = sharedFloats(rows.length * metric.width);
  order.set(rows);
  for (const [place, row] of rows.entries()) metric.place(samples[row], points, place * metric.width);
  return { order, points };
}

/** The distance to the k-th row, counting copies. With fewer rows: to the last one. Infinity: no other row exists. */
function distanceOfCopy(
  { found, places, squares }: RowSearch,
  k: number,
  own: number,
  copiesAt: (place: number) => number,
): number {
  let [count, square] = [own, own > 0 ? 0 : Infinity];
  for (let i = 0; i < found && count < k; i++) {
    count += copiesAt(places[i]);
    square = squares[i];
  }
  return Math.sqrt(square);
}

/** Lists of neighbours, with each pair in both lists. */
function inBothDirections(near: readonly number[][]): number[][] {
  const lists = near.map((list) => [...list]);
  for (const [place, list] of near.entries())
    for (const other of list) if (!near[other].includes(place)) lists[other].push(place);
  return lists;
}

function packed(lists: readonly number[][]): Pick<SharedRowGraph, 'start' | 'neighbour'> {
  const start = sharedInts(lists.length + 1);
  for (const [place, list] of lists.entries()) start[place + 1] = start[place] + list.length;
  const neighbour = sharedInts(start[lists.length]);
  for (const [place, list] of lists.entries()) neighbour.set(list, start[place]);
  return { start, neighbour };
}

function scoreRows(loaded: LoadedModel, order: Int32Array): Float64Array {
  const { rawOutputs, memory } = loaded.model;
  if (memory) return sharedFloats(0);
  const raw = sharedFloats(order.length * rawOutputs);
  const scorer = new Scorer(loaded);
  for (const [place, row] of order.entries()) {
    scorer.runValues(loaded.background.samples[row]);
    raw.set(scorer.raw, place * rawOutputs);
  }
  return raw;
}
