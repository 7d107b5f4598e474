/**
 * Sums for pairs of classes, as libsvm keeps them: vectors stand class by class, and each has a coefficient for every other class.
 *
 *   pair (i, j), i < j     Σ over vectors of i of row j - 1, Σ over vectors of j of row i;  above 0 the vote is for i
 *
 * PMML lists the coefficients of each pair. The class of a vector is that which its pairs have in common.
 */
import { pairsOf } from '../../../models/machines/one-vs-one.js';
import type { Classes } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';

/** A sum over support vectors, by the ids of the vectors. */
export interface Machine {
  readonly element: XmlElement;
  readonly coefficients: ReadonlyMap<string, number>;
  readonly intercept: number;
}

export type Vectors = ReadonlyMap<string, readonly number[]>;

/** A sum for a pair of classes: positive for the alternate one. */
export interface PairMachine extends Machine {
  readonly target: number;
  readonly alternate: number;
  readonly threshold: number;
}

/** The parameters of a kernel machine of three or more classes. */
export function pairParameters(
  pairs: readonly PairMachine[],
  vectors: Vectors,
  model: XmlElement,
  { names }: Classes,
): Record<string, unknown> {
  const owners = new Map([...vectors.keys()].map((id) => [id, ownerOf(id, pairs)]));
  const idsOf = (k: number) => [...owners].filter(([, owner]) => owner === k).map(([id]) => id);
  const ids = names.flatMap((_, k) => idsOf(k));
  const rows = names.slice(1).map(() => Array<number>(ids.length).fill(0));
  const intercept = pairsOf(names.length).map(({ low, high }) => {
    const { pair, sign } = findPair(pairs, low, high, model, names);
    for (const [v, id] of ids.entries()) {
      const own = pair.coefficients.get(id);
      if (own !== undefined) rows[rowOf(owners.get(id)!, low, high, id, pair)][v] = sign * own;
    }
    return sign * (pair.intercept - pair.threshold);
  });
  return {
    supportVectors: ids.map((id) => [...vectors.get(id)!]),
    dualCoefficients: rows,
    intercept,
    supportCounts: names.map((_, k) => idsOf(k).length),
  };
}

/** The sum of two classes, and the sign with which it is positive for the lower one. */
function findPair(
  pairs: readonly PairMachine[],
  low: number,
  high: number,
  model: XmlElement,
  names: readonly string[],
) {
  const isOwn = ({ target, alternate }: PairMachine) =>
    Math.min(target, alternate) === low && Math.max(target, alternate) === high;
  const pair = pairs.find(isOwn);
  if (pair) return { pair, sign: pair.alternate === low ? 1 : -1 };
  throw model.fault(`has no SupportVectorMachine for "${names[low]}" and "${names[high]}"`);
}

function rowOf(owner: number, low: number, high: number, id: string, { element }: PairMachine): number {
  if (owner === low) return high - 1;
  if (owner === high) return low;
  throw element.refusal(
    `a vector ("${id.slice(0, 40)}") in sums of classes that have none in common: export with a vector for each class`,
  );
}

/** The class that all sums of a vector have in common; of two, either will do. -1: no sum has the vector. */
function ownerOf(id: string, pairs: readonly PairMachine[]): number {
  const own = pairs.filter(({ coefficients }) => coefficients.has(id));
  if (!own.length) return -1;
  const common = own
    .map(({ target, alternate }) => [target, alternate])
    .reduce((a, b) => a.filter((k) => b.includes(k)));
  return common[0] ?? own[0].target;
}
