/**
 * Proofs over boxes: does every point of a box belong to a problem's region?
 *
 *   polyhedron       each row's minimum over the box                                          (box-rows.ts)
 *   exp-sum          convex: its maximum is at a corner                                       (box-exp-sums.ts)
 *   quadratics       branch and bound on the maximum                                          (box-quadratics.ts)
 *   additive-trees   branch and bound on the minimum of the sums                              (box-trees.ts)
 *
 * "Proved" is never wrong, rounding included; "refuted" says that a point of the box fails; "unknown" is everything else, also when the
 * effort is used up.
 */
import type { Feature } from '../models/features.js';
import type { AdditiveTreesPiece, LinearRow, Piece } from '../models/region.js';
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

type Prepare<K extends Piece['kind']> = (
  piece: Extract<Piece, { kind: K }>,
  problem: Problem,
  inputsOf: InputsOf,
) => BoxProof;

const smooth = { ends: () => null };

const PREPARE: { [K in Piece['kind']]: Prepare<K> } = {
  polyhedron: () => ({ ...smooth, prove: () => 'proved' }),
  'exp-sum': ({ sums }) => ({
    ...smooth,
    prove: ({ domain }) => allOf(sums.map((sum) => proveExpSum(sum, domain))),
  }),
  quadratics: ({ quadratics }) => {
    const overBox = quadratics.map((q) => new QuadraticOverBox(q));
    return { ...smooth, prove: ({ domain }, effort) => allOf(overBox.map((q) => q.prove(domain, effort))) };
  },
  'additive-trees': (piece, problem, inputsOf) => overTrees(problem, piece, inputsOf),
};

function overTrees({ space, holds }: Problem, piece: AdditiveTreesPiece, inputsOf: InputsOf): BoxProof {
  if (piece.relaxed || (piece.map && !piece.map.diagonal)) return { ...smooth, prove: () => 'unknown' };
  const cuts = new TreeCuts(space, piece, inputsOf);
  const overBox = new TreesOverBox(piece, cuts, inputsOf, holds);
  return { prove: (box, effort) => overBox.prove(box, effort), ends: (feature) => cuts.endsOf(feature) };
}

/** Sums over trees that `holds` of a problem asks for beside its piece, with what the trees see of a row. */
export interface TreesBeside {
  readonly piece: AdditiveTreesPiece;
  readonly inputsOf: InputsOf;
}

/** `inputsOf`: the model's own preprocessing. */
export function prepareBoxProof(problem: Problem, inputsOf: InputsOf, beside?: TreesBeside): BoxProof {
  const { piece } = problem;
  const own = (PREPARE[piece.kind] as Prepare<Piece['kind']>)(piece as never, problem, inputsOf);
  const parts = beside ? [own, overTrees(problem, beside.piece, beside.inputsOf)] : [own];
  return {
    prove(box, effort) {
      const rows = allOf(piece.rows.map((row) => proveRowOrAsk(row, box, problem)));
      return rows === 'proved' ? allOf(parts.map((part) => part.prove(box, effort))) : rows;
    },
    ends: (feature) => allEnds(parts, feature),
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
