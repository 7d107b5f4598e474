/**
 * The lengths of the steps between rows of the background:
 *
 *   knn, epsilon   length(i, j) = cost(i, j)
 *   density        length(i, j) = cost(i, j) x (thin(i) + thin(j)) / 2,   thin(i) = sparsity(i) / median sparsity
 *
 * The cost is the policy's. A step between sparse rows counts more, a step between dense rows less. A step that the policy forbids between
 * two rows has infinite length: a feature goes against its direction, or a known value becomes unknown. Lengths are computed on first use
 * and cached.
 */
import type { LoadedModel } from '../../models/load.js';
import type { SharedRowGraph } from '../../models/rows/row-graph.js';
import { evaluateCost } from '../../policy/cost.js';
import type { FeatureRule } from '../../policy/rules.js';
import type { CompiledPolicy } from '../../problems/compile.js';
import type { Verifier } from '../verify.js';

export class StepLengths {
  /** By edge; NaN: not computed yet; Infinity: forbidden. */
  private readonly known: Float64Array;
  private readonly directed: readonly FeatureRule[];
  private readonly median: number;
  /** Rows with missing values, after imputation. */
  private readonly imputed = new Map<number, Float64Array>();

  constructor(
    private readonly loaded: LoadedModel,
    private readonly policy: CompiledPolicy,
    private readonly graph: SharedRowGraph,
    private readonly verifier: Verifier,
    private readonly isWeighted: boolean,
  ) {
    this.known = new Float64Array(graph.neighbour.length).fill(Number.NaN);
    this.directed = policy.rules.filter(
      ({ never, mayIncrease, mayDecrease }) => !never && !(mayIncrease && mayDecrease),
    );
    const finite = graph.sparsity.filter(Number.isFinite).sort();
    this.median = finite[finite.length >> 1] || 1;
  }

  valuesAt(place: number): Float64Array {
    return this.loaded.background.samples[this.graph.order[place]];
  }

  /** The row with missing values imputed, for the measurement of costs. */
  baselineAt(place: number): Float64Array {
    const values = this.valuesAt(place);
    if (!values.some(Number.isNaN)) return values;
    const known = this.imputed.get(place) ?? new Float64Array(values.length);
    if (!this.imputed.has(place)) this.verifier.baselineOf(values, known);
    this.imputed.set(place, known);
    return known;
  }

  costBetween(from: Float64Array, to: Float64Array): number {
    return evaluateCost(this.policy.cost, this.loaded.space, from, to);
  }

  /** The length from a person to a row. The person counts as equally sparse as the row. */
  ofEntry(baseline: Float64Array, place: number): number {
    return this.weighted(this.costBetween(baseline, this.baselineAt(place)), place, place);
  }

  /** The length of an edge that leaves a place. */
  ofEdge(edge: number, from: number): number {
    const known = this.known[edge];
    if (!Number.isNaN(known)) return known;
    const to = this.graph.neighbour[edge];
    const length = this.isForbidden(this.valuesAt(from), this.valuesAt(to))
      ? Infinity
      : this.weighted(this.costBetween(this.baselineAt(from), this.baselineAt(to)), from, to);
    this.known[edge] = length;
    return length;
  }

  private weighted(cost: number, from: number, to: number): number {
    const { sparsity } = this.graph;
    const length = this.isWeighted ? (cost * (sparsity[from] + sparsity[to])) / (2 * this.median) : cost;
    return Number.isNaN(length) ? Infinity : length;
  }

  private isForbidden(from: Float64Array, to: Float64Array): boolean {
    for (let f = 0; f < from.length; f++) if (Number.isNaN(to[f]) && !Number.isNaN(from[f])) return true;
    return this.directed.some(({ feature: { index }, mayIncrease, mayDecrease }) =>
      to[index] > from[index] ? !mayIncrease : to[index] < from[index] && !mayDecrease,
    );
  }
}
