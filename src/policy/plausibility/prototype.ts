/**
 * Plausibility by class prototypes (Van Looveren and Klaise 2021):  value(x) = -min_g |E(x) - p_g|²
 *
 *   E     the encoder of background.autoencoder (autoencoder-layers.ts); without an autoencoder, the standardised numbers
 *   p_g   the mean of E over the background rows to which the model gives the target g
 *
 * A target of several classes has a prototype for each class, and the nearest prototype counts. Shares compare with the rows that have the target: other
 * rows are far from the prototypes of the target. The penalty is the squared distance.
 */
import type { PlausibilityDocument } from '../../documents/policy-document.js';
import { pullBackVector } from '../../linalg/affine.js';
import { subtract } from '../../linalg/vector.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import { Network } from '../../models/machines/network.js';
import type { Goal } from '../../models/region.js';
import { broughtLayers, encoderOf, sizeOf } from './autoencoder-layers.js';
import { backgroundColumns, checkEnough, plausibilityError } from './background-columns.js';
import { plausibilityBy } from './limit-and-term.js';
import type { Measure, Plausibility, TargetPlausibility } from './plausibility-measure.js';
import { type NumberBox, squaredDistanceTo, standardise } from './standardised-numbers.js';

export const compilePrototype = (document: PlausibilityDocument, loaded: LoadedModel): TargetPlausibility =>
  new Prototypes(document, loaded);

/** The encoding by which points are compared. */
interface Encoder {
  /** Valid until the next call. */
  encode(columns: Float64Array): Float64Array;
  /** Maps a gradient by the encoding of the last call to a gradient by column. */
  pullBack(slope: Float64Array, out: Float64Array): void;
  /** A box that contains the encodings of all points of a box. Absent: no such box is known. */
  readonly boxOf?: (lower: Float64Array, upper: Float64Array) => NumberBox;
  readonly flops: number;
}

class Prototypes implements TargetPlausibility {
  private readonly encoder: Encoder;
  private readonly rows: readonly Float64Array[];
  private readonly known = new Map<string, Plausibility>();

  constructor(
    private readonly document: PlausibilityDocument,
    private readonly loaded: LoadedModel,
  ) {
    this.rows = backgroundColumns(loaded);
    this.encoder = encoderFor(loaded, this.rows);
  }

  of(goals: readonly Goal[]): Plausibility {
    const key = goals.map((goal) => Object.values(goal).join()).join(';');
    const plausibility = this.known.get(key) ?? this.compile(goals);
    this.known.set(key, plausibility);
    return plausibility;
  }

  private compile(goals: readonly Goal[]): Plausibility {
    const reach = goals.map((goal) => rowsWith(goal, this.loaded));
    const means = reach.flatMap((places) => this.meanOf(places));
    if (!means.length) throw plausibilityError('.method', 'no row of model.background.samples has the target');
    const own = this.rows.filter((_, k) => reach.some((places) => places[k]));
    if (this.document.atLeast !== undefined) checkEnough(own.length, 'that have the target');
    const measure = new PrototypeDistance(this.encoder, means);
    return plausibilityBy(
      measure,
      this.document,
      own.map((row) => measure.value(row)),
    );
  }

  /** The mean encoding. Rows whose encoding has a NaN are left out. None if no row is left. */
  private meanOf(places: readonly boolean[]): Float64Array[] {
    const encodings = this.rows
      .filter((_, k) => places[k])
      .map((row) => this.encoder.encode(row).slice())
      .filter((encoding) => encoding.every(Number.isFinite));
    if (!encodings.length) return [];
    const mean = new Float64Array(encodings[0].length);
    for (const encoding of encodings) for (let i = 0; i < mean.length; i++) mean[i] += encoding[i] / encodings.length;
    return [mean];
  }
}

class PrototypeDistance implements Measure {
  readonly flops: number;
  readonly mostWithin?: (lower: Float64Array, upper: Float64Array) => number;

  constructor(
    private readonly encoder: Encoder,
    private readonly means: readonly Float64Array[],
  ) {
    const { boxOf } = encoder;
    if (boxOf)
      this.mostWithin = (lower, upper) => {
        const box = boxOf(lower, upper);
        return -Math.min(...means.map((mean) => squaredDistanceTo(box, mean)));
      };
    this.flops = encoder.flops + 2 * means.length * means[0].length;
  }

  value(columns: Float64Array): number {
    const encoding = this.encoder.encode(columns);
    const least = Math.min(...this.means.map((mean) => squaredDistance(encoding, mean)));
    return Number.isFinite(least) ? -least : Number.NEGATIVE_INFINITY;
  }

  readonly slope = (columns: Float64Array, out: Float64Array): void => {
    const encoding = this.encoder.encode(columns);
    const away = this.means.map((mean) => squaredDistance(encoding, mean));
    const nearest = this.means[away.indexOf(Math.min(...away))] ?? this.means[0];
    this.encoder.pullBack(
      subtract(nearest, encoding).map((miss) => 2 * miss),
      out,
    );
  };

  penaltyOf = (value: number): number => -value;

  penaltySlope = (): number => -1;
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

function encoderFor(loaded: LoadedModel, rows: readonly Float64Array[]): Encoder {
  const layers = broughtLayers(loaded, rows.length);
  if (!layers) {
    const numbers = standardise(loaded, rows);
    return {
      encode: (columns) => numbers.of(columns),
      pullBack: (slope, out) => numbers.pullBack(slope, out),
      boxOf: (lower, upper) => numbers.boxOf(lower, upper),
      flops: 2 * numbers.size,
    };
  }
  const { run, map, inputs } = loaded.preprocessing;
  const network = new Network(encoderOf(loaded, layers));
  const inner = new Float64Array(inputs);
  return {
    encode: (columns) => network.run(run(columns)),
    pullBack: (slope, out) => {
      network.pullBack(slope, inner);
      out.set(pullBackVector(map, inner).a);
    },
    flops: 2 * sizeOf(network.layers),
  };
}

/** For each sample, whether the model gives the sample the goal. For a model that is scored elsewhere, background.labels decide. */
function rowsWith(goal: Goal, loaded: LoadedModel): boolean[] {
  if (loaded.model.memory) return labelledRows(goal, loaded);
  const scorer = new Scorer(loaded);
  return loaded.background.samples.map((values) => {
    scorer.runValues(values);
    return loaded.model.achieves(scorer.raw, goal);
  });
}

function labelledRows(goal: Goal, { background, classes }: LoadedModel): boolean[] {
  const { labels } = background;
  if (!labels.length)
    throw plausibilityError('.method', '"prototype" needs model.background.labels: the model is scored elsewhere');
  if (goal.kind === 'class') return labels.map((label) => label === classes[goal.index]);
  if (classes.length)
    throw plausibilityError('.method', '"prototype" needs a class as target: the model is scored elsewhere');
  return labels.map((label) => typeof label === 'number' && label >= goal.from && label <= goal.to);
}
