/** The background for measures of plausibility: rows as columns, and quantiles of their values. */
import { ElsewiseError } from '../../documents/error.js';
import { momentsOf } from '../../linalg/moments.js';
import { spread } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';

/** The fewest samples for a quantile. */
const FEWEST_SAMPLES = 20;
/** Relative slack below the values of rows. Two rows that differ by rounding alone both meet a limit that one of them meets. */
const SLACK = 1e-12;

export const plausibilityError = (key: string, message: string) =>
  new ElsewiseError('bad-document', message, `policy.plausibility${key}`);

/** Refuses fewer rows than a quantile needs. `which` describes the rows if only a part of the background counts. */
export function checkEnough(count: number, which = ''): void {
  if (count >= FEWEST_SAMPLES) return;
  const rows = `rows in model.background.samples${which && ` ${which}`}`;
  throw plausibilityError('', `needs at least ${FEWEST_SAMPLES} ${rows}; the model has ${count || 'none'}`);
}

/** The background, if a limit needs rows or there are enough rows to report shares. Null otherwise. */
export const backgroundWhereAsked = (loaded: LoadedModel, atLeast: number | undefined): Float64Array[] | null =>
  atLeast === undefined && loaded.background.samples.length < FEWEST_SAMPLES ? null : backgroundColumns(loaded);

/** The samples as columns, with missing values imputed like in the model. Refuses too few samples. */
export function backgroundColumns({ background, space, preprocessing }: LoadedModel): Float64Array[] {
  const { samples } = background;
  checkEnough(samples.length);
  return samples.map((values) => {
    const columns = new Float64Array(space.columns);
    spread(space, values, columns);
    return columns.map((value, c) => (Number.isNaN(value) ? preprocessing.imputed[c] : value));
  });
}

/** The plausibility values of the background rows. */
export class BackgroundValues {
  private readonly sorted: Float64Array;

  constructor(values: ArrayLike<number>) {
    this.sorted = Float64Array.from(values).sort();
  }

  /** The largest limit that a fraction of at least 1 - share of the values meets. */
  quantile(share: number): number {
    const { sorted } = this;
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  /** The fraction of values that are not above this value. */
  shareUpTo(value: number): number {
    return this.shareWhere((other) => other <= value);
  }

  shareBelow(value: number): number {
    return this.shareWhere((other) => other < value);
  }

  /** The fraction of values for which `isCounted` holds. `isCounted` holds for all values up to some value, and for none above. */
  private shareWhere(isCounted: (value: number) => boolean): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isCounted(this.sorted[middle])) low = middle + 1;
      else high = middle;
    }
    return low / this.sorted.length;
  }
}

export const eased = (value: number): number => value - SLACK * (1 + Math.abs(value));

/** The standard deviation. 1 if all values are equal. */
export const spreadOf = (values: readonly number[]): number => momentsOf(values).deviation || 1;
