/** The background for measures of plausibility: its rows by column, and the need that a share of them does not meet. */
import { ElsewiseError } from '../../documents/error.js';
import { momentsOf } from '../../linalg/moments.js';
import { spread } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';

/** A quantile of fewer samples than this says little. */
const FEWEST_SAMPLES = 20;
/** Taken off the values of rows, as a share: a row that is as plausible as another one but for rounding meets the need of the other. */
const SLACK = 1e-12;

export const plausibilityError = (key: string, message: string) =>
  new ElsewiseError('bad-document', message, `policy.plausibility${key}`);

/** Refuses fewer rows than a quantile needs. `which`: of the rows, where not all count. */
export function checkEnough(count: number, which = ''): void {
  if (count >= FEWEST_SAMPLES) return;
  const rows = `rows in model.background.samples${which && ` ${which}`}`;
  throw plausibilityError('', `needs at least ${FEWEST_SAMPLES} ${rows}; the model has ${count || 'none'}`);
}

/** The background where a limit needs it, or where there is enough to tell shares; else null. */
export const backgroundWhereAsked = (loaded: LoadedModel, atLeast: number | undefined): Float64Array[] | null =>
  atLeast === undefined && loaded.background.samples.length < FEWEST_SAMPLES ? null : backgroundColumns(loaded);

/** The samples by column, imputed as the model does; enough of them for a quantile. */
export function backgroundColumns({ background, space, preprocessing }: LoadedModel): Float64Array[] {
  const { samples } = background;
  checkEnough(samples.length);
  return samples.map((values) => {
    const columns = new Float64Array(space.columns);
    spread(space, values, columns);
    return columns.map((value, c) => (Number.isNaN(value) ? preprocessing.imputed[c] : value));
  });
}

/** How plausible the rows of the background are. */
export class BackgroundValues {
  private readonly sorted: Float64Array;

  constructor(values: ArrayLike<number>) {
    this.sorted = Float64Array.from(values).sort();
  }

  /** The largest need that at least 1 - share of the values meet. */
  quantile(share: number): number {
    const { sorted } = this;
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  /** The share of values that are at most this one. */
  shareUpTo(value: number): number {
    return this.shareWhere((other) => other <= value);
  }

  shareBelow(value: number): number {
    return this.shareWhere((other) => other < value);
  }

  /** `isCounted`: of the values from the least on, up to some value. */
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

/** The standard deviation, and 1 where all values are the same. */
export const spreadOf = (values: readonly number[]): number => momentsOf(values).deviation || 1;
