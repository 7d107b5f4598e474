/**
 * Contributions to a sum of parts, each of one or two features. For a part g of the features f and h, and a row r of the reference:
 *
 *   φ_f = ½ (g(x_f, r_h) - g(r_f, r_h)) + ½ (g(x_f, x_h) - g(r_f, x_h))       the two orders in which f and h join
 */
import { Scorer } from '../load.js';
import {
  type Contributions,
  ownersOf,
  type RowContributions,
  refuseReasons,
  type SummedModel,
} from './row-contributions.js';
import type { PartSum, SumPart } from './score-sum.js';

interface OwnedPart {
  readonly part: SumPart;
  /** One or two features. */
  readonly owners: readonly number[];
}

export function partContributions(loaded: SummedModel, { parts }: PartSum): Contributions {
  const owner = ownersOf(loaded);
  const owned = parts.map((part) => ownedPart(owner, part));
  const scorer = new Scorer(loaded);
  const singles = owned.filter(({ owners }) => owners.length === 1);
  const pairs = owned.filter(({ owners }) => owners.length === 2);
  return {
    hasMeans: pairs.length === 0,
    against: (rows) => {
      const inputs = rows.map((row) => scorer.inputOf(row).slice());
      const means = singles.map(({ part }) => inputs.reduce((sum, r) => sum + part.value(r) / inputs.length, 0));
      const mixed = new Float64Array(loaded.preprocessing.inputs);
      return (values, out) => {
        const x = scorer.inputOf(values);
        out.fill(0);
        for (const [p, { part, owners }] of singles.entries()) out[owners[0]] += part.value(x) - means[p];
        for (const pair of pairs) for (const r of inputs) addPair(pair, x, r, mixed, owner, out, inputs.length);
      };
    },
    againstBest: (): RowContributions => {
      throw refuseReasons('"best" is for linear models and for sums of trees that each read one feature', '.reference');
    },
  };
}

function ownedPart(owner: Int32Array, part: SumPart): OwnedPart {
  const owners = [...new Set(part.inputs.map((input) => owner[input]))];
  if (owners.length > 2) throw new RangeError(`a part of ${owners.length} features`);
  return { part, owners };
}

function addPair(
  { part, owners: [f, h] }: OwnedPart,
  x: Float64Array,
  r: Float64Array,
  mixed: Float64Array,
  owner: Int32Array,
  out: Float64Array,
  rows: number,
): void {
  const both = part.value(x);
  const none = part.value(r);
  for (const input of part.inputs) mixed[input] = owner[input] === f ? x[input] : r[input];
  const first = part.value(mixed);
  for (const input of part.inputs) mixed[input] = owner[input] === h ? x[input] : r[input];
  const second = part.value(mixed);
  out[f] += (first - none + both - second) / (2 * rows);
  out[h] += (second - none + both - first) / (2 * rows);
}
