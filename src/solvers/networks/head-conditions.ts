/**
 * The conditions of a network's last layer on the activations h of its last hidden layer, as linear conditions:
 *
 *   row       lower <= a·h <= upper                                 as it is
 *   exp-sum   log Σ_j c_j exp(u_j·h + v_j) <= log B,  convex in h     its tangent at the given point
 */
import { dot } from '../../linalg/vector.js';
import type { ExpSum, LinearRow, Piece } from '../../models/region.js';
import type { ReluNetwork, UnitCondition } from './relu-network.js';

export class HeadConditions {
  private readonly rows: readonly Omit<UnitCondition, 'layer'>[];
  private readonly sums: readonly ExpSum[];

  constructor({ rows, atoms }: Piece) {
    this.rows = rows.flatMap(bothEnds);
    this.sums = atoms.filter((atom): atom is ExpSum => atom.kind === 'exp-sum');
  }

  /** Whether the piece has only rows and convex sums. */
  static fits({ atoms }: Piece): boolean {
    return atoms.every((atom) => atom.kind === 'exp-sum' && !atom.atLeast && atom.bound > 0);
  }

  /** The conditions around the point where the units' inputs are z. */
  at(network: ReluNetwork, z: Float64Array): UnitCondition[] {
    const layer = network.layers.length;
    const tangents = this.sums.length ? this.tangentsAt(network.activations(layer, z)) : [];
    return [...this.rows, ...tangents].map((condition) => ({ ...condition, layer }));
  }

  private tangentsAt(h: Float64Array) {
    return this.sums.map((sum) => tangentAt(sum, h));
  }
}

function bothEnds({ a, lower, upper }: LinearRow): Omit<UnitCondition, 'layer'>[] {
  const ends = [];
  if (lower > -Infinity) ends.push({ a, need: lower });
  if (upper < Infinity) ends.push({ a: a.map((value) => -value), need: -upper });
  return ends;
}

/** f(h') >= f(h) + ∇f·(h' - h)  for the convex f: where f <= 0, the right side is at most 0. */
function tangentAt({ weights, exponents, shifts, bound }: ExpSum, h: Float64Array): Omit<UnitCondition, 'layer'> {
  const logs = shifts.map((shift, j) => Math.log(weights[j]) + dot(exponents[j], h) + shift);
  const top = Math.max(...logs);
  const shares = logs.map((log) => Math.exp(log - top));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const value = top + Math.log(total) - Math.log(bound);
  const a = new Float64Array(h.length);
  for (const [j, share] of shares.entries())
    for (let i = 0; i < a.length; i++) a[i] -= (share / total) * exponents[j][i];
  return { a, need: value + dot(a, h) };
}
