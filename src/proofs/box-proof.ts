/**
 * Proofs over boxes: does every point of a box belong to a problem's region?
 *
 *   row         its minimum over the box                                                      (box-rows.ts)
 *   exp-sum     convex: its maximum is at a corner, its minimum above a tangent               (box-exp-sums.ts)
 *   exp-quadratics   branch and bound on the largest and least exponents                      (box-exp-quadratics.ts)
 *   quadratic   branch and bound on the maximum                                               (box-quadratics.ts)
 *   additive    its minimum over the box                                                      (box-additive.ts)
 *   trees       branch and bound on the minimum of the sums                                   (box-trees.ts)
 *
 * "Proved" is never wrong, rounding included. "Refuted" means that a point of the box fails. "Unknown" is everything else, including spent
 * effort.
 */

import type { DistanceDifference } from '../models/distance-difference.js';
import type { Feature } from '../models/features.js';
import type { Atom, AtomKind, AtomOf, ExpQuadratics, LinearRow, TreesAtom } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Problem } from '../problems/problem.js';
import type { Box } from './box.js';
import { proveAdditive } from './box-additive.js';
import type { BoxEffort } from './box-effort.js';
import { ExponentsOverBox } from './box-exp-quadratics.js';
import { proveExpSum } from './box-exp-sums.js';
import { QuadraticOverBox } from './box-quadratics.js';
import { proveRow } from './box-rows.js';
import { TreesOverBox } from './box-trees.js';
import { noiseOf } from './rounding.js';
import { TreeCuts } from './thresholds.js';

export interface BoxProof {
  prove(box: Box, effort: BoxEffort): BoxVerdict;
  /** The last values before a change, for a feature along which the region consists of steps. Null: it does not. */
  ends(feature: Feature): readonly number[] | null;
}

/** The model's inputs for a row's columns, by its own preprocessing. */
export type InputsOf = (columns: Float64Array) => Float64Array;

type Prepare<K extends AtomKind> = (atom: AtomOf<K>, problem: Problem, inputsOf: InputsOf) => BoxProof;

const smooth = { ends: () => null };
const UNKNOWN: BoxProof = { ...smooth, prove: () => 'unknown' };

const PREPARE: { [K in AtomKind]: Prepare<K> } = {
  'exp-sum': (sum) => ({ ...smooth, prove: (box) => proveExpSum(sum, box) }),
  'exp-quadratics': overExponents,
  quadratic: ({ form }) => overDistances(form),
  additive: (atom) => ({ ...smooth, prove: (box) => proveAdditive(atom, box) }),
  trees: overTrees,
  neighbours: () => UNKNOWN,
  network: () => UNKNOWN,
  condition: () => UNKNOWN,
  smooth: () => UNKNOWN,
  oracle: () => UNKNOWN,
};

/** Built on first use: a model may have many forms. */
function overDistances(form: DistanceDifference): BoxProof {
  let overBox: QuadraticOverBox | undefined;
  return {
    ...smooth,
    prove(box, effort) {
      overBox ??= new QuadraticOverBox(form);
      return overBox.prove(box, effort);
    },
  };
}

function overExponents(sum: ExpQuadratics): BoxProof {
  let overBox: ExponentsOverBox | undefined;
  return {
    ...smooth,
    prove(box, effort) {
      overBox ??= new ExponentsOverBox(sum);
      return overBox.prove(box, effort);
    },
  };
}

function overTrees(atom: TreesAtom, { space, holds }: Problem, inputsOf: InputsOf): BoxProof {
  if (atom.relaxed || atom.map) return UNKNOWN;
  const { imputed } = atom;
  const seen = imputed ? (x: Float64Array) => x.map((v, c) => (Number.isNaN(v) ? imputed[c] : v)) : inputsOf;
  const cuts = new TreeCuts(space, atom.forest);
  const overBox = new TreesOverBox(atom, cuts, seen, holds);
  return { prove: (box, effort) => overBox.prove(box, effort), ends: (feature) => cuts.endsOf(feature) };
}

/** Behind a step that mixes columns the noise of distances is not a sum over columns. */
function overRow(row: LinearRow): BoxProof {
  const noise = noiseOf(row);
  return noise ? { ...smooth, prove: (box) => proveRow(row, noise, box) } : overDistances(row.arithmetic!.distances!);
}

/** `inputsOf`: the model's own preprocessing. */
export function prepareBoxProof(problem: Problem, inputsOf: InputsOf): BoxProof {
  const { rows, atoms } = problem.piece;
  const prepare = (atom: Atom) => (PREPARE[atom.kind] as Prepare<AtomKind>)(atom as never, problem, inputsOf);
  const parts = [...rows.map(overRow), ...atoms.map(prepare)];
  return {
    prove: (box, effort) => (effort.take() ? allOf(inTurn(parts, box, effort)) : 'unknown'),
    ends: (feature) => allEnds(parts, feature),
  };
}

/** Proves the parts in turn. */
function* inTurn(parts: readonly BoxProof[], box: Box, effort: BoxEffort): Generator<BoxVerdict> {
  for (const part of parts) yield part.prove(box, effort);
}

function allEnds(parts: readonly BoxProof[], feature: Feature): number[] | null {
  const ends = parts.map((part) => part.ends(feature));
  if (ends.includes(null)) return null;
  return [...new Set(ends.flatMap((list) => list!))].sort((a, b) => a - b);
}
