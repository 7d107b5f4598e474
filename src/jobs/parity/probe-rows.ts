/**
 * Rows worth a comparison with another library, drawn by a seed:
 *
 *   splits      a background row whose number is a threshold of a tree, the double after it, the double before it, or a float32 beside it
 *   boundary    two rows that differ in one number and in their decision, found by bisection: by one double for trees, else by a billionth
 *   missing     a row without a value, where the model takes rows without it
 *   plain       rows of the background, or drawn within the ranges of the features
 *
 * The kinds take turns. Every threshold comes once before any comes again, as far as the rows suffice.
 */
import { nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../linalg/floats.js';
import { seededRandom } from '../../linalg/random.js';
import type { Feature } from '../../models/features.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import { splitValues } from './split-values.js';

type Random = () => number;

export function* probeRows(model: LoadedModel, count: number, seed: number): Generator<Float64Array> {
  const random = seededRandom(seed);
  const plain = plainRows(model, random);
  const kinds = [
    splitRows(model, plain, random),
    boundaryRows(model, plain, random),
    missingRows(model, plain, random),
    plain,
  ];
  for (let made = 0; made < count; ) {
    for (const [k, rows] of kinds.entries()) {
      if (made === count) return;
      const turns = k === 0 ? SPLIT_TURNS : 1;
      for (let turn = 0; turn < turns && made < count; turn++) {
        const row = rows.next().value as Float64Array | undefined;
        if (!row) break;
        made++;
        yield row;
      }
    }
  }
}

/** Rows at splits for each row of another kind. */
const SPLIT_TURNS = 5;

function* plainRows({ space, background }: LoadedModel, random: Random): Generator<Float64Array, never> {
  const { samples } = background;
  const ranges = space.features.map((feature) => rangeFor(feature, background.quantiles(feature)));
  for (;;) {
    const isSample = samples.length > 0 && random() < SAMPLE_SHARE;
    const row = isSample
      ? samples[Math.floor(random() * samples.length)].slice()
      : Float64Array.from(ranges, (draw) => draw(random));
    yield row;
  }
}

const SAMPLE_SHARE = 0.5;

/** Draws a value of a feature. A number without a bound has any size up to a million. */
function rangeFor(feature: Feature, seen: readonly number[] | undefined): (random: Random) => number {
  const { kind, categories } = feature;
  if (kind === 'boolean') return (random) => +(random() < 0.5);
  if (kind === 'choice' || kind === 'ordinal') return (random) => Math.floor(random() * categories.length);
  const lower = Number.isFinite(feature.min) ? feature.min : (seen?.[0] ?? -Infinity);
  const upper = Number.isFinite(feature.max) ? feature.max : (seen?.[seen.length - 1] ?? Infinity);
  const draw = (random: Random) => between(lower, upper, random);
  return kind === 'integer' ? (random) => Math.round(draw(random)) : draw;
}

function between(lower: number, upper: number, random: Random): number {
  if (upper - lower < Infinity) return lower + random() * (upper - lower);
  const size = LARGEST_DRAWN ** random() - 1;
  if (lower > -Infinity) return lower + size;
  return upper < Infinity ? upper - size : random() < 0.5 ? size : -size;
}

const LARGEST_DRAWN = 1e6;

function* splitRows(model: LoadedModel, plain: Generator<Float64Array>, random: Random): Generator<Float64Array> {
  const splits = splitValues(model);
  const all = splits.flatMap((values, f) =>
    Array.from(values, (value) => ({ feature: model.space.features[f], value })),
  );
  for (;;) {
    if (!all.length) return;
    for (const { feature, value } of shuffled(all, random)) {
      for (const beside of valuesBeside(feature, value)) {
        const row = plain.next().value as Float64Array;
        row[feature.index] = beside;
        yield row;
      }
    }
  }
}

function valuesBeside({ kind }: Feature, value: number): readonly number[] {
  if (kind === 'integer') return [...new Set([Math.floor(value), Math.floor(value) + 1])];
  const single = Math.fround(value);
  const numbers = [value, nextUp(value), nextDown(value), single, nextUpSingle(single), nextDownSingle(single)];
  return [...new Set(numbers)].filter(Number.isFinite);
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const mixed = [...items];
  for (let k = mixed.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1));
    [mixed[k], mixed[other]] = [mixed[other], mixed[k]];
  }
  return mixed;
}

/** Pairs of rows: between two rows with different decisions one number is moved until two neighbouring doubles differ. */
function* boundaryRows(model: LoadedModel, plain: Generator<Float64Array>, random: Random): Generator<Float64Array> {
  const numbers = model.space.features.filter(({ kind }) => kind === 'continuous');
  if (!numbers.length || !model.classes.length) return;
  const decide = decider(model);
  for (;;) {
    const found = findFlip(numbers, plain, random, decide, model.model.forest ? 0 : BESIDE_ROUNDING);
    if (!found) return;
    yield* found;
  }
}

const MOST_TRIES = 200;

/** Sums of weights are rounded in the order of each library. Rows of a pair differ by more than that rounding. */
const BESIDE_ROUNDING = 1e-9;

function findFlip(
  numbers: readonly Feature[],
  plain: Generator<Float64Array>,
  random: Random,
  decide: (row: Float64Array) => number,
  least: number,
): readonly Float64Array[] | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = plain.next().value as Float64Array;
    const { index } = numbers[Math.floor(random() * numbers.length)];
    const other = row.slice();
    other[index] = (plain.next().value as Float64Array)[index];
    if (Number.isNaN(row[index]) || Number.isNaN(other[index]) || decide(row) === decide(other)) continue;
    return narrowed(row, other, index, decide, least);
  }
  return undefined;
}

function narrowed(
  from: Float64Array,
  to: Float64Array,
  index: number,
  decide: (row: Float64Array) => number,
  least: number,
) {
  const [first, middle, last] = [from.slice(), from.slice(), to.slice()];
  const own = decide(first);
  const isNear = () => Math.abs(first[index] - last[index]) <= least * Math.abs(last[index]);
  for (;;) {
    middle[index] = first[index] / 2 + last[index] / 2;
    if (middle[index] === first[index] || middle[index] === last[index] || isNear()) return [first, last];
    const side = decide(middle) === own ? first : last;
    side[index] = middle[index];
  }
}

function decider(model: LoadedModel): (row: Float64Array) => number {
  const scorer = new Scorer(model);
  return (row) => {
    scorer.runValues(row);
    return scorer.decide(row);
  };
}

function* missingRows(
  { space, model, preprocessing }: LoadedModel,
  plain: Generator<Float64Array>,
  random: Random,
): Generator<Float64Array> {
  const isImputed = ({ column, width }: Feature) =>
    preprocessing.imputed.subarray(column, column + width).every((value) => !Number.isNaN(value));
  const open = space.features.filter((feature) => model.takesMissing || isImputed(feature));
  for (;;) {
    if (!open.length) return;
    const row = plain.next().value as Float64Array;
    row[open[Math.floor(random() * open.length)].index] = Number.NaN;
    yield row;
  }
}
