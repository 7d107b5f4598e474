/**
 * The shortest path from a person to a row of the background that has the target (FACE: Poyiadzi et al. 2020), by Dijkstra's algorithm.
 *
 *   minimise  Σ length(step)   over paths  person -> row -> ... -> row   in the graph of models/rows/row-graph.ts
 *   every row of the path keeps the policy for the person;  every step keeps the directions of the policy
 *   the last row has the target and lies at least as densely as a share `atLeast` of the background
 *
 * Edges join the person to the k nearest rows that the policy allows, or to all within epsilon. Rows are settled in the order of their
 * distance: the first settled row that may be the end is the end of the shortest path. The conditions on a row depend only on the person
 * and on the previous step, so the algorithm is exact. A model that is scored elsewhere is asked for the scores of many settled rows at
 * once.
 */
import { type LoadedModel, Scorer } from '../../models/load.js';
import type { Goal } from '../../models/region.js';
import { type GraphSpec, groupKey, indicesOf, type SharedRowGraph } from '../../models/rows/row-graph.js';
import { type RowIndex, RowSearch } from '../../models/rows/row-index.js';
import { RowMetric } from '../../models/rows/row-metric.js';
import { ScoresNeeded } from '../../models/score-memory.js';
import { isSame } from '../../policy/values.js';
import type { Budget } from '../../problems/budget.js';
import type { CompiledPolicy } from '../../problems/compile.js';
import type { Person } from '../search.js';
import type { CheckedTarget, Verifier } from '../verify.js';
import type { FoundPath, PathStep } from './found-path.js';
import { RowQueue } from './row-queue.js';
import { StepLengths } from './step-lengths.js';

/** Units of effort for an edge, per feature, and for a row or a box of the index, per coordinate. */
const EDGE_WORK = 0.004;
const LOOK_WORK = 0.001;
/** Rows settled between two checks of the budget. */
const ROWS_PER_LOOK = 64;
/** The first number of rows for which a remote model is asked. The number doubles each time. */
const FIRST_BATCH = 64;

const NOBODY = -1;

export class PathSearch {
  /** Rows that were settled for the person. */
  settled = 0;
  private readonly lengths: StepLengths;
  private readonly metric: RowMetric;
  private readonly groups = new Map<string, RowIndex>();
  private readonly near: RowSearch;
  private readonly point: Float64Array;
  private readonly scorer: Scorer;
  private readonly distance: Float64Array;
  private readonly previous: Int32Array;
  private readonly queue: RowQueue;
  /** By place: the number of the person for whom the place was checked; above zero: allowed. */
  private readonly judged: Int32Array;
  private person!: Person;
  private target!: CheckedTarget;
  private number = 0;
  /** By place: whether the row is plausible, computed on demand. */
  private readonly plausible: Uint8Array;
  /** The largest sparsity of an end. */
  private readonly thinnest: number;

  constructor(
    private readonly loaded: LoadedModel,
    policy: CompiledPolicy,
    private readonly verifier: Verifier,
    private readonly graph: SharedRowGraph,
    private readonly spec: GraphSpec,
    options: { readonly isWeighted: boolean; readonly atLeast: number },
  ) {
    const rows = graph.order.length;
    this.lengths = new StepLengths(loaded, policy, graph, verifier, options.isWeighted);
    this.metric = new RowMetric(loaded);
    for (const index of indicesOf(this.metric, graph))
      this.groups.set(groupKey(this.lengths.valuesAt(index.low), spec.fixed), index);
    this.near = new RowSearch(this.metric, graph, spec.k);
    this.point = new Float64Array(this.metric.width);
    this.scorer = new Scorer(loaded);
    this.distance = new Float64Array(rows);
    this.previous = new Int32Array(rows);
    this.queue = new RowQueue(this.distance);
    this.judged = new Int32Array(rows);
    this.plausible = new Uint8Array(rows);
    this.thinnest = options.atLeast > 0 ? thinnestOf(graph.sparsity, options.atLeast) : Infinity;
  }

  /** Gives the paths to all ends, the shortest first, until `take` has enough or the budget ends. */
  run(person: Person, target: CheckedTarget, budget: Budget, take: (path: FoundPath) => 'go on' | 'enough'): void {
    this.judgeFor(target);
    this.begin(person, budget);
    const { memory } = this.loaded.model;
    let batch: number[] = [];
    let size = memory ? FIRST_BATCH : 1;
    const flush = (): boolean => {
      const isDone = this.endsAmong(batch).some((place) => take(this.pathTo(place)) === 'enough');
      batch = [];
      if (memory) size *= 2;
      return isDone;
    };
    while (this.queue.size > 0) {
      if (this.settled % ROWS_PER_LOOK === 0 && budget.isSpent) break;
      const place = this.settle(budget);
      if (this.graph.sparsity[place] <= this.thinnest) batch.push(place);
      if (batch.length >= size && flush()) return;
    }
    flush();
  }

  /** Plausibility may depend on the target. */
  private judgeFor(target: CheckedTarget): void {
    if (target.plausibility !== this.target?.plausibility) this.plausible.fill(0);
    this.target = target;
  }

  private begin(person: Person, budget: Budget): void {
    this.person = person;
    this.number++;
    this.settled = 0;
    this.queue.clear();
    this.distance.fill(Infinity);
    const index = this.groups.get(groupKey(person.factual, this.spec.fixed));
    if (!index) return;
    this.metric.place(person.factual, this.point);
    this.near.looks = 0;
    for (const place of this.firstPlaces(index))
      this.reach(place, this.lengths.ofEntry(person.baseline, place), NOBODY);
    budget.spend(LOOK_WORK * this.near.looks * this.metric.width);
  }

  private firstPlaces(index: RowIndex): Iterable<number> {
    const { k, epsilon } = this.spec;
    const allows = (place: number) => this.isAllowed(place);
    if (epsilon !== null) return this.near.within(this.point, 0, index, epsilon, allows);
    const found = this.near.nearest(this.point, 0, index, k, allows);
    return this.near.places.slice(0, found);
  }

  private reach(place: number, distance: number, from: number): void {
    if (!(distance < this.distance[place])) return;
    this.distance[place] = distance;
    this.previous[place] = from;
    this.queue.update(place);
  }

  /** Settles the nearest row and relaxes the edges to its neighbours. */
  private settle(budget: Budget): number {
    const { graph, lengths } = this;
    const place = this.queue.pop();
    const [first, end] = [graph.start[place], graph.start[place + 1]];
    const here = this.distance[place];
    for (let edge = first; edge < end; edge++) {
      const to = graph.neighbour[edge];
      if (here < this.distance[to] && this.isAllowed(to)) this.reach(to, here + lengths.ofEdge(edge, place), place);
    }
    this.settled++;
    budget.spend(EDGE_WORK * (1 + end - first) * this.loaded.space.features.length);
    return place;
  }

  private isAllowed(place: number): boolean {
    const judged = this.judged[place];
    if (judged === this.number) return true;
    if (judged === -this.number) return false;
    const isAllowed = this.keepsPolicy(place);
    this.judged[place] = isAllowed ? this.number : -this.number;
    return isAllowed;
  }

  private keepsPolicy(place: number): boolean {
    const { factual, baseline } = this.person;
    const values = this.lengths.valuesAt(place);
    return this.verifier.keepsPolicy(factual, baseline, values) && this.isPlausible(place, values);
  }

  private isPlausible(place: number, values: Float64Array): boolean {
    if (!this.target.plausibility) return true;
    if (!this.plausible[place]) this.plausible[place] = this.verifier.isPlausible(values, this.target) ? 1 : 2;
    return this.plausible[place] === 1;
  }

  /** The places whose rows have the target, decided by the model itself. */
  private endsAmong(places: readonly number[]): number[] {
    this.needScores(places);
    const { target, verifier, lengths } = this;
    const { factual, baseline } = this.person;
    return places.filter(
      (place) =>
        this.hasTarget(place, target.goals) && verifier.check(factual, baseline, lengths.valuesAt(place), target).ok,
    );
  }

  private needScores(places: readonly number[]): void {
    const { memory } = this.loaded.model;
    if (!memory) return;
    const inputs = places.map((place) => this.scorer.inputOf(this.lengths.valuesAt(place)).slice());
    const missing = inputs.filter((input) => !memory.isKnown(input));
    if (missing.length) throw new ScoresNeeded(missing);
  }

  private hasTarget(place: number, goals: readonly Goal[]): boolean {
    const { model } = this.loaded;
    const { raw } = this.graph;
    if (model.memory) this.scorer.runValues(this.lengths.valuesAt(place));
    const own = model.memory ? this.scorer.raw : raw.subarray(place * model.rawOutputs, (place + 1) * model.rawOutputs);
    return goals.some((goal) => model.achieves(own, goal));
  }

  private pathTo(end: number): FoundPath {
    const places: number[] = [];
    for (let place = end; place !== NOBODY; place = this.previous[place]) places.unshift(place);
    let before = this.person.baseline;
    const steps = places.map((place): PathStep => {
      const cost = this.lengths.costBetween(before, this.lengths.baselineAt(place));
      before = this.lengths.baselineAt(place);
      return { sample: this.graph.order[place], values: this.lengths.valuesAt(place), cost };
    });
    // A row equal to the person's own is no step.
    const isOwn = steps[0].values.every((value, f) => isSame(value, this.person.factual[f]));
    return { length: this.distance[end], steps: isOwn ? steps.slice(1) : steps };
  }
}

/** The sparsity that at least this share of the rows reaches or exceeds. */
function thinnestOf(sparsity: Float64Array, share: number): number {
  const ascending = sparsity.slice().sort();
  return ascending[ascending.length - Math.ceil(share * ascending.length)];
}
