/**
 * Proofs over boxes: does every point of a box belong to a problem's region?
 *
 *   row         its minimum over the box                                                      (box-rows.ts)
 *   exp-sum     convex: its maximum is at a corner                                            (box-exp-sums.ts)
 *   quadratic   branch and bound on the maximum                                               (box-quadratics.ts)
 *   trees       branch and bound on the minimum of the sums                                   (box-trees.ts)
 *
 * "Proved" is never wrong, rounding included; "refuted" says that a point of the box fails; "unknown" is everything else, also when the
 * effort is used up.
 */
import type { Feature } from '../models/features.js';
import type { AtomKind, AtomOf, LinearRow, TreesAtom } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Problem } from '../problems/problem.js';
import type { Box } from './box.js';
import type { BoxEffort } from './box-effort.js';
import { proveExpSum } from './box-exp-sums.js';
import { QuadraticOverBox } from './box-quadratics.js';
import { proveRow, worstCorner } from './box-rows.js';
import { TreesOverBox } from './box-trees.js';
import { type InputsOf, TreeCuts } from './thresholds.js';

export interface BoxProof {
  prove(box: Box, effort: BoxEffort): BoxVerdict;
  /** The last values before something can change, for a feature along which the region is made of steps; null: it is not. */
  ends(feature: Feature): readonly number[] | null;
}

type Prepare<K extends AtomKind> = (atom: AtomOf<K>, problem: Problem, inputsOf: InputsOf) => BoxProof;

const smooth = { ends: () => null };
const UNKNOWN: BoxProof = { ...smooth, prove: () => 'unknown' };

const PREPARE: { [K in AtomKind]: Prepare<K> } = {
  'exp-sum': (sum) => ({ ...smooth, prove: ({ domain }) => proveExpSum(sum, domain) }),
  quadratic: ({ form }) => {
    const overBox = new QuadraticOverBox(form);
    return { ...smooth, prove: ({ domain }, effort) => overBox.prove(domain, effort) };
  },
  trees: overTrees,
  smooth: () => UNKNOWN,
  oracle: () => UNKNOWN,
};

function overTrees(atom: TreesAtom, { space, holds }: Problem, inputsOf: InputsOf): BoxProof {
  if (atom.relaxed || (atom.map && !atom.map.diagonal)) return UNKNOWN;
  const { imputed } = atom;
  const read = imputed ? (x: Float64Array) => x.map((v, c) => (Number.isNaN(v) ? imputed[c] : v)) : inputsOf;
  const cuts = new TreeCuts(space, atom, read);
  const overBox = new TreesOverBox(atom, cuts, read, holds);
  return { prove: (box, effort) => overBox.prove(box, effort), ends: (feature) => cuts.endsOf(feature) };
}

/** `inputsOf`: the model's own preprocessing. */
export function prepareBoxProof(problem: Problem, inputsOf: InputsOf): BoxProof {
  const { rows, atoms } = problem.piece;
  const parts = atoms.map((atom) => (PREPARE[atom.kind] as Prepare<AtomKind>)(atom as never, problem, inputsOf));
  return {
    prove(box, effort) {
      const linear = allOf(rows.map((row) => proveRowOrAsk(row, box, problem)));
      return linear === 'proved' ? allOf(parts.map((part) => part.prove(box, effort))) : linear;
    },
    ends: (feature) => (rows.length ? null : allEnds(parts, feature)),
  };
}

/** Where rounding decides, a corner that the model itself refuses is a point that fails. */
function proveRowOrAsk(row: LinearRow, box: Box, { holds }: Problem): BoxVerdict {
  const verdict = proveRow(row, box.domain);
  if (verdict !== 'unknown') return verdict;
  const corners = [row.a, row.a.map((value) => -value)].map((a) => worstCorner(a, box));
  return corners.some((x) => x.every((value) => Math.abs(value) !== Infinity) && !holds(x)) ? 'refuted' : 'unknown';
}

function allEnds(parts: readonly BoxProof[], feature: Feature): number[] | null {
  const ends = parts.map((part) => part.ends(feature));
  if (ends.includes(null)) return null;
  return [...new Set(ends.flatMap((list) => list!))].sort((a, b) => a - b);
}
