/**
 * Contributions to a linear sum, in columns:
 *
 *   s(x) = Σ_i w_i x_i = Σ_c a_c z_c + const,   a = Mᵀ w behind the preprocessing z -> M z + o,   z_c = f_c(column c)
 *   φ_f  = Σ over the columns c of f:  a_c (z_c - mean z_c)
 *
 * A missing value has the value of the imputer. The functions f_c are those of a `monotone` step, or none.
 */
import { pullBackVector } from '../../linalg/affine.js';
import { type Feature, spread } from '../features.js';
import { rangeOf } from './feature-range.js';
import type { Contributions, Direction, RowContributions, SummedModel } from './row-contributions.js';
import type { LinearSum } from './score-sum.js';

export function linearContributions(loaded: SummedModel, { weights }: LinearSum): Contributions {
  const { space, preprocessing } = loaded;
  const { a } = pullBackVector(preprocessing.map, weights);
  const columns = new Float64Array(space.columns);
  const { imputed, curves } = preprocessing;
  const bent = (values: Float64Array): Float64Array => {
    spread(space, values, columns);
    for (let c = 0; c < columns.length; c++) if (Number.isNaN(columns[c])) columns[c] = imputed[c];
    return curves ? curves.run(columns) : columns;
  };
  return {
    hasMeans: true,
    against: (rows) => {
      const mean = new Float64Array(space.columns);
      for (const row of rows) for (const [c, z] of bent(row).entries()) mean[c] += z / rows.length;
      return fromColumns(mean);
    },
    againstBest: (direction) => {
      const best = new Float64Array(space.features.length);
      for (const feature of space.features) best[feature.index] = bestTerm(loaded, feature, termOf, direction);
      return (values, out) => {
        for (const { index } of space.features) out[index] = -best[index];
        addTerms(bent(values), out);
      };
    },
  };

  function fromColumns(reference: Float64Array): RowContributions {
    return (values, out) => {
      const z = bent(values);
      out.fill(0);
      for (let c = 0; c < z.length; c++) out[space.owner[c]] += a[c] * (z[c] - reference[c]);
    };
  }

  function addTerms(z: Float64Array, out: Float64Array): void {
    for (let c = 0; c < z.length; c++) out[space.owner[c]] += a[c] * z[c];
  }

  function termOf({ kind, column }: Feature, value: number): number {
    if (kind === 'choice') return a[column + value] * bentAt(column + value, 1) + idle(column, value);
    return a[column] === 0 ? 0 : a[column] * bentAt(column, value);
  }

  /** A function of a `monotone` step may give a category that is not chosen a number. */
  function idle(column: number, value: number): number {
    let sum = 0;
    if (curves)
      for (let c = column; space.owner[c] === space.owner[column]; c++)
        if (c !== column + value) sum += a[c] * bentAt(c, 0);
    return sum;
  }

  function bentAt(column: number, value: number): number {
    return curves ? curves.runColumn(column, value) : value;
  }
}

/** A term is monotone in a number: its ends are enough. */
function bestTerm(
  loaded: SummedModel,
  feature: Feature,
  termOf: (feature: Feature, value: number) => number,
  direction: Direction,
): number {
  const { lower, upper } = rangeOf(loaded, feature, termOf(feature, 0) !== termOf(feature, 1));
  const ends = feature.kind === 'choice' ? feature.categories.map((_, k) => k) : [lower, upper];
  return direction * Math.max(...ends.map((value) => direction * termOf(feature, value)));
}
